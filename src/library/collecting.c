// SPDX-License-Identifier: Apache-2.0
/*
 * The thread that gathers: drains what the agent has recorded, and lets each handle make its reports. It brings the
 * agent for the first handle, and takes the hooks out after the last one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library_in.h"

enum { LOOK_NS = 20000000, LATE_NS = 1000000 };

static int64_t clock_offset(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)clock_ns();
}

static void take(void *ctx, const struct sample *sample)
{
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile_take(profile, &handles.collector.gather, sample, handles.offset_ns);
}

static void came(void *ctx, const struct gather_program *program, bool is_new)
{
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile_came(profile, &handles.collector.gather, program, is_new);
}

static void gone(void *ctx, const struct gather_program *program, uint64_t time_ns)
{
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile_gone(profile, &handles.collector.gather, program, time_ns, handles.offset_ns);
}

static const struct gather_calls calls = { .take = take, .came = came, .gone = gone };

static bool is_wanted(void)
{
	for (const struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		if (profile->state != PROFILE_IDLE)
			return true;
	return handles.n_starting != 0;
}

static bool wants_parts(void)
{
	for (const struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		if (profile->state != PROFILE_IDLE && profile->type == INFTRACE_TRACE)
			return true;
	return false;
}

static void wait_for_work(void)
{
	uint64_t until_ns = clock_ns() + LOOK_NS;
	struct timespec until;

	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next) {
		uint64_t due_ns = profile_due(profile, handles.offset_ns);

		if (due_ns < until_ns)
			until_ns = due_ns + LATE_NS;
	}
	until = (struct timespec){ (time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000) };
	while (!handles.is_hurried && !pthread_cond_timedwait(&handles.hurry, &handles.mutex, &until))
		;
	handles.is_hurried = false;
}

static void do_round(void)
{
	struct gather *gather = &handles.collector.gather;
	uint64_t until_ns = clock_ns();

	gather->with_parts = wants_parts();
	collector_drain(&handles.collector);
	gather_advance(gather, until_ns);
	memcpy(handles.note, gather->note, sizeof handles.note);
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile_advance(profile, gather, until_ns, handles.offset_ns);
	handles.n_rounds++;
	pthread_cond_broadcast(&handles.changed);
}

/* Sessions get other numbers when the agent comes again. */
static void end(void)
{
	handles.state = ENDING;
	pthread_mutex_unlock(&handles.mutex);
	collector_close(&handles.collector);
	pthread_mutex_lock(&handles.mutex);
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile_forget_sessions(profile);
	handles.state = NOT_COLLECTING;
	pthread_cond_broadcast(&handles.changed);
}

static void *gather_all(void *arg)
{
	pthread_mutex_lock(&handles.mutex);
	while (is_wanted()) {
		handles.offset_ns = clock_offset();
		wait_for_work();
		do_round();
	}
	end();
	pthread_mutex_unlock(&handles.mutex);
	return NULL;
}

/* Operators cost the program time: only if a handle wants them, now or as soon as it is started. */
static enum collector_level wanted_level(void)
{
	for (const struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		if (profile->type == INFTRACE_TRACE)
			return COLLECT_OPERATORS;
	return COLLECT_INFERENCES;
}

/* The agent, and the thread that gathers. */
static int open_collector(void)
{
	pthread_t thread;
	int code;

	handles.state = STARTING;
	handles.level = wanted_level();
	pthread_mutex_unlock(&handles.mutex);
	code = collector_open(&handles.collector, handles.level, &calls);
	pthread_mutex_lock(&handles.mutex);
	if (!code && handles_start_thread(&thread, gather_all)) {
		collector_close(&handles.collector);
		code = -ENOMEM;
	}
	handles.level = handles.collector.level; /* that of a recorder, if there is one */
	handles.state = code ? NOT_COLLECTING : COLLECTING;
	pthread_cond_broadcast(&handles.changed);
	if (code)
		return code;
	if (!handles.pid)
		atexit(delivery_end_all);
	handles.pid = getpid();
	return 0;
}

int collecting_prepare(void)
{
	int code = 0;

	/* what goes on for no handle any more is about to end, and may begin again with operators */
	while (handles.state == STARTING || handles.state == ENDING ||
	       (handles.state == COLLECTING && handles.level < wanted_level() && !is_wanted()))
		pthread_cond_wait(&handles.changed, &handles.mutex);
	handles.n_starting++;
	if (handles.state != COLLECTING)
		code = open_collector();
	if (code)
		handles.n_starting--;
	return code;
}

void collecting_end_start(void)
{
	handles.n_starting--;
}

bool collecting_is_on(void)
{
	return handles.state == COLLECTING;
}

void collecting_hurry(void)
{
	handles.is_hurried = true;
	pthread_cond_signal(&handles.hurry);
}

void collecting_wait(void)
{
	uint64_t n_rounds = handles.n_rounds;

	while (collecting_is_on() && handles.n_rounds == n_rounds) {
		collecting_hurry();
		pthread_cond_wait(&handles.changed, &handles.mutex);
	}
}
