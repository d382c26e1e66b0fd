// SPDX-License-Identifier: Apache-2.0
/* Which thread a hit belongs to, and which function takes it. Does not know what hits mean. */
#include <errno.h>
#include <stdlib.h>

#include "capture/probe/uprobe_process.h"

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
	uint32_t tid = step->hit->tid, index;
	struct record record = { .type = RECORD_THREAD, .id = tid };
	size_t at;

	/* most often it is the one of the last hit, and the table is in no cache where many processes take turns */
	step->thread = process->last;
	if (step->thread && step->thread->tid == tid)
		return 0;
	index = uprobe_table_get(&process->threads, tid);
	if (index) {
		step->thread = process->last = process->thread[index - 1];
		return 0;
	}
	at = new_thread(process);
	step->thread = at == SIZE_MAX ? NULL : process->thread[at];
	if (!step->thread)
		return process->n_threads == SEGMENT_MAX_RINGS ? 0 : -ENOMEM;
	process->last = step->thread;
	step->thread->tid = tid;
	step->thread->at = (uint32_t)at;
	step->thread->n_operators = step->thread->n_runs = step->thread->n_creations = 0;
	if (!uprobe_table_put(&process->threads, tid, (uint32_t)at + 1))
		return -ENOMEM;
	return uprobe_process_tell(step, &record);
}

/* By kind: at an entry, and at a return. */
static int (*const takers[N_UPROBE_KINDS][2])(const struct uprobe_step *step) = {
	[SITE_RUN] = { uprobe_pair_run, uprobe_pair_run_end },
	[SITE_INITIALIZE] = { uprobe_creation_begin, uprobe_creation_end },
	[SITE_LOAD] = { uprobe_creation_load, uprobe_creation_loaded },
	[SITE_SESSION_DELETE] = { uprobe_creation_release, NULL },
	[SITE_TRANSFORM] = { uprobe_creation_transform, NULL },
	[SITE_TRANSFORM_END] = { uprobe_creation_transform_end, NULL },
	[SITE_GET_CAPABILITY] = { uprobe_creation_part, NULL },
	[SITE_COMPILE] = { uprobe_creation_part, NULL },
	[SITE_SAVE_WEIGHTS] = { uprobe_creation_weights, NULL },
	[SITE_INITIALIZE_WEIGHTS] = { uprobe_creation_weights, NULL },
	[SITE_READ] = { uprobe_creation_read, NULL },
	[SITE_PREDEFINED] = { uprobe_creation_predefined, NULL },
	[SITE_PREPARE] = { uprobe_creation_phase, NULL },
	[SITE_COPY_WEIGHTS] = { uprobe_creation_phase, NULL },
	[SITE_RESOLVE] = { uprobe_creation_resolve, NULL },
	[SITE_LOOK_UP] = { uprobe_creation_phase, NULL },
	[SITE_PLAN] = { uprobe_creation_phase, NULL },
	[SITE_WEIGHT] = { uprobe_creation_weight, NULL },
	[SITE_SHARE_PACKED] = { uprobe_creation_shared, NULL },
	[SITE_PREPACK] = { uprobe_creation_part, NULL },
	[SITE_OPERATOR] = { uprobe_pair_operator, NULL },
	[SITE_OPERATOR_END] = { uprobe_pair_operator_end, NULL },
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
