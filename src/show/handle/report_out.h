/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the reports of `inftrace handle` go: into files of a folder, named by model, or to a stream, each with a line
 * before it, or as lines of JSON. One thread.
 */
#ifndef SHOW_HANDLE_REPORT_OUT_H
#define SHOW_HANDLE_REPORT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "base/err.h"
#include "inftrace_profile.h"

struct report_out {
	const char *dir; /* borrowed; NULL: stream */
	FILE *stream;
	bool is_json;	     /* of the stream */
	bool is_numbered;    /* files: several reports of one model */
	bool may_overwrite;  /* files */
	struct array models; /* struct report_out_model */
	uint64_t n_reports;
};

/* Makes the folder, if there is one to be made. 0, or -errno and err. */
int report_out_open(struct report_out *out, struct err *err);
/*
 * offset_ns: CLOCK_REALTIME less CLOCK_MONOTONIC. 0, or -errno and err: -EPIPE who reads the stream has gone; a file
 * that could not be written whole is not there.
 */
int report_out_put(struct report_out *out, const struct inftrace_report *report, int64_t offset_ns, struct err *err);
void report_out_done(struct report_out *out);

#endif
