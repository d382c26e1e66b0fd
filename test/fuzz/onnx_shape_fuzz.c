// SPDX-License-Identifier: Apache-2.0
/* A model's file, any bytes: analyses models that can be read, and checks the results. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/onnx/onnx_cost.h"

static size_t n_seen;

static void see_value(const struct shape_value *value)
{
	if (!value)
		return;
	n_seen += strlen(value->name);
	for (uint32_t i = 0; i < value->type.n_dims; i++) {
		if (value->type.dims[i].value < -1)
			abort();
		n_seen += value->type.dims[i].name ? strlen(value->type.dims[i].name) : 0;
	}
	for (uint32_t i = 0; i < value->n_elems; i++)
		n_seen += (size_t)value->elems[i].value;
}

static void see_costs(const struct cost_model *costs)
{
	for (uint32_t i = 0; i < costs->n_nodes; i++) {
		const struct cost_node *node = &costs->nodes[i];

		/* Known, or with a reason; never negative. */
		if (node->cost.flops < 0 || node->cost.bytes < 0 || (isnan(node->cost.flops) && !node->why))
			abort();
		for (uint32_t o = 0; o < node->node->node->n_outputs; o++)
			see_value(node->node->outputs[o]);
	}
	if (!isfinite(costs->total.flops) && !isinf(costs->total.flops))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shape_dim dims[] = { { .name = "batch", .value = 4 }, { .name = "x:0", .value = 2 } };
	struct shape_model shapes = { 0 };
	struct cost_model costs = { 0 };
	struct onnx_model model;
	struct err err = { 0 };

	if (!onnx_read_bytes(&model, data, size, &err) && !onnx_shape_infer(&shapes, &model, dims, 2, &err)) {
		if (onnx_cost_count(&costs, &shapes, &err))
			abort();
		see_costs(&costs);
	}
	onnx_cost_done(&costs);
	onnx_shape_done(&shapes);
	onnx_done(&model);
	return 0;
}
