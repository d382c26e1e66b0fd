// SPDX-License-Identifier: Apache-2.0
/*
 * A halt begins in the file before an operator that it hits ends: the recorder has seen it while it lasted. When it
 * ended may come later, so how long inferences were halted is summed up last.
 */
#include <errno.h>

#include "analyze/summary/sum_kinds.h"
#include "event/event_args.h"

enum { MAX_HALTED_RUNS = 1 << 16 };

struct halted_run {
	uint64_t begin_ns, end_ns;
	uint32_t process, bucket;
};

static uint64_t time_of(const struct event *event, enum event_key key, uint64_t fallback)
{
	int64_t time_ns = event ? event_int(event, key, 0) : 0;

	return time_ns > 0 ? (uint64_t)time_ns : fallback;
}

int sum_halts_begin(struct summary_maker *maker, struct track *track, const struct event *event)
{
	struct halt halt = { .begin_ns = event->time_ns,
			     .from_ns = time_of(event, KEY_FROM_NS, 0),
			     .what = names_keep(maker->names, event->name),
			     .who = names_keep(maker->names, event_text(event, KEY_TEXT)),
			     .track = (uint32_t)(track - maker->tracks) };

	return halts_begin(&process_at(maker, sum_process_of(maker, track))->halts, &halt);
}

void sum_halts_end(struct summary_maker *maker, struct track *track, uint64_t end_ns, const struct event *event)
{
	halts_end(&process_at(maker, sum_process_of(maker, track))->halts, (uint32_t)(track - maker->tracks), end_ns,
		  time_of(event, KEY_UNTIL_NS, STORE_OPEN));
}

int sum_halts_run(struct summary_maker *maker, const struct run *run)
{
	struct halted_run *row;

	bucket_at(maker, run->bucket)->runs.n_halted++;
	bucket_at(maker, run->bucket)->runs.n_first_halted += fact_int(&run->facts, FACT_FIRST, 0) == 1;
	if (maker->halted_runs.n == MAX_HALTED_RUNS)
		return 0;
	row = array_add(&maker->halted_runs, sizeof *row);
	if (!row)
		return -ENOMEM;
	*row = (struct halted_run){ run->begin_ns, run->end_ns, run->process, run->bucket };
	return 0;
}

void sum_halts_put(const struct process *process, struct summary_slow *to)
{
	uint64_t end_ns = to->begin_ns + to->duration_ns;
	const struct halt *longest = halts_longest(&process->halts, to->begin_ns, end_ns);

	if (!longest)
		return;
	to->halted = longest->what;
	to->halted_by = longest->who;
	to->halted_ns = halts_within(&process->halts, to->begin_ns, end_ns, &to->halted_most_ns);
}

static int add_to_kind(struct end *end, const struct summary_halt *halt)
{
	struct summary_halt_kind *kind = end->halt_kinds.data;
	size_t i = end->halt_kinds.n;

	while (i && kind[i - 1].process == halt->process && kind[i - 1].what != halt->what)
		i--;
	if (!i || kind[i - 1].process != halt->process) {
		kind = array_add(&end->halt_kinds, sizeof *kind);
		if (!kind)
			return -ENOMEM;
		*kind = (struct summary_halt_kind){ halt->process, halt->what, 0, 0, halt->begin_ns, halt->who };
	} else {
		kind += i - 1;
	}
	kind->who = kind->who == halt->who ? kind->who : 0;
	kind->n++;
	kind->ns = stats_sum(kind->ns, halt->end_ns != STORE_OPEN ? halt->end_ns - halt->begin_ns : 0);
	return 0;
}

static int put_rows(const struct process *process, struct end *end)
{
	const struct halt *halt = process->halts.row.data;
	int rc = 0;

	for (size_t i = 0; !rc && i < process->halts.row.n; i++) {
		struct summary_halt *row = array_add(&end->halts, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = (struct summary_halt){ .process = process->index,
					      .what = halt[i].what,
					      .who = halt[i].who,
					      .begin_ns = halt[i].begin_ns,
					      .end_ns = halt[i].end_ns,
					      .from_ns = halt[i].from_ns,
					      .until_ns = halt[i].until_ns };
		rc = add_to_kind(end, row);
	}
	return rc;
}

int sum_halts_make(struct summary_maker *maker, struct end *end)
{
	const struct halted_run *run = maker->halted_runs.data;
	int rc = 0;

	for (size_t i = 0; i < maker->halted_runs.n; i++) {
		struct summary_runs *runs = &bucket_at(maker, run[i].bucket)->runs;
		uint64_t most_ns;

		runs->halted_ns = stats_sum(runs->halted_ns, halts_within(&process_at(maker, run[i].process)->halts,
									  run[i].begin_ns, run[i].end_ns, &most_ns));
	}
	for (uint32_t i = 0; !rc && i < maker->processes.n; i++)
		rc = put_rows(process_at(maker, i), end);
	return rc;
}

void sum_halts_done(struct summary_maker *maker)
{
	array_done(&maker->halted_runs, sizeof(struct halted_run));
	for (uint32_t i = 0; i < maker->processes.n; i++)
		halts_done(&process_at(maker, i)->halts);
}
