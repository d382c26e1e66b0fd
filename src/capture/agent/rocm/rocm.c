// SPDX-License-Identifier: Apache-2.0
/*
 * Begins rocprofiler-sdk when the program initialises HIP, delivers from time to time what is complete, and ends it.
 *
 * ROCm looks for tools when HIP is initialised: it looks the name rocprofiler_configure up among all libraries. The
 * agent does not export it, because ROCm ends programs in which it finds a tool but not the library for it: the agent
 * answers the look-up, where kernels are to be recorded and the library is there. Another tool's own function stays
 * the answer; tools that are found in other ways get contexts of their own, beside ours.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/device.h"
#include "capture/agent/device/device_flusher.h"
#include "capture/agent/dict.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/rocm/rocm_in.h"

enum {
	BUFFER_BYTES = 4 << 20,
	WATERMARK = 1 << 20,
	DISCARD = 1,
	LEAVE_MS = 5000,
	OLDEST = 400,	/* 0.4 of ROCm 6.2 */
	NEWEST = 19999, /* the last of which records are known to grow at their end only */
};

enum state { NOT_BEGUN, ASKED, ON, REFUSED, ENDED };

static struct {
	struct lock control;
	uint32_t state; /* enum state */
	int32_t pid;	/* in which it was begun; a child of fork has another one */
	uint64_t context, buffer;
	char why[200];
} all;

static bool turn(enum device_command command);
static struct device_flusher flusher = { .turn = turn };

extern const struct agent_device agent_rocm;

static void refuse(const char *why)
{
	all.state = REFUSED;
	devices_give_up(&agent_rocm);
	devices_refuse(why);
}

static void deliver(enum device_state state)
{
	uint64_t time = clock_ns();

	rocm.flush_buffer(all.buffer);
	rocm_take_state(state, time);
}

static void end(void)
{
	if (all.state != ON)
		return;
	all.state = ENDED;
	rocm.stop_context(all.context);
	deliver(DEVICE_ENDED);
}

static bool turn(enum device_command command)
{
	bool goes_on;

	lock_take(&all.control);
	if (command == DEVICE_LEAVE || devices_are_over())
		end();
	goes_on = all.state == ON;
	if (goes_on)
		deliver(DEVICE_FLUSHED);
	lock_give(&all.control);
	return goes_on;
}

/* NULL, or the step that failed with *code. */
static const char *enable(int *code)
{
	static int32_t operations[512];
	const int32_t symbols = ROCM_SYMBOL;
	size_t n = rocm_take_calls(operations, sizeof operations / sizeof *operations);

	if ((*code = rocm.create_context(&all.context)))
		return "rocprofiler_create_context";
	if ((*code = rocm.create_buffer(all.context, BUFFER_BYTES, WATERMARK, DISCARD, rocm_take, NULL, &all.buffer)))
		return "rocprofiler_create_buffer";
	if ((*code = rocm.configure_callback_tracing_service(all.context, rocm.code_objects, &symbols, 1,
							     rocm_kernel_loaded, NULL)))
		return "rocprofiler_configure_callback_tracing_service";
	for (unsigned i = 0; i < ROCM_KINDS; i++) {
		bool is_call = i == ROCM_CALL;

		if (!rocm.kinds[i] || (is_call && !n))
			continue;
		*code = rocm.configure_buffer_tracing_service(all.context, rocm.kinds[i], is_call ? operations : NULL,
							      is_call ? n : 0, all.buffer);
		if (*code && i != ROCM_SCRATCH)
			return "rocprofiler_configure_buffer_tracing_service";
	}
	*code = rocm.start_context(all.context);
	return *code ? "rocprofiler_start_context" : NULL;
}

static bool begin(void)
{
	const char *missing = rocm_find_kinds(), *step;
	int code;

	if (missing) {
		snprintf(all.why, sizeof all.why, "rocprofiler-sdk does not tell %s: install one of ROCm 6.2 or later",
			 missing);
		refuse(all.why);
		return false;
	}
	rocm_device_start();
	rocm_take_start();
	step = enable(&code);
	if (step) {
		snprintf(all.why, sizeof all.why, "rocprofiler-sdk refuses with error %d in %s", code, step);
		refuse(all.why);
		return false;
	}
	all.pid = call_pid();
	all.state = ON;
	dict_missing("kernels", NULL); /* before all operators that launch some */
	rocm_take_state(DEVICE_BEGUN, clock_ns());
	if (!device_flusher_start(&flusher)) {
		end();
		refuse("the agent could start no thread to fetch what rocprofiler-sdk records");
	}
	return true;
}

/* Called by ROCm while it sets tools up. Not 0: everything that was made is to be dropped. */
static int on_initialize(void *finalize, void *data)
{
	int saved = errno;
	bool is_begun;

	(void)finalize;
	(void)data;
	lock_take(&all.control);
	is_begun = agent_thread() && devices_claim(&agent_rocm) && begin();
	lock_give(&all.control);
	errno = saved;
	return is_begun ? 0 : -1;
}

/* Called by ROCm when the program ends. */
static void on_finalize(void *data)
{
	int saved = errno;

	(void)data;
	if (all.pid != call_pid())
		return;
	lock_take(&all.control);
	end();
	lock_give(&all.control);
	errno = saved;
}

struct rocm_tool {
	size_t size;
	int (*initialize)(void *finalize, void *data);
	void (*finalize)(void *data);
	void *data;
};

static struct rocm_tool *on_configure(uint32_t version, const char *text, uint32_t priority, void *client)
{
	static struct rocm_tool tool = { sizeof tool, on_initialize, on_finalize, NULL };
	int saved = errno;

	(void)text;
	(void)priority;
	(void)client;
	if (all.state != ASKED || !devices_wanted() || !agent_thread())
		return NULL;
	if (version < OLDEST || version > NEWEST) {
		snprintf(all.why, sizeof all.why, "rocprofiler-sdk %u.%u is not known here: %s", version / 10000,
			 version % 10000 / 100,
			 version < OLDEST ? "install one of ROCm 6.2 or later" : "a newer inftrace may know it");
		refuse(all.why);
		errno = saved;
		return NULL;
	}
	errno = saved;
	return &tool;
}

static void *instead_of(const char *name, void *real)
{
	const char *why;

	if (strcmp(name, "rocprofiler_configure") || hot->is_child || !agent_thread())
		return NULL;
	if (real && all.state != NOT_BEGUN) /* of a tool that came meanwhile */
		return NULL;
	if (all.state == ASKED || all.state == ON)
		return (void *)on_configure;
	if (all.state != NOT_BEGUN)
		return NULL;
	why = real ? "another tool in the program profiles by rocprofiler-sdk: kernels are left to it" : rocm_find();
	if (why) {
		refuse(why);
		return NULL;
	}
	all.state = ASKED;
	return (void *)on_configure;
}

static enum device_look look(void)
{
	void *hip;

	if (all.state != NOT_BEGUN || !glibc.dlopen)
		return LOOK_DONE;
	hip = guard_dlopen("libamdhip64.so.7", RTLD_LAZY | RTLD_NOLOAD);
	if (!hip)
		hip = guard_dlopen("libamdhip64.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (hip)
		glibc.dlclose(hip); /* it is the program's */
	if (!hip || !agent.late_since)
		return LOOK_LATER;
	refuse("rocprofiler-sdk comes in only when a program begins: start it with inftrace record");
	return LOOK_DONE;
}

static void leave(void)
{
	/* one that did not get out in time is left to itself */
	if (device_flusher_end(&flusher, LEAVE_MS))
		all.state = NOT_BEGUN;
}

const struct agent_device agent_rocm = { .look = look, .leave = leave, .instead_of = instead_of };
