/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of the recording, for the page. A process of its own works it out from the same file, while this one reads
 * the file into memory: neither waits for the other, and what the report takes is given back.
 */
#ifndef SHOW_VIEW_VIEW_REPORT_H
#define SHOW_VIEW_VIEW_REPORT_H

#include <stdbool.h>
#include <sys/types.h>

#include "show/view/http.h"
#include "trace/import/import.h"

struct view_report {
	pid_t pid; /* 0: it has ended */
	int fd;	   /* what it has written */
	bool has_failed;
};

/* The file is open, and not yet read. 0, or -errno and err. */
int view_report_start(struct view_report *report, struct import *import, bool is_growing, struct err *err);
/* As JSON; a job where it is not ready. */
struct http_job *view_report_answer(struct view_report *report, struct http_answer *answer);
void view_report_stop(struct view_report *report); /* accepts a zeroed one */

#endif
