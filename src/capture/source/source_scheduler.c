// SPDX-License-Identifier: Apache-2.0
/*
 * Who had the CPU that a process waited for: "waited for NAME", percent of the time, summed over its threads; "waited
 * for its own threads" where these ran. From the scheduler's events, as root. Without them, source_waits.c reports
 * which programs use CPUs meanwhile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/probe/sched_watch.h"
#include "capture/source/fine.h"
#include "capture/source/held.h"

enum { MAX_PAIRS = 512, LEAST_PERCENT = 5 };

struct pair {
	struct sched_pair key;
	uint64_t ns; /* up to the last round */
	struct held waited;
};

struct scheduler_item {
	struct followed followed;
	bool is_watched;
};

struct scheduler_state {
	struct fine fine;
	struct follow follow;
	struct sched_watch *watch;
	struct array pairs; /* struct pair */
	uint64_t base_ns, due_ns;
};

/* What a round hands to each pair. */
struct round {
	struct scheduler_state *state;
	const struct sample *sample;
	uint64_t time_ns;
};

static int check(const struct target *target, struct err *err)
{
	if (*target->sysroot)
		return err_set(err, EOPNOTSUPP, "cannot watch the scheduler of another machine");
	return sched_watch_check(err);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct scheduler_state *state = data;

	state->fine.target = target;
	return sched_watch_start(&state->watch, err);
}

static struct pair *pair_of(struct scheduler_state *state, const struct sched_pair *key)
{
	struct pair *pair = state->pairs.data;

	for (size_t i = 0; i < state->pairs.n; i++)
		if (pair[i].key.tgid == key->tgid && !strcmp(pair[i].key.name, key->name))
			return &pair[i];
	pair = state->pairs.n < MAX_PAIRS ? array_add(&state->pairs, sizeof *pair) : NULL;
	if (pair)
		*pair = (struct pair){ .key = *key };
	return pair;
}

static uint32_t track_of(const struct tree *tree, uint32_t tgid)
{
	for (size_t i = 0; i < tree->n; i++)
		if ((uint32_t)tree->process[i].pid == tgid)
			return tree->process[i].track;
	return 0;
}

/* A value stands for the time since the one before: the first needs one at its begin. */
static int put_pair(void *ctx, const struct sched_pair *key, uint64_t ns)
{
	const struct round *round = ctx;
	const struct sample *sample = round->sample;
	struct pair *pair = pair_of(round->state, key);
	uint32_t track = track_of(sample->target->tree, key->tgid);
	uint64_t span_ns = round->time_ns - round->state->base_ns;
	char name[64];
	struct counter_value value = { name, "%", track, round->state->base_ns, 0 };
	double percent;
	int result = 0;

	if (!pair || !track || !round->state->base_ns)
		return 0;
	percent = (double)(ns - pair->ns) / (double)span_ns * 100;
	if (!pair->waited.is_known && percent < LEAST_PERCENT)
		return 0;
	pair->ns = ns;
	snprintf(name, sizeof name, "waited for %s", *key->name ? key->name : "its own threads");
	if (!pair->waited.is_known)
		result = held_put(&pair->waited, &value, true, sample->out, sample->err);
	value.time_ns = round->time_ns;
	value.value = percent;
	return result ? result : held_put(&pair->waited, &value, sample->target->is_ending, sample->out, sample->err);
}

/* Called when a process is first seen, and later for nothing. */
static int watch_process(void *data, const struct sample *sample, void *data_item)
{
	struct scheduler_item *item = data_item;

	if (!item->is_watched)
		sched_watch_add(((struct scheduler_state *)data)->watch, sample->process->pid);
	item->is_watched = true;
	return 0;
}

static const struct follow_kind scheduler_kind = { sizeof(struct scheduler_item), watch_process, NULL };

static int due_ms(const void *data)
{
	const struct scheduler_state *state = data;
	uint64_t due_ns = follow_due_ns(&state->follow, &scheduler_kind, state->fine.target->tree);

	return sample_due_ms(due_ns < state->due_ns ? due_ns : state->due_ns);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct scheduler_state *state = data;
	uint64_t began_ns = clock_ns();
	struct sample sample = { fine_begin(&state->fine), NULL, out, now_ns, err };
	struct round round = { state, &sample, began_ns };
	int result = follow_drain(&state->follow, &scheduler_kind, state, &sample);

	if (result || (now_ns < state->due_ns && !sample.target->is_ending))
		return result;
	result = sched_watch_each(state->watch, put_pair, &round);
	state->base_ns = began_ns;
	state->due_ns = sample_next_ns(sample.target->interval_ns, now_ns);
	fine_end(&state->fine, began_ns);
	return result;
}

static void stop(void *data)
{
	struct scheduler_state *state = data;

	follow_done(&state->follow, &scheduler_kind);
	sched_watch_stop(state->watch);
	array_done(&state->pairs, sizeof(struct pair));
}

const struct source source_scheduler = {
	.name = "scheduler",
	.help = "who runs on the CPUs that each process waits for",
	.state_size = sizeof(struct scheduler_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
