// SPDX-License-Identifier: Apache-2.0
/*
 * Entries and ends belong together by thread and stack pointer: behind a call, records say 8 bytes more than at the
 * entry. An entry whose stack pointer is not above that of a new one was left by an exception: nothing tells the time,
 * so it ends, failed, where that shows.
 *
 * An operator on a thread that is in no inference belongs to the one whose options its context points into (words 8 to
 * 12, by version). Several that share their options cannot be told apart: nobody's, rather than the wrong one's.
 */
#include <errno.h>
#include <string.h>

#include "capture/probe/uprobe_process.h"

/* What is pointed at lies in them at 16 or 40 (1.15 to 1.31); two objects of 160 bytes may lie side by side. */
enum { OPTIONS_BYTES = 64 };

/* Hands on how the innermost open operator of the thread ended. */
static int end_operator(const struct uprobe_step *step, uint64_t end, bool is_failed, uint32_t text)
{
	struct open_operator *open = &step->thread->operator[--step->thread->n_operators];
	struct record record = { .id = open->node,
				 .run = open->run,
				 .type = open->is_told ? RECORD_OPERATOR_END : RECORD_OPERATOR };

	step->process->n_unnamed += !segment_node(&step->process->recorded->map, open->node).type;
	/* when another thread tells, its time may be older */
	record.value = end > step->thread->last_time ? end : step->thread->last_time;
	record.time = open->is_told ? record.value : open->time;
	if (is_failed) {
		record.flags = FLAG_FAILED;
		record.text = text;
	}
	return uprobe_process_tell(step, &record);
}

/* Ends those at and below this stack pointer, which were left by an exception. */
static int end_left(const struct uprobe_step *step, uint64_t stack, uint32_t n_kept)
{
	struct uprobe_thread *thread = step->thread;
	int code = 0;

	while (!code && thread->n_operators > n_kept && thread->operator[thread->n_operators - 1].stack <= stack)
		code = end_operator(step, step->hit->time, true, 0);
	return code;
}

/*
 * The lane of the inference that an operator on another thread belongs to, + 1; 0: cannot be told. *is_ours: it belongs
 * to some that are recorded.
 */
static unsigned join(const struct uprobe_step *step, bool *is_ours)
{
	const struct uprobe_joined *joined = (const struct uprobe_joined *)step->hit;
	const struct uprobe_process *process = step->process;
	unsigned matching = 0, n = 0;

	for (unsigned lane = 0; lane < UPROBE_LANES && step->size >= sizeof *joined; lane++) {
		if (!process->active[lane].run)
			continue;
		for (int i = 0; i < UPROBE_CONTEXT_WORDS; i++) {
			if (joined->word[i] - process->active[lane].options >= OPTIONS_BYTES)
				continue;
			matching = lane + 1;
			n++;
			break;
		}
	}
	*is_ours = n;
	return n == 1 ? matching : 0;
}

/* Finds the operator's inference. False: it is none of ours. */
static bool find_run(const struct uprobe_step *step, uint32_t *run)
{
	struct uprobe_process *process = step->process;
	struct uprobe_thread *thread = step->thread, *owner;
	unsigned lane;
	bool is_ours;

	if (thread->n_runs) {
		*run = thread->run[thread->n_runs - 1].run;
		return true;
	}
	lane = join(step, &is_ours);
	*run = lane ? process->active[lane - 1].run : 0;
	if (lane) {
		owner = process->thread[process->active[lane - 1].thread];
		for (uint32_t i = 0; i < owner->n_runs; i++)
			owner->run[i].has_others |= owner->run[i].run == *run;
	}
	return is_ours;
}

/*
 * A class's Compute may go on in that of its base, which has a probe of its own: the same kernel, called or jumped to
 * by the one that is open.
 */
static bool goes_on(const struct uprobe_step *step)
{
	const struct uprobe_thread *thread = step->thread;
	const struct open_operator *open = thread->n_operators ? &thread->operator[thread->n_operators - 1] : NULL;
	uint32_t run;

	return open && open->run && open->object == step->hit->object && open->stack >= step->hit->stack &&
	       find_run(step, &run) && run == open->run;
}

int uprobe_pair_operator(const struct uprobe_step *step)
{
	struct uprobe_thread *thread = step->thread;
	struct open_operator *outer;
	uint32_t run;
	int code;

	if (goes_on(step))
		return 0;
	code = end_left(step, step->hit->stack, 0);
	if (code)
		return code;
	if (!find_run(step, &run)) {
		/* constant folding runs operators, too */
		step->process->n_cut_operators += !uprobe_creation_is_open(step->process) && !step->process->has_gaps;
		return 0;
	}
	if (thread->n_operators == UPROBE_DEPTH) {
		step->process->n_unplaced++;
		return 0;
	}
	outer = thread->n_operators ? &thread->operator[thread->n_operators - 1] : NULL;
	if (outer && !outer->is_told) {
		struct record record = {
			.time = outer->time, .id = outer->node, .run = outer->run, .type = RECORD_OPERATOR_BEGIN
		};
		outer->is_told = true;
		code = uprobe_process_tell(step, &record);
	}
	thread->operator[thread->n_operators++] =
	    (struct open_operator){ .time = step->hit->time,
				    .stack = step->hit->stack,
				    .object = step->hit->object,
				    .run = run,
				    .node = uprobe_kernel_node(step->process, step->hit->object) };
	return code;
}

int uprobe_pair_operator_end(const struct uprobe_step *step)
{
	struct uprobe_thread *thread = step->thread;
	uint64_t entry = step->hit->stack - 8;
	int code = end_left(step, entry - 1, 0);

	if (code || !thread->n_operators || thread->operator[thread->n_operators - 1].stack != entry)
		return code;
	return end_operator(step, step->hit->time, false, 0);
}

/* Operators of this run that other threads have not ended were left by exceptions. */
static int end_others(const struct uprobe_step *step, uint32_t run, uint32_t text)
{
	struct uprobe_process *process = step->process;
	int code = 0;

	for (size_t i = 0; i < process->n_threads && !code; i++) {
		struct uprobe_step other = *step;
		other.thread = process->thread[i];
		while (!code && other.thread != step->thread && other.thread->n_operators &&
		       other.thread->operator[other.thread->n_operators - 1].run == run)
			code = end_operator(&other, step->hit->time, true, text);
	}
	return code;
}

/* The innermost run of the thread is over: at end_ns its line is free. */
static int pop_run(const struct uprobe_step *step, uint64_t end_ns, uint32_t text)
{
	struct uprobe_thread *thread = step->thread;
	struct open_run *open = &thread->run[thread->n_runs - 1];
	int code = 0;

	while (!code && thread->n_operators > open->n_operators)
		code = end_operator(step, step->hit->time, true, text);
	if (!code && open->has_others)
		code = end_others(step, open->run, text);
	thread->n_runs--;
	uprobe_lane_give(step->process, open->lane, end_ns);
	return code;
}

/* What is open at or below this stack pointer has ended, but its end was lost. */
static int pop_lost(const struct uprobe_step *step, uint64_t stack)
{
	struct uprobe_thread *thread = step->thread;
	int code = 0;

	while (!code && thread->n_runs && thread->run[thread->n_runs - 1].stack <= stack)
		code = pop_run(step, step->hit->time - 1, uprobe_text(step->process, "its end was lost"));
	return code;
}

/* Of a session whose creation was seen. Notes that it has run. */
static bool is_first_run(struct uprobe_process *process, uint32_t number)
{
	struct session *session = sessions_at(&process->recorded->sessions, number);
	bool is_first = session && session->was_created && !session->has_run;

	if (session)
		session->has_run = true;
	return is_first;
}

int uprobe_pair_run(const struct uprobe_step *step)
{
	const struct uprobe_joined *joined = (const struct uprobe_joined *)step->hit;
	struct uprobe_process *process = step->process;
	struct uprobe_thread *thread = step->thread;
	struct open_run *open;
	uint32_t session = uprobe_session_find(process, step->hit->object);
	struct record record = { .time = step->hit->time, .type = RECORD_RUN_BEGIN };
	int code = pop_lost(step, step->hit->stack);

	if (code)
		return code;
	if (!session)
		session = uprobe_session_new(step);
	if (!session)
		return -ENOMEM;
	uprobe_session_name(process, session, step->is_old_string);
	uprobe_session_count(step, session, false);
	if (thread->n_runs == UPROBE_RUNS) {
		process->n_unplaced++;
		return 0;
	}
	open = &thread->run[thread->n_runs++];
	*open = (struct open_run){ .stack = step->hit->stack,
				   .session = session,
				   .run = ++process->last_run,
				   .has_usage = step->size >= sizeof *joined && joined->word[UPROBE_CPU],
				   .options = step->size >= sizeof *joined ? joined->word[UPROBE_OPTIONS] : 0,
				   .n_operators = thread->n_operators,
				   .lane = uprobe_lane_take(process, step->hit->time) };
	if (open->has_usage)
		memcpy(open->word, joined->word, sizeof open->word);
	if (open->lane < UPROBE_LANES) {
		process->active[open->lane].options = open->options;
		process->active[open->lane].run = open->run;
		process->active[open->lane].thread = thread->at;
	}
	record.value = open->lane;
	record.id = session;
	record.run = open->run;
	if (is_first_run(process, session))
		record.flags = FLAG_FIRST;
	return uprobe_process_tell(step, &record);
}

/*
 * The CPU time between two hits. The kernel's sum of it is up to a tick old; the time since it was summed up adds to
 * it, where both hits have the same clock: each CPU has its own.
 */
static uint64_t cpu_between(const uint64_t *from, const uint64_t *to)
{
	enum { TICK_NS = 10000000 };
	uint64_t ran = to[UPROBE_RAN] - from[UPROBE_RAN], exact = to[UPROBE_CPU] - from[UPROBE_CPU];

	return exact - ran + TICK_NS <= 2 * TICK_NS ? exact : ran;
}

static int tell_usage(const struct uprobe_step *step, const struct open_run *open)
{
	const struct uprobe_joined *end = (const struct uprobe_joined *)step->hit;
	const uint64_t *from = open->word, *to = end->word;
	struct record record = { .run = open->run, .type = RECORD_RUN_USAGE };

	if (!open->has_usage || step->size != sizeof *end)
		return 0;
	record.time = cpu_between(from, to);
	record.value = to[UPROBE_WAIT] - from[UPROBE_WAIT];
	record.id = (uint32_t)(to[UPROBE_FAULTS_SWITCHES] >> 32) - (uint32_t)(from[UPROBE_FAULTS_SWITCHES] >> 32);
	record.text = (uint32_t)to[UPROBE_FAULTS_SWITCHES] - (uint32_t)from[UPROBE_FAULTS_SWITCHES];
	if (to[UPROBE_WAIT] == UINT64_MAX)
		record.flags = FLAG_NO_WAIT;
	return uprobe_process_tell(step, &record);
}

/* Most inferences read nothing. */
static int tell_reads(const struct uprobe_step *step, const struct open_run *open)
{
	const struct uprobe_joined *end = (const struct uprobe_joined *)step->hit;
	struct record record = { .run = open->run, .type = RECORD_RUN_READS };

	if (!open->has_usage || step->size != sizeof *end)
		return 0;
	record.id = (uint32_t)(end->word[UPROBE_MAJOR] - open->word[UPROBE_MAJOR]);
	record.value = end->word[UPROBE_READ] - open->word[UPROBE_READ];
	return record.id || record.value ? uprobe_process_tell(step, &record) : 0;
}

int uprobe_pair_run_end(const struct uprobe_step *step)
{
	struct uprobe_thread *thread = step->thread;
	uint64_t entry = step->hit->stack - 8;
	const struct open_run *open;
	const char *message = uprobe_hit_text(step);
	struct record record = { .time = step->hit->time, .type = RECORD_RUN_END };
	int code = pop_lost(step, entry - 1);

	if (code)
		return code;
	open = thread->n_runs ? &thread->run[thread->n_runs - 1] : NULL;
	if (!open || open->stack != entry) {
		step->process->n_cut_runs++;
		return 0;
	}
	record.value = open->lane;
	record.id = open->session;
	record.run = open->run;
	if (step->hit->object) {
		record.flags = FLAG_FAILED;
		record.text = uprobe_text(step->process, message);
	}
	if (step->counts)
		uprobe_counts_end(step->counts, open->session, step->hit->time);
	code = tell_usage(step, open);
	if (!code)
		code = tell_reads(step, open);
	if (!code)
		code = pop_run(step, step->hit->time, record.text);
	return code ? code : uprobe_process_tell(step, &record);
}

uint32_t uprobe_process_open_runs(const struct uprobe_process *process)
{
	uint32_t n = 0;

	for (size_t i = 0; i < process->n_threads; i++)
		n += process->thread[i]->n_runs;
	return n;
}

int uprobe_process_cut(struct uprobe_process *process, const struct uprobe_step *from)
{
	struct uprobe_record hit = { .time = from->now_ns, .kind = SITE_RUN, .is_return = true };
	struct uprobe_step step = *from;
	int code = 0;

	step.process = process;
	step.hit = &hit;
	for (size_t i = 0; i < process->n_threads && !code; i++) {
		step.thread = process->thread[i];
		while (step.thread->n_runs && !code) {
			const struct open_run *open = &step.thread->run[step.thread->n_runs - 1];
			struct record record = { .time = hit.time,
						 .value = open->lane,
						 .id = open->session,
						 .run = open->run,
						 .type = RECORD_RUN_END,
						 .flags = FLAG_PARTIAL };

			code = pop_run(&step, hit.time, 0);
			if (!code)
				code = uprobe_process_tell(&step, &record);
		}
	}
	return code;
}
