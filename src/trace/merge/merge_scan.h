/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What placing a file on the clock of others needs to know of it, read before any of it is written. Holds 16 bytes for
 * each inference, up to MERGE_MAX_RUNS of them, and little besides.
 */
#ifndef TRACE_MERGE_MERGE_SCAN_H
#define TRACE_MERGE_MERGE_SCAN_H

#include "base/array.h"
#include "trace/import/import.h"
#include "trace/perfetto/perfetto_map.h"

enum { MERGE_MAX_RUNS = 1 << 20, MERGE_MAX_SEQUENCES = 1 << 14 };

/* An inference, in the file's own time. */
struct merge_run {
	uint64_t begin_ns, end_ns;
};

/* The inferences of one session of one process, in the order of their begins. */
struct merge_sequence {
	struct array runs; /* struct merge_run */
	int32_t pid;	   /* 0: not known */
};

struct merge_facts {
	bool is_recording;  /* of inftrace: its times are CLOCK_MONOTONIC */
	bool has_no_begins; /* durations only, laid end to end */
	bool has_events;
	uint64_t first_ns, last_ns; /* of its events */
	bool has_realtime;
	int64_t realtime_ns; /* CLOCK_REALTIME less the file's time */
	const char
	    *realtime_is;	/* what in the file says so: "its clock snapshot"; NULL: the note about the recording */
	uint64_t set_ns;	/* by how much the wall clock was set while it was recorded, all together */
	char machine[200];	/* "": not known */
	struct array sequences; /* struct merge_sequence */
	struct array pids;	/* int32_t, of its processes and threads; each at least once */
};

/* Reads the file once; it can be read again. 0, or -errno and err. Then call merge_facts_done, also after a failure. */
int merge_scan(struct import *import, struct merge_facts *facts, struct err *err);
void merge_facts_done(struct merge_facts *facts);

#endif
