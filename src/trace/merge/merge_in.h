/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a merge. */
#ifndef TRACE_MERGE_MERGE_IN_H
#define TRACE_MERGE_MERGE_IN_H

#include "base/array.h"
#include "trace/import/import.h"
#include "trace/perfetto/perfetto_map.h"

/*
 * What placing a file on the clock of others needs to know of it, read before any of it is written. Holds 16 bytes for
 * each inference, up to MERGE_MAX_RUNS of them, and little besides.
 */
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

/*
 * Finds how far apart the clocks of two files are that both have the same inferences: pairs them in order, and looks
 * for the pairing in which begins and ends are equally far apart. Knows nothing of other clocks.
 */
enum {
	MERGE_MIN_PAIRS = 3,
	MERGE_SURE_PAIRS = 20,	 /* so many are enough if nothing else says that it is the same run */
	MERGE_SPREAD_NS = 100000 /* the middle half of the differences lies within this, else nothing matches */
};

/* What is known of the difference beforehand. */
struct merge_prior {
	bool is_known;
	int64_t offset_ns;
	uint64_t error_ns;
};

struct merge_match {
	int64_t offset_ns; /* median of the middles there less the middles here */
	uint64_t error_ns; /* nine of ten pairs are closer; and how much longer an inference is there than here */
	uint64_t n_pairs;
};

/*
 * here: a file whose clock is not known; there: one whose is. false: nothing matches, or several pairings do. prior:
 * the offset is one that it allows, or differs from one by quarters of an hour, as a time of another time zone does.
 */
bool merge_match(const struct merge_facts *here, const struct merge_facts *there, const struct merge_prior *prior,
		 struct merge_match *match);

/*
 * Where each of several files lies on one clock: CLOCK_MONOTONIC of the first recording of inftrace, else
 * CLOCK_REALTIME. Reads no files, and writes none.
 */
/* Given by the user. */
enum merge_given {
	MERGE_GIVEN_NOTHING,
	MERGE_GIVEN_REALTIME, /* nanoseconds since 1970 of the file's time 0 */
	MERGE_GIVEN_AFTER, /* nanoseconds from the first event of the file whose clock is taken to the file's time 0 */
};

struct merge_file {
	const char *path;   /* borrowed */
	const char *format; /* borrowed: name of the importer */
	struct merge_facts facts;
	enum merge_given given;
	int64_t given_ns;

	/* Results. */
	bool is_placed;
	int64_t offset_ns; /* to be added to its times */
	bool has_error;
	uint64_t error_ns;
	uint64_t n_pairs; /* inferences that it has in common with the recording that placed it; 0: it was not so */
	char source[120]; /* "its clock snapshot" */
};

/*
 * Places all n files. *base: the file whose clock it is; n: CLOCK_REALTIME. 0, or -errno and err: one cannot be placed,
 * and what would help.
 */
int merge_place(struct merge_file *files, size_t n, size_t *base, struct err *err);

/*
 * The time in the name of a profile of ONNX Runtime, "..._2026-11-21_03-27-55_775.json", which is local time.
 * Nanoseconds since 1970; *error_ns: its resolution. false: the name has none.
 */
bool merge_time_of_name(const char *path, int64_t *realtime_ns, uint64_t *error_ns);

#endif
