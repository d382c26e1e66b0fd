/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the HTML page of a model's runs share (html_*.c). */
#ifndef SHOW_HTML_HTML_MODEL_H
#define SHOW_HTML_HTML_MODEL_H

#include "show/html/html.h"
#include "show/html/plot.h"
#include "show/words/export.h"
#include "show/words/model/model_rows.h"

/* HTML_RUNS: side by side, with two columns each and two for names: TABLE_MAX_COLUMNS */
enum { HTML_COLOURS = 8, HTML_FAMILIES = 10, HTML_RUNS = 7 };

struct html_page {
	FILE *out;
	const struct model_analysis *analysis;
	const struct model_report *report;
	struct printable *label; /* of each run */
	int n_plots;
	uint32_t n_open_cards; /* of findings; the others are folded */
	uint32_t part; /* of a recording: number of the model, from 1 on; goes into ids. 0: the page has one part */
	const struct summary *summary;	/* of a recording; else NULL */
	uint32_t model;			/* of summary->models */
	struct html_contents *contents; /* while the page is written to memory for them; else NULL */
};

/*
 * A table of contents of what follows, and <main>: until the end, page->out is memory. Sections add themselves; text is
 * a stranger's, and not yet escaped.
 */
void html_contents_begin(struct html_page *page);
void html_contents_add(struct html_page *page, const char *id, const char *text);
void html_contents_end(struct html_page *page);

/* The whole page. */
void html_runs(FILE *out, const struct report *report);
void html_recording(FILE *out, const struct report *report);

void html_latencies(struct html_page *page);
/* Latency over time: of runs, or of the model of a recording. */
bool html_has_over_time(const struct html_page *page);
void html_over_time(struct html_page *page);
void html_callers(struct html_page *page);
void html_creation(struct html_page *page);
void html_time(struct html_page *page);
void html_requests(struct html_page *page);
void html_outside(struct html_page *page); /* what was done while no model ran */
/* How memory moved, as a figure. */
bool html_has_moved(const struct html_page *page);
void html_moved(struct html_page *page);
/* Of a recording: resources over events, on one axis; the time without an inference; losses and our own cost. */
void html_course(struct html_page *page, const struct report *report);
void html_gaps(struct html_page *page);
void html_slowest(struct html_page *page);
void html_generations(struct html_page *page);
void html_sizes(struct html_page *page);   /* latency by the size of inputs, where a model has several */
void html_workers(struct html_page *page); /* the processes that run a model, if several do */
void html_losses(struct html_page *page, const struct report *report);
void html_allocators(struct html_page *page);
void html_memory(struct html_page *page);
void html_outputs(struct html_page *page);
void html_placement(struct html_page *page);
void html_operators(struct html_page *page);
void html_treemap(struct html_page *page, uint32_t r); /* the operators of a run */
struct html_leaf {
	const char *name, *op_type, *provider; /* those without a name, without a type or with no time are left out */
	double ns;
	uint64_t n_calls; /* 0: not known */
};
struct html_tree {
	const char *title, *what, *inside; /* "Operators by type and node", "operators", "nodes" */
	const char *smaller;		   /* "smaller node" */
	const char *label;		   /* whose they are; NULL: nothing to say */
	double n_runs;			   /* inferences; 0: times are those of all */
	const struct html_leaf *leaf;
	uint32_t n;
};
/* A treemap of anything that has types. */
void html_tree(struct html_page *page, const struct html_tree *tree);
void html_device(struct html_page *page); /* of a recording: kernels of devices */
/* The family of an operator type, which has the colour "f3"; "convolution". */
uint32_t html_family(const char *op_type);
const char *html_family_name(uint32_t family);
void html_nodes(struct html_page *page); /* of a recording */
void html_kernels(struct html_page *page);
bool html_has_outputs(const struct html_page *page); /* that were compared */
void html_roofline(struct html_page *page);

/* A figure that stands out, with its name above and a note below; kind: "s3", "bad" or "". html_tiles begins and ends.
 */
struct html_tile {
	const char *kind, *name;
	struct units_text value;
	struct printable note;
};

void html_tiles(struct html_page *page, const struct html_tile *tile, uint32_t n);
/* The answer, in the colour of the worst finding. */
void html_verdict(struct html_page *page, const char *verdict, enum insight_severity worst);
enum insight_severity html_worst(const struct model_analysis *analysis, uint32_t n);
/* Cards with what to try next, of all models that are shown. */
void html_findings(struct html_page *page, const struct report *report);
/* A term and what it is, within <dl>. Without a value: nothing. */
void html_fact(struct html_page *page, const char *name, const struct printable *value);
struct printable html_date(int64_t realtime_ns); /* "": not known */

/* A text of a stranger, not yet escaped. */
struct printable html_name(const char *text);
/* <section> with its heading; explained in a sentence. */
void html_section(struct html_page *page, const char *id, const char *heading, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "p7": of the next plot. */
struct units_text html_plot_id(struct html_page *page);
/* "s3": the colour of a run; "q3": that of a phase of session creation. */
struct units_text html_colour(uint32_t i);
struct units_text html_phase_colour(uint32_t i);
/* <figure> with a caption, and the colours of the runs that match: those with latencies, operators, or all. */
void html_figure(struct html_page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* All runs; then, from end == 0 on, as many side by side as a table holds: false when all have been shown. */
struct model_view html_view(const struct html_page *page);
bool html_view_next(struct model_view *view);
/* <div> for a plot and its table: beside each other where there is room. The caller ends it. */
void html_pair(struct html_page *page);
/* <p> with a text that is escaped. */
void html_paragraph(struct html_page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_key(struct html_page *page, bool (*has)(const struct model_run *run));

/* For axes. */
struct units_text html_ns(double ns);
/* A part of a bar that lies along an axis of durations, at the height y; kind: its class; nothing if ns is not > 0. */
void html_bar(const struct plot *plot, double y, double from_ns, double ns, const char *kind, const char *name);
struct units_text html_mebibytes(double mebibytes);
struct units_text html_share(double share);

#endif
