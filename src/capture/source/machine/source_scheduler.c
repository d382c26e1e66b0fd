// SPDX-License-Identifier: Apache-2.0
/*
 * Who had the CPU that a process waited for: "waited for NAME", percent of the time, summed over its threads; "waited
 * for its own threads" where these ran, "waited for its own processes" where other processes of the recorded program
 * did. From the scheduler's events, as root. Without them, source_waits.c reports
 * which programs use CPUs meanwhile.
 *
 * The kernel takes some 30 ms to check the BPF programs. A thread of their own loads them, once recording has gone on
 * for a moment: no program starts later for it, and short ones are spared.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/decode/recorded.h"
#include "capture/probe/sched_watch.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"

enum { MAX_PAIRS = 512, LEAST_PERCENT = 5 };
static const uint64_t load_after_ns = 250000000;

extern const struct source source_scheduler;

/* One that got a counter. */
struct pair {
	struct sched_pair key;
	uint64_t ns;	  /* of this round */
	uint64_t used_ns; /* time of the last round that had some */
	struct held waited;
};

struct scheduler_item {
	struct followed followed;
	struct sched_watch *watch; /* NULL: it is not watched so far */
};

struct scheduler_state {
	struct fine fine;
	struct follow follow;
	struct sched_watch *watch; /* once has_loaded; NULL: it could not be loaded, for the reason in err */
	pthread_t loader;
	bool is_loading, is_told;
	atomic_bool has_loaded;
	struct err err;
	uint64_t started_ns;
	struct array pairs;	  /* struct pair */
	uint64_t base_ns, due_ns; /* when the last round was, and when the next one is */
};

/* What a round hands to each pair. */
struct round {
	struct scheduler_state *state;
	const struct sample *sample;
	uint64_t time_ns, span_ns;
};

static int check(const struct target *target, struct err *err)
{
	if (*target->sysroot)
		return err_set(err, EOPNOTSUPP, "cannot watch the scheduler of another machine");
	return sched_watch_check(err);
}

static void *load(void *data)
{
	struct scheduler_state *state = data;

	sched_watch_start(&state->watch, &state->err);
	atomic_store(&state->has_loaded, true);
	return NULL;
}

/* Signals are for the recorder's first thread. */
static void begin_to_load(struct scheduler_state *state)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	state->is_loading = !pthread_create(&state->loader, NULL, load, state);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct scheduler_state *state = data;

	state->fine.target = target;
	state->started_ns = clock_ns();
	if (target->drops_rights) /* this thread keeps those that it begins with */
		begin_to_load(state);
	return 0;
}

static uint32_t track_of(const struct tree *tree, uint32_t tgid)
{
	for (size_t i = 0; i < tree->n; i++)
		if ((uint32_t)tree->process[i].pid == tgid)
			return tree->process[i].track;
	return 0;
}

static struct pair *find_pair(const struct scheduler_state *state, const struct sched_pair *key)
{
	struct pair *pair = state->pairs.data;

	for (size_t i = 0; i < state->pairs.n; i++)
		if (pair[i].key.tgid == key->tgid && pair[i].key.whose == key->whose &&
		    !strcmp(pair[i].key.name, key->name))
			return &pair[i];
	return NULL;
}

/* In a full table it takes the place of the one that was 0 for the longest time; NULL: none is 0. */
static struct pair *new_pair(struct scheduler_state *state, const struct sched_pair *key)
{
	struct pair *pair = state->pairs.data, *to = NULL;

	if (state->pairs.n < MAX_PAIRS)
		to = array_add(&state->pairs, sizeof *to);
	else
		for (size_t i = 0; i < state->pairs.n; i++)
			if (!pair[i].ns && (!to || pair[i].used_ns < to->used_ns))
				to = &pair[i];
	if (to)
		*to = (struct pair){ .key = *key };
	return to;
}

/* A pair without a counter gets one once it matters. */
static int take_pair(void *ctx, const struct sched_pair *key, uint64_t ns)
{
	const struct round *round = ctx;
	struct scheduler_state *state = round->state;
	struct pair *pair = find_pair(state, key);

	if (!pair && (double)ns >= (double)round->span_ns * LEAST_PERCENT / 100)
		pair = new_pair(state, key);
	if (!pair)
		return 0;
	pair->ns = ns;
	pair->used_ns = round->time_ns;
	return 0;
}

static const char *who_ran(const struct sched_pair *key)
{
	return key->whose == SCHED_ITS_OWN   ? "its own threads"
	       : key->whose == SCHED_WATCHED ? "its own processes"
					     : key->name;
}

/* A value stands for the time since the one before: the first needs one at its begin. */
static int put_pair(const struct round *round, struct pair *pair, uint32_t track)
{
	const struct sample *sample = round->sample;
	char name[64];
	struct counter_value value = { name, "%", track, round->state->base_ns, 0 };
	int result = 0;

	snprintf(name, sizeof name, "waited for %s", who_ran(&pair->key));
	if (!pair->waited.is_known)
		result = held_put(&pair->waited, &value, true, sample->out, sample->err);
	value.time_ns = round->time_ns;
	value.value = (double)pair->ns / (double)round->span_ns * 100;
	pair->ns = 0;
	return result ? result : held_put(&pair->waited, &value, sample->target->is_ending, sample->out, sample->err);
}

/* Pairs of processes that ended leave. */
static int put_pairs(const struct round *round)
{
	struct array *pairs = &round->state->pairs;
	struct pair *pair = pairs->data;
	size_t n = 0;
	int result = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		uint32_t track = track_of(round->sample->target->tree, pair[i].key.tgid);

		if (!track)
			continue;
		if (!result)
			result = put_pair(round, &pair[i], track);
		pair[n++] = pair[i];
	}
	pairs->n = n;
	return result;
}

/* The sums before the first round began at no known time. */
static int take_nothing(void *ctx, const struct sched_pair *key, uint64_t ns)
{
	return 0;
}

static int put_round(struct scheduler_state *state, const struct sample *sample, uint64_t time_ns)
{
	struct round round = { state, sample, time_ns, time_ns - state->base_ns };

	sched_watch_take(state->watch, state->base_ns ? take_pair : take_nothing, &round);
	return state->base_ns ? put_pairs(&round) : 0;
}

/* Called when a process is first seen, and later for nothing. */
static int watch_process(void *data, const struct sample *sample, void *data_item)
{
	struct scheduler_item *item = data_item;

	struct sched_watch *watch = ((struct scheduler_state *)data)->watch;

	if (!item->watch && sched_watch_add(watch, sample->process->pid) == -EPERM)
		return err_set(
		    sample->err, EPERM,
		    "cannot watch the scheduler: this kernel refuses its counts to inftrace once its rights have "
		    "been given up");
	item->watch = watch;
	return 0;
}

/* There is room for so many processes. */
static void forget_process(void *data_item)
{
	struct scheduler_item *item = data_item;

	if (item->watch)
		sched_watch_remove(item->watch, item->followed.pid);
}

static const struct follow_kind scheduler_kind = { sizeof(struct scheduler_item), watch_process, forget_process };

/* Whether the events are there. */
static bool is_ready(struct scheduler_state *state, uint64_t now_ns, struct err *err, int *result)
{
	*result = 0;
	if (!state->is_loading) {
		if (now_ns >= state->started_ns + load_after_ns && !state->fine.target->is_ending)
			begin_to_load(state);
		return false;
	}
	if (state->is_told || !atomic_load(&state->has_loaded))
		return false;
	if (!state->watch) {
		state->is_told = true;
		/* this source ends, and the recorder notes why */
		*result = err_set(err, state->err.code ? state->err.code : EIO, "%s", state->err.msg);
	}
	return state->watch != NULL;
}

static int due_ms(const void *data)
{
	const struct scheduler_state *state = data;
	uint64_t due_ns;

	if (!state->is_loading)
		return sample_due_ms(state->started_ns + load_after_ns);
	if (!atomic_load(&state->has_loaded))
		return 20;
	if (!state->watch)
		return state->is_told ? 1000 : 0;
	due_ns = follow_due_ns(&state->follow, &scheduler_kind, state->fine.target->tree);
	return sample_due_ms(due_ns < state->due_ns ? due_ns : state->due_ns);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct scheduler_state *state = data;
	uint64_t began_ns = clock_ns();
	struct sample sample = { NULL, NULL, out, now_ns, err };
	int result;

	if (!is_ready(state, now_ns, err, &result))
		return result;
	sample.target = fine_begin(&state->fine);
	result = follow_drain(&state->follow, &scheduler_kind, state, &sample);
	if (result || (now_ns < state->due_ns && !sample.target->is_ending))
		return result;
	result = put_round(state, &sample, began_ns);
	state->base_ns = began_ns;
	state->due_ns = sample_next_ns(sample.target->interval_ns, now_ns);
	fine_end(&state->fine);
	return result;
}

static void stop(void *data)
{
	struct scheduler_state *state = data;

	if (state->is_loading)
		pthread_join(state->loader, NULL);
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
