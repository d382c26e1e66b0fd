/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each of several files lies on one clock: CLOCK_MONOTONIC of the first recording of inftrace, else
 * CLOCK_REALTIME. Reads no files, and writes none.
 */
#ifndef TRACE_MERGE_MERGE_PLACE_H
#define TRACE_MERGE_MERGE_PLACE_H

#include "trace/merge/merge_match.h"

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
