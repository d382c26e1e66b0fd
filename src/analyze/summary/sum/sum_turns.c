// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that run inferences of one session, one after the other: how much of the time between two of a thread's own
 * is filled by those of others. Knows the last inference of each thread.
 */
#include <errno.h>

#include "analyze/summary/sum_slow.h"

enum { MAX_TURNS = 65536 };

static struct turn *turn_of(struct summary_maker *maker, const struct run *run, bool *is_new)
{
	uint32_t session = (uint32_t)fact_int(&run->facts, FACT_SESSION, 0), n = maker->turn_keys.n, index;
	uint64_t where = keys_pair(run->process, session), tid = (uint64_t)fact_int(&run->facts, FACT_TID, 0);

	index = n < MAX_TURNS ? keys_number(&maker->turn_keys, where, tid) : keys_find(&maker->turn_keys, where, tid);
	*is_new = index == n;
	if (index == KEYS_NONE || (*is_new && !array_add(&maker->turns, sizeof(struct turn))))
		return NULL;
	return (struct turn *)maker->turns.data + index;
}

void sum_turns_add(struct summary_maker *maker, const struct run *run, uint64_t before_ns)
{
	struct summary_turns *to = &bucket_at(maker, run->bucket)->runs.turns;
	uint64_t whole_ns = session_at(maker, run->session)->row.runs_wall_ns;
	bool is_new;
	struct turn *turn;

	if (!run_is_finished(run) || !facts_have(&run->facts, FACT_TID))
		return;
	to->n_beside += before_ns > run->begin_ns;
	turn = turn_of(maker, run, &is_new);
	if (!turn)
		return;
	if (!is_new && run->begin_ns > turn->end_ns) {
		uint64_t filled_ns = whole_ns - (run->end_ns - run->begin_ns) - turn->whole_ns;

		to->n += filled_ns > 0;
		to->between_ns += filled_ns ? run->begin_ns - turn->end_ns : 0;
		to->filled_ns += filled_ns;
	}
	*turn = (struct turn){ run->end_ns, whole_ns };
}
