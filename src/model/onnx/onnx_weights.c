// SPDX-License-Identifier: Apache-2.0
/*
 * The weights that an inference reads as a whole: those of every initializer that some node takes, unless all of these
 * look rows up in it, as an embedding does. Subgraphs are included. Not known of models that run some experts of many.
 */
#include "model/onnx/onnx_weights.h"

#include <string.h>
#include <strings.h>

#include "model/onnx/onnx_in.h"

/* Operators that read a few rows of their first input. */
static bool looks_rows_up(const struct onnx_node *node, uint32_t input)
{
	return !input && onnx_op_in("Gather GatherBlockQuantized GatherElements GatherND EmbeddingBag", node->op_type);
}

struct reading {
	struct onnx_map read; /* names of values that are read as a whole */
	bool is_unknown, is_out_of_memory;
};

static void add_nodes(struct reading *to, const struct onnx_node *nodes, uint32_t n, int depth)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct onnx_node *node = &nodes[i];

		to->is_unknown |= onnx_op_in("MoE QMoE", node->op_type);
		for (uint32_t k = 0; k < node->n_inputs; k++)
			if (*node->inputs[k] && !looks_rows_up(node, k))
				to->is_out_of_memory |= onnx_map_put(&to->read, node->inputs[k], to) != 0;
		for (uint32_t a = 0; a < node->n_attrs && depth > 0; a++)
			for (uint32_t g = 0; node->attrs[a].graphs && g < node->attrs[a].n; g++)
				add_nodes(to, node->attrs[a].graphs[g].nodes, node->attrs[a].graphs[g].n_nodes,
					  depth - 1);
	}
}

int64_t onnx_weights_read(const struct onnx_model *model)
{
	struct arena arena = { 0 };
	struct reading reading = { .read = { .arena = &arena } };
	const struct onnx_graph *graph = &model->graph;
	int64_t bytes = 0;

	add_nodes(&reading, graph->nodes, graph->n_nodes, 16);
	for (uint32_t i = 0; i < graph->n_outputs; i++)
		reading.is_out_of_memory |= onnx_map_put(&reading.read, graph->outputs[i].name, &reading) != 0;
	for (uint32_t i = 0; i < graph->n_initializers && bytes >= 0; i++) {
		int64_t own = onnx_tensor_bytes(&graph->initializers[i]);

		if (!onnx_map_get(&reading.read, graph->initializers[i].name))
			continue;
		if (own < 0 || __builtin_add_overflow(bytes, own, &bytes))
			bytes = -1;
	}
	arena_done(&arena);
	return reading.is_unknown || reading.is_out_of_memory ? -1 : bytes;
}
