/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the page share, for top_*.c only. */
#ifndef SHOW_TOP_TOP_IN_H
#define SHOW_TOP_TOP_IN_H

#include "base/text/printable.h"
#include "base/text/units.h"
#include "show/top/top.h"

/* A row of the table of models. Missing figures are NAN. */
struct top_row {
	const struct live_model *model;
	const uint64_t *member; /* ids of the models that it joins */
	uint32_t n_members;
	double rate, window_rate, busy, cpu;
	double tokens;	/* that it made in the last interval, a second */
	double sampled; /* for how many inferences of its processes each recorded one stands, on average */
};

struct top_rows {
	struct top_row row[LIVE_MODELS];
	int n, n_hidden; /* hidden: by the filter */
	int chosen;	 /* -1: there is none */
};

/* A column of a table. */
struct top_field {
	const char *title;
	int width, least; /* least: of a column that takes what is left; else 0 */
	int drop;	  /* where there is no room, the highest goes first; 0: never */
	bool is_right;
};

extern const struct top_field top_fields[N_TOP_COLUMNS];
extern const struct top_field top_operator_fields[N_TOP_OPERATORS];

/* top_rows.c: sorted and filtered. */
void top_rows_make(const struct top *top, struct top_rows *rows);
/* Whether a column has anything to say: not that of runtimes where all have one. */
bool top_rows_have(const struct top_rows *rows, enum top_column column);
uint32_t top_rows_n(const struct top *top); /* also those that are hidden */
bool top_rows_match(const struct top *top, const struct top_row *row, const char *text);
/* A figure as the cell of a column; "" for one that is missing. */
struct printable top_rows_cell(const struct top *top, const struct top_row *row, enum top_column column, int width);

/* top_operators.c: those of the chosen model, or their types; sorted. Valid until the next call. n: how many. */
const struct live_operator **top_operators_sort(const struct top *top, const struct live_model *model, int *n);
struct printable top_operators_cell(const struct top *top, const struct live_model *model,
				    const struct live_operator *op, enum top_operator_column column, int width);
/* What their times do not contain, as a sentence without its full stop; "": they contain all. */
struct printable top_operators_deferred(const struct top *top, const struct live_model *model);

/* top_cells.c */
struct units_text top_cells_rate(double per_second);
struct units_text top_cells_count(uint64_t n, int width);
struct printable top_cells_text(const struct top *top, const char *text, int width);
struct printable top_cells_provider(const struct top *top, const char *text, int width);
const char *top_cells_phase(enum live_phase phase);

/* top_meters.c: resources of the machine; the lines they take. */
int top_meters_draw(const struct top *top, struct grid *grid, int y, int most);
/* "cpu 45 %, memory 12 GiB": those that exist. */
struct printable top_meters_text(const struct top *top);

/* top_stuck.c: an inference that runs for longer than any that ended, or did not end; "": there is none. */
struct printable top_stuck_words(const struct top *top);

/* top_table.c */
int top_table_models(struct top *top, struct grid *grid, int y, int rows, const struct top_rows *list);
int top_table_operators(struct top *top, struct grid *grid, int y, int rows, const struct live_model *model);

/* top_help.c: pages that stand in place of the tables. */
struct top_help_lines {
	int x, y, most; /* where the first line is, and how many there may be */
	int at;		/* the line to begin with; below 0: above the first one */
};
/* A text in lines that fit; how many it needs. */
int top_help_wrap(struct grid *grid, const struct top_help_lines *lines, enum grid_style style, const char *text);
void top_help_draw(struct top *top, struct grid *grid, int y, int rows);
void top_notes_draw(struct top *top, struct grid *grid, int y, int rows);
void top_sort_draw(struct top *top, struct grid *grid, int y, int rows);

#endif
