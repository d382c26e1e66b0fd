// SPDX-License-Identifier: Apache-2.0
/* Backward passes, each of which completes inferences of a session. It may come before these in the file. */
#include <errno.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

int sum_training_add(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns)
{
	const struct summary_opts *opts = &maker->opts;
	uint64_t since_ns = slice->begin_ns - maker->counts.first_ns;
	struct session *session;

	if (end_ns == STORE_OPEN || since_ns < opts->from_ns || (opts->to_ns && since_ns >= opts->to_ns))
		return 0;
	session = sum_sessions_find(maker, process, fact_int(&slice->facts, FACT_SESSION, -1), 0, MET_NEVER);
	if (!session)
		return -ENOMEM;
	session->training.n_runs += sum_at_least_0(fact_int(&slice->facts, FACT_COUNT, 0));
	session->training.n_passes++;
	session->training.passes_ns = stats_sum(session->training.passes_ns, end_ns - slice->begin_ns);
	return 0;
}

void sum_training_join(struct summary_training *to, const struct summary_training *from)
{
	to->n_runs += from->n_runs;
	to->n_passes += from->n_passes;
	to->passes_ns = stats_sum(to->passes_ns, from->passes_ns);
}
