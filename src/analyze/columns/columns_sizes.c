// SPDX-License-Identifier: Apache-2.0
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_size, field)

static const struct column columns[] = {
	{ NULL, "id", "number of the row, from 1", COLUMN_ROW },
	{ NULL, "model", "name of the model", COLUMN_MODEL_NAME, AT(model) },
	{ NULL, "model_id", "models.id", COLUMN_MODEL, AT(model) },
	{ "elements", "elements", "elements of all inputs together, on average", COLUMN_COUNT, AT(elements) },
	{ "shapes", "shapes", "shapes of one of them", COLUMN_TEXT, AT(shapes) },
	{ "count", "inferences", "inferences of this size that count for the latency", COLUMN_COUNT, AT(n) },
	{ "wall_ns", "wall_ns", "their time", COLUMN_COUNT, AT(wall_ns) },
	{ "p50_ns", "p50_ns", "median latency", COLUMN_COUNT, AT(p50_ns) },
	{ "p90_ns", "p90_ns", "90th percentile", COLUMN_COUNT, AT(p90_ns) },
	{ "p99_ns", "p99_ns", "99th percentile", COLUMN_COUNT, AT(p99_ns) },
	{ "input", "input", "the input, from 1, that differs most between the sizes of the model", COLUMN_ID,
	  AT(input) },
	{ "axis", "axis", "its dimension, from 0, that differs most", COLUMN_KNOWN, AT(axis) },
	{ "axis_length", "axis_length", "how long this dimension is, in shapes", COLUMN_KNOWN, AT(axis_length) },
};

const struct column_list columns_sizes = { COLUMN_ROWS(sizes), COLUMN_LIST(columns) };
