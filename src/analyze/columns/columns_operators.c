// SPDX-License-Identifier: Apache-2.0
/* Operators of each model in figures, by node and by type. */
#include <math.h>

#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_operator, field)

static bool has_shapes(const void *row)
{
	return !((const struct summary_operator *)row)->has_more_shapes;
}

static bool has_matrix(const void *row)
{
	return !isnan(((const struct summary_operator *)row)->read_rate);
}

static const struct column columns[] = {
	{ NULL, "model", "name of the model", COLUMN_MODEL_NAME, AT(model) },
	{ NULL, "model_id", "models.id", COLUMN_MODEL, AT(model) },
	{ "name", "name", "name of the node", COLUMN_TEXT, AT(name), .is_for_some = true },
	{ "op_type", "op_type", "type of the operator", COLUMN_TEXT, AT(op_type) },
	{ "provider", "provider", "the execution provider that ran it", COLUMN_TEXT, AT(provider) },
	{ NULL, "shapes", "of its inputs, and `->` and those of its outputs where known", COLUMN_TEXT, AT(shapes),
	  .is_for_some = true },
	{ "calls", "calls", "finished calls", COLUMN_COUNT, AT(n) },
	{ "not_ended", NULL, NULL, COLUMN_COUNT, AT(n_open) },
	{ "failed", "calls_failed", "of these, those that failed", COLUMN_COUNT, AT(n_failed) },
	{ "halted", "calls_halted", "calls during which the process was halted, which are in no other figure",
	  COLUMN_COUNT, AT(n_halted) },
	{ "halted_ns", "halted_ns", "their time, without the operators inside", COLUMN_COUNT, AT(halted_ns) },
	{ NULL, "total_ns", "sum of the durations", COLUMN_COUNT, AT(duration.total_ns) },
	{ "self_ns", "self_ns", "the same without the operators inside", COLUMN_COUNT, AT(self_ns) },
	{ "share_ns", "share_ns", "its part of the inferences' time: a moment counts once, for the innermost",
	  COLUMN_COUNT, AT(share_ns) },
	{ "share", "share", "the same, of the time of the model's inferences, 0 to 1", COLUMN_SHARE, AT(share_ns) },
	{ "share_so_far", NULL, NULL, COLUMN_SHARE_SO_FAR, AT(share_ns) },
	{ "typical_ns", "typical_ns", "share_ns if each call had taken its node's median", COLUMN_COUNT,
	  AT(typical_ns) },
	{ "duration", NULL, NULL, COLUMN_SPREAD, AT(duration) },
	{ NULL, "mean_ns", "mean duration", COLUMN_REAL, AT(duration.mean_ns) },
	{ NULL, "min_ns", "shortest", COLUMN_COUNT, AT(duration.min_ns) },
	{ NULL, "p50_ns", "median", COLUMN_COUNT, AT(duration.p50_ns) },
	{ NULL, "p90_ns", "90th percentile", COLUMN_COUNT, AT(duration.p90_ns) },
	{ NULL, "p99_ns", "99th percentile", COLUMN_COUNT, AT(duration.p99_ns) },
	{ NULL, "max_ns", "longest", COLUMN_COUNT, AT(duration.max_ns) },
	{ NULL, "is_exact", "1: percentiles are exact; 0: off by 0.4 % at most", COLUMN_FLAG, AT(duration.is_exact) },
	{ "runs_others", NULL, NULL, COLUMN_FLAG, AT(has_children) },
	{ "shapes", NULL, NULL, COLUMN_TEXT, AT(shapes), .is_known = has_shapes },
	{ "bytes", "bytes", "bytes that went in and came out, all calls", COLUMN_KNOWN, AT(bytes) },
	{ "matrix_bytes", "matrix_bytes", "of the matrices that a `mul_mat` of llama.cpp reads, all calls",
	  COLUMN_COUNT, AT(matrix_bytes), .is_known = has_matrix },
	{ "matrix_bytes_per_s", "matrix_bytes_per_s", "the same, a second of self_ns", COLUMN_REAL, AT(read_rate) },
	{ "allocated_bytes", "allocated_bytes", "bytes taken from allocators, all calls", COLUMN_KNOWN, AT(allocated) },
	{ "kernels", "kernels", "kernels and copies of a device that it asked for", COLUMN_COUNT, AT(n_kernels) },
	{ "device_ns", "device_ns", "their time on the device, added up; that on the host is in which it launched them",
	  COLUMN_COUNT, AT(device_ns), .if_any = AT(n_kernels) },
};

/* The time of the model's inferences that have operators. */
static uint64_t whole(const struct summary *summary, const void *row)
{
	uint32_t model = ((const struct summary_operator *)row)->model;

	return model < summary->n_models ? summary->models[model].coverage.wall_ns : 0;
}

const struct column_list columns_nodes = { COLUMN_ROWS(nodes), COLUMN_LIST(columns), .have_all = true, .whole = whole };
const struct column_list columns_types = { COLUMN_ROWS(types), COLUMN_LIST(columns), .whole = whole };
