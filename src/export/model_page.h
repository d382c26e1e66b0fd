/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the text page of a model's runs share (model_text_*.c). */
#ifndef EXPORT_MODEL_PAGE_H
#define EXPORT_MODEL_PAGE_H

#include "export/export_model.h"
#include "export/model_words.h"
#include "export/page.h"

enum { MODEL_PAGE_RUNS = 5 }; /* side by side; more follow in further tables */

struct model_page {
	struct page page; /* without summary and names */
	const struct model_analysis *analysis;
	const struct model_report *report;
	struct printable *label; /* of each run */
};

/* Some of the runs, side by side. */
struct model_span {
	uint32_t first, end;
};

void model_text_latencies(const struct model_page *page);
void model_text_creation(const struct model_page *page);
void model_text_memory(const struct model_page *page);
void model_text_outputs(const struct model_page *page);
void model_text_placement(const struct model_page *page);
void model_text_kernels(const struct model_page *page);
void model_text_types(const struct model_page *page);
void model_text_nodes(const struct model_page *page);
void model_text_roofline(const struct model_page *page);

/* A text of a stranger. */
struct printable model_page_text(const struct model_page *page, const char *text, int columns);
/* The next few runs; false: all have been shown. Starts from { 0, 0 }. */
bool model_page_next(const struct model_page *page, struct model_span *span);
/* One column for each run of the span. */
void model_page_columns(const struct model_page *page, struct table *table, const struct model_span *span);
/* A duration, "-" for what is not known: -1 or NAN. */
struct units_text model_page_ns(double ns);

#endif
