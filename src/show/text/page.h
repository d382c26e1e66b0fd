/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the text report share (text_*.c). */
#ifndef SHOW_TEXT_PAGE_H
#define SHOW_TEXT_PAGE_H

#include <math.h>

#include "base/text/printable.h"
#include "base/text/table.h"
#include "base/text/units.h"
#include "show/words/export.h"
#include "show/words/model/model_rows.h"

struct page {
	FILE *out;
	const struct summary *summary;
	const struct names *names;
	struct report_look opts;
	const struct report *report;
	const struct model_analysis *analysis; /* one for each of summary->models */
};

/* Without --all: what fits a screen. */
void text_brief(const struct page *page);

void text_processes(const struct page *page);
void text_models(const struct page *page); /* all in one table */
void text_sessions(const struct page *page, uint32_t model);
void text_inferences(const struct page *page, uint32_t model);
void text_sizes(const struct page *page, uint32_t model); /* of a model with inputs of several sizes */
void text_slowest(const struct page *page, uint32_t model);
void text_generations(const struct page *page, uint32_t model);
void text_operators(const struct page *page, uint32_t model);
void text_outside(const struct page *page);	    /* what was done while no model ran */
void text_elsewhere(const struct page *page);	    /* operators that are no part of these inferences */
void text_operators_alone(const struct page *page); /* by type, where there are no inferences */
void text_memory(const struct page *page);
void text_resources(const struct page *page);
void text_named(const struct page *page);   /* slices of other programs, or of the program itself */
void text_kernels(const struct page *page); /* of devices */
void text_cycles(const struct page *page);  /* the same, where its profiler counts cycles */
void text_losses(const struct page *page);

/* Is the model to be shown, and how many are? */
bool page_shows(const struct page *page, uint32_t model);
uint32_t page_n_shown(const struct page *page);

/* An empty line, then the title. */
void page_heading(const struct page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The title of the findings. */
const char *page_advice(const struct page *page);
/* A paragraph, broken between words. */
void page_text(const struct page *page, int indent, enum table_style style, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A name and what it is, which may take several lines: these begin behind so many columns. */
void page_fact(const struct page *page, int columns, const char *name, const char *text);
struct table page_table(const struct page *page);
/* A name, harmless; "-" for none. */
struct printable page_name(const struct page *page, uint32_t name, int columns);
/* "CPU" for CPUExecutionProvider. */
struct printable page_provider(const struct page *page, uint32_t name, int columns);
/* "shufflenet", with what tells it from other models of the same name. */
struct printable page_model(const struct page *page, uint32_t model, int columns);
/* The providers that were asked for and ran nothing; "": none, or not known. */
struct printable page_idle(const struct page *page, uint32_t model);
/* A share of 1 as a bar of so many columns. */
struct printable page_bar(const struct page *page, double share, int columns);
/* "SIGKILL", "signal 99" */
struct units_text page_signal(int64_t number);
/* "1.23 s": since the recording began; "-" for 0. */
struct units_text page_offset(const struct page *page, uint64_t time_ns);

/* What the sections of the text page of a model's runs share (model_text_*.c). */
enum {
	MODEL_PAGE_RUNS = 5,
	MODEL_PAGE_LONG = 3,
	MODEL_PAGE_LABEL = 14
}; /* side by side; more follow in further tables */

struct model_page {
	struct page page; /* without summary and names */
	const struct model_analysis *analysis;
	const struct model_report *report;
	struct printable *label; /* of each run */
};

void model_text_generations(const struct model_page *page);
void model_text_latencies(const struct model_page *page);
void model_text_creation(const struct model_page *page);
void model_text_memory(const struct model_page *page);
void model_text_devices(const struct model_page *page);
void model_text_outputs(const struct model_page *page);
void model_text_placement(const struct model_page *page);
void model_text_kernels(const struct model_page *page);
void model_text_types(const struct model_page *page);
void model_text_nodes(const struct model_page *page);
void model_text_roofline(const struct model_page *page);

/* A text of a stranger. */
struct printable model_page_text(const struct model_page *page, const char *text, int columns);
/* All runs; then, from end == 0 on, a few side by side: false when all have been shown. */
struct model_view model_page_view(const struct model_page *page);
bool model_page_next(struct model_view *view);

#endif
