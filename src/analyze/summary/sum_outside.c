// SPDX-License-Identifier: Apache-2.0
/* Tells analyze/outside of samples and of gaps as the sweep meets them, and makes rows of what comes out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "event/callstack.h"

#define LAUNCHED "JavaMain" /* of Java's launcher, whose first thread starts another one and waits for its end */

static int32_t pid_of(const struct summary_maker *maker, uint32_t process)
{
	uint32_t track = process_at(maker, process)->track;

	return track ? maker->tracks[track].def.pid : 0;
}

static int32_t main_tid_of(const struct summary_maker *maker, uint32_t process)
{
	int32_t launched = process_at(maker, process)->launched_tid;

	return launched ? launched : pid_of(maker, process);
}

static bool is_launched(const struct summary_maker *maker, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(maker->names);
	uint32_t launched = names_find(maker->names, LAUNCHED, strlen(LAUNCHED));
	const struct callstack *at = launched ? callstacks_get(stacks, stack) : NULL;
	const struct frame *frame;

	for (; at; at = callstacks_get(stacks, at->caller))
		if ((frame = callstacks_frame_of(stacks, at->frame)) && frame->function == launched)
			return true;
	return false;
}

static void find_main(struct summary_maker *maker, uint32_t process, const struct event_sample *sample)
{
	struct process *of = process_at(maker, process);

	if (!of->launched_tid && sample->tid != pid_of(maker, process) && is_launched(maker, sample->stack))
		of->launched_tid = sample->tid;
	if (sample->tid == main_tid_of(maker, process))
		outside_remember(maker->outside, process, sample->tid);
}

/* Of several processes that had the parent's pid, the last one that was seen before the child. */
void sum_outside_forked(struct summary_maker *maker, uint32_t child, int64_t parent_pid)
{
	for (uint32_t i = child; parent_pid > 0 && i-- > 1;)
		if (pid_of(maker, i) == parent_pid) {
			process_at(maker, child)->parent = i;
			return;
		}
}

int sum_outside_sample(struct summary_maker *maker, struct track *track, const struct event *event,
		       struct moment *moment)
{
	struct event_sample sample;

	*moment = (struct moment){ 0 };
	if (!event->sample)
		return 0;
	sample = *event->sample;
	sample.thread_name = names_keep(maker->names, sample.thread_name);
	sample.call = names_keep(maker->names, sample.call);
	sample.object = names_keep(maker->names, sample.object);
	maker->n_sampled++;
	process_at(maker, sum_process_of(maker, track))->wanted_ns += sample.cpu_ns + sample.queue_ns;
	if (sample.flags & SAMPLE_TRACED)
		process_at(maker, sum_process_of(maker, track))->traced_ns += sample.cpu_ns;
	maker->counts.last_ns = event->time_ns > maker->counts.last_ns ? event->time_ns : maker->counts.last_ns;
	moment->what = MOMENT_STRETCH;
	find_main(maker, sum_process_of(maker, track), &sample);
	moment->index =
	    outside_keep(maker->outside, sum_process_of(maker, track), event->time_ns, &sample, &moment->time_ns);
	if (moment->index == OUTSIDE_NONE)
		return -ENOMEM;
	if (sum_requests_sample(maker, sum_process_of(maker, track), event->time_ns, &sample))
		return -ENOMEM;
	return sum_locks_sample(maker, sum_process_of(maker, track), &sample);
}

int sum_outside_pass(struct summary_maker *maker, const struct moment *moment)
{
	uint32_t process;
	uint64_t end_ns = outside_ends(maker->outside, moment->index, &process), halted_ns = 0, most_ns;

	if (end_ns > moment->time_ns && process_at(maker, process)->halts.row.n)
		halted_ns = halts_within(&process_at(maker, process)->halts, moment->time_ns, end_ns, &most_ns);
	return outside_pass(maker->outside, moment->index, halted_ns);
}

/* UINT64_MAX: not known. */
static uint64_t start_of(const struct summary_maker *maker, uint32_t process)
{
	uint32_t track = process_at(maker, process)->track;
	uint64_t start_ns = track ? maker->tracks[track].def.start_ns : 0;

	return start_ns ? start_ns : UINT64_MAX;
}

int sum_outside_until(struct summary_maker *maker, uint64_t time_ns, uint32_t process, int64_t tid, uint32_t before)
{
	const struct process *of = process_at(maker, process);
	struct outside_owner owner = { .process = process,
				       .before =
					   maker->outside_since_ns ? before : NONE, /* a program starts but once */
				       .tid = tid > 0 ? (int32_t)tid : 0 };
	uint64_t begin_ns = maker->outside_since_ns ? maker->outside_since_ns : maker->counts.first_ns, most_ns;
	uint64_t fork_ns = UINT64_MAX;
	const struct halt *longest;

	if (maker->window.taken.n_active)
		return 0;
	for (uint32_t i = 0, at = process; i < OUTSIDE_FIRST_THREADS && (at || !i); i++) {
		owner.first[i] = (struct outside_first){ at, main_tid_of(maker, at), fork_ns };
		fork_ns = start_of(maker, at);
		at = process_at(maker, at)->parent;
	}
	if (time_ns > begin_ns) {
		owner.halted_ns = halts_within(&of->halts, begin_ns, time_ns, &most_ns);
		longest = halts_longest(&of->halts, begin_ns, time_ns);
		owner.halted = longest ? longest->what : 0;
	}
	return outside_end(maker->outside, maker->counts.first_ns, time_ns, &owner);
}

void sum_outside_from(struct summary_maker *maker, uint32_t process, int64_t tid)
{
	if (maker->window.taken.n_active)
		return;
	maker->outside_since_ns = maker->window.taken.end_ns;
	maker->last_process = process;
	maker->last_tid = tid;
	outside_begin(maker->outside, maker->outside_since_ns);
}

/* The process that worked most, the first one of several; 0: there is none. A shell only waits for what it starts. */
static uint32_t busiest(struct summary_maker *maker)
{
	uint32_t most = maker->processes.n > 1;

	for (uint32_t i = 2; i < maker->processes.n; i++)
		if (process_at(maker, i)->wanted_ns > process_at(maker, most)->wanted_ns)
			most = i;
	return most;
}

/* The time after the last inference is its thread's; without any, that of the process that worked most. */
int sum_outside_finish(struct summary_maker *maker)
{
	uint32_t process = maker->last_process ? maker->last_process : busiest(maker);

	return sum_outside_until(maker, maker->counts.last_ns, process, maker->last_tid, NONE);
}

static uint32_t process_index(const struct summary_maker *maker, uint32_t process)
{
	return process < maker->processes.n ? process_at(maker, process)->index : SUMMARY_NONE;
}

static int add_rows(struct summary_maker *maker, const struct array *from, uint64_t whole_ns, struct array *to)
{
	const struct outside_row *row = from->data;
	struct names *names = maker->names;

	for (size_t i = 0; i < from->n; i++) {
		struct summary_outside *added = array_add(to, sizeof *added);

		if (!added)
			return -ENOMEM;
		*added = (struct summary_outside){
			.is = row[i],
			.view = names_of(names, outside_view_name(row[i].view)),
			.kind = names_of(names, outside_kind_name(row[i].kind)),
			.state = row[i].state != SAMPLE_UNKNOWN ? names_of(names, sample_state_name(row[i].state)) : 0,
			.parent = row[i].parent == OUTSIDE_NONE ? -1 : (int64_t)row[i].parent + 1,
			.line = row[i].line ? (int64_t)row[i].line : -1,
			.caller_line = row[i].caller_line ? (int64_t)row[i].caller_line : -1,
			.process = process_index(maker, row[i].process),
			.model = row[i].before == OUTSIDE_NONE ? SUMMARY_NONE : row[i].before,
			.tid = row[i].tid ? row[i].tid : -1,
			.share = (double)row[i].ns / (double)whole_ns,
		};
	}
	return 0;
}

/* Leaves come before buckets, rows before models. */
static int find_models(const struct summary_maker *maker, const struct outside_leaf *leaf, size_t n,
		       struct outside_whole *to)
{
	const struct summary *summary = maker->to;
	struct outside_leaf *own = calloc(n + 1, sizeof *own);
	uint32_t *name = calloc(summary->n_models + 1, sizeof *name);

	to->leaf = own;
	to->n = n;
	to->before_name = name;
	to->n_before = summary->n_models;
	if (!own || !name)
		return -ENOMEM;
	for (uint32_t i = 0; i < summary->n_models; i++)
		name[i] = summary->models[i].name;
	for (size_t i = 0; i < n; i++) {
		own[i] = leaf[i];
		own[i].before =
		    leaf[i].before < maker->buckets.n ? bucket_at(maker, leaf[i].before)->model : OUTSIDE_NONE;
	}
	return 0;
}

/* Inferences that were left out on request ran in what seems to be gaps. */
int sum_outside_make(struct summary_maker *maker, struct array *rows)
{
	const struct summary *summary = maker->to;
	struct outside_whole whole = { .ns = summary->time.outside_ns };
	const struct outside_leaf *leaf;
	struct array made = { 0 };
	size_t n;
	int rc;

	if (!maker->n_sampled || summary->n_sampled_out || !summary->time.wall_ns || !whole.ns)
		return 0;
	outside_finish(maker->outside);
	leaf = outside_leaves(maker->outside, &n);
	rc = find_models(maker, leaf, n, &whole);
	if (!rc)
		rc = outside_tree_make(&made, maker->names, &whole);
	if (!rc)
		rc = add_rows(maker, &made, whole.ns, rows);
	array_done(&made, sizeof(struct outside_row));
	free((void *)whole.leaf);
	free((void *)whole.before_name);
	return rc;
}
