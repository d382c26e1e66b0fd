// SPDX-License-Identifier: Apache-2.0
/*
 * Begins PTI's views when the program has initialised Level Zero, delivers from time to time what is complete, and ends
 * them. PTI serves one at a time: a program that begins to profile itself (torch.profiler) gets it from then on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/device.h"
#include "capture/agent/device/device_flusher.h"
#include "capture/agent/device/device_yield.h"
#include "capture/agent/dict.h"
#include "capture/agent/glibc.h"
#include "capture/agent/pti/pti_in.h"

enum {
	EXIT_MS = 500,
	LEAVE_MS = 5000,
	NO_KIND = 0,
	NOT_THERE = 2,
	NO_CALLBACKS = 4,
	NEEDS_TRACING = 51,
	NEEDS_DRIVER = 52
};

enum state { NOT_BEGUN, ON, REFUSED };

static struct {
	struct lock control;
	uint32_t state;		  /* enum state */
	int32_t pid;		  /* in which it was begun; a child of fork has another one */
	bool at_exit, is_exiting; /* is_exiting: the library may be gone */
	bool is_theirs, is_ours;  /* the program profiles by PTI itself; we have. Both outlast a recording */
	char why[200];
} all;

static bool turn(enum device_command command);
static struct device_flusher flusher = { .turn = turn };

static const uint32_t kinds[] = { PTI_KERNEL,	    PTI_COPY, PTI_FILL,	   PTI_DRIVER_API,
				  PTI_COPY_BETWEEN, PTI_SYNC, PTI_OVERHEAD };
enum { N_KINDS_ASKED = sizeof kinds / sizeof *kinds, N_NEEDED = 3 };

extern const struct agent_device agent_pti;

static void refuse(const char *why)
{
	all.state = REFUSED;
	devices_give_up(&agent_pti);
	devices_refuse(why);
}

static const char *words_of(int code, const char *step)
{
	switch (code) {
	case NOT_THERE:
		return "PTI finds no Level Zero that it can follow: update the driver and level-zero";
	case NEEDS_TRACING:
		return "the driver of Level Zero has to begin with ZE_ENABLE_TRACING_LAYER=1: start the program with "
		       "it";
	case NEEDS_DRIVER:
		return "the driver of Level Zero is too old for PTI: update it";
	}
	snprintf(all.why, sizeof all.why, "PTI refuses with error %d in %s", code, step);
	return all.why;
}

static void disable(void)
{
	for (unsigned i = 0; i < N_KINDS_ASKED; i++)
		pti.Disable(kinds[i]);
}

/* NULL, or the step that failed with *code. */
static const char *enable(int *code)
{
	if ((*code = pti.SetCallbacks(pti_take_request, pti_take_complete)))
		return "ptiViewSetCallbacks";
	all.is_ours = true;
	for (unsigned i = 0; i < N_KINDS_ASKED; i++)
		if ((*code = pti.Enable(kinds[i])) && i < N_NEEDED)
			return "ptiViewEnable";
	pti_take_enable_calls();
	return NULL;
}

static void deliver(enum device_state state)
{
	uint64_t time = clock_ns();

	pti.FlushAll();
	pti_take_state(state, time);
}

static void end(enum state to)
{
	disable();
	deliver(DEVICE_ENDED);
	all.state = to;
}

/* Another one wants it: what was begun is ended. */
static void end_for_program(void)
{
	if (__atomic_load_n(&all.state, __ATOMIC_ACQUIRE) != ON || all.pid != call_pid())
		return;
	lock_take(&all.control);
	if (all.state == ON) {
		end(REFUSED);
		dict_missing("kernels", "the program itself profiles by PTI: from then on kernels are left to it");
	}
	lock_give(&all.control);
}

static int on_set_callbacks(pti_request *request, pti_complete *complete)
{
	int saved = errno;

	__atomic_store_n(&all.is_theirs, true, __ATOMIC_RELEASE);
	end_for_program();
	errno = saved;
	return pti.SetCallbacks(request, complete);
}

static const struct device_entry entries[] = { { "ptiViewSetCallbacks", on_set_callbacks }, { NULL, NULL } };
static struct device_yield watched = { .entries = entries };

static void *instead_of(const char *name, void *real)
{
	void *with = pti.library ? device_yield_entry(&watched, name) : NULL;

	return with && real == glibc.dlsym(pti.library, name) ? with : NULL;
}

static bool turn(enum device_command command)
{
	bool goes_on;

	if (__atomic_load_n(&all.is_exiting, __ATOMIC_ACQUIRE))
		return false;
	/* not with the lock, for which a library's constructor may wait that has the loader's */
	if (command == DEVICE_GO_ON)
		device_yield_watch(&watched);
	lock_take(&all.control);
	if (all.state == ON && (command == DEVICE_LEAVE || devices_are_over()))
		end(NOT_BEGUN);
	goes_on = all.state == ON;
	if (goes_on)
		deliver(DEVICE_FLUSHED);
	lock_give(&all.control);
	return goes_on;
}

/* Registered after libpti_view was loaded, so it runs before that library's end. */
static void at_exit(void)
{
	if (all.pid == call_pid() && all.state == ON && !device_flusher_end(&flusher, EXIT_MS))
		__atomic_store_n(&all.is_exiting, true, __ATOMIC_RELEASE);
}

/* PTI has one owner, and takes another one without a word. It looks for callbacks before it looks at what is enabled.
 */
static bool is_theirs(void)
{
	return __atomic_load_n(&all.is_theirs, __ATOMIC_ACQUIRE) ||
	       (!all.is_ours && pti.Enable(NO_KIND) != NO_CALLBACKS);
}

/* NULL, or why it is not begun. */
static const char *prepare(void)
{
	const char *why = pti_find();

	if (why)
		return why;
	device_yield_watch(&watched);
	return pti_take_start() ? NULL : "no memory for PTI's records";
}

static void begin(const char *why)
{
	int code;

	all.pid = call_pid();
	if (!why && !devices_claim(&agent_pti))
		why = "another library tells of kernels in this program";
	if (!why && is_theirs())
		why = "the program itself profiles by PTI: kernels are left to it";
	if (why) {
		refuse(why);
		return;
	}
	why = enable(&code);
	if (why) {
		disable();
		refuse(words_of(code, why));
		return;
	}
	if (!all.at_exit)
		all.at_exit = !atexit(at_exit);
	__atomic_store_n(&all.state, ON, __ATOMIC_RELEASE);
	dict_missing("kernels", NULL); /* before all operators that launch some */
	pti_take_state(DEVICE_BEGUN, clock_ns());
	if (__atomic_load_n(&all.is_theirs, __ATOMIC_ACQUIRE)) { /* meanwhile */
		end(REFUSED);
		refuse("the program itself profiles by PTI: kernels are left to it");
		return;
	}
	if (!device_flusher_start(&flusher)) {
		end(REFUSED);
		refuse("the agent could start no thread to fetch what PTI records");
	}
}

static enum device_look look(void)
{
	const char *why;

	if (all.state != NOT_BEGUN)
		return LOOK_DONE;
	if (!pti_find_driver())
		return LOOK_LATER;
	why = prepare();
	lock_take(&all.control);
	if (all.state == NOT_BEGUN)
		begin(why);
	lock_give(&all.control);
	return LOOK_DONE;
}

static void leave(void)
{
	/* one that did not get out in time is left to itself */
	if (device_flusher_end(&flusher, LEAVE_MS))
		all.state = NOT_BEGUN;
}

const struct agent_device agent_pti = { .look = look, .leave = leave, .instead_of = instead_of };
