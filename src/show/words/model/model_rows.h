/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a model's report: what stands in them, for whoever shows them (table_print for terminals, html_table_of
 * for pages). Each function gives the columns and adds the rows; printing and captions are the caller's. Runs stand
 * side by side where a row is one thing in all of them.
 */
#ifndef SHOW_WORDS_MODEL_ROWS_H
#define SHOW_WORDS_MODEL_ROWS_H

#include "base/text/table.h"
#include "show/words/model/model_words.h"

struct model_view {
	const struct model_analysis *analysis;
	const struct printable *label; /* of each run */
	uint32_t first, end;	       /* runs that stand side by side */
	int columns;		       /* that a name may take */
	bool is_ascii;
	bool is_roomy; /* there is room for what is good to know, too: shares, ratios, where a difference is */
};

bool model_view_has(const struct model_view *view, bool (*has)(const struct model_run *run));
bool model_has_latency(const struct model_run *run);
bool model_has_phases(const struct model_run *run);
bool model_has_operators(const struct model_run *run);
bool model_has_bounds(const struct model_run *run);

/* A row for each run of the report. */
void model_rows_runs(struct table *table, const struct model_view *view);
void model_rows_latency(struct table *table, const struct model_view *view); /* and for each of its shapes */
void model_rows_placement(struct table *table, const struct model_view *view);
void model_rows_outputs(struct table *table, const struct model_view *view);
/* Generations: a row for each run and prompt. None for inferences. */
void model_rows_generations(struct table *table, const struct model_view *view);
bool model_has_generations(const struct model_run *run);
/* "weights: 3.47 MB for each token, 21.2 GB/s: 74 % of what memory reaches"; "": not known. */
struct printable model_weights_words(const struct model_view *view, uint32_t run);
/* And for each GPU and NPU that the run used. */
void model_rows_devices(struct table *table, const struct model_view *view);
/* Why the energy of a device is not known, though it has a meter; "": it is known, or there is no meter. */
struct printable model_device_words(const struct model_view *view, uint32_t run, const struct model_device *device);
/* Why a run may have used more devices than those that are known; "": nothing went wrong. */
struct printable model_devices_missing(const struct model_view *view, uint32_t run);

/* Runs side by side. Their last rows are what nothing explains, and all of it: the rows add up. */
void model_rows_creation(struct table *table, const struct model_view *view);
void model_rows_types(struct table *table, const struct model_view *view, uint32_t n_most);
/* Rows first to end - 1 of the comparison. */
void model_rows_nodes(struct table *table, const struct model_view *view, uint32_t first, uint32_t end);
void model_rows_memory(struct table *table, const struct model_view *view);

/* Of one run, at most n rows. */
void model_rows_bounds(struct table *table, const struct model_view *view, uint32_t run, uint32_t n);
void model_rows_kernels(struct table *table, const struct model_view *view, uint32_t run, uint32_t n);

/* All phases (steps) that occur in the runs, in the order in which they are met. */
struct model_names {
	const char *name[32];
	uint32_t n;
};

struct model_names model_phase_names(const struct model_view *view);
struct model_names model_step_names(const struct model_view *view);
double model_phase_ns(const struct model_result *result, const char *name);  /* NAN: it has none */
double model_rss_after(const struct model_result *result, const char *name); /* bytes; NAN: not known */

/* Time of a typical inference in the node of a row; NAN: it has none of its own there. */
double model_row_ns(const struct model_analysis *analysis, const struct model_row *row, uint32_t run);

#endif
