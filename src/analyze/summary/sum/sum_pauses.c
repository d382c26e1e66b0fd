// SPDX-License-Identifier: Apache-2.0
/*
 * Latency of a model's inferences after a pause of their session, and of those that follow the one before at once. An
 * inference beside another of its session is neither, and so is one after a pause of middling length.
 */
#include "analyze/summary/sum_slow.h"

enum { LONG_NS = 10000000, SHORT_NS = 1000000 };

bool sum_pauses_is_after(const struct run *run, uint64_t before_ns)
{
	return before_ns < run->begin_ns && run->begin_ns - before_ns >= LONG_NS;
}

int sum_pauses_add(struct summary_maker *maker, const struct run *run, uint64_t before_ns)
{
	struct pauses *to = &bucket_at(maker, run->bucket)->pauses;
	uint64_t duration_ns = run->end_ns - run->begin_ns, pause_ns;

	to->after.limit = to->close.limit = NODE_LIMIT;
	if (!before_ns || before_ns > run->begin_ns)
		return 0;
	pause_ns = run->begin_ns - before_ns;
	if (sum_pauses_is_after(run, before_ns))
		return stats_add(&to->after, duration_ns);
	return pause_ns <= SHORT_NS ? stats_add(&to->close, duration_ns) : 0;
}

int sum_pauses_merge(struct pauses *to, const struct pauses *from)
{
	int rc = stats_merge(&to->after, &from->after);

	return rc ? rc : stats_merge(&to->close, &from->close);
}

static struct summary_pause row_of(struct stats *stats)
{
	return (struct summary_pause){ .n = stats->n,
				       .p25_ns = stats_percentile(stats, 0.25),
				       .p50_ns = stats_percentile(stats, 0.5),
				       .p75_ns = stats_percentile(stats, 0.75) };
}

void sum_pauses_put(struct pauses *from, struct summary_runs *to)
{
	to->after_pause = row_of(&from->after);
	to->close = row_of(&from->close);
}

void sum_pauses_done(struct pauses *pauses)
{
	stats_done(&pauses->after);
	stats_done(&pauses->close);
}
