// SPDX-License-Identifier: Apache-2.0
/*
 * Compilations inside of inferences: of torch.compile, say. One that has a reason was made because an earlier one did
 * not fit; in a session's first inference, an earlier one of another object with the same code. Those that lie inside
 * another one are its parts. They count where their inference does.
 */
#include <errno.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

static bool is_inside_another(const struct track *track)
{
	for (uint32_t i = track->run_level; i < track->n_slices; i++)
		if (track->slice[i].kind == KIND_SPECIALIZE)
			return true;
	return false;
}

int sum_compiling_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	const struct summary_opts *opts = &maker->opts;
	uint64_t since_ns, ns = end_ns - slice->begin_ns;
	uint32_t reason = fact_text(&slice->facts, FACT_TEXT);
	struct summary_compiling one = { .n = 1, .ns = ns };
	struct session *session;
	struct run *run;

	if (end_ns == STORE_OPEN || is_inside_another(track))
		return 0;
	run = run_at(maker, track->slice[track->run_level - 1].run);
	run->compile_ns += ns;
	since_ns = run->begin_ns - maker->counts.first_ns;
	if (since_ns < opts->from_ns || (opts->to_ns && since_ns >= opts->to_ns))
		return 0;
	session = sum_sessions_find(maker, sum_process_of(maker, track), fact_int(&run->facts, FACT_SESSION, -1), 0,
				    MET_NEVER);
	if (!session)
		return -ENOMEM;
	one.n_failed = sum_is_failure(maker, fact_text(&slice->facts, FACT_STATUS));
	if (reason && fact_int(&run->facts, FACT_FIRST, 0) != 1) {
		one.n_again = 1;
		one.again_ns = one.reason_ns = ns;
		one.reason = reason;
	}
	sum_compiling_join(&session->compiling, &one);
	return 0;
}

void sum_compiling_join(struct summary_compiling *to, const struct summary_compiling *from)
{
	to->n += from->n;
	to->n_again += from->n_again;
	to->n_failed += from->n_failed;
	to->ns = stats_sum(to->ns, from->ns);
	to->again_ns = stats_sum(to->again_ns, from->again_ns);
	if (!to->reason || from->reason_ns > to->reason_ns) {
		to->reason = from->reason;
		to->reason_ns = from->reason_ns;
	}
}
