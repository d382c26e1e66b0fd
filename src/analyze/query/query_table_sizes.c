// SPDX-License-Identifier: Apache-2.0
/* Inferences by the size of their inputs, as the report has them. */
#include "analyze/query/query_columns.h"

static size_t count(const struct query *query)
{
	return query->summary->n_sizes;
}

static const struct summary_size *size_at(const struct query_at *at)
{
	return &at->query->summary->sizes[at->row];
}

static void get_id(sqlite3_context *to, const struct query_at *at)
{
	query_put_count(to, at->row + 1);
}

static void get_model(sqlite3_context *to, const struct query_at *at)
{
	query_put_name(to, at->query, at->query->summary->models[size_at(at)->model].name);
}

static void get_model_id(sqlite3_context *to, const struct query_at *at)
{
	query_put_count(to, size_at(at)->model + 1);
}

static void get_shapes(sqlite3_context *to, const struct query_at *at)
{
	query_put_name(to, at->query, size_at(at)->shapes);
}

#define GET_COUNT(field) \
	static void get_##field(sqlite3_context *to, const struct query_at *at) \
	{ \
		query_put_count(to, size_at(at)->field); \
	}
GET_COUNT(elements)
GET_COUNT(n)
GET_COUNT(wall_ns)
GET_COUNT(p50_ns)
GET_COUNT(p90_ns)
GET_COUNT(p99_ns)

static const struct query_column columns[] = {
	{ "id", "INTEGER", "number of the row, from 1", get_id, QUERY_ROW },
	{ "model", "TEXT", "name of the model", get_model },
	{ "model_id", "INTEGER", "models.id", get_model_id },
	{ "elements", "INTEGER", "elements of all inputs together, on average", get_elements },
	{ "shapes", "TEXT", "shapes of one of them", get_shapes },
	{ "inferences", "INTEGER", "inferences of this size that count for the latency", get_n },
	{ "wall_ns", "INTEGER", "their time", get_wall_ns },
	{ "p50_ns", "INTEGER", "median latency", get_p50_ns },
	{ "p90_ns", "INTEGER", "90th percentile", get_p90_ns },
	{ "p99_ns", "INTEGER", "99th percentile", get_p99_ns },
};

const struct query_table query_table_sizes = {
	.name = "sizes",
	.what = "Latency by the size of the inputs, where their shapes are known: within a quarter of an octave of "
		"elements.",
	.rows = QUERY_LIST,
	.count = count,
	QUERY_COLUMNS(columns),
};
