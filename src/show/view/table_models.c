// SPDX-License-Identifier: Apache-2.0
/* The table of models, and the histogram of latencies. */
#include <math.h>
#include <stdlib.h>

#include "show/view/latencies.h"
#include "show/view/view_table.h"

static const struct view_table_column columns[] = {
	{ "model", "Model", "", "text" },
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
	cell[1] = view_table_number(process ? process->def.pid : NAN);
	cell[2] = view_table_number((double)row->n_sessions);
	cell[3] = view_table_number(row->n_sessions ? (double)row->creation_ns : NAN);
	cell[4] = view_table_number((double)row->n);
	cell[5] = view_table_number((double)row->n_failed);
	cell[6] = view_table_number((double)row->n_open);
	cell[7] = view_table_number(n_ended > 1 ? (double)n_ended / seconds : NAN);
	cell[8] = view_table_number((double)row->wall_ns);
	cell[9] = view_table_number(stats_mean(&row->stats));
	cell[10] = view_table_number(percentile(&row->stats, 0.5));
	cell[11] = view_table_number(percentile(&row->stats, 0.9));
	cell[12] = view_table_number(percentile(&row->stats, 0.99));
	cell[13] = view_table_number(row->stats.n ? (double)row->stats.max : NAN);
	cell[14] = view_table_number((double)row->stats.n);
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

		if (cell)
			fill(view, &row[i], cell);
	}
	view_table_finish(&to->table, answer);
}

static void freed(struct latencies *latencies)
{
	view_table_done(&((struct models *)latencies)->table);
}

struct http_job *table_models(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct models *to;
	struct view_table table;

	if (!view_table_init(&table, columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort"))
		table.query.sort = 8;
	to = latencies_new(view, sizeof *to, request, answer);
	if (!to)
		return NULL;
	to->table = table;
	to->latencies.finished = finish;
	to->latencies.freed = freed;
	return &to->latencies.scan.job;
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
	struct latencies *to = latencies_new(view, sizeof *to, request, answer);

	if (!to)
		return NULL;
	to->as_one = true;
	to->finished = put_histogram;
	return &to->scan.job;
}
