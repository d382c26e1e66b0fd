// SPDX-License-Identifier: Apache-2.0
/* Programs are known by their pidfds (attached.h): whoever takes their numbers later is somebody else. */
#include <errno.h>

#include "base/clock.h"
#include "capture/recorder/recorder_in.h"
#include "capture/source/tree.h"

int recorder_attached_admit(struct recorder *recorder, struct err *err)
{
	struct attached *attached = recorder->way->attached;

	for (size_t i = 0; i < attached->n; i++) {
		struct attached_program *program = &attached->program[i];
		if (program->is_in_tree)
			continue;
		program->is_in_tree = true;
		err->code = 0;
		/* one that has just ended is no trouble: that is seen in a moment */
		if (!tree_add(&recorder->tree, recorder->target, &recorder->tap.sink, program->pid, clock_ns(), err) &&
		    err->code == ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int recorder_attached_follow(struct recorder *recorder, uint64_t now_ns, struct err *err)
{
	struct attached *attached = recorder->way->attached;
	struct attached_end end;
	int code = 0;

	while (attached_next_ended(attached, &end))
		recorder_note_exit(recorder, end.pid, end.is_known ? &end.wait_status : NULL);
	if (attached->look && !recorder->target->is_ending)
		code = attached->look(attached->ctx, attached, err);
	if (attached->time_waits && !attached->n && !recorder->tree.n && !recorder->tap.n_processes)
		recorder->start_ns = now_ns;
	return code ? code : recorder_attached_admit(recorder, err);
}
