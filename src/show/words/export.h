/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report is written from, and its writers. Errors stay in the stream (ferror); nothing is flushed. Another kind
 * of output is another stream: open_memstream for memory, fopencookie for a connection. Texts come from strangers'
 * files: each writer makes them harmless for its format. show/report lists the formats.
 */
#ifndef SHOW_WORDS_EXPORT_H
#define SHOW_WORDS_EXPORT_H

#include <stdio.h>

#include "analyze/result/model/model_analysis.h"
#include "analyze/summary/summary.h"
#include "base/text/json.h"
#include "base/text/printable.h"
#include "model/onnx/onnx_static.h"

/*
 * A recording: its summary, and for each of the summary's models an analysis of one run (analyze/insight/recorded.h).
 * Or runs that were measured beside each other: one analysis, summary == NULL.
 */
struct report {
	const struct summary *summary;
	const struct model_analysis *analysis;
	uint32_t n_analyses;
	bool is_running;   /* the recording's file is still being written */
	const char *model; /* of a recording: only models whose name has this text in it; NULL: all */
};

/* Is this model of a recording to be shown? */
bool report_shows(const struct report *report, uint32_t model);

/* "only inferences that began at 5.00 s or later, and before 10.0 s"; empty: all are shown. */
struct printable report_range(const struct summary *summary);

/* How a report for people looks, and what it leaves out. */
struct report_look {
	bool has_color;
	bool is_ascii;	    /* nothing but ASCII: names are escaped */
	bool is_all;	    /* every operator, transformer and session, not the most important ones */
	int width;	    /* columns of a line, 0: 96 */
	uint32_t n_top;	    /* rows of a table of operators; 0: as many as fit */
	uint32_t n_slowest; /* inferences of each model that the user asked for; 0: not asked */
};

/* A recording: the page for people; the same facts as one JSON object (doc/report-json.md); a page with plots. */
void export_text(FILE *out, const struct report *report, const struct report_look *look);
void export_json(FILE *out, const struct report *report);
/* The recording in one sentence, without an end of line. Plain ASCII apart from names, which are made harmless. */
void export_verdict(FILE *out, const struct report *report, bool is_ascii);

/* Measured runs: the same; the JSON is that of doc/model-json.md. */
void export_model_text(FILE *out, const struct model_analysis *analysis, const struct report_look *look);
void export_model_json(FILE *out, const struct model_analysis *analysis);

/* Both: one page without scripts that needs no network: light and dark, printable, plots with a table beside each. */
void export_html(FILE *out, const struct report *report);
/* Both: RFC 4180, one header line: a row for each run; a row for each node of the model (or operator) and run; a row
 * for each kernel of a device (and run); of a recording, a row for each size of the inputs of a model; of a recording,
 * a row for each remark (analyze/remark/remarks.h). */
void export_csv_runs(FILE *out, const struct report *report);
void export_csv_operators(FILE *out, const struct report *report);
void export_csv_kernels(FILE *out, const struct report *report);
void export_csv_sizes(FILE *out, const struct report *report);
void export_csv_generations(FILE *out, const struct report *report);
void export_csv_losses(FILE *out, const struct report *report);

/* What a model's file says without running it; json: members of the innermost object, doc/model-file-json.md. */
void export_static_text(FILE *out, const struct model_static *analysis, const struct report_look *look);
void export_static_json(struct json *json, const struct model_static *analysis);

#endif
