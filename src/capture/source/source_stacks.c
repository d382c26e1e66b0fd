// SPDX-License-Identifier: Apache-2.0
/*
 * What the threads of each process do, and where in the program: samples of their states and stacks
 * (capture/stacks/stack_process.h), some hundred times a second. Moments are moved at random by up to a quarter of the
 * time between them, so that they do not keep step with the program. All processes together get a hundredth of the
 * time.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capture/source/follow.h"
#include "capture/stacks/stack_process.h"

enum { COST_PART = 100, LEAST_BUDGET_NS = 20000 };

struct stacks_item {
	struct followed followed;
	struct stack_process process;
	struct stack_shared *shared;
};

struct stacks_state {
	const struct target *target;
	struct follow follow;
	struct stack_shared shared;
	uint64_t due_ns, random;
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
	state->random = clock_ns() | 1;
	return 0;
}

static struct stack_round round_of(struct stacks_state *state, const struct sample *sample)
{
	uint64_t step_ns = 1000000000u / state->target->stacks_hz;
	size_t n = sample->target->tree->n;
	uint64_t budget_ns = step_ns / COST_PART / (n ? n : 1);

	return (struct stack_round){
		.shared = &state->shared,
		.out = sample->out,
		.now_ns = clock_ns(),
		.budget_ns = budget_ns > LEAST_BUDGET_NS ? budget_ns : LEAST_BUDGET_NS,
		.is_last = sample->target->is_ending,
		.err = sample->err,
	};
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct stacks_state *state = data;
	struct stacks_item *item = data_item;
	struct stack_round round = round_of(state, sample);

	item->shared = &state->shared;
	round.pid = sample->process->pid;
	round.track = sample->process->track;
	round.program = sample->process->exe;
	if (!round.track)
		return 0;
	return stack_process_sample(&item->process, &round);
}

static void done(void *data_item)
{
	struct stacks_item *item = data_item;

	if (item->shared)
		stack_process_done(&item->process, item->shared);
}

static const struct follow_kind stacks_kind = { sizeof(struct stacks_item), sample_process, done };

static int due_ms(const void *data)
{
	const struct stacks_state *state = data;

	return sample_due_ms(state->due_ns);
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct stacks_state *state = data;
	struct target each = *state->target; /* each process is due each time */
	struct sample sample = { &each, NULL, out, now_ns, err };
	uint64_t step_ns = 1000000000u / each.stacks_hz;

	each.interval_ns = 1;
	state->due_ns = now_ns + step_ns * 3 / 4 + next_random(&state->random) % (step_ns / 2 + 1);
	return follow_drain(&state->follow, &stacks_kind, state, &sample);
}

static void stop(void *data)
{
	struct stacks_state *state = data;

	follow_done(&state->follow, &stacks_kind);
	stack_shared_done(&state->shared);
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
