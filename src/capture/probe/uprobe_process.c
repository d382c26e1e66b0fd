// SPDX-License-Identifier: Apache-2.0
/* Which thread a hit belongs to, and who takes it. Does not know what hits mean. */
#include "capture/probe/uprobe_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/decode/records.h"

struct uprobe_process *uprobe_process_new(pid_t pid, uint32_t track, const char *cwd, struct names *names,
					  struct err *err)
{
	struct uprobe_process *process = calloc(1, sizeof *process);

	if (process)
		process->recorded = recorded_new(pid, track, names, err);
	else
		err_set(err, ENOMEM, "cannot record another process: out of memory");
	if (!process || !process->recorded) {
		free(process);
		return NULL;
	}
	snprintf(process->cwd, sizeof process->cwd, "%s", cwd ? cwd : "");
	return process;
}

void uprobe_process_free(struct uprobe_process *process)
{
	if (!process)
		return;
	for (size_t i = 0; i < process->n_threads; i++)
		free(process->thread[i]);
	free(process->thread);
	uprobe_table_done(&process->threads);
	uprobe_table_done(&process->sessions);
	uprobe_table_done(&process->kernels);
	uprobe_table_done(&process->texts);
	uprobe_table_done(&process->nodes);
	free(process->text_of);
	free(process->session);
	free(process->text);
	recorded_close(process->recorded);
	free(process);
}

/* Makes room for one more. */
static bool grow_threads(struct uprobe_process *process)
{
	size_t n = process->n_threads;
	struct uprobe_thread **grown;

	if (n & (n - 1))
		return true;
	grown = realloc(process->thread, (n ? 2 * n : 1) * sizeof(struct uprobe_thread *));
	if (grown)
		process->thread = grown;
	return grown != NULL;
}

/* The place of the thread that was heard of least lately and has nothing open; SIZE_MAX: there is none. */
static size_t find_idle(const struct uprobe_process *process)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < process->n_threads; i++) {
		const struct uprobe_thread *thread = process->thread[i];
		if (!thread->n_runs && !thread->n_operators && !thread->n_creations &&
		    (found == SIZE_MAX || thread->last_time < process->thread[found]->last_time))
			found = i;
	}
	return found;
}

static size_t new_thread(struct uprobe_process *process)
{
	size_t at = process->n_threads;

	if (at == SEGMENT_MAX_RINGS) {
		at = find_idle(process);
		if (at != SIZE_MAX)
			uprobe_table_put(&process->threads, process->thread[at]->tid, 0);
		return at;
	}
	if (!grow_threads(process) || !(process->thread[at] = malloc(sizeof **process->thread)))
		return SIZE_MAX;
	process->n_threads++;
	return at;
}

/* step->thread is NULL where every place has something open. */
static int find_thread(struct uprobe_step *step)
{
	struct uprobe_process *process = step->process;
	uint32_t tid = step->hit->tid, index = uprobe_table_get(&process->threads, tid);
	struct record record = { .type = RECORD_THREAD, .id = tid };
	size_t at;

	if (index) {
		step->thread = process->thread[index - 1];
		return 0;
	}
	at = new_thread(process);
	step->thread = at == SIZE_MAX ? NULL : process->thread[at];
	if (!step->thread)
		return process->n_threads == SEGMENT_MAX_RINGS ? 0 : -ENOMEM;
	step->thread->tid = tid;
	step->thread->n_operators = step->thread->n_runs = step->thread->n_creations = 0;
	if (!uprobe_table_put(&process->threads, tid, (uint32_t)at + 1))
		return -ENOMEM;
	return uprobe_process_tell(step, &record);
}

int uprobe_process_tell(const struct uprobe_step *step, const struct record *record)
{
	struct uprobe_process *process = step->process;
	uint32_t index = uprobe_table_get(&process->threads, step->thread->tid);
	struct records_step told = {
		process->recorded, &process->recorded->reader[index - 1], record, step->out, step->now_ns, step->err
	};

	return records_take(&told);
}

uint8_t uprobe_lane_take(struct uprobe_process *process, uint64_t start_ns)
{
	for (uint64_t free_ = ~process->lanes; free_; free_ &= free_ - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(free_);
		if (process->given_ns[lane] >= start_ns)
			continue;
		process->lanes |= 1ull << lane;
		return (uint8_t)lane;
	}
	return UPROBE_NO_LANE;
}

void uprobe_lane_give(struct uprobe_process *process, uint8_t lane, uint64_t end_ns)
{
	if (lane >= UPROBE_LANES)
		return;
	process->lanes &= ~(1ull << lane);
	process->given_ns[lane] = end_ns;
	process->active[lane].run = 0;
}

const char *uprobe_hit_text(const struct uprobe_step *step)
{
	const struct uprobe_named *named = (const struct uprobe_named *)step->hit;

	if (step->size < sizeof *named || !memchr(named->name, 0, sizeof named->name))
		return "";
	return named->name;
}

/* By kind: at an entry, and at a return. */
static int (*const takers[N_UPROBE_KINDS][2])(const struct uprobe_step *step) = {
	[UPROBE_RUN] = { uprobe_pair_run, uprobe_pair_run_end },
	[UPROBE_INITIALIZE] = { uprobe_creation_begin, uprobe_creation_end },
	[UPROBE_LOAD] = { uprobe_creation_load, uprobe_creation_loaded },
	[UPROBE_SESSION_DELETE] = { uprobe_creation_release, NULL },
	[UPROBE_TRANSFORM] = { uprobe_creation_transform, NULL },
	[UPROBE_TRANSFORM_END] = { uprobe_creation_transform_end, NULL },
	[UPROBE_GET_CAPABILITY] = { uprobe_creation_part, NULL },
	[UPROBE_COMPILE] = { uprobe_creation_part, NULL },
	[UPROBE_SAVE_WEIGHTS] = { uprobe_creation_part, NULL },
	[UPROBE_PREPACK] = { uprobe_creation_part, NULL },
	[UPROBE_OPERATOR] = { uprobe_pair_operator, NULL },
	[UPROBE_OPERATOR_END] = { uprobe_pair_operator_end, NULL },
};

int uprobe_process_take(struct uprobe_process *process, struct uprobe_step *step)
{
	const struct uprobe_record *hit = step->hit;
	int code;

	step->process = process;
	if (step->size < sizeof *hit || hit->kind >= N_UPROBE_KINDS || hit->is_return > 1) {
		process->n_unplaced++;
		return 0;
	}
	if (hit->kind == UPROBE_KERNEL)
		return uprobe_kernel_learn(step) ? 0 : -ENOMEM;
	if (hit->kind == UPROBE_TEXT)
		return uprobe_text_learn(step) ? 0 : -ENOMEM;
	if (!takers[hit->kind][hit->is_return]) {
		process->n_unplaced++;
		return 0;
	}
	code = find_thread(step);
	if (code)
		return code;
	if (!step->thread) {
		process->n_unplaced++;
		return 0;
	}
	step->thread->last_time = hit->time;
	return takers[hit->kind][hit->is_return](step);
}
