// SPDX-License-Identifier: Apache-2.0
/*
 * Begins CUPTI's activity API when the program has initialised CUDA, delivers from time to time what is complete, and
 * takes CUPTI out again. One thread of the agent does that, with all signals blocked; children of fork have none, and
 * no CUDA either.
 *
 * The driver loads the agent in cuInit, where CUDA_INJECTION64_PATH names it, and calls InitializeInjection: before the
 * program has made a context, so that nothing is missed. Else CUPTI comes in after an inference.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/device.h"
#include "capture/agent/device/device_flusher.h"
#include "capture/agent/dict.h"
#include "capture/agent/glibc.h"

enum {
	WAIT_MS = 1,	    /* for cuInit */
	EXIT_MS = 500,	    /* for the last delivery, when the program ends */
	LEAVE_MS = 5000,    /* the same, when the recording does */
	FINALIZE_MS = 2000, /* for a call of CUDA, on whose exit CUPTI may be taken out */
	POOL = 32,
	SAFE_FINALIZE = 24, /* of CUDA 12.6: up to 12.4 it crashes with graphs */
	SITE_EXIT = 1,
	BY_SYSTEM_ID = 1,
};

enum state { NOT_BEGUN, WAITING, ON, REFUSED, YIELDED };
enum out { OUT_NOT, OUT_WANTED, OUT_UNDER_WAY, OUT_DONE }; /* whether CUPTI is taken out of the program */

static struct {
	struct lock control; /* begin, deliveries, end */
	uint32_t state;	     /* enum state */
	int32_t pid;	     /* that began it; a child of fork has another one */
	void *subscriber;
	uint32_t out; /* enum out */
	bool has_filter, has_nodes, at_exit;
	bool is_exiting, is_gone; /* the program ends; the library may be gone */
	char why[200];
} all;

static bool turn(enum device_command command);
static struct device_flusher flusher = { .turn = turn };

/* The last one: graphs as a whole. */
static const uint32_t kinds[] = { CUPTI_KERNEL, CUPTI_COPY, CUPTI_SET, CUPTI_OVERHEAD, CUPTI_GRAPH };
enum { N_KINDS_ASKED = sizeof kinds / sizeof *kinds, N_NEEDED = 3, N_BESIDE_GRAPHS = N_KINDS_ASKED - 1 };

extern const struct agent_device agent_cupti;

static void refuse(const char *why)
{
	all.state = REFUSED;
	devices_give_up(&agent_cupti);
	devices_refuse(why);
}

static void on_exit_of_call(const void *info)
{
	uint32_t site, wanted = OUT_WANTED;

	memcpy(&site, info, sizeof site);
	if (site == SITE_EXIT &&
	    __atomic_compare_exchange_n(&all.out, &wanted, OUT_UNDER_WAY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		cupti.Finalize();
		__atomic_store_n(&all.out, OUT_DONE, __ATOMIC_RELEASE);
	}
}

static void on_callback(void *data, int domain, uint32_t what, const void *info)
{
	(void)data;
	if (info && domain == CUPTI_RESOURCE)
		cupti_nodes_take(what, info);
	else if (info && domain == CUPTI_RUNTIME_API)
		on_exit_of_call(info);
}

static const char *words_of(int code, const char *step)
{
	switch (code) {
	case CUPTI_IS_TAKEN:
		return "another profiler has CUPTI: Nsight Systems, Nsight Compute, cuda-gdb, or the program's own";
	case CUPTI_NOT_PRIVILEGED:
		return "CUPTI needs more rights here: run as root, or have the driver allow all users to profile";
	case CUPTI_VIRTUALIZED:
		return "the virtual GPU allows no profiling: its host can allow it";
	case CUPTI_NOT_INITIALIZED:
		snprintf(all.why, sizeof all.why,
			 "the driver is too old for this CUPTI (%u): update the driver, or install an older "
			 "nvidia-cuda-cupti",
			 cupti.version);
		return all.why;
	}
	snprintf(all.why, sizeof all.why, "CUPTI (%u) refuses with error %d in %s", cupti.version, code, step);
	return all.why;
}

static void disable(void)
{
	if (all.has_nodes)
		cupti_nodes_enable(all.subscriber, false);
	if (all.has_filter)
		cupti_calls_enable(false);
	cupti.ActivityDisable(CUPTI_RUNTIME);
	cupti.ActivityDisable(CUPTI_DRIVER);
	for (unsigned i = 0; i < N_KINDS_ASKED; i++)
		cupti.ActivityDisable(kinds[i]);
}

/* NULL, or the step that failed with *code. */
static const char *enable(int *code)
{
	uint64_t limit = POOL;
	size_t size = sizeof limit;

	if ((*code = cupti.SetThreadIdType(BY_SYSTEM_ID)))
		return "cuptiSetThreadIdType";
	if (cupti.ActivitySetAttribute)
		cupti.ActivitySetAttribute(CUPTI_POOL_LIMIT, &size, &limit);
	if ((*code = cupti.ActivityRegisterCallbacks(cupti_take_request, cupti_take_complete)))
		return "cuptiActivityRegisterCallbacks";
	all.has_filter = cupti_calls_enable(true);
	if (!all.has_filter &&
	    ((*code = cupti.ActivityEnable(CUPTI_RUNTIME)) || (*code = cupti.ActivityEnable(CUPTI_DRIVER))))
		return "cuptiActivityEnable";
	all.has_nodes = devices_wanted() == DEVICE_WANTED_NODES && cupti_nodes_enable(all.subscriber, true);
	/* a graph is told as a whole, or by its nodes */
	for (unsigned i = 0; i < (all.has_nodes ? N_BESIDE_GRAPHS : N_KINDS_ASKED); i++)
		if ((*code = cupti.ActivityEnable(kinds[i])) && i < N_NEEDED)
			return "cuptiActivityEnable";
	return NULL;
}

static void at_exit(void);
static void end_for(const char *who);

static bool knows_sizes(void)
{
	if (!cupti_ask_sizes(cupti.ActivityGetNextRecord, cupti.sizes))
		return false;
	for (unsigned i = 0; i < N_NEEDED; i++)
		if (cupti.sizes[kinds[i]] < cupti_layout_of(kinds[i])->needs)
			return false;
	return true;
}

static void begin(const struct cupti_driver *driver)
{
	const char *step = cupti_find(driver);
	int code;

	all.pid = call_pid();
	if (!step && !devices_claim(&agent_cupti))
		step = "another library tells of kernels in this program";
	if (step) {
		refuse(step);
		return;
	}
	if ((code = cupti.GetVersion(&cupti.version))) {
		refuse(words_of(code, "cuptiGetVersion"));
		return;
	}
	if (!knows_sizes()) {
		refuse("CUPTI does not tell the sizes of its records");
		return;
	}
	if (!cupti_take_start()) {
		refuse("no memory for CUPTI's records");
		return;
	}
	if ((code = cupti.Subscribe(&all.subscriber, on_callback, NULL))) {
		refuse(words_of(code, "cuptiSubscribe"));
		return;
	}
	cupti_calls_start();
	cupti_yield_watch(end_for);
	step = enable(&code);
	if (step) {
		disable();
		cupti.Unsubscribe(all.subscriber);
		refuse(words_of(code, step));
		return;
	}
	all.out = OUT_NOT;
	if (!all.at_exit)
		all.at_exit = !atexit(at_exit);
	__atomic_store_n(&all.state, ON, __ATOMIC_RELEASE);
	dict_missing("kernels", NULL); /* before all operators that launch some */
	cupti_take_tell(DEVICE_BEGUN, clock_ns());
}

static void deliver(uint32_t how, enum device_state state)
{
	uint64_t time = clock_ns();

	cupti.ActivityFlushAll(how);
	cupti_take_tell(state, time);
}

/* On the exit of the program's next call: elsewhere it may wait for a thread that waits for it. */
static void finalize(void)
{
	uint32_t wanted = OUT_WANTED;

	if (cupti.Finalize && cupti.version >= SAFE_FINALIZE) {
		all.out = OUT_WANTED;
		if (!cupti.EnableDomain(1, all.subscriber, CUPTI_RUNTIME_API))
			device_wait(&all.out, OUT_DONE, FINALIZE_MS);
		if (!__atomic_compare_exchange_n(&all.out, &wanted, OUT_NOT, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
		cupti.EnableDomain(0, all.subscriber, CUPTI_RUNTIME_API);
	}
	cupti.Unsubscribe(all.subscriber);
}

static void end(bool is_for_good)
{
	disable();
	deliver(CUPTI_FLUSH_FORCED, DEVICE_ENDED);
	if (is_for_good)
		finalize();
	else
		cupti.Unsubscribe(all.subscriber);
}

/* Another one wants it: what was begun is ended. */
static void end_for(const char *who)
{
	if (__atomic_load_n(&all.state, __ATOMIC_ACQUIRE) != ON || all.pid != call_pid())
		return;
	lock_take(&all.control);
	if (all.state == ON) {
		all.state = YIELDED;
		end(false);
		snprintf(all.why, sizeof all.why,
			 "the program itself profiles by CUPTI (%.40s): from then on kernels are left to it", who);
		dict_missing("kernels", all.why);
	}
	lock_give(&all.control);
}

static bool turn(enum device_command command)
{
	struct cupti_driver driver;
	bool goes_on = true;

	if (__atomic_load_n(&all.is_gone, __ATOMIC_ACQUIRE))
		return false;
	/* not with the lock, for which a library's constructor may wait that has the loader's */
	if (all.state == ON && command == DEVICE_GO_ON)
		cupti_yield_watch(end_for);
	lock_take(&all.control);
	if (all.state == WAITING && command == DEVICE_GO_ON && cupti_find_driver(&driver))
		begin(&driver);
	else if (all.state == WAITING && command == DEVICE_GO_ON)
		;
	else if (all.state != ON)
		goes_on = false;
	else if (command == DEVICE_LEAVE || devices_are_over()) {
		end(!all.is_exiting);
		all.state = NOT_BEGUN;
		goes_on = false;
	} else {
		deliver(0, DEVICE_FLUSHED);
	}
	flusher.ms = all.state == WAITING ? WAIT_MS : 0;
	lock_give(&all.control);
	return goes_on;
}

/* Registered after libcupti was loaded, so it runs before that library's end. */
static void at_exit(void)
{
	if (all.state != ON)
		return;
	all.is_exiting = true;
	if (!device_flusher_end(&flusher, EXIT_MS))
		__atomic_store_n(&all.is_gone, true, __ATOMIC_RELEASE);
}

/* has_driver: cuInit has succeeded, else it is under way. */
static void begin_with_thread(const struct cupti_driver *driver, bool has_driver)
{
	bool has_thread = device_flusher_runs(&flusher);

	all.pid = call_pid();
	all.state = WAITING;
	if (has_driver)
		begin(driver);
	flusher.ms = all.state == WAITING ? WAIT_MS : 0;
	if (has_thread || (all.state != ON && all.state != WAITING) || device_flusher_start(&flusher))
		return;
	if (all.state == ON)
		end(false);
	refuse("the agent could start no thread to fetch what CUPTI records");
}

static enum device_look look(bool waits)
{
	struct cupti_driver driver;
	bool has_driver;

	if (all.state != NOT_BEGUN && all.state != WAITING)
		return LOOK_DONE;
	has_driver = cupti_find_driver(&driver);
	if (!has_driver && (!waits || all.state == WAITING))
		return all.state == WAITING ? LOOK_SOON : LOOK_LATER;
	lock_take(&all.control);
	if (all.state == NOT_BEGUN || all.state == WAITING)
		begin_with_thread(&driver, has_driver);
	lock_give(&all.control);
	return all.state == WAITING ? LOOK_SOON : LOOK_DONE;
}

static enum device_look look_at_run(void)
{
	return look(false);
}

static void leave(void)
{
	/* one that did not get out in time is left to itself */
	if (device_flusher_end(&flusher, LEAVE_MS))
		all.state = NOT_BEGUN;
}

const struct agent_device agent_cupti = { .look = look_at_run, .leave = leave, .instead_of = cupti_instead_of };

int InitializeInjection(void);

/* Called by the driver, in cuInit. The driver goes on whatever this returns, and says nothing if it is 1. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
	int saved = errno;

	if (devices_wanted() && agent_thread())
		look(true);
	errno = saved;
	return 1;
}
