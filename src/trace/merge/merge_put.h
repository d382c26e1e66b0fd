/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that passes the events of one file on into the stream of several: on its clock, on tracks of its own, with
 * numbers of processes and flows that no other file has.
 */
#ifndef TRACE_MERGE_MERGE_PUT_H
#define TRACE_MERGE_MERGE_PUT_H

#include "trace/merge/merge_in.h"

enum { MERGE_PID_STEP = 10000000 }; /* above every number of a process */

struct merge_put {
	struct sink sink;
	struct sink *out;
	const struct merge_file *file;
	const char *label; /* names the file in the output */
	uint32_t number;   /* of the file, from 0 */
	int32_t pid_step;  /* added to its numbers of processes */
	bool is_base;	   /* its notes are about the output */
	struct array args; /* struct arg: those of the event that passes */
	uint64_t n_slices, n_instants, n_samples;
};

/*
 * out, file, and label are borrowed. files: all of them, of which this is number `number`; base: as merge_place found
 * it, or 0 if there is none.
 */
void merge_put_init(struct merge_put *put, struct sink *out, const struct merge_file *files, size_t number, size_t base,
		    const char *label);
void merge_put_done(struct merge_put *put);
/* Notes how the file was placed, on this track. 0, or -errno and err. */
int merge_put_note(struct merge_put *put, uint32_t track, struct err *err);

#endif
