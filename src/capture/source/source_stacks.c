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
#include "capture/source/tree.h"
#include "capture/stacks/stack_sampler.h"

enum { TAKE_MS = 50 };

/* A track of a process, which does not end before all samples of it are put. */
struct held {
	bool is_held, is_there, has_ended;
	uint64_t until; /* has_ended: so many samples are taken */
};

struct stacks_state {
	const struct target *target;
	struct stack_sampler *sampler;
	struct array followed; /* struct stack_followed */
	struct array held;     /* struct held, by the number of the track */
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
	return sample_due_ms(sample_next_ns(TAKE_MS * UINT64_C(1000000), clock_ns()));
}

static bool hold(struct stacks_state *state, uint32_t track)
{
	struct held *held;

	while (state->held.n <= track)
		if (!array_add(&state->held, sizeof *held))
			return false;
	held = (struct held *)state->held.data + track;
	if (!held->is_held)
		tree_hold(state->target->tree, track);
	held->is_held = held->is_there = true;
	held->has_ended = false;
	return true;
}

/* Those that are no longer followed. */
static void mark_ends(struct stacks_state *state, uint64_t n_sampled)
{
	struct held *held = state->held.data;

	for (size_t i = 0; i < state->held.n; i++) {
		if (!held[i].is_held || held[i].is_there || held[i].has_ended)
			continue;
		held[i].has_ended = true;
		held[i].until = n_sampled;
	}
}

static void let_go(struct stacks_state *state)
{
	struct held *held = state->held.data;

	for (size_t i = 0; i < state->held.n; i++) {
		held[i].is_there = false;
		if (!held[i].has_ended || stack_sampler_taken(state->sampler) < held[i].until)
			continue;
		tree_release(state->target->tree, (uint32_t)i);
		held[i] = (struct held){ 0 };
	}
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct stacks_state *state = data;
	const struct tree *tree = state->target->tree;
	uint64_t n_sampled;
	int result;

	state->followed.n = 0;
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_process *process = &tree->process[i];
		struct stack_followed *to;

		if (!process->track)
			continue;
		to = array_add(&state->followed, sizeof *to);
		if (!to || !hold(state, process->track))
			return err_no_memory(err, "cannot sample stacks");
		*to = (struct stack_followed){ process->pid, process->start_ticks, process->track, process->exe };
	}
	if (!state->target->is_ending &&
	    stack_sampler_follow(state->sampler, state->followed.data, state->followed.n, &n_sampled))
		mark_ends(state, n_sampled);
	if (state->target->own_end_ns)
		stack_sampler_end_at(state->sampler, state->target->own_end_ns);
	result = stack_sampler_take(state->sampler, out, state->target->is_ending, err);
	let_go(state);
	return result;
}

static void stop(void *data)
{
	struct stacks_state *state = data;

	stack_sampler_stop(state->sampler);
	array_done(&state->followed, sizeof(struct stack_followed));
	array_done(&state->held, sizeof(struct held));
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
