// SPDX-License-Identifier: Apache-2.0
/* Tables of operators in figures, by node and by type: those of the report. */
#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)
#define PUT_name(value) query_put_name(to, at->query, value)
#define PUT_known(value) query_put_known(to, value)
#define PUT_count(value) query_put_count(to, value)
#define PUT_real(value) query_put_real(to, value)
#define PUT_flag(value) query_put_int(to, value)

static size_t count_nodes(const struct query *query)
{
	return query->summary->n_nodes;
}

static size_t count_types(const struct query *query)
{
	return query->summary->n_types;
}

static const struct summary_operator *node_at(const struct query_at *at)
{
	return &at->query->summary->nodes[at->row];
}

static const struct summary_operator *type_at(const struct query_at *at)
{
	return &at->query->summary->types[at->row];
}

static void put_model_name(sqlite3_context *to, const struct query *query, const struct summary_operator *row)
{
	if (row->model < query->summary->n_models)
		query_put_name(to, query, query->summary->models[row->model].name);
}

static void put_model(sqlite3_context *to, const struct query *query, const struct summary_operator *row)
{
	if (row->model < query->summary->n_models)
		query_put_count(to, (uint64_t)row->model + 1);
}

/* Of the time of the model's inferences that have operators. */
static void put_share(sqlite3_context *to, const struct query *query, const struct summary_operator *row)
{
	uint64_t wall_ns =
	    row->model < query->summary->n_models ? query->summary->models[row->model].coverage.wall_ns : 0;

	if (wall_ns)
		query_put_real(to, (double)row->share_ns / (double)wall_ns);
}

#define OF_ROWS(F) \
	F(op_type, name, op_type) \
	F(provider, name, provider) \
	F(calls, count, n) \
	F(failed, count, n_failed) \
	F(halted, count, n_halted) \
	F(halted_ns, count, halted_ns) \
	F(total, count, duration.total_ns) \
	F(self, count, self_ns) \
	F(share_ns, count, share_ns) \
	F(typical, count, typical_ns) \
	F(mean, real, duration.mean_ns) \
	F(min, count, duration.min_ns) \
	F(p50, count, duration.p50_ns) \
	F(p90, count, duration.p90_ns) \
	F(p99, count, duration.p99_ns) \
	F(max, count, duration.max_ns) \
	F(is_exact, flag, duration.is_exact) \
	F(bytes, known, bytes) \
	F(allocated, known, allocated)
#define GET_OF_NODE(name, how, field) \
	GET(node_##name) \
	{ \
		PUT_##how(node_at(at)->field); \
	}
#define GET_OF_TYPE(name, how, field) \
	GET(type_##name) \
	{ \
		PUT_##how(type_at(at)->field); \
	}
OF_ROWS(GET_OF_NODE)
OF_ROWS(GET_OF_TYPE)
GET_OF_NODE(name, name, name)
GET_OF_NODE(shapes, name, shapes)

#define GET_MODEL(of, what) \
	GET(of##_##what) \
	{ \
		put_##what(to, at->query, of##_at(at)); \
	}
GET_MODEL(node, model)
GET_MODEL(node, model_name)
GET_MODEL(node, share)
GET_MODEL(type, model)
GET_MODEL(type, model_name)
GET_MODEL(type, share)

#define FIGURES(of) \
	{ "calls", "INTEGER", "finished calls", get_##of##_calls }, \
	    { "calls_failed", "INTEGER", "of these, those that failed", get_##of##_failed }, \
	    { "calls_halted", "INTEGER", "calls during which the process was halted, which are in no other figure", \
	      get_##of##_halted }, \
	    { "halted_ns", "INTEGER", "their time, without the operators inside", get_##of##_halted_ns }, \
	    { "total_ns", "INTEGER", "sum of the durations", get_##of##_total }, \
	    { "self_ns", "INTEGER", "the same without the operators inside", get_##of##_self }, \
	    { "share_ns", "INTEGER", "its part of the inferences' time: a moment counts once, for the innermost", \
	      get_##of##_share_ns }, \
	    { "share", "REAL", "the same, of the time of the model's inferences, 0 to 1", get_##of##_share }, \
	    { "typical_ns", "INTEGER", "share_ns if each call had taken its node's median", get_##of##_typical }, \
	    { "mean_ns", "REAL", "mean duration", get_##of##_mean }, \
	    { "min_ns", "INTEGER", "shortest", get_##of##_min }, { "p50_ns", "INTEGER", "median", get_##of##_p50 }, \
	    { "p90_ns", "INTEGER", "90th percentile", get_##of##_p90 }, \
	    { "p99_ns", "INTEGER", "99th percentile", get_##of##_p99 }, \
	    { "max_ns", "INTEGER", "longest", get_##of##_max }, \
	    { "is_exact", "INTEGER", "1: percentiles are exact; 0: off by 0.4 % at most", get_##of##_is_exact }, \
	    { "bytes", "INTEGER", "bytes that went in and came out, all calls", get_##of##_bytes }, \
	{ \
		"allocated_bytes", "INTEGER", "bytes taken from allocators, all calls", get_##of##_allocated \
	}
#define MODEL(of) \
	{ "model", "TEXT", "name of the model", get_##of##_model_name }, \
	{ \
		"model_id", "INTEGER", "models.id", get_##of##_model \
	}

static const struct query_column node_columns[] = {
	MODEL(node),
	{ "name", "TEXT", "name of the node", get_node_name },
	{ "op_type", "TEXT", "its type", get_node_op_type },
	{ "provider", "TEXT", "the execution provider that ran it", get_node_provider },
	{ "shapes", "TEXT", "of its inputs, and `->` and those of its outputs where known", get_node_shapes },
	FIGURES(node),
};

const struct query_table query_table_operator_stats = {
	.name = "operator_stats",
	.what = "Each node of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.count = count_nodes,
	QUERY_COLUMNS(node_columns),
};

static const struct query_column type_columns[] = {
	MODEL(type),
	{ "op_type", "TEXT", "the type", get_type_op_type },
	{ "provider", "TEXT", "the execution provider that ran them", get_type_provider },
	FIGURES(type),
};

const struct query_table query_table_operator_types = {
	.name = "operator_types",
	.what = "Each type of operator of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.count = count_types,
	QUERY_COLUMNS(type_columns),
};
