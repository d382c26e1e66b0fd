// SPDX-License-Identifier: Apache-2.0
/* Turns what the agent says of the program's seccomp filters (enum filter_cost) into words. */
#include <linux/seccomp.h>
#include <stdio.h>

#include "capture/proc/namespace.h"
#include "capture/proc/proc.h"
#include "capture/source/agent/source_agent_in.h"

enum { LOOK_NS = 100000000 };

static const struct {
	uint32_t cost;
	const char *what;
} parts[] = {
	{ FILTER_NAMES, "names of operators that are new" }, { FILTER_RUNTIMES, "runtimes that it loads" },
	{ FILTER_FORKS, "children that it forks" },	     { FILTER_PROGRAMS, "programs that it starts" },
	{ FILTER_USAGE, "CPU time of inferences" },
};

static void say(uint32_t cost, char *to, size_t size)
{
	size_t used = (size_t)snprintf(to, size,
				       "its seccomp filter kills for system calls of the agent, which makes "
				       "none of these. Not recorded from then on:");
	const char *comma = "";

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!(cost & parts[i].cost) || used >= size)
			continue;
		used += (size_t)snprintf(to + used, size - used, "%s %s", comma, parts[i].what);
		comma = ",";
	}
}

static int note(struct recorded *process, const char *who, const char *why, struct sink *out, uint64_t now_ns,
		struct err *err)
{
	struct arg args[3] = { arg_int(KEY_PID, process->pid), arg_text(KEY_SOURCE, out, who),
			       arg_text(KEY_TEXT, out, why) };

	return recorded_note(
	    out, EVENT_NOTE_STOPPED,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 3 },
	    err);
}

/* Filters of its first thread; kernels before 5.9 only say whether there are any. */
static uint64_t count_filters(const struct recorded *process, const char *sysroot)
{
	char text[8192];
	uint64_t n = 0, mode = 0;
	ssize_t got = proc_read(sysroot, process->pid, "status", text, sizeof text);

	if (got <= 0 || !proc_field(text, (size_t)got, "Seccomp", &mode) || mode != SECCOMP_MODE_FILTER)
		return 0;
	return proc_field(text, (size_t)got, "Seccomp_filters", &n) && n ? n : 1;
}

int confined_look(struct recorded *process, const char *sysroot, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct segment *segment = process->map.segment;
	char who[96];

	if (process->is_confined_told || now_ns - process->looked_ns < LOOK_NS || process->pid >= NAMESPACE_UNKNOWN)
		return 0;
	process->looked_ns = now_ns;
	/* the agent counts a filter before the kernel does */
	if (count_filters(process, sysroot) <= __atomic_load_n(&segment->n_filters, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&segment->is_confined, 1, __ATOMIC_RELAXED);
	process->is_confined_told = true;
	snprintf(who, sizeof who, "parts of %.16s (%d)", segment->command, (int)process->pid);
	return note(process, who,
		    "it has set a seccomp filter that the agent has not seen; the agent makes no system call any more. "
		    "Not recorded from then on: all that takes one, as names of operators that are new",
		    out, now_ns, err);
}

int confined_tell(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct segment *segment = process->map.segment;
	bool is_confined = __atomic_load_n(&segment->filtered, __ATOMIC_ACQUIRE) != 0;
	uint32_t cost = __atomic_load_n(&segment->filter_cost, __ATOMIC_RELAXED) & ~process->filter_cost;
	bool is_off = segment->state == SEGMENT_OFF && *segment->reason;
	char who[96], why[300];

	if (!is_confined || process->is_off_told || (!cost && !is_off))
		return 0;
	process->filter_cost |= cost;
	process->is_off_told = is_off;
	snprintf(who, sizeof who, "%s%.16s (%d)", is_off ? "" : "parts of ", segment->command, (int)process->pid);
	if (is_off)
		snprintf(why, sizeof why, "%.*s", (int)sizeof segment->reason - 1, segment->reason);
	else
		say(cost, why, sizeof why);
	return note(process, who, why, out, now_ns, err);
}
