// SPDX-License-Identifier: Apache-2.0
/* Gaps between inferences, as the sweep meets them in the order of time. */
#include <string.h>

#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_kinds.h"

static void keep_longest(struct summary_gaps *to, const struct summary_gap *gap)
{
	uint32_t at = SUMMARY_LONGEST_GAPS;

	while (at && (!to->longest[at - 1].end_ns ||
		      to->longest[at - 1].end_ns - to->longest[at - 1].begin_ns < gap->end_ns - gap->begin_ns))
		at--;
	if (at == SUMMARY_LONGEST_GAPS)
		return;
	memmove(&to->longest[at + 1], &to->longest[at], (SUMMARY_LONGEST_GAPS - 1 - at) * sizeof *gap);
	to->longest[at] = *gap;
}

void sum_gaps_idle(struct summary_maker *maker)
{
	struct window *window = &maker->window;

	if (!window->busy.n_active)
		maker->taken_before_ns = sum_busy_at(&window->taken, window->busy.end_ns);
}

static void add_gap(struct summary_maker *maker, struct summary_gap gap)
{
	struct summary_gaps *to = &maker->to->gaps;
	uint64_t ns = gap.end_ns - gap.begin_ns, taken_ns;
	int kind = 0;

	taken_ns = sum_busy_at(&maker->window.taken, gap.end_ns);
	gap.creating_ns = taken_ns > maker->taken_before_ns ? taken_ns - maker->taken_before_ns : 0;
	gap.creating_ns = gap.creating_ns < ns ? gap.creating_ns : ns;
	while (kind < SUMMARY_GAP_KINDS - 1 && ns >= summary_gap_limit_ns(kind))
		kind++;
	to->n++;
	to->total_ns += ns;
	to->creating_ns += gap.creating_ns;
	to->kind[kind].n++;
	to->kind[kind].total_ns += ns;
	to->kind[kind].creating_ns += gap.creating_ns;
	keep_longest(to, &gap);
}

void sum_gaps_begin(struct summary_maker *maker, uint64_t time_ns)
{
	struct busy *busy = &maker->window.busy;

	if (busy->is_open && !busy->n_active && busy->end_ns < time_ns)
		add_gap(maker, (struct summary_gap){ busy->end_ns, time_ns, 0 });
	sum_busy_begin(busy, time_ns);
}
