// SPDX-License-Identifier: Apache-2.0
/* The tables of models, of their processes and of the sizes of their inputs; the histogram of latencies. */
#include <math.h>
#include <stdlib.h>

#include "show/view/view_scan.h"
#include "show/view/view_table.h"

static const struct view_table_column columns[] = {
	{ "model", "Model", "", "text" },
	{ "program", "Program", "", "text" },
	{ "processes", "Processes", "", "number" },
	{ "pid", "Process", "", "number" },
	{ "sessions", "Sessions", "", "number" },
	{ "creation_ns", "Creation", "ns", "number" },
	{ "inferences", "Inferences", "", "number" },
	{ "failed", "Failed", "", "number" },
	{ "cut", "Cut off", "", "number" },
	{ "rate", "Inferences a second", "", "number" },
	{ "total_ns", "Time", "ns", "number" },
	{ "mean_ns", "Mean", "ns", "number" },
	{ "p50_ns", "Median", "ns", "number" },
	{ "p90_ns", "p90", "ns", "number" },
	{ "p99_ns", "p99", "ns", "number" },
	{ "max_ns", "Slowest", "ns", "number" },
	{ "measured", "Measured", "", "number" },
	{ NULL },
};

static const struct view_table_column size_columns[] = {
	{ "model", "Model", "", "text" },
	{ "elements", "Input elements", "", "number" },
	{ "shapes", "Shapes of one", "", "text" },
	{ "inferences", "Inferences", "", "number" },
	{ "share", "Share", "percent", "number" },
	{ "total_ns", "Time", "ns", "number" },
	{ "time_share", "Share of time", "percent", "number" },
	{ "p50_ns", "Median", "ns", "number" },
	{ "p90_ns", "p90", "ns", "number" },
	{ "p99_ns", "p99", "ns", "number" },
	{ NULL },
};

enum { TOTAL = 10, ELEMENTS = 1 };

struct models {
	struct latencies latencies;
	struct view_table table;
};

static double percentile(struct stats *stats, double share)
{
	return stats->n ? (double)stats_percentile(stats, share) : NAN;
}

static void fill(const struct view *view, struct latency *row, struct view_table_cell *cell)
{
	const struct store_track *process = store_track(view->store, row->process);
	uint64_t n_ended = row->n - row->n_open;
	double seconds = row->last_ns > row->first_ns ? (double)(row->last_ns - row->first_ns) / 1e9 : NAN;

	cell[0] = view_table_text(view_name(view, row->model));
	cell[1] = view_table_text(process ? view_name(view, process->def.name) : NULL);
	cell[2] = view_table_number(row->n_processes);
	cell[3] = view_table_number(process && row->n_processes == 1 ? process->def.pid : NAN);
	cell[4] = view_table_number((double)row->n_sessions);
	cell[5] = view_table_number(row->n_sessions ? (double)row->creation_ns : NAN);
	cell[6] = view_table_number((double)row->n);
	cell[7] = view_table_number((double)row->n_failed);
	cell[8] = view_table_number((double)row->n_open);
	cell[9] = view_table_number(n_ended > 1 ? (double)n_ended / seconds : NAN);
	cell[10] = view_table_number((double)row->wall_ns);
	cell[11] = view_table_number(stats_mean(&row->stats));
	cell[12] = view_table_number(percentile(&row->stats, 0.5));
	cell[13] = view_table_number(percentile(&row->stats, 0.9));
	cell[14] = view_table_number(percentile(&row->stats, 0.99));
	cell[15] = view_table_number(row->stats.n ? (double)row->stats.max : NAN);
	cell[16] = view_table_number((double)row->stats.n);
}

/* all: the sizes of its model together. */
static void fill_size(const struct view *view, struct latency *row, const struct latency *all,
		      struct view_table_cell *cell)
{
	cell[0] = view_table_text(view_name(view, row->model));
	cell[1] = view_table_number(round((double)row->elements / (double)row->n));
	cell[2] = view_table_text(view_name(view, row->shapes));
	cell[3] = view_table_number((double)row->n);
	cell[4] = view_table_number(100 * (double)row->n / (double)all->n);
	cell[5] = view_table_number((double)row->wall_ns);
	cell[6] = view_table_number(100 * (double)row->wall_ns / (double)all->wall_ns);
	cell[7] = view_table_number(percentile(&row->stats, 0.5));
	cell[8] = view_table_number(percentile(&row->stats, 0.9));
	cell[9] = view_table_number(percentile(&row->stats, 0.99));
}

/* All sizes of the model of a row. */
static struct latency sum_of(const struct latencies *latencies, const struct latency *row)
{
	const struct latency *other = latencies->rows.data;
	struct latency all = { .n = 0 };

	for (size_t i = 0; i < latencies->rows.n; i++)
		if (other[i].group == row->group) {
			all.n += other[i].n;
			all.wall_ns += other[i].wall_ns;
		}
	return all;
}

static void finish(struct latencies *latencies, struct http_answer *answer)
{
	struct models *to = (struct models *)latencies;
	const struct view *view = latencies->scan.view;
	struct latency *row = latencies->rows.data;

	for (size_t i = 0; i < latencies->rows.n; i++) {
		const char *name = view_name(view, row[i].model);
		struct view_table_cell *cell =
		    view_table_wants(&to->table, name, name, NULL) ? view_table_row(&to->table) : NULL;

		if (cell && latencies->by == LATENCIES_BY_SIZE) {
			struct latency all = sum_of(latencies, &row[i]);

			fill_size(view, &row[i], &all, cell);
		} else if (cell) {
			fill(view, &row[i], cell);
		}
	}
	view_table_finish(&to->table, answer);
}

static void freed(struct latencies *latencies)
{
	view_table_done(&((struct models *)latencies)->table);
}

static struct http_job *table_by(struct view *view, enum latencies_by by, const struct http_request *request,
				 struct http_answer *answer)
{
	bool is_of_sizes = by == LATENCIES_BY_SIZE;
	struct models *to;
	struct view_table table;

	if (!view_table_init(&table, is_of_sizes ? size_columns : columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort"))
		table.query.sort = is_of_sizes ? ELEMENTS : TOTAL;
	to = latencies_new(view, sizeof *to, by, request, answer);
	if (!to)
		return NULL;
	to->table = table;
	to->latencies.finished = finish;
	to->latencies.freed = freed;
	return &to->latencies.scan.job;
}

struct http_job *table_models(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	return table_by(view, LATENCIES_BY_MODEL, request, answer);
}

struct http_job *table_processes(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	return table_by(view, LATENCIES_BY_PROCESS, request, answer);
}

struct http_job *table_sizes(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	return table_by(view, LATENCIES_BY_SIZE, request, answer);
}

static void put_histogram(struct latencies *latencies, struct http_answer *answer)
{
	enum { BINS = 64 };
	struct latency *row = latencies->rows.n ? latencies->rows.data : NULL;
	uint32_t n = row && row->stats.n ? row->stats.min == row->stats.max ? 1 : BINS : 0;
	uint64_t counts[BINS] = { 0 };
	struct view_text text;

	if (n)
		stats_buckets(&row->stats, n, counts);
	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		json_array(&text.json, "edges");
		for (uint32_t i = 0; n && i <= n; i++)
			json_real(&text.json, NULL, stats_edge(row->stats.min, row->stats.max, n, i));
		json_end(&text.json, ']');
		json_array(&text.json, "counts");
		for (uint32_t i = 0; i < n; i++)
			json_count(&text.json, NULL, counts[i]);
		json_end(&text.json, ']');
		json_count(&text.json, "n", n ? row->stats.n : 0);
		json_real(&text.json, "mean_ns", n ? stats_mean(&row->stats) : NAN);
		json_real(&text.json, "p50_ns", n ? percentile(&row->stats, 0.5) : NAN);
		json_real(&text.json, "p90_ns", n ? percentile(&row->stats, 0.9) : NAN);
		json_real(&text.json, "p99_ns", n ? percentile(&row->stats, 0.99) : NAN);
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
}

VIEW_ANSWER(histogram)
{
	struct latencies *to = latencies_new(view, sizeof *to, LATENCIES_AS_ONE, request, answer);

	if (!to)
		return NULL;
	to->finished = put_histogram;
	return &to->scan.job;
}
