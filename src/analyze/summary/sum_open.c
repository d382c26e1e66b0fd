// SPDX-License-Identifier: Apache-2.0
/*
 * What did not end. It lasted at least until the last event of its process. Counts alone do not show it: an inference
 * that hangs is one of many, and has no duration.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"

#define GONE_NS UINT64_C(1000000000) /* without any event a process has ended, if others have them */

#define LEAST_NS UINT64_C(500000000)

enum { MAX_OPEN = 1024, MAX_FORKS = 64 };

static struct summary_open *add(struct summary_maker *maker)
{
	struct summary_open *row = maker->open.n < MAX_OPEN ? array_add(&maker->open, sizeof *row) : NULL;

	if (row)
		*row = (struct summary_open){
			.process = NONE, .model = NONE, .of = SUMMARY_NONE, .session = -1, .tid = -1
		};
	return row;
}

/* The index of its bucket stands for its model until the end. */
int sum_open_run(struct summary_maker *maker, const struct run *run)
{
	struct summary_open *row = add(maker);

	if (!row)
		return maker->open.n < MAX_OPEN ? -ENOMEM : 0;
	row->process = run->process;
	row->model = run->bucket;
	row->session = session_at(maker, run->session)->row.number;
	row->tid = fact_int(&run->facts, FACT_TID, -1);
	row->begin_ns = run->begin_ns;
	row->last_ns = run->summed_until_ns;
	row->last = run->summed_last;
	for (uint32_t number = run->ops.first; number; number = block_at(&maker->operators, number)->next)
		for (uint32_t i = 0; i < block_at(&maker->operators, number)->n; i++) {
			const struct op *op = &block_at(&maker->operators, number)->op[i];

			if (op->track & OP_SETUP || op->end_ns == STORE_OPEN || op->end_ns < row->last_ns)
				continue;
			row->last_ns = op->end_ns;
			row->last = ((struct op_kind *)maker->operators.kinds.data)[op->kind].name;
		}
	return 0;
}

int sum_open_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice)
{
	struct summary_open *row = add(maker);

	if (!row)
		return maker->open.n < MAX_OPEN ? -ENOMEM : 0;
	row->is_creation = true;
	row->process = process;
	row->name = fact_text(&slice->facts, FACT_MODEL);
	if (!row->name)
		row->name = slice->name;
	row->session = fact_int(&slice->facts, FACT_SESSION, -1);
	row->tid = fact_int(&slice->facts, FACT_TID, -1);
	row->begin_ns = slice->begin_ns;
	return 0;
}

int sum_open_release(struct summary_maker *maker, uint32_t process, const struct session *session, int64_t tid)
{
	struct summary_open *row = add(maker);

	if (!row)
		return maker->open.n < MAX_OPEN ? -ENOMEM : 0;
	row->is_release = true;
	row->process = process;
	row->session = session->row.number;
	row->tid = tid > 0 ? tid : -1;
	row->begin_ns = session->row.released_ns;
	return 0;
}

void sum_open_released(struct summary_maker *maker, uint32_t process, int64_t number)
{
	struct summary_open *row = maker->open.data;

	for (size_t i = 0; i < maker->open.n; i++)
		if (row[i].is_release && row[i].process == process && row[i].session == number) {
			row[i] = row[--maker->open.n];
			return;
		}
}

/* The session of that number in the process that this one was forked from, or in one before that. */
static uint32_t inherited(const struct summary_maker *maker, const struct end *end, const struct summary_open *row)
{
	const struct summary_session *session = end->sessions.data;
	uint32_t process = maker->to->processes[row->process].forked_from;

	for (int n = 0; n < MAX_FORKS && process != SUMMARY_NONE; n++) {
		for (uint32_t i = 0; i < end->sessions.n; i++)
			if (session[i].process == process && session[i].number == row->session && session[i].has_slice)
				return i;
		process = maker->to->processes[process].forked_from;
	}
	return SUMMARY_NONE;
}

/*
 * When processes ended: at the last sample of a counter, or other event, of each. One that was not sampled may have
 * gone on, and so did one that was sampled to the end.
 */
static uint64_t *find_ends(struct summary_maker *maker)
{
	uint64_t *end_ns = calloc(2 * maker->processes.n + 1, sizeof *end_ns), last_ns = maker->counts.last_ns;
	uint64_t *is_sampled = end_ns + maker->processes.n;

	for (uint32_t id = 1; end_ns && id <= maker->n_tracks; id++) {
		struct track *track = &maker->tracks[id];
		uint32_t process = track->is_defined ? sum_process_of(maker, track) : 0;

		if (track->last_ns > end_ns[process])
			end_ns[process] = track->last_ns;
		is_sampled[process] |= track->counter;
	}
	for (uint32_t i = 0; end_ns && i < maker->processes.n; i++) {
		int64_t interval_ns = maker->to->recording.interval_ns;
		uint64_t gone_ns = GONE_NS + 2 * (uint64_t)(interval_ns > 0 ? interval_ns : 0);

		uint32_t index = process_at(maker, i)->index;
		uint64_t exit_ns = index != SUMMARY_NONE ? maker->to->processes[index].exit_ns : 0;

		if (exit_ns)
			end_ns[i] = exit_ns;
		else if (!is_sampled[i] || last_ns < end_ns[i] + gone_ns)
			end_ns[i] = last_ns;
	}
	return end_ns;
}

static int by_length(const void *a_, const void *b_)
{
	const struct summary_open *a = a_, *b = b_;
	uint64_t of_a = a->end_ns - a->begin_ns, of_b = b->end_ns - b->begin_ns;

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* The longest inference, or creation, that ended. */
static uint64_t longest_of(const struct end *end, bool is_creation)
{
	const struct summary_model *model = end->models.data;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < end->models.n; i++) {
		const struct summary_spread *spread[2] = { &model[i].runs.latency, &model[i].runs.first };

		if (is_creation)
			spread[0] = spread[1] = &model[i].creation.duration;
		for (int k = 0; k < 2; k++)
			if (spread[k]->n && spread[k]->max_ns > most_ns)
				most_ns = spread[k]->max_ns;
	}
	return most_ns;
}

/* One that the end of the recording cut off may well be the longest: it must be so by far. */
static bool is_notable(uint64_t ns, uint64_t most_ns)
{
	return ns >= LEAST_NS && ns / 2 > most_ns;
}

int sum_open_make(struct summary_maker *maker, struct end *end)
{
	uint64_t *end_ns = maker->open.n ? find_ends(maker) : NULL;
	struct summary_open *row = maker->open.data;
	uint64_t most_ns[2] = { longest_of(end, false), longest_of(end, true) };

	if (maker->open.n && !end_ns)
		return -ENOMEM;
	for (size_t i = 0; i < maker->open.n; i++) {
		uint64_t until_ns = end_ns[row[i].process];

		row[i].end_ns = until_ns > row[i].begin_ns ? until_ns : row[i].begin_ns;
		row[i].is_longest =
		    is_notable(row[i].end_ns - row[i].begin_ns, row[i].is_release ? 0 : most_ns[row[i].is_creation]);
		row[i].process = process_at(maker, row[i].process)->index;
		if (row[i].is_release && (row[i].of = inherited(maker, end, &row[i])) != SUMMARY_NONE)
			row[i].name = ((struct summary_session *)end->sessions.data)[row[i].of].name;
		row[i].model = row[i].model == NONE ? SUMMARY_NONE : bucket_at(maker, row[i].model)->model;
		if (row[i].model != SUMMARY_NONE) {
			struct summary_model *model = (struct summary_model *)end->models.data + row[i].model;

			row[i].name = model->name;
			model->runs.open_ns = stats_sum(model->runs.open_ns, row[i].end_ns - row[i].begin_ns);
		}
	}
	free(end_ns);
	if (maker->open.n)
		qsort(row, maker->open.n, sizeof *row, by_length);
	return 0;
}
