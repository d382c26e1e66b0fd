// SPDX-License-Identifier: Apache-2.0
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_request, field)

static const struct column requests[] = {
	{ "id", "id", "number of the row, from 1", COLUMN_ROW },
	{ "name", "name", "name of the program's own slices that are the requests", COLUMN_TEXT, AT(name) },
	{ "count", "requests", "number of requests in this row; 1 for a slow one", COLUMN_COUNT, AT(n) },
	{ "begin_ns", "begin_ns", "start of one of the slowest requests of its name; NULL: the row covers all of them",
	  COLUMN_TIME, AT(begin_ns) },
	{ "pid", "process", "the same: its process, processes.id", COLUMN_PROCESS, AT(process) },
	{ "tid", "tid", "the same: its thread", COLUMN_KNOWN, AT(tid) },
	{ "wall_ns", "wall_ns", "time of the requests", COLUMN_COUNT, AT(wall_ns) },
	{ "inferences", "inferences", "that their threads ran in them", COLUMN_COUNT, AT(n_inferences) },
	{ "inferences_ns", "inferences_ns", "time in these", COLUMN_COUNT, AT(inferences_ns) },
	{ "unattributed_ns", "unattributed_ns", "time in no inference and in none of request_parts", COLUMN_COUNT,
	  AT(unattributed_ns) },
};

const struct column_list columns_requests = { COLUMN_ROWS(requests), COLUMN_LIST(requests) };

#undef AT
#define AT(field) offsetof(struct summary_request_part, field)

static const struct column parts[] = {
	{ "request", "request", "requests.id", COLUMN_NUMBER, AT(request) },
	{ "state", "state", "state of the thread outside of inferences: \"ran\", \"waited for the GIL\"", COLUMN_TEXT,
	  AT(state) },
	{ "wait", "wait", "what it waited for: \"held by burn (gil.py:4)\", \"recvfrom on 10.0.0.7:443\"", COLUMN_TEXT,
	  AT(wait) },
	{ "place", "place", "where: \"resize, called from app.py:12\"", COLUMN_TEXT, AT(place) },
	{ "ns", "ns", "for how long, by samples of the thread", COLUMN_COUNT, AT(ns) },
	{ "before_ns", "before_ns", "of it, before the first inference of each request", COLUMN_COUNT, AT(before_ns) },
};

const struct column_list columns_request_parts = { COLUMN_ROWS(request_parts), COLUMN_LIST(parts) };
