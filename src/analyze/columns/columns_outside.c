// SPDX-License-Identifier: Apache-2.0
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_outside, field)

static const struct column outside[] = {
	{ "id", "id", "number of the row", COLUMN_ROW },
	{ "parent", "parent_id", "the row around it: outside.id; NULL: none", COLUMN_KNOWN, AT(parent) },
	{ "tree", "tree", "the tree that it is in: `what`, `path`, `thread` or `model`; each adds up to the whole time",
	  COLUMN_TEXT, AT(view) },
	{ "depth", "depth", "rows around it", COLUMN_NUMBER, AT(is.depth) },
	{ "kind", "kind",
	  "`state`, `wait` (what was waited for), `place`, `frame`, `thread`, `model`, `others` (the small ones beside "
	  "it) or `unattributed`",
	  COLUMN_TEXT, AT(kind) },
	{ "name", "name", "what it is, in words", COLUMN_TEXT, AT(is.name) },
	{ "state", "state", "state of its threads: `ran`, `waited for the GIL`, ...; NULL: several things, or unknown",
	  COLUMN_TEXT, AT(state) },
	{ "function", "function", "of a place or a frame", COLUMN_TEXT, AT(is.function) },
	{ "file", "file", "source file; without one, the module", COLUMN_TEXT, AT(is.file) },
	{ "line", "line", "line of the file", COLUMN_KNOWN, AT(line) },
	{ "caller_file", "caller_file", "of a place in a library: the program's own file that called it", COLUMN_TEXT,
	  AT(is.caller_file) },
	{ "caller_line", "caller_line", "the line there", COLUMN_KNOWN, AT(caller_line) },
	{ NULL, "process_id", "of a thread: processes.id", COLUMN_PROCESS, AT(process) },
	{ "pid", NULL, NULL, COLUMN_PROCESS, AT(process) },
	{ "tid", "tid", "the thread", COLUMN_KNOWN, AT(tid) },
	{ "duration_ns", "duration_ns", "its time, including the rows below it", COLUMN_COUNT, AT(is.ns) },
	{ "ran_ns", "ran_ns", "the part of it on a CPU", COLUMN_COUNT, AT(is.ran_ns) },
	{ "share", "share", "of the time in which no model ran, 0 to 1", COLUMN_REAL, AT(share) },
	{ "samples", "samples", "samples that show it", COLUMN_COUNT, AT(is.n) },
};

const struct column_list columns_outside = { COLUMN_ROWS(outside), COLUMN_LIST(outside) };
