/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of a summary. Errors stay in the stream (ferror); nothing is flushed. Another kind of output is
 * another stream: open_memstream for memory, fopencookie for a connection.
 */
#ifndef SHOW_REPORT_EXPORT_H
#define SHOW_REPORT_EXPORT_H

#include <stdio.h>

#include "analyze/summary/summary.h"

struct export_opts {
	bool has_color;
	bool is_ascii; /* nothing but ASCII: names are escaped */
	bool is_all;   /* every operator, transformer and session, not the most important ones */
	int width;     /* columns of a line, 0: 96 */
};

/* The page for people. Names are made harmless for a terminal. */
void export_text(FILE *out, const struct summary *summary, const struct export_opts *opts);
/* The same facts as one JSON object, doc/report-json.md. */
void export_json(FILE *out, const struct summary *summary);

/* The recording in one sentence, without an end of line. Plain ASCII apart from names, which are made harmless. */
void export_verdict(FILE *out, const struct summary *summary, bool is_ascii);

#endif
