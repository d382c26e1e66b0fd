/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of the recording, for the page. A process of its own works it out from the same file, while this one reads
 * the file into memory: neither waits for the other, and what the report takes is given back. Of what happens now, it
 * works with its copy of the sums so far.
 */
#ifndef SHOW_VIEW_VIEW_REPORT_H
#define SHOW_VIEW_VIEW_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "analyze/summary/summary_maker.h"
#include "show/view/http/http.h"
#include "trace/import/import.h"

struct view_report {
	pid_t pid;	  /* 0: it has ended */
	int fd;		  /* what it has written */
	const char *type; /* of that; NULL: JSON */
	bool has_failed;
	uint64_t begun_ns, ended_ns; /* 0: not yet */
};

/* One of both; or, with slow_at_ns or write, neither: the file is read again. */
struct view_report_source {
	struct import *import;	     /* open, and not yet read */
	struct summary_maker *maker; /* its sums stay as they are */
	const char *path;	     /* of these; NULL: of no file */
	bool is_growing;
	/* Something else than a report: writes it to a file. NULL: a report. */
	int (*write)(FILE *out, const void *ctx, struct err *err);
	const void *ctx;
	uint64_t slow_at_ns; /* the inferences that begin then are looked into, in place of the slowest; 0: these */
};

/* 0, or -errno and err. */
int view_report_start(struct view_report *report, const struct view_report_source *source, struct err *err);
/* Is there one, or will there be? */
bool view_report_is_done(struct view_report *report);
/* As JSON; a job where it is not ready. */
struct http_job *view_report_answer(struct view_report *report, struct http_answer *answer);
void view_report_stop(struct view_report *report); /* accepts a zeroed one */

#endif
