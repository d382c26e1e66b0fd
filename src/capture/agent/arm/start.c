// SPDX-License-Identifier: Apache-2.0
/*
 * The edges of a process's life: the library is loaded, the process forks, the recording ends, the process exits. Reads
 * the settings from the environment and calls the files that act at each edge; does none of that work itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "capture/agent/agent.h"
#include "capture/agent/arm/arm.h"
#include "capture/agent/arm/first.h"
#include "capture/agent/arm/injected.h"
#include "capture/agent/device.h"
#include "capture/agent/exec/exec.h"
#include "capture/agent/exec/sandbox.h"
#include "capture/agent/guard.h"
#include "capture/agent/heap.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/run/annotate.h"

static void forked(bool has_segment)
{
	if (has_segment)
		arm_tell_again();
	if (!agent.late_since)
		return;
	hot->is_child = 1;
	if (!has_segment)
		injected_leave_child(); /* the recorder cannot read anything of it */
}

static void ended(void)
{
	if (hot->is_child)
		injected_leave_child();
	else
		arm_undo();
}

static const struct agent_edges edges = { .forked = forked, .ended = ended, .is_over = injected_is_over };

static uint64_t number_of(const char *text, uint64_t otherwise)
{
	uint64_t number = 0;

	if (!text || !*text)
		return otherwise;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

static uint32_t level_of(const char *text)
{
	if (text && !strcmp(text, "detail"))
		return LEVEL_DETAIL;
	return text && !strcmp(text, "inference") ? LEVEL_INFERENCE : LEVEL_OPERATOR;
}

static enum device_wish wanted_kernels(void)
{
	const char *kernels = getenv("INFTRACE_KERNELS");

	return !kernels ? DEVICE_NOT_WANTED : strcmp(kernels, "nodes") ? DEVICE_WANTED : DEVICE_WANTED_NODES;
}

__attribute__((constructor)) static void agent_start(void)
{
	const char *dir = getenv("INFTRACE_DIR");
	struct agent_settings to;
	int saved = errno;

	guard_start();
	first_start();
	identity_start();
	agent_at_edges(&edges);
	if (!sandbox_start(injected_depart) || !dir || strlen(dir) >= sizeof agent.dir || getauxval(AT_SECURE) ||
	    getenv("INFTRACE_DISABLE") || !agent_set_up())
		return;
	module_walk_start();
	to.dir = dir;
	to.level = level_of(getenv("INFTRACE_LEVEL"));
	to.ring_bytes = number_of(getenv("INFTRACE_RING"), 8 << 20);
	to.use_ticks = getenv("INFTRACE_CLOCK") == NULL;
	heap_find();
	agent_set(&to);
	devices_want(wanted_kernels());
	exec_start();
	arm_new_modules();
	annotate_switch(true);
	errno = saved;
}

__attribute__((destructor)) static void agent_stop(void)
{
	if (hot->generation && agent.segment) {
		memory_tell();
		other_tell();
	}
	if (hot->generation && agent.segment)
		__atomic_store_n(&agent.segment->ended, 1, __ATOMIC_RELEASE);
}
