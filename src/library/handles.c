// SPDX-License-Identifier: Apache-2.0
/* The functions of inftrace_profile.h: checks arguments, and that handles are open. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "library/library_in.h"

/* MAX_OPTS: of structs of later versions, whose members must be 0 where this version has none */
enum { MAX_MODEL = 1000, MAX_OPTS = 1024 };

struct handles handles = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void lock(void)
{
	pthread_mutex_lock(&handles.mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&handles.mutex);
}

static void init_conditions(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&handles.changed, &attr);
	pthread_cond_init(&handles.hurry, &attr);
	pthread_condattr_destroy(&attr);
}

/* Threads that waited are not here. */
static void leave_child(void)
{
	init_conditions();
	handles.n_starting = 0;
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next) {
		profile->state = PROFILE_IDLE;
		profile->n_users = 0;
	}
	delivery_leave_child();
	handles.state = NOT_COLLECTING;
	collector_leave_child(&handles.collector);
	unlock();
}

static void set_up(void)
{
	if (handles.is_set_up)
		return;
	handles.is_set_up = true;
	handles.last = &handles.first;
	handles.collector.lifeline = -1;
	init_conditions();
	pthread_atfork(lock, unlock, leave_child);
}

int handles_start_thread(pthread_t *thread, void *(*run)(void *))
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

/*
 * Options as this version has them. A program of an earlier version has fewer members, but first_size at least; one of
 * a later version may have more, if it sets none of them. false: neither.
 */
static bool read_opts(void *to, size_t size, const void *opts, size_t first_size)
{
	const unsigned char *bytes = opts;
	size_t given;

	if (!opts)
		return false;
	memcpy(&given, opts, sizeof given);
	if (given < first_size || given > MAX_OPTS) {
		message_set("size is %zu, which no version of this struct has", given);
		return false;
	}
	for (size_t i = size; i < given; i++)
		if (bytes[i]) {
			message_set("a member is set that this version of the library does not have: %s",
				    inftrace_version());
			return false;
		}
	memset(to, 0, size);
	memcpy(to, opts, given < size ? given : size);
	return true;
}

#define READ_OPTS(own, opts, last_of_first) \
	read_opts(&(own), sizeof(own), opts, offsetof(__typeof__(own), last_of_first) + sizeof((own).last_of_first))

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
	profile->send = delivery_send;
	return profile;
}

static void add_profile(struct inftrace_profile *profile)
{
	lock();
	set_up();
	profile->next = handles.profiles;
	handles.profiles = profile;
	unlock();
}

static bool is_name(const char *model)
{
	return model && *model && strlen(model) <= MAX_MODEL;
}

static int invalid(const char *why)
{
	message_set("%s", why);
	return message_end(-EINVAL);
}

int inftrace_profile_samples(const struct inftrace_samples_opts *opts, struct inftrace_profile **profile)
{
	struct inftrace_samples_opts own;
	struct inftrace_profile *made;
	int code;

	message_clear();
	if (profile)
		*profile = NULL;
	if (!profile || !READ_OPTS(own, opts, ctx))
		return message_end(-EINVAL);
	if (!own.report || !own.n_samples || own.type > INFTRACE_TRACE)
		return invalid(!own.report ? "report is NULL" : !own.n_samples ? "n_samples is 0" : "type is unknown");
	if (!own.model == !own.session || (own.model && !is_name(own.model)))
		return invalid("one of model and session must be set; a model has 1 to 1,000 bytes");
	made = new_profile(own.type, own.report, own.ctx);
	if (!made)
		return message_end(-ENOMEM);
	code = own.model ? profile_add(made, own.model)
			 : profile_add_session(made, NULL, (uint64_t)(uintptr_t)own.session);
	if (code) {
		profile_free(made);
		return message_end(code);
	}
	made->n_samples = own.n_samples;
	add_profile(made);
	*profile = made;
	return 0;
}

int inftrace_profile_stream(const struct inftrace_stream_opts *opts, struct inftrace_profile **profile)
{
	struct inftrace_stream_opts own;
	struct inftrace_profile *made;
	struct err err = { 0 };

	message_clear();
	if (profile)
		*profile = NULL;
	if (!profile || !READ_OPTS(own, opts, ctx))
		return message_end(-EINVAL);
	if (!own.report || !own.rate_ms || own.type > INFTRACE_TRACE)
		return invalid(!own.report ? "report is NULL" : !own.rate_ms ? "rate_ms is 0" : "type is unknown");
	made = new_profile(own.type, own.report, own.ctx);
	if (!made)
		return message_end(-ENOMEM);
	if (own.models && !(made->models = pattern_new(own.models, &err))) {
		profile_free(made);
		message_set("models: %s", err.msg);
		return message_end(-err.code);
	}
	made->is_stream = true;
	made->rate_ns = own.rate_ms * 1000000ull;
	made->every = own.every ? own.every : 1;
	add_profile(made);
	*profile = made;
	return 0;
}

/* Locks, and keeps the handle from being freed. 0, or the lock is not taken: -EINVAL, -EBADF. */
static int enter(struct inftrace_profile *profile)
{
	const struct inftrace_profile *open;

	message_clear();
	if (!profile)
		return message_end(-EINVAL);
	lock();
	for (open = handles.profiles; open && open != profile; open = open->next)
		;
	if (open) {
		profile->n_users++;
		return 0;
	}
	unlock();
	return message_end(-EBADF);
}

static void free_if_unused(struct inftrace_profile *profile)
{
	if (profile->is_closed && !profile->n_users && handles.delivering != profile)
		profile_free(profile);
}

static int leave(struct inftrace_profile *profile, int code)
{
	profile->n_users--;
	free_if_unused(profile);
	unlock();
	return message_end(code);
}

/* NULL: nothing is collected. */
static struct gather *current(void)
{
	return collecting_is_on() ? &handles.collector.gather : NULL;
}

static int start_prepared(struct inftrace_profile *profile)
{
	/* sessions that were released or created so far are known then */
	collecting_wait();
	if (profile->is_closed)
		return -EBADF;
	if (profile->state != PROFILE_IDLE) { /* by another thread, meanwhile */
		message_set("the handle is running");
		return -EBUSY;
	}
	if (profile->is_gone) {
		message_set("the session was released: open a handle for another one");
		return -ENOENT;
	}
	if (profile->type == INFTRACE_TRACE && handles.level < COLLECT_OPERATORS) {
		if (handles.collector.is_shared)
			message_set("the recorder of the program records no operators: its level is inference");
		return -EAGAIN;
	}
	profile_start(profile, current(), clock_ns());
	return 0;
}

static int start(struct inftrace_profile *profile)
{
	int code;

	if (profile->pid != getpid() || (handles.pid && handles.pid != getpid()))
		return -ECHILD;
	if (getauxval(AT_SECURE) || getenv("INFTRACE_DISABLE"))
		return -EPERM;
	code = collecting_prepare();
	if (code)
		return code;
	code = start_prepared(profile);
	collecting_end_start();
	return code;
}

int inftrace_profile_start(struct inftrace_profile *profile)
{
	int code = enter(profile);

	return code ? code : leave(profile, start(profile));
}

static int stop(struct inftrace_profile *profile)
{
	uint64_t n_starts = profile->n_starts;

	if (profile->state == PROFILE_IDLE) {
		message_set("the handle is not running");
		return -EALREADY;
	}
	if (profile->state == PROFILE_RUNNING) {
		profile->stop_ns = clock_ns();
		profile->state = PROFILE_STOPPING;
	}
	/* another thread may start it again at once, or close it */
	while (profile->state != PROFILE_IDLE && profile->n_starts == n_starts && !profile->is_closed) {
		collecting_hurry();
		pthread_cond_wait(&handles.changed, &handles.mutex);
	}
	if (handles.note[0])
		message_set("%s", handles.note);
	return 0;
}

int inftrace_profile_stop(struct inftrace_profile *profile)
{
	int code = enter(profile);

	return code ? code : leave(profile, stop(profile));
}

static int flush(struct inftrace_profile *profile)
{
	uint64_t n_sent = profile->n_sent;

	if (delivery_is_here())
		return -EDEADLK;
	while (!handles.is_over && profile->n_delivered < n_sent && !profile->is_closed)
		pthread_cond_wait(&handles.changed, &handles.mutex);
	return 0;
}

int inftrace_profile_flush(struct inftrace_profile *profile)
{
	int code = enter(profile);

	return code ? code : leave(profile, flush(profile));
}

/* Before the programs of a stream change: what has ended so far is taken as they are now. 0, or the call is over. */
static int enter_stream(struct inftrace_profile *profile)
{
	int code = enter(profile);

	if (code)
		return code;
	if (!profile->is_stream) {
		message_set("the handle is none of a stream: its program is fixed");
		return leave(profile, -EINVAL);
	}
	if (profile->state != PROFILE_IDLE)
		collecting_wait();
	return profile->is_closed ? leave(profile, -EBADF) : 0;
}

static int leave_stream(struct inftrace_profile *profile, int code)
{
	if (code == -EALREADY)
		message_set("the stream has this program");
	else if (code == -ENOENT)
		message_set("the stream has no such program");
	return leave(profile, code);
}

int inftrace_profile_add(struct inftrace_profile *profile, const char *model)
{
	int code = enter_stream(profile);

	return code ? code : leave_stream(profile, is_name(model) ? profile_add(profile, model) : -EINVAL);
}

int inftrace_profile_remove(struct inftrace_profile *profile, const char *model)
{
	int code = enter_stream(profile);

	if (!code)
		code = leave_stream(profile,
				    is_name(model) ? profile_remove(profile, current(), model, clock_ns()) : -EINVAL);
	return code;
}

int inftrace_profile_add_session(struct inftrace_profile *profile, const void *session)
{
	uint64_t object = (uint64_t)(uintptr_t)session;
	int code = enter_stream(profile);

	return code ? code : leave_stream(profile, session ? profile_add_session(profile, current(), object) : -EINVAL);
}

int inftrace_profile_remove_session(struct inftrace_profile *profile, const void *session)
{
	uint64_t object = (uint64_t)(uintptr_t)session;
	int code = enter_stream(profile);

	if (!code)
		code = leave_stream(profile,
				    session ? profile_remove_session(profile, current(), object, clock_ns()) : -EINVAL);
	return code;
}

void inftrace_profile_close(struct inftrace_profile *profile)
{
	struct inftrace_profile **at = &handles.profiles;

	if (enter(profile))
		return;
	while (*at != profile)
		at = &(*at)->next;
	*at = profile->next;
	profile->is_closed = true;
	collecting_hurry();
	pthread_cond_broadcast(&handles.changed);
	delivery_end(profile);
	leave(profile, 0);
}
