/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads did while no model ran, row by row of trees (outside_tree.h), each of which adds up to time.outside_ns.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_OUTSIDE_H
#define ANALYZE_SUMMARY_SUMMARY_OUTSIDE_H

#include "analyze/outside/outside_tree.h"

struct summary_outside {
	struct outside_row is;		/* parent: of the same list; process, before: see below */
	uint32_t view, kind, state;	/* the same, as texts; state 0: of several, or not known */
	uint32_t process, model;	/* of the summary; SUMMARY_NONE: none */
	int64_t parent;			/* number of its row, from 1; -1: none */
	int64_t line, caller_line, tid; /* -1: not known */
	double share;			/* of the whole */
};

/* A line of the program at which threads of a process waited for a lock. */
struct summary_lock {
	uint32_t place; /* text: "work (app.py:12)" */
	int32_t tid;	/* the first one, */
	bool has_more;	/* and there were others */
	uint64_t ns, n; /* n: samples */
};

#endif
