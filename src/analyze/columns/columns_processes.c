// SPDX-License-Identifier: Apache-2.0
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_process, field)

static const struct column processes[] = {
	{ NULL, "id", "number of the process: that of its track", COLUMN_NUMBER, AT(track) },
	{ "pid", "pid", "the kernel's number, which may come again", COLUMN_PID, AT(pid) },
	{ "name", "name", "name of the program", COLUMN_TEXT, AT(name) },
	{ "exe", "exe", "path of the program", COLUMN_TEXT, AT(exe) },
	{ "command", "command", "its command line", COLUMN_TEXT, AT(command) },
	{ "state", NULL, NULL, COLUMN_TEXT, AT(state) },
	{ "start_monotonic_ns", "start_ns", "when it was started, CLOCK_MONOTONIC", COLUMN_MONOTONIC, AT(start_ns) },
	{ "exit_at_ns", "exit_ns", "when it ended", COLUMN_TIME, AT(exit_ns) },
	{ "exit_status", "exit_status", "its exit status; NULL: a signal ended it, or its end was not seen",
	  COLUMN_KNOWN, AT(exit_status) },
	{ "signal", "signal", "the signal that ended it", COLUMN_KNOWN, AT(signal) },
	{ "sessions", "sessions", "sessions that it created or used", COLUMN_COUNT, AT(n_sessions) },
	{ "inferences", "inferences", "inferences that were recorded", COLUMN_COUNT, AT(n_inferences) },
	{ "inferences_sampled_out", "inferences_left_out", "inferences that --sample or --rate left out", COLUMN_COUNT,
	  AT(n_sampled_out) },
	{ NULL, "state", "why no runtime was seen in it", COLUMN_TEXT, AT(state) },
	{ NULL, "busy_ns", "time with at least one inference", COLUMN_COUNT, AT(busy_ns) },
};

const struct column_list columns_processes = { COLUMN_ROWS(processes), COLUMN_LIST(processes) };
