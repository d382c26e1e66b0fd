// SPDX-License-Identifier: Apache-2.0
/* One process that has probes in it: what the files above this one share. Does not know what hits mean. */
#include "capture/probe/uprobe_process.h"

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
		err_no_memory(err, "cannot record another process");
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
	uprobe_table_done(&process->text);
	recorded_close(process->recorded);
	free(process);
}

int uprobe_process_tell(const struct uprobe_step *step, const struct record *record)
{
	struct uprobe_process *process = step->process;
	struct records_step told = {
		process->recorded, &process->recorded->reader[step->thread->at], record, step->out, step->now_ns,
		step->err
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

	if (step->size < sizeof *named || !memchr(named->name, 0, step->size - offsetof(struct uprobe_named, name)))
		return "";
	return named->name;
}
