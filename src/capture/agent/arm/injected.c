// SPDX-License-Identifier: Apache-2.0
/*
 * The agent's entry into a running program, and its exit: called by the injected code (event/ferry.h), on a thread of
 * its own. Arms, waits until the recorder has gone, disarms, leaves. The library stays loaded, without a thread or a
 * replaced word; the next injection calls it again.
 *
 * The thread has a file descriptor table of its own that contains only the lifeline: the program cannot close it,
 * and it cannot disturb the program.
 */
#include "capture/agent/arm/injected.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/processor.h"
#include "base/syscalls.h"
#include "base/tick.h"
#include "capture/agent/agent.h"
#include "capture/agent/arm/arm.h"
#include "capture/agent/arm/code.h"
#include "capture/agent/device.h"
#include "capture/agent/glibc.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/room.h"
#include "capture/agent/run/annotate.h"
#include "capture/agent/run/inference.h"
#include "capture/agent/session.h"
#include "capture/agent/share.h"
#include "event/ferry.h"
#include "runtime/find/peek.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

static struct ferry_state *brought; /* address used by the code that loaded the agent */
static uint32_t own_thread;	    /* the agent's; in a child of fork its parent's */

enum { LOOK_MS = 100, GIVE_BACK_MS = 5, GIVE_BACK_TIMES = 400, READ_REST_MS = 5000 };

static void restore_slot(const struct ferry_head *head, const struct ferry_slot *slot, bool is_readonly)
{
	void *page = (void *)(slot->at & ~(page_size() - 1));
	uint64_t found;

	if (!peek_read(slot->at, &found, sizeof found) || found - (uint64_t)head >= FERRY_MAX ||
	    call_protect(page, page_size(), PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n((uint64_t *)slot->at, slot->original, __ATOMIC_RELEASE);
	if (is_readonly)
		call_protect(page, page_size(), PROT_READ);
}

/*
 * Restores the words that led here. The injected code stays, because other threads may be running it. A word's module
 * may be gone; it cannot be unloaded while the loader calls this.
 */
static int restore_slots(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct ferry_head *head = data;

	for (uint32_t i = 0; i < FERRY_SLOTS && head->slot[i].at; i++)
		restore_slot(head, &head->slot[i], head->readonly_slots >> i & 1);
	return 1;
}

static void fail(struct ferry_state *state, uint32_t code, const char *why)
{
	strncpy(state->error, why, sizeof state->error - 1);
	state->code = code;
}

static int open_lifeline(const char *dir)
{
	char path[sizeof agent.dir + sizeof FERRY_LIFELINE + 1], *end;

	end = stpcpy(path, dir);
	*end = '/';
	strcpy(end + 1, FERRY_LIFELINE);
	/* fails without a reader: the recorder is gone */
	return call_open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0);
}

/* Ends the phase that a child of fork has inherited; another one may have begun in it since. */
static void end_inherited_phase(void)
{
	uint64_t *phase = (uint64_t *)brought, found = __atomic_load_n(phase, __ATOMIC_ACQUIRE);

	if (found >> 32 == own_thread)
		__atomic_compare_exchange_n(phase, &found, (uint64_t)own_thread << 32 | FERRY_DONE, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void leave_child(void)
{
	struct agent_settings nothing = { agent.dir, LEVEL_OFF, agent.ring_bytes_max, hot->use_ticks };

	hot->is_child = 0;
	annotate_switch(false);
	agent_set(&nothing);
	hot->level = LEVEL_OFF;
	arm_undo();
	end_inherited_phase();
}

void injected_leave_child(void)
{
	lock_take(&hot->leaving);
	/* an agent that was brought into the child itself does it, and has hooks of its own then */
	if (hot->is_child && !__atomic_load_n(&hot->is_inside, __ATOMIC_ACQUIRE))
		leave_child();
	lock_give(&hot->leaving);
}

bool injected_is_over(void)
{
	int fd;

	if (!hot->is_child)
		return false;
	fd = open_lifeline(agent.dir);
	if (fd >= 0) {
		call_close(fd);
		return false;
	}
	injected_leave_child();
	return true;
}

void injected_look(void)
{
	static uint64_t due_ns;
	uint64_t now_ns = clock_ns();
	int saved = errno;

	if (__atomic_load_n(&agent.segment->state, __ATOMIC_RELAXED) == SEGMENT_OFF) {
		injected_leave_child();
	} else if (now_ns >= due_ns) {
		due_ns = now_ns + LOOK_MS * 1000000ull;
		injected_is_over();
	}
	errno = saved;
}

/* Forgets everything learned in the last recording: objects have come and gone since. */
static void forget_all(void)
{
	inference_forget_all();
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->forget_all)
			(*code)->forget_all();
	session_forget_all();
	arm_check_again();
}

/* Once in a process and its children. */
static bool set_up(void)
{
	static bool is_set_up;

	if (is_set_up)
		return true;
	is_set_up = agent_set_up();
	if (is_set_up)
		module_walk_start();
	return is_set_up;
}

static bool may_begin(const struct ferry_head *head, struct ferry_state *state)
{
	if (head->segment_layout != SEGMENT_LAYOUT)
		fail(state, EPROTO, "an agent of another version is in it already, or INFTRACE_AGENT names one");
	else if (!agent.late_since && hot->generation)
		fail(state, EBUSY, "the program was started under inftrace record, which has its agent in it");
	else if (!agent.late_since && !set_up())
		fail(state, ENOMEM, "no memory that is wiped in children");
	return !state->code;
}

/* A child of fork that has made no inference since has the hooks of its parent's recording. */
static void leave_parent(void)
{
	struct agent_settings nothing = { agent.dir, LEVEL_OFF, agent.ring_bytes_max, hot->use_ticks };

	lock_take(&hot->leaving);
	annotate_switch(false);
	agent_set(&nothing);
	agent_leave_parent();
	arm_undo();
	lock_give(&hot->leaving);
}

static void end(void)
{
	struct agent_settings nothing = { agent.dir, LEVEL_OFF, agent.ring_bytes_max, hot->use_ticks };

	annotate_switch(false);
	agent_set(&nothing); /* children of fork make no segment from now on */
	hot->is_changing = CHANGE_OUT;
	arm_undo();
	hot->level = LEVEL_OFF;
}

/* The hooks of an earlier recording may still be there: no inference has taken them out since. */
static void leave_former(void)
{
	lock_take(&hot->leaving);
	end();
	lock_give(&hot->leaving);
}

static bool begin(const struct ferry_head *head, struct ferry_state *state)
{
	struct agent_settings to = { head->dir, head->level & FERRY_LEVEL, head->ring_bytes, head->use_ticks };
	bool is_first = !agent.late_since;

	if (agent_is_child())
		leave_parent();
	else if (hot->is_child)
		leave_former();
	agent_set(&to);
	hot->is_child = 0;
	hot->is_injected = 1;
	agent.late_since = to.use_ticks ? clock_ticks() : clock_ns();
	if (!is_first) {
		forget_all();
		agent_restart();
	}
	devices_want(head->level & FERRY_NODES	   ? DEVICE_WANTED_NODES
		     : head->level & FERRY_KERNELS ? DEVICE_WANTED
						   : DEVICE_NOT_WANTED);
	arm_new_modules();
	annotate_find_library();
	annotate_switch(hot->level != LEVEL_OFF);
	if (hot->level == LEVEL_OFF)
		fail(state, EIO, "it could not make its memory that is shared with the recorder");
	return hot->level != LEVEL_OFF;
}

/* Unmaps the segment. The recorder maps it, too, and removes its file when it has read everything. */
static void give_back(bool is_read)
{
	for (int i = 0; !is_read && i < GIVE_BACK_TIMES && !call_access(agent.path, F_OK); i++)
		call_sleep_ns(GIVE_BACK_MS * 1000000);
	agent_lock();
	room_give_back();
	agent_unlock();
}

/*
 * Whether the process's first thread has ended by pthread_exit. Such a process ends with its last thread, which also
 * writes the buffers of stdio. That must not be the agent's: it does not stay then. The hooks do, and take themselves
 * out like those of a child of fork, which has no agent thread either.
 */
static bool is_headless(void)
{
	int fd = call_open("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
	char text[128];
	ssize_t got = fd < 0 ? 0 : call_read(fd, text, sizeof text - 1);
	const char *name_end;

	if (fd >= 0)
		call_close(fd);
	text[got > 0 ? got : 0] = 0;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'Z';
}

/* Leaves the hooks to themselves. */
static void leave_hooks(void)
{
	hot->is_child = 1;
}

void injected_depart(void)
{
	const uint64_t until_ns = clock_ns() + 2000000000u;

	if (!__atomic_load_n(&hot->is_inside, __ATOMIC_ACQUIRE) || (uint32_t)call_tid() == own_thread)
		return;
	__atomic_store_n(&hot->departs, 1, __ATOMIC_RELEASE);
	/* with the code of the C library by which a thread ends */
	while (!CALL(SYS_tgkill, call_pid(), own_thread) && clock_ns() < until_ns)
		call_sleep_ns(1000000);
}

static bool has_to_depart(void)
{
	if (!__atomic_load_n(&hot->departs, __ATOMIC_ACQUIRE))
		return false;
	agent_off(
	    "the program sets a seccomp filter that kills, or forbids itself the time stamp counter; the agent has "
	    "left before that");
	return true;
}

/* The recorder has left a recording that the process shares: nobody else joins it, and children of fork have none. */
static void part_from_recorder(struct ferry_state *state, struct pollfd *lifeline)
{
	struct agent_settings own = { "/dev/null", hot->level, agent.ring_bytes_max, hot->use_ticks };

	call_close(lifeline->fd);
	lifeline->fd = -1;
	agent_lock();
	agent_set(&own);
	agent_unlock();
	__atomic_store_n(&state->phase, FERRY_DISARMED, __ATOMIC_RELEASE);
}

/* Until the next moment at which the recorder wakes up, too: one wake-up on a busy CPU costs less than two. */
static int look_ms(void)
{
	return LOOK_MS - (int)(clock_ns() / 1000000 % LOOK_MS);
}

/* Waits a moment. Whether the hooks are still needed: by the recorder, or by the process itself. */
static bool is_needed(const struct ferry_head *head, struct ferry_state *state, struct pollfd *lifeline)
{
	static uint64_t left_ns;

	if (poll(lifeline, 1, look_ms()) <= 0 && lifeline->fd >= 0)
		return true;
	if (share_close())
		return false;
	if (lifeline->fd >= 0) {
		left_ns = clock_ns();
		part_from_recorder(state, lifeline);
	}
	/* one that was killed reads no rest */
	share_take_over(!__atomic_load_n(&head->is_leaving, __ATOMIC_ACQUIRE) ||
			clock_ns() - left_ns > READ_REST_MS * 1000000ull);
	return true;
}

static void stay(const struct ferry_head *head, struct ferry_state *state, struct pollfd *lifeline)
{
	bool has_left = false;

	if (begin(head, state)) {
		share_open();
		__atomic_store_n(&state->phase, FERRY_ARMED, __ATOMIC_RELEASE);
		while (is_needed(head, state, lifeline) && !(has_left = has_to_depart())) {
			/* one that shares has threads of its own that hold it */
			if (is_headless() && share_close()) {
				leave_hooks();
				return;
			}
			arm_new_modules();
		}
	}
	devices_leave();
	end();
	__atomic_store_n(&state->phase, FERRY_DISARMED, __ATOMIC_RELEASE);
	if (agent.segment && !has_left)
		give_back(lifeline->fd < 0);
}

/* The same for a process without its first thread. The thread keeps the program's descriptors: it may be the last. */
static void pass(const struct ferry_head *head, struct ferry_state *state)
{
	if (!begin(head, state)) {
		end();
		return;
	}
	__atomic_store_n(&state->phase, FERRY_ARMED, __ATOMIC_RELEASE);
	leave_hooks();
}

/* Of libraries that are in the program, but not where the dynamic linker looks for the agent. */
static void take_functions(const struct ferry_head *head)
{
#define TAKE(name) \
	if (!glibc.name) \
		memcpy(&glibc.name, &head->name, sizeof glibc.name);
	TAKE(dlopen)
	TAKE(dlsym)
	TAKE(pthread_create)
	TAKE(pthread_detach)
	TAKE(pthread_key_create)
	TAKE(pthread_setspecific)
}

__attribute__((visibility("default"))) void inftrace_inject(const struct ferry_head *head)
{
	struct ferry_state *state = (struct ferry_state *)head->state;
	struct pollfd lifeline = { .events = 0 };
	struct lock *leaving = &hot->leaving;

	/*
	 * Before anything reads the tables: a foreign word would end a table early. In a child of fork another thread
	 * may be taking out the hooks of the parent's recording, and protect the same page.
	 */
	lock_take(leaving);
	module_walk_begin();
	dl_iterate_phdr(restore_slots, (void *)(uintptr_t)head);
	module_walk_end();
	lock_give(leaving);
	take_functions(head);
	if (glibc.pthread_detach)
		glibc.pthread_detach(pthread_self());
	prctl(PR_SET_NAME, "inftrace");
	/* not its creator's, which may have real-time priority; and waking up takes no CPU from an inference */
	tick_yield(true);
	tick_wait(true);
	if (__atomic_load_n(&hot->is_inside, __ATOMIC_ACQUIRE)) {
		fail(state, EAGAIN, "it is there already, for a handle of libinftrace or for another recorder");
		return;
	}
	brought = state;
	own_thread = (uint32_t)call_tid();
	if (!may_begin(head, state))
		return;
	if (__atomic_exchange_n(&hot->is_inside, 1, __ATOMIC_ACQUIRE))
		return; /* another recorder's, a moment ago */
	if (is_headless())
		pass(head, state);
	else if (syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE))
		fail(state, (uint32_t)errno,
		     "the kernel does not give a thread its own descriptors (it is older than 5.9)");
	else if ((lifeline.fd = open_lifeline(head->dir)) < 0)
		fail(state, (uint32_t)errno, "the recorder is gone, or its folder cannot be opened");
	else
		stay(head, state, &lifeline);
	__atomic_store_n(&hot->departs, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&hot->is_inside, 0, __ATOMIC_RELEASE);
}
