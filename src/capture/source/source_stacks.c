// SPDX-License-Identifier: Apache-2.0
/*
 * What the threads of each process do, and where in the program: samples of their states and stacks, made by a thread
 * of its own (capture/stacks/stack_sampler.h). Tells it which processes there are, and takes what it has.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/source/follow.h"
#include "capture/stacks/stack_sampler.h"

enum { TAKE_MS = 20 };

struct stacks_state {
	const struct target *target;
	struct stack_sampler *sampler;
	struct array followed; /* struct stack_followed */
};

static int check(const struct target *target, struct err *err)
{
	if (!target->stacks_hz)
		return err_set(err, EOPNOTSUPP, "samples of stacks are off");
	if (!proc_is_ours(target->sysroot))
		return err_set(err, EOPNOTSUPP, "its processes are not of this machine");
	return sample_check_stat(target, err);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct stacks_state *state = data;

	state->target = target;
	state->sampler = stack_sampler_start(target->stacks_hz, err);
	return state->sampler ? 0 : -err->code;
}

static int due_ms(const void *data)
{
	return TAKE_MS;
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct stacks_state *state = data;
	const struct tree *tree = state->target->tree;

	state->followed.n = 0;
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_process *process = &tree->process[i];
		struct stack_followed *to;

		if (!process->track)
			continue;
		to = array_add(&state->followed, sizeof *to);
		if (!to)
			return err_no_memory(err, "cannot sample stacks");
		*to = (struct stack_followed){ process->pid, process->start_ticks, process->track, process->exe };
	}
	if (!state->target->is_ending)
		stack_sampler_follow(state->sampler, state->followed.data, state->followed.n);
	return stack_sampler_take(state->sampler, out, state->target->is_ending, err);
}

static void stop(void *data)
{
	struct stacks_state *state = data;

	stack_sampler_stop(state->sampler);
	array_done(&state->followed, sizeof(struct stack_followed));
}

const struct source source_stacks = {
	.name = "stacks",
	.help = "what each thread does, and in which line of the program",
	.state_size = sizeof(struct stacks_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
