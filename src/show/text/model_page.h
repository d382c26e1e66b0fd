/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the text page of a model's runs share (model_text_*.c). */
#ifndef SHOW_TEXT_MODEL_PAGE_H
#define SHOW_TEXT_MODEL_PAGE_H

#include "show/text/page.h"
#include "show/words/export.h"
#include "show/words/model/model_rows.h"

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
