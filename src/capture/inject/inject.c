// SPDX-License-Identifier: Apache-2.0
/*
 * The order of writing is what makes it safe: code and head to where nobody goes, the state, and last the one word,
 * whole, because it is aligned. What an earlier injector left in the process is used again, code that a thread may be
 * in is never changed.
 */
#include "capture/inject/inject.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/inject/inject_in.h"
#include "capture/proc/proc.h"
#include "event/record.h"

enum { SETTLE_MS = 50, STEP_MS = 2 };
#define CLAIM_NS 3000000000u
#define INHERITED_NS 200000000u

/* For tests of what happens when we are killed: INFTRACE_INJECT_STOP=N ends this process at its Nth step. */
static void step(void)
{
	static long number, last = -1;
	const char *text;

	if (last < 0) {
		text = secure_getenv("INFTRACE_INJECT_STOP");
		last = text ? atol(text) : 0;
	}
	if (++number == last)
		kill(getpid(), SIGKILL);
}

static void pause_ms(unsigned ms)
{
	struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&time, NULL);
}

/*
 * The word must be what the file says, or ours from an earlier time. In a child of fork it may lead into the agent,
 * which is not at work there (check_idle).
 */
static int check_slot(struct inject *inject, uint32_t number, struct err *err)
{
	const struct ferry_slot *slot = &inject->head.slot[number];
	struct ferry_state state;
	uint64_t found;
	int code = inject_memory_read(inject, slot->at, &found, sizeof found, err);

	if (code || found == slot->original || (inject->unbound[number] && found == inject->unbound[number]) ||
	    inject_code_is_trigger(inject->at, found))
		return code;
	if (!inject->is_new && inject_memory_get(inject, inject->head.state, &state, sizeof state) && state.entry &&
	    inject_target_is_same_code(inject->pid, state.entry, found))
		return 0;
	return err_set(err, EBUSY,
		       "cannot inject: another tool has already replaced functions of %s in process %d; was it started "
		       "under inftrace record, or is a handle of libinftrace running in it?",
		       inject->path, (int)inject->pid);
}

static int check_slots(struct inject *inject, struct err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < FERRY_SLOTS && inject->head.slot[i].at && !code; i++)
		code = check_slot(inject, i, err);
	return code;
}

enum idleness { IS_IDLE, IS_BUSY, IS_INHERITED };

static enum idleness idleness_of(const struct inject *inject, const struct ferry_state *state)
{
	if (state->phase == FERRY_IDLE || state->phase == FERRY_FAILED || state->phase == FERRY_DONE)
		return IS_IDLE;
	return inject_target_has_thread(inject->pid, (pid_t)state->thread) ? IS_BUSY : IS_INHERITED;
}

static int refuse_half_loaded(const struct inject *inject, struct err *err)
{
	return err_set(err, ENOTSUP,
		       "cannot inject: process %d was forked while an agent was being loaded into its parent, and its "
		       "loader may be in disorder since; restart it, or leave out --inject",
		       (int)inject->pid);
}

/*
 * Nobody else is at it: neither is an agent at work, nor a call on its way to one. A phase that a child has inherited
 * is nobody's; it gets a moment, because a thread that has just been made is not there yet, and because a child with
 * hooks takes them out with its next inference.
 */
static int check_idle(const struct inject *inject, uint64_t until_ns, struct err *err)
{
	struct ferry_state state;
	struct ferry_head head;
	uint64_t inherited_ns = 0;

	for (;;) {
		if (!inject->is_new && inject_place_has_head(inject, inject->at, &head) &&
		    inject_dir_is_in_use(inject, &head))
			return err_set(err, EBUSY, "cannot inject: process %d is being recorded by another inftrace",
				       (int)inject->pid);
		if (inject_memory_read(inject, inject->head.state, &state, sizeof state, err))
			return -err->code;
		enum idleness idleness = idleness_of(inject, &state);
		if (idleness != IS_BUSY && state.loading != FERRY_NOT_LOADING)
			return refuse_half_loaded(inject, err);
		if (idleness == IS_INHERITED && !inherited_ns)
			inherited_ns = clock_ns();
		if (idleness == IS_IDLE || (idleness == IS_INHERITED && clock_ns() - inherited_ns > INHERITED_NS))
			return 0;
		if (idleness == IS_BUSY && clock_ns() > until_ns)
			return err_set(err, EBUSY,
				       "cannot inject: the agent that was brought into process %d before has not left "
				       "yet; it does when the process runs, and no handle of libinftrace is running in "
				       "it: try again then",
				       (int)inject->pid);
		pause_ms(STEP_MS);
	}
}

/* It lives, and is the one that was meant: its number may be another one's by now. */
static int check_identity(struct inject *inject, struct err *err)
{
	struct proc_stat stat;
	char text[1024], link[64], target[2];
	ssize_t got = proc_read("", inject->pid, "stat", text, sizeof text);

	/* the memory of one that ends goes before it, and its executable with it */
	snprintf(link, sizeof link, "/proc/%d/exe", (int)proc_living("", inject->pid));
	if (got <= 0 || !proc_stat_parse(text, (size_t)got, &stat) || proc_is_zombie(&stat) ||
	    (readlink(link, target, sizeof target) < 0 && errno == ENOENT))
		return err_set(err, ESRCH, "cannot inject: process %d has ended", (int)inject->pid);
	if (!inject->start_ticks)
		inject->start_ticks = stat.start_ticks;
	if (inject->start_ticks != stat.start_ticks)
		return err_set(err, ESRCH, "cannot inject: process %d has ended and its PID has been reused",
			       (int)inject->pid);
	return 0;
}

/* Whether it can be done, where what is, and where to write. What is read after the memory was opened is of that
 * memory. */
static int analyse(struct inject *inject, const struct inject_opts *opts, struct err *err)
{
	struct inject_target target;
	int code = check_identity(inject, err);

	if (!code)
		code = inject_target_check(inject, opts->allows_seccomp, err);
	if (!code)
		code = inject_memory_open(inject, err);
	if (!code)
		code = check_identity(inject, err);
	if (code)
		return code;
	code = inject_target_look(&target, inject, err);
	if (!code)
		code = inject_place_find(inject, &target, err);
	inject_target_close(&target);
	if (!code)
		code = check_idle(inject, opts->until_ns, err);
	return code ? code : check_slots(inject, err);
}

int inject_prepare(struct inject *inject, pid_t pid, uint64_t start_ticks, const struct inject_opts *opts,
		   struct err *err)
{
	struct err ended;
	int code;

	*inject = (struct inject){
		.pid = pid, .start_ticks = start_ticks, .memory = -1, .dir = -1, .lifeline = -1, .parent = -1
	};
	inject->head = (struct ferry_head){ .magic = FERRY_MAGIC,
					    .segment_layout = SEGMENT_LAYOUT,
					    .ring_bytes = opts->ring_bytes,
					    .level = opts->level,
					    .use_ticks = opts->use_ticks,
					    .entry = FERRY_ENTRY };
	code = analyse(inject, opts, err);
	/* what was found out of a process at its end is not true of it */
	if (code && check_identity(inject, &ended)) {
		*err = ended;
		code = -err->code;
	}
	if (code)
		return code;
	for (uint32_t i = 0; i < FERRY_SLOTS && inject->head.slot[i].at; i++)
		if (inject_target_is_readonly(pid, inject->head.slot[i].at))
			inject->head.readonly_slots |= 1u << i;
	return inject_dir_make(inject, opts->agent, err);
}

static int take_back_slot(const struct inject *inject, const struct ferry_slot *slot, bool *was_there, struct err *err)
{
	uint64_t found;
	int code = inject_memory_read(inject, slot->at, &found, sizeof found, err);

	if (code || found == slot->original)
		return code;
	*was_there = true;
	return inject_memory_write_word(inject, slot->at, slot->original, err);
}

/*
 * An earlier injector may have died while its word was waiting for a call: that is taken back, and a call that has just
 * taken it gets the time to find that nobody is there.
 */
static int take_back(const struct inject *inject, struct err *err)
{
	uint32_t done = FERRY_DONE;
	struct ferry_state state;
	bool was_there = false;
	int code = inject_memory_read(inject, inject->head.state, &state, sizeof state, err);

	for (uint32_t i = 0; i < FERRY_SLOTS && inject->head.slot[i].at && !code; i++)
		code = take_back_slot(inject, &inject->head.slot[i], &was_there, err);
	step();
	if (!code && (was_there || state.phase == FERRY_IDLE))
		pause_ms(SETTLE_MS);
	if (!code)
		code = inject_memory_read(inject, inject->head.state, &state, sizeof state, err);
	if (!code && state.phase == FERRY_IDLE)
		code = inject_memory_write(inject, inject->head.state, &done, sizeof done, err);
	step();
	return code ? code : check_idle(inject, clock_ns() + CLAIM_NS, err);
}

static int write_code(const struct inject *inject, struct err *err)
{
	char code[FERRY_MAX];

	if (!inject->is_new)
		return inject_memory_write(inject, inject->at, &inject->head, sizeof inject->head, err);
	inject_code_make(code, &inject->head);
	return inject_memory_write(inject, inject->at, code, inject_code_size(), err);
}

/* What is left of an earlier time stays, but for what went wrong then. Phase and thread are written last, at once. */
static int write_state(const struct inject *inject, struct err *err)
{
	const struct ferry_state idle = { .phase = FERRY_IDLE };
	size_t from = offsetof(struct ferry_state, code);
	int code = inject_memory_write(inject, inject->head.state + from, &idle.code, sizeof idle - from, err);

	step();
	return code ? code : inject_memory_write(inject, inject->head.state, &idle, 8, err);
}

int inject_write(struct inject *inject, struct err *err)
{
	int code = 0;

	if (inject_code_size() > FERRY_MAX)
		return err_set(err, ENOSPC, "cannot inject: the code has grown too long");
	step();
	if (!inject->is_new)
		code = take_back(inject, err);
	if (!code)
		code = write_code(inject, err);
	step();
	if (!code)
		code = write_state(inject, err);
	step();
	for (uint32_t i = 0; i < FERRY_SLOTS && inject->head.slot[i].at && !code; i++) {
		/* once more: the program may have unloaded its runtime, and have something else there */
		code = check_slot(inject, i, err);
		if (!code)
			code = inject_memory_write_word(inject, inject->head.slot[i].at,
							inject_code_trigger(inject->at, i), err);
		inject->was_written |= !code;
	}
	step();
	return code;
}

static enum inject_where failed(const struct inject *inject, const struct ferry_state *state, struct err *err)
{
	char why[sizeof state->error + 1] = "";

	memcpy(why, state->error, sizeof state->error);
	err_disarm(why);
	err_set(err, state->code ? (int)state->code : ELIBACC,
		"cannot inject: process %d could not load the agent: %s; %s", (int)inject->pid,
		*why	      ? why
		: state->code ? strerror((int)state->code)
			      : "it does not say why",
		state->code == EPROTO ? "restart it, or leave out --inject" : "the program goes on");
	return INJECT_FAILED;
}

enum inject_where inject_look(const struct inject *inject, struct err *err)
{
	struct ferry_state state;

	if (!inject_memory_get(inject, inject->head.state, &state, sizeof state))
		return INJECT_GONE;
	switch (state.phase) {
	case FERRY_IDLE:
		return INJECT_PENDING;
	case FERRY_CLAIMED:
		return INJECT_COMING;
	case FERRY_ARMED:
		return INJECT_THERE;
	case FERRY_FAILED:
		return failed(inject, &state, err);
	default:
		return state.code ? failed(inject, &state, err) : INJECT_LEFT;
	}
}

void inject_leave(struct inject *inject)
{
	const uint64_t mark = inject->at + offsetof(struct ferry_head, is_leaving);
	const uint32_t is_leaving = 1;
	struct err ignored;
	uint64_t found;

	if (!inject->was_written)
		return;
	step();
	for (uint32_t i = 0; i < FERRY_SLOTS && inject->head.slot[i].at; i++)
		if (inject_memory_get(inject, inject->head.slot[i].at, &found, sizeof found) &&
		    inject_code_is_trigger(inject->at, found))
			inject_memory_write_word(inject, inject->head.slot[i].at, inject->head.slot[i].original,
						 &ignored);
	step();
	inject_memory_write(inject, mark, &is_leaving, sizeof is_leaving, &ignored);
	step();
	close(inject->lifeline);
	inject->lifeline = -1;
	step();
}

int inject_wait(struct inject *inject, uint64_t until_ns, struct err *err)
{
	enum inject_where where;
	struct err ignored;

	if (!inject->was_written)
		return 0;
	inject->was_written = false;
	while ((where = inject_look(inject, &ignored)) == INJECT_THERE || where == INJECT_COMING) {
		if (clock_ns() >= until_ns)
			return err_set(err, ETIMEDOUT,
				       "process %d has not taken out the agent's hooks yet, because it does not run; "
				       "it will when it does",
				       (int)inject->pid);
		pause_ms(STEP_MS);
	}
	step();
	return 0;
}

void inject_done(struct inject *inject)
{
	inject_dir_remove(inject);
	if (inject->memory >= 0)
		close(inject->memory);
	inject->memory = -1;
}
