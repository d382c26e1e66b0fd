// SPDX-License-Identifier: Apache-2.0
/*
 * The functions of inftrace_profile.h: handles, and the two threads behind them. One thread gathers while any handle is
 * running; another one delivers while there are reports. One lock guards all, and is not held in a callback.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "library/collector.h"
#include "library/profile.h"

enum { LOOK_NS = 20000000, LATE_NS = 1000000, EXIT_NS = 1000000000, MAX_LETTERS = 1000, MAX_MODEL = 1000 };

enum collecting { NOT_COLLECTING, STARTING, COLLECTING, ENDING };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	pthread_cond_t hurry; /* for the thread that gathers */
	bool is_set_up, is_hurried;
	bool is_over; /* the process exits: no callback begins any more */
	enum collecting state;
	enum collector_level level; /* of what is collected now */
	int32_t pid;		    /* of the process that has started the first handle; 0: none was */
	struct collector collector;
	struct inftrace_profile *profiles; /* all that are open */
	struct profile_letter *first, **last;
	struct inftrace_profile *delivering; /* whose callback is running */
	bool has_deliverer;
	pthread_t deliverer;
} all = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void lock(void)
{
	pthread_mutex_lock(&all.mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&all.mutex);
}

static void leave_child(void)
{
	pthread_condattr_t attr;

	/* threads that waited are not here */
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&all.changed, &attr);
	pthread_cond_init(&all.hurry, &attr);
	pthread_condattr_destroy(&attr);
	for (struct inftrace_profile *profile = all.profiles; profile; profile = profile->next) {
		profile->state = PROFILE_IDLE;
		profile->n_delivered = profile->n_sent;
	}
	all.first = NULL;
	all.last = &all.first;
	all.delivering = NULL;
	all.has_deliverer = false;
	all.state = NOT_COLLECTING;
	collector_leave_child(&all.collector);
	unlock();
}

static void set_up(void)
{
	pthread_condattr_t attr;

	if (all.is_set_up)
		return;
	all.is_set_up = true;
	all.last = &all.first;
	all.collector.lifeline = -1;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&all.changed, &attr);
	pthread_cond_init(&all.hurry, &attr);
	pthread_condattr_destroy(&attr);
	pthread_atfork(lock, unlock, leave_child);
}

/* Of this library, without the program's signals. Detached. */
static int start_thread(pthread_t *thread, void *(*run)(void *))
{
	sigset_t every, before;
	int code;

	sigfillset(&every);
	pthread_sigmask(SIG_BLOCK, &every, &before);
	code = pthread_create(thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!code)
		pthread_detach(*thread);
	return -code;
}

/* Delivering. */

static void free_if_closed(struct inftrace_profile *profile)
{
	if (profile->is_closed)
		profile_free(profile);
}

static void *deliver(void *arg)
{
	struct profile_letter *letter;

	lock();
	while (!all.is_over && (letter = all.first)) {
		struct inftrace_profile *profile = letter->profile;

		all.first = letter->next;
		if (!all.first)
			all.last = &all.first;
		all.delivering = profile;
		unlock();
		profile->call(profile->ctx, &letter->report);
		profile_free_letter(letter);
		lock();
		all.delivering = NULL;
		profile->n_delivered++;
		free_if_closed(profile);
		pthread_cond_broadcast(&all.changed);
	}
	all.has_deliverer = false;
	unlock();
	return NULL;
}

/* Under the lock. */
static void send(void *to, struct profile_letter *letter)
{
	if (letter->profile->n_sent - letter->profile->n_delivered >= MAX_LETTERS ||
	    (!all.has_deliverer && start_thread(&all.deliverer, deliver))) {
		profile_free_letter(letter);
		return;
	}
	all.has_deliverer = true;
	letter->profile->n_sent++;
	*all.last = letter;
	all.last = &letter->next;
}

static bool is_deliverer(void)
{
	return all.has_deliverer && pthread_equal(all.deliverer, pthread_self());
}

static struct timespec in_time(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Before the program's own destructors: a callback must not find what it uses destroyed. */
static void end_callbacks(void)
{
	struct timespec until = in_time(clock_ns() + EXIT_NS);

	lock();
	all.is_over = true;
	while (all.delivering && !is_deliverer() && !pthread_cond_timedwait(&all.changed, &all.mutex, &until))
		;
	unlock();
}

static bool is_in_callback(const struct inftrace_profile *profile)
{
	return all.delivering == profile && is_deliverer();
}

/* Gathering. */

static int64_t clock_offset(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)clock_ns();
}

static void take(void *ctx, const struct sample *sample)
{
	for (struct inftrace_profile *profile = all.profiles; profile; profile = profile->next)
		profile_take(profile, &all.collector.gather, sample, *(int64_t *)ctx);
}

static bool is_any_running(void)
{
	bool wants_operators = false, is_running = false;

	for (struct inftrace_profile *profile = all.profiles; profile; profile = profile->next) {
		is_running |= profile->state != PROFILE_IDLE;
		wants_operators |= profile->state != PROFILE_IDLE && profile->type == INFTRACE_TRACE;
	}
	all.collector.gather.with_operators = wants_operators;
	return is_running;
}

static void wait_for_work(int64_t offset_ns)
{
	uint64_t until_ns = clock_ns() + LOOK_NS;
	struct timespec until;

	for (struct inftrace_profile *profile = all.profiles; profile; profile = profile->next) {
		uint64_t due_ns = profile_due(profile, offset_ns);

		if (due_ns < until_ns)
			until_ns = due_ns + LATE_NS;
	}
	until = in_time(until_ns);
	while (!all.is_hurried && !pthread_cond_timedwait(&all.hurry, &all.mutex, &until))
		;
	all.is_hurried = false;
}

static int64_t offset_ns;

static void *gather(void *arg)
{
	lock();
	while (is_any_running()) {
		uint64_t until_ns;

		offset_ns = clock_offset();
		wait_for_work(offset_ns);
		until_ns = clock_ns();
		collector_drain(&all.collector);
		for (struct inftrace_profile *profile = all.profiles; profile; profile = profile->next)
			profile_advance(profile, &all.collector.gather, until_ns, offset_ns);
		pthread_cond_broadcast(&all.changed);
	}
	all.state = ENDING;
	unlock();
	collector_close(&all.collector);
	lock();
	all.state = NOT_COLLECTING;
	pthread_cond_broadcast(&all.changed);
	unlock();
	return NULL;
}

/* Operators cost the program time: only if a handle wants them, now or as soon as it is started. */
static enum collector_level wanted_level(void)
{
	for (const struct inftrace_profile *profile = all.profiles; profile; profile = profile->next)
		if (profile->type == INFTRACE_TRACE)
			return COLLECT_OPERATORS;
	return COLLECT_INFERENCES;
}

/* Under the lock, which is given up meanwhile. */
static int start_collecting(void)
{
	int code;

	/* what goes on for no handle any more is about to end, and may begin again with operators */
	while (all.state == STARTING || all.state == ENDING ||
	       (all.state == COLLECTING && all.level < wanted_level() && !is_any_running()))
		pthread_cond_wait(&all.changed, &all.mutex);
	if (all.state == COLLECTING)
		return 0;
	all.state = STARTING;
	all.level = wanted_level();
	unlock();
	code = collector_open(&all.collector, all.level, take, &offset_ns);
	lock();
	all.state = code ? NOT_COLLECTING : COLLECTING;
	pthread_cond_broadcast(&all.changed);
	if (!code && !all.pid)
		atexit(end_callbacks);
	all.pid = code ? all.pid : getpid();
	return code ? code : 1; /* 1: the thread is to be started, once a handle is running */
}

/* Handles. */

static struct inftrace_profile *new_profile(uint32_t type, inftrace_report_fn *call, void *ctx)
{
	struct inftrace_profile *profile = calloc(1, sizeof *profile);

	if (!profile)
		return NULL;
	profile->type = type;
	profile->call = call;
	profile->ctx = ctx;
	profile->every = 1;
	profile->pid = getpid();
	profile->send = send;
	return profile;
}

static void add_profile(struct inftrace_profile *profile)
{
	lock();
	set_up();
	profile->next = all.profiles;
	all.profiles = profile;
	unlock();
}

static bool is_name(const char *model)
{
	return model && *model && strlen(model) <= MAX_MODEL;
}

int inftrace_profile_samples(const struct inftrace_samples_opts *opts, struct inftrace_profile **profile)
{
	struct inftrace_profile *made;

	if (profile)
		*profile = NULL;
	if (!opts || !profile || opts->size < sizeof *opts || !is_name(opts->model) || !opts->n_samples ||
	    opts->type > INFTRACE_TRACE || !opts->report)
		return -EINVAL;
	made = new_profile(opts->type, opts->report, opts->ctx);
	if (made && profile_add(made, opts->model)) {
		profile_free(made);
		made = NULL;
	}
	if (!made)
		return -ENOMEM;
	made->n_samples = opts->n_samples;
	add_profile(made);
	*profile = made;
	return 0;
}

int inftrace_profile_stream(const struct inftrace_stream_opts *opts, struct inftrace_profile **profile)
{
	struct inftrace_profile *made;

	if (profile)
		*profile = NULL;
	if (!opts || !profile || opts->size < sizeof *opts || !opts->rate_ms || opts->type > INFTRACE_TRACE ||
	    !opts->report)
		return -EINVAL;
	made = new_profile(opts->type, opts->report, opts->ctx);
	if (!made)
		return -ENOMEM;
	made->is_stream = true;
	made->rate_ns = opts->rate_ms * 1000000ull;
	made->every = opts->every ? opts->every : 1;
	add_profile(made);
	*profile = made;
	return 0;
}

static int start(struct inftrace_profile *profile)
{
	pthread_t thread;
	int code;

	if (profile->state != PROFILE_IDLE)
		return -EBUSY;
	code = start_collecting();
	if (code < 0)
		return code;
	if (profile->state != PROFILE_IDLE) /* by another thread, meanwhile */
		return -EBUSY;
	if (profile->type == INFTRACE_TRACE && all.level < COLLECT_OPERATORS)
		return -EAGAIN;
	profile_start(profile, clock_ns());
	if (code && start_thread(&thread, gather)) {
		profile->state = PROFILE_IDLE;
		collector_close(&all.collector);
		all.state = NOT_COLLECTING;
		return -ENOMEM;
	}
	return 0;
}

int inftrace_profile_start(struct inftrace_profile *profile)
{
	int code;

	if (!profile)
		return -EINVAL;
	lock();
	if (profile->pid != getpid() || (all.pid && all.pid != getpid()))
		code = -ECHILD;
	else
		code = getauxval(AT_SECURE) || getenv("INFTRACE_DISABLE") ? -EPERM : start(profile);
	unlock();
	return code;
}

static int stop(struct inftrace_profile *profile)
{
	uint64_t n_starts = profile->n_starts;

	if (profile->state == PROFILE_IDLE)
		return -EALREADY;
	if (profile->state == PROFILE_RUNNING) {
		profile->stop_ns = clock_ns();
		profile->state = PROFILE_STOPPING;
	}
	all.is_hurried = true;
	pthread_cond_signal(&all.hurry);
	/* another thread may start it again at once */
	while (profile->state != PROFILE_IDLE && profile->n_starts == n_starts)
		pthread_cond_wait(&all.changed, &all.mutex);
	return 0;
}

int inftrace_profile_stop(struct inftrace_profile *profile)
{
	int code;

	if (!profile)
		return -EINVAL;
	lock();
	code = stop(profile);
	unlock();
	return code;
}

int inftrace_profile_flush(struct inftrace_profile *profile)
{
	uint64_t n_sent;
	int code = 0;

	if (!profile)
		return -EINVAL;
	lock();
	if (is_deliverer())
		code = -EDEADLK;
	n_sent = profile->n_sent;
	while (!code && !all.is_over && profile->n_delivered < n_sent)
		pthread_cond_wait(&all.changed, &all.mutex);
	unlock();
	return code;
}

int inftrace_profile_add(struct inftrace_profile *profile, const char *model)
{
	int code;

	if (!profile || !profile->is_stream || !is_name(model))
		return -EINVAL;
	lock();
	code = profile_add(profile, model);
	unlock();
	return code;
}

int inftrace_profile_remove(struct inftrace_profile *profile, const char *model)
{
	bool is_running;
	int code;

	if (!profile || !profile->is_stream || !is_name(model))
		return -EINVAL;
	lock();
	is_running = profile->state != PROFILE_IDLE && all.state == COLLECTING;
	code = profile_remove(profile, is_running ? &all.collector.gather : NULL, model, clock_ns());
	unlock();
	return code;
}

static void drop_letters(const struct inftrace_profile *profile)
{
	struct profile_letter **at = &all.first, *letter;

	while ((letter = *at)) {
		if (letter->profile == profile) {
			*at = letter->next;
			profile_free_letter(letter);
		} else {
			at = &letter->next;
		}
	}
	all.last = at;
}

int inftrace_profile_add_session(struct inftrace_profile *profile, const void *session)
{
	return profile && session ? -ENOSYS : -EINVAL;
}

int inftrace_profile_remove_session(struct inftrace_profile *profile, const void *session)
{
	return profile && session ? -ENOSYS : -EINVAL;
}

int inftrace_profile_list(inftrace_program_fn *program, void *ctx)
{
	return program ? -ENOSYS : -EINVAL;
}

const char *inftrace_profile_message(void)
{
	return "";
}

void inftrace_profile_close(struct inftrace_profile *profile)
{
	struct inftrace_profile **at = &all.profiles;

	if (!profile)
		return;
	lock();
	stop(profile);
	drop_letters(profile);
	while (all.delivering == profile && !is_in_callback(profile))
		pthread_cond_wait(&all.changed, &all.mutex);
	while (*at && *at != profile)
		at = &(*at)->next;
	if (*at)
		*at = profile->next;
	profile->is_closed = is_in_callback(profile);
	if (!profile->is_closed)
		profile_free(profile);
	unlock();
}
