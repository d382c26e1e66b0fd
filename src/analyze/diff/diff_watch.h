/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `inftrace watch` as runs of a comparison, one for each machine: lines of JSON that --lines wrote, or rows of
 * the table `intervals` of ClickHouse in its format JSONEachRow (doc/watch.md). Rows of one machine may be in several
 * files. The bytes are a stranger's.
 */
#ifndef ANALYZE_DIFF_DIFF_WATCH_H
#define ANALYZE_DIFF_DIFF_WATCH_H

#include "analyze/diff/diff_run.h"
#include "base/array.h"
#include "base/index.h"

/* Starts zeroed. */
struct diff_watch {
	struct array machines, series, services, runtimes; /* of diff_watch.c */
	struct index machine_index, series_index;
	struct arena *arena; /* of texts */
	const char *version; /* of inftrace, in the first row that has it */
};

/* Whether a file begins with such a row. */
bool diff_watch_is(const char *text, size_t len);
/* 0; or -errno and err, which names the line. path is borrowed. */
int diff_watch_add(struct diff_watch *watch, const char *path, const char *text, size_t len, struct err *err);
/* Adds a run for each machine; beyond DIFF_MAX_RUNS machines share runs. 0; or -errno and err. */
int diff_watch_take(struct diff_watch *watch, struct diff_side *side, struct err *err);
void diff_watch_done(struct diff_watch *watch);

#endif
