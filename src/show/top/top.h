/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of `inftrace top`: its state, what keys do to it, and how it is drawn. Reads live sums (analyze/live) and
 * draws into a grid; it knows neither the terminal nor the recorder. One thread.
 */
#ifndef SHOW_TOP_TOP_H
#define SHOW_TOP_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/live/live.h"
#include "base/text/pattern.h"
#include "show/top/grid.h"
#include "show/top/keys.h"

/* A smaller terminal gets one line that says so. */
enum { TOP_LEAST_COLUMNS = 40, TOP_LEAST_ROWS = 8, TOP_TEXT = 64 };

/* What the caller is to do after a key. */
enum top_action { TOP_NOTHING, TOP_DRAW, TOP_REDRAW, TOP_WRITE, TOP_QUIT };

/* Columns of the table of models, in their order on the page. */
enum top_column {
	TOP_PID,
	TOP_PROGRAM,
	TOP_MODEL,
	TOP_RUNTIME,
	TOP_PROVIDER,
	TOP_RATE,
	TOP_MEDIAN,
	TOP_P99,
	TOP_TOKENS,
	TOP_FIRST,
	TOP_BUSY,
	TOP_CPU,
	TOP_SESSIONS,
	TOP_PHASE,
	TOP_TOTAL,
	TOP_FAILED,
	N_TOP_COLUMNS
};

enum top_operator_column { TOP_SHARE, TOP_CALLS, TOP_MEAN, TOP_TIME, TOP_RAN_ON, TOP_TYPE, TOP_NODE, N_TOP_OPERATORS };

enum top_pane { TOP_MODELS, TOP_OPERATORS };
enum top_mode { TOP_TABLES, TOP_HELP, TOP_NOTES, TOP_SORT, TOP_SEARCH, TOP_FILTER };

/* Our own cost, as of the last interval. */
struct top_cost {
	double cpu;	/* of one CPU; NAN: not known */
	uint64_t bytes; /* resident; 0: not known */
};

struct top {
	const struct live *live;
	const struct names *names;
	const char *what; /* what is watched, in words; borrowed */
	bool is_ascii;
	struct pattern *models; /* rows whose model does not match are left out; NULL: none is */
	struct top_cost cost;
	bool is_by_process;  /* a row for each process; else one for those of a program that run a model */
	double memory_bytes; /* of the machine; 0: not known */
	unsigned n_cpus;     /* the same */
	uint64_t n_bytes;    /* of a recording that is written as well; 0: none */
	char message[160];

	/* private to top_*.c */
	enum top_mode mode;
	enum top_pane pane;
	enum top_column sort;
	enum top_operator_column operator_sort;
	bool is_ascending, is_operator_ascending, is_by_type, is_paused;
	char filter[TOP_TEXT], search[TOP_TEXT];
	uint64_t chosen; /* id of a model; 0: the first one */
	int first, operator_at, operator_first, help_first, sort_at;
	int page_rows, operator_rows; /* as drawn last */
};

/* what, live and names: borrowed. */
void top_init(struct top *top, const struct live *live, const struct names *names, const char *what);

/* key: a character or an enum top_key. */
enum top_action top_key(struct top *top, uint32_t key);

/* Whether intervals are to end: not while the user has paused. */
bool top_is_paused(const struct top *top);

/* The whole page, at the size of the grid, which is empty. */
void top_draw(struct top *top, struct grid *grid);

/* One block of plain lines of the last interval. width: columns of a line. */
void top_print(struct top *top, FILE *out, int width);
/* The same as a JSON object on a line of its own (doc/top.md). time_ns: CLOCK_REALTIME. */
void top_print_json(struct top *top, FILE *out, uint64_t time_ns);

#endif
