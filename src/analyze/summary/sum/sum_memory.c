// SPDX-License-Identifier: Apache-2.0
/* What notes and counters say of the memory of sessions. Looks at resident memory only to compare the two. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_in.h"
#include "event/event_args.h"

/* What a process takes in so short a time before its end is not said to be unseen. */
#define PEAK_UNSEEN_NS UINT64_C(20000000)

/* Bytes and counts are not negative; -1: not there. */
static int64_t int_of(const struct event *event, enum event_key key)
{
	int64_t value = event_int(event, key, -1);

	return value < 0 ? -1 : value;
}

static uint32_t text_of(struct summary_maker *maker, const struct event *event, enum event_key key)
{
	return names_keep(maker->names, event_text(event, key));
}

/* The row of a session on a device; NULL: out of memory (*rc), or there are too many. */
static struct summary_memory *find(struct summary_maker *maker, uint32_t process, const struct event *event, int *rc)
{
	uint32_t device = text_of(maker, event, KEY_DEVICE);
	int64_t session = event_int(event, KEY_SESSION, 0);
	uint32_t n = maker->memory_keys.n, index;
	struct summary_memory *row;

	*rc = 0;
	index = n < MAX_MEMORIES ? keys_number(&maker->memory_keys, keys_pair(process, device), (uint64_t)session)
				 : keys_find(&maker->memory_keys, keys_pair(process, device), (uint64_t)session);
	if (index == KEYS_NONE) {
		*rc = n < MAX_MEMORIES ? -ENOMEM : 0;
		maker->to->n_memory_left_out += n >= MAX_MEMORIES && event->n_args && int_of(event, KEY_IN_USE) >= 0;
		return NULL;
	}
	if (index < n)
		return (struct summary_memory *)maker->memory.data + index;
	row = array_add(&maker->memory, sizeof *row);
	if (!row)
		*rc = -ENOMEM;
	else
		*row = (struct summary_memory){ .process = process,
						.device = device,
						.session = session < 0 ? 0 : session,
						.uses_at = -1,
						.holders_at = -1 };
	return row;
}

int sum_memory_note(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int rc;
	struct summary_memory *row = find(maker, process, event, &rc);

	if (!row)
		return rc;
	row->name = text_of(maker, event, KEY_MODEL);
	row->is_released |= !strcmp(names_text(maker->names, event_text(event, KEY_STATE)), EVENT_STATE_RELEASED);
	row->in_use = int_of(event, KEY_IN_USE);
	row->peak = int_of(event, KEY_PEAK);
	row->operators_peak = int_of(event, KEY_OPERATORS_PEAK);
	row->n_operators = int_of(event, KEY_OPERATORS);
	row->held = int_of(event, KEY_HELD);
	row->held_peak = int_of(event, KEY_HELD_PEAK);
	row->direct = int_of(event, KEY_DIRECT);
	row->weights = int_of(event, KEY_WEIGHTS);
	row->packed = int_of(event, KEY_PACKED);
	row->creation = int_of(event, KEY_OF_CREATION);
	row->runs = int_of(event, KEY_OF_RUNS);
	row->n_run_blocks = int_of(event, KEY_BLOCKS_OF_RUNS);
	row->left = int_of(event, KEY_LEFT);
	row->n_run_ends = int_of(event, KEY_RUN_ENDS);
	row->at_run_end = int_of(event, KEY_AT_RUN_END);
	row->n_at_run_end = int_of(event, KEY_BLOCKS_AT_RUN_END);
	row->kept = int_of(event, KEY_KEPT);
	row->n_kept = int_of(event, KEY_BLOCKS_KEPT);
	row->others = int_of(event, KEY_OF_OTHERS);
	row->n_allocs = int_of(event, KEY_ALLOCATIONS);
	row->allocated = int_of(event, KEY_ALLOCATED);
	row->n_frees = int_of(event, KEY_FREES);
	row->n_growths = int_of(event, KEY_GROWTHS);
	row->n_reserves = int_of(event, KEY_RESERVES);
	row->n_unknown = int_of(event, KEY_COUNT);
	row->n_reused = int_of(event, KEY_LOST);
	return 0;
}

static bool has_holder(const struct summary_holder *holders, uint32_t n, uint32_t name)
{
	for (uint32_t i = 0; i < n; i++)
		if (holders[i].name == name)
			return true;
	return false;
}

/* Of several peaks the last is kept. It may come twice. */
int sum_memory_at_peak(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int rc;
	struct summary_memory *row = find(maker, process, event, &rc);
	int64_t peak = int_of(event, KEY_PEAK);
	uint32_t use = text_of(maker, event, KEY_STATE), name = use ? use : text_of(maker, event, KEY_TEXT);
	struct summary_holder *to;

	if (!row || peak < 0)
		return rc;
	if (peak != (use ? row->uses_at : row->holders_at)) {
		*(use ? &row->n_uses : &row->n_holders) = 0;
		*(use ? &row->uses_at : &row->holders_at) = peak;
	}
	if (use ? has_holder(row->use, row->n_uses, use) || row->n_uses == SUMMARY_USES
		: has_holder(row->holder, row->n_holders, name) || row->n_holders == SUMMARY_HOLDERS)
		return 0;
	to = use ? &row->use[row->n_uses++] : &row->holder[row->n_holders++];
	*to = (struct summary_holder){ .name = name,
				       .op_type = text_of(maker, event, KEY_OP_TYPE),
				       .shapes = text_of(maker, event, KEY_SHAPES),
				       .bytes = int_of(event, KEY_BYTES),
				       .n = int_of(event, KEY_COUNT) };
	return 0;
}

/* What a counter of a process's runtime memory is of. */
enum sum_memory_of sum_memory_counter(const struct summary_maker *maker, const struct track *track)
{
	const struct track *group =
	    track->def.parent && track->def.parent <= maker->n_tracks ? &maker->tracks[track->def.parent] : NULL;

	if (!group || group->def.type != TRACK_GROUP ||
	    strcmp(names_text(maker->names, group->def.name), EVENT_MEMORY_GROUP) != 0)
		return MEMORY_OF_NOBODY;
	return strcmp(names_text(maker->names, track->def.name), EVENT_MEMORY_TOTAL) ? MEMORY_OF_SESSION
										     : MEMORY_OF_ALL;
}

void sum_memory_resident(struct process *process, double bytes)
{
	struct summary_resident *to = &process->resident;

	to->last = bytes;
	to->taken = process->taken;
	to->in_use = process->heap_in_use;
	to->kept = process->heap_kept;
	if (isnan(to->most) || bytes > to->most) {
		to->most = bytes;
		to->taken_at_most = process->taken;
		to->in_use_at_most = process->heap_in_use;
		to->kept_at_most = process->heap_kept;
	}
}

static int64_t taken(const struct summary_memory *row)
{
	return row->held + row->direct;
}

/* Those that still hold most come first; then those that held most. */
static int compare(const void *a_, const void *b_)
{
	const struct summary_memory *a = a_, *b = b_;

	if (taken(a) != taken(b))
		return taken(a) > taken(b) ? -1 : 1;
	if (a->peak != b->peak)
		return a->peak > b->peak ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->session > b->session) - (a->session < b->session);
}

static int by_bytes(const void *a_, const void *b_)
{
	const struct summary_holder *a = a_, *b = b_;

	return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* Joins them with the sessions that are listed. */
static int join(struct summary_maker *maker, const struct end *end)
{
	const struct summary_session *session = end->sessions.data;
	struct summary_memory *row = maker->memory.data;
	uint32_t *first = calloc(end->sessions.n + 1, sizeof *first);
	struct keys keys = { 0 };
	int rc = first ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < end->sessions.n; i++) {
		uint32_t n = keys.n, number = keys_number(&keys, session[i].process, (uint64_t)session[i].number);

		if (number == KEYS_NONE)
			rc = -ENOMEM;
		else if (number == n)
			first[number] = i;
	}
	for (size_t i = 0; !rc && i < maker->memory.n; i++) {
		uint32_t at = row[i].session ? keys_find(&keys, row[i].process, (uint64_t)row[i].session) : KEYS_NONE;

		row[i].model = at == KEYS_NONE ? SUMMARY_NONE : session[first[at]].model;
		row[i].n_runs = at == KEYS_NONE ? -1 : (int64_t)session[first[at]].n_runs;
	}
	keys_done(&keys);
	free(first);
	return rc;
}

/* The counter of this name of a process; NULL: none. */
static const struct summary_resource *counter_of(const struct summary_maker *maker, const struct end *end,
						 uint32_t process, const char *name)
{
	const struct summary_resource *all = end->resources.data;

	for (size_t i = 0; i < end->resources.n; i++)
		if (all[i].process == process && !strcmp(names_text(maker->names, all[i].name), name))
			return &all[i];
	return NULL;
}

/* That of a process that waited for others may be theirs: it counts if there are none. */
static double peak_at_exit(const struct summary *to, const struct summary_process *process)
{
	int64_t bytes = process->peak_bytes;

	if (to->n_processes == 1 && process->waited_peak_bytes > bytes)
		bytes = process->waited_peak_bytes;
	return bytes > 0 ? (double)bytes : NAN;
}

static void find_peak(struct summary_maker *maker, const struct end *end, struct summary_resource *rss)
{
	const struct summary_resource *peak = counter_of(maker, end, rss->process, "peak rss");
	const struct summary_process *process = &maker->to->processes[rss->process];
	double at_exit = peak_at_exit(maker->to, process);
	uint64_t end_ns = process->exit_ns ? process->exit_ns : maker->counts.last_ns;

	if (process->end_bytes > 0)
		rss->at_exit = (double)process->end_bytes;
	rss->unseen_ns = end_ns > rss->last_ns ? end_ns - rss->last_ns : 0;
	rss->is_peak_whole = isfinite(at_exit) || (peak && end_ns < peak->last_ns + PEAK_UNSEEN_NS);
	if (isnan(at_exit) && !peak)
		return;
	rss->peak = fmax(rss->max, fmax(at_exit, peak ? peak->max : NAN));
}

/* Extremes of samples are those of other moments: the kernel counts the most itself. */
static void find_peaks(struct summary_maker *maker, const struct end *end)
{
	struct summary_resource *rss = end->resources.data;

	for (size_t i = 0; i < end->resources.n; i++)
		if (rss[i].process != SUMMARY_NONE && !strcmp(names_text(maker->names, rss[i].name), "rss"))
			find_peak(maker, end, &rss[i]);
}

int sum_memory_make(struct summary_maker *maker, struct end *end)
{
	struct summary_memory *row = maker->memory.data;
	size_t n = 0;
	int rc;

	/* peaks without sums are the rest of a file that was cut, or not ours */
	for (size_t i = 0; i < maker->memory.n; i++)
		if (row[i].device && row[i].n_allocs > 0)
			row[n++] = row[i];
	maker->memory.n = n;
	for (size_t i = 0; i < n; i++) {
		row[i].process = process_at(maker, row[i].process)->index;
		row[i].n_uses = row[i].uses_at == row[i].peak ? row[i].n_uses : 0;
		row[i].n_holders = row[i].holders_at == row[i].operators_peak ? row[i].n_holders : 0;
		qsort(row[i].use, row[i].n_uses, sizeof *row[i].use, by_bytes);
		qsort(row[i].holder, row[i].n_holders, sizeof *row[i].holder, by_bytes);
	}
	for (size_t i = 0; i < maker->processes.n; i++)
		if (process_at(maker, (uint32_t)i)->index != SUMMARY_NONE)
			maker->to->processes[process_at(maker, (uint32_t)i)->index].resident =
			    process_at(maker, (uint32_t)i)->resident;
	find_peaks(maker, end);
	rc = join(maker, end);
	if (!rc && n)
		qsort(row, n, sizeof *row, compare);
	return rc;
}

void sum_memory_done(struct summary_maker *maker)
{
	array_done(&maker->memory, sizeof(struct summary_memory));
	keys_done(&maker->memory_keys);
}
