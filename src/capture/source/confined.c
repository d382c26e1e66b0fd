// SPDX-License-Identifier: Apache-2.0
/* Turns what the agent says of the program's seccomp filters (enum filter_cost) into words. */
#include "capture/source/confined.h"

#include <stdio.h>
#include <string.h>

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

int confined_tell(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct segment *segment = process->map.segment;
	bool is_confined = __atomic_load_n(&segment->filtered, __ATOMIC_ACQUIRE) != 0;
	uint32_t cost = __atomic_load_n(&segment->filter_cost, __ATOMIC_RELAXED) & ~process->filter_cost;
	bool is_off = segment->state == SEGMENT_OFF && *segment->reason;
	struct arg args[3] = { arg_int(KEY_PID, process->pid) };
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
	args[1] = arg_text(KEY_SOURCE, out, who);
	args[2] = arg_text(KEY_TEXT, out, why);
	return recorded_note(
	    out, EVENT_NOTE_STOPPED,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 3 },
	    err);
}
