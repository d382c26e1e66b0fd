// SPDX-License-Identifier: Apache-2.0
/* What a report says of the model itself, from its static analysis. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "experiment/model_in.h"
#include "model/onnx/onnx_weights.h"

static const char failure[] = "cannot report on the model";

static int64_t whole(double value)
{
	return isfinite(value) && value >= 0 && value < 9e18 ? (int64_t)value : -1;
}

/* Only what nodes of the graph do in every inference: names of bodies' nodes may repeat. */
static int fill_nodes(struct model_facts *facts, const struct cost_model *costs, struct arena *arena, struct err *err)
{
	struct model_node *nodes = arena_alloc(arena, (costs->n_nodes + 1) * sizeof *nodes);

	if (!nodes)
		return err_no_memory(err, failure);
	for (uint32_t i = 0; i < costs->n_nodes; i++) {
		const struct cost_node *from = &costs->nodes[i];
		if (from->depth)
			continue;
		nodes[facts->n_listed++] = (struct model_node){
			.name = from->name,
			.op_type = from->op_type,
			.inputs = from->node->node->inputs,
			.outputs = from->node->node->outputs,
			.n_inputs = from->node->node->n_inputs,
			.n_outputs = from->node->node->n_outputs,
			.flops = whole(from->cost.flops),
			.bytes = whole(from->cost.bytes),
		};
	}
	facts->nodes = nodes;
	facts->n_nodes = facts->n_listed;
	facts->n_inside = (int64_t)costs->n_nodes - facts->n_listed;
	return 0;
}

static const char *shape_text(const struct onnx_type *type, struct arena *arena)
{
	char text[512] = "";
	size_t used = 0;

	if (type->kind != ONNX_TENSOR || !type->has_shape)
		return NULL;
	if (!type->n_dims)
		return "scalar";
	for (uint32_t i = 0; i < type->n_dims && used < sizeof text; i++) {
		const struct onnx_dim *dim = &type->dims[i];
		used += (size_t)snprintf(text + used, sizeof text - used, "%s", i ? "x" : "");
		if (used < sizeof text && dim->value >= 0)
			used += (size_t)snprintf(text + used, sizeof text - used, "%lld", (long long)dim->value);
		else if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s", dim->name ? dim->name : "?");
	}
	return arena_keep(arena, text);
}

static const struct model_value *values(const struct onnx_value *from, uint32_t n, const struct shape_scope *scope,
					struct arena *arena, uint32_t *n_kept)
{
	struct model_value *to = arena_alloc(arena, (n + 1) * sizeof *to);

	*n_kept = 0;
	for (uint32_t i = 0; to && i < n; i++) {
		const struct shape_value *value = onnx_shape_find(scope, from[i].name);

		/* old files list weights among the inputs */
		if (value && value->is_initializer)
			continue;
		to[(*n_kept)++] = (struct model_value){ from[i].name, onnx_elem_name(from[i].type.elem),
							shape_text(&from[i].type, arena) };
	}
	return to;
}

/* As recordings call it: its file, without folder and suffix. */
static const char *name_of(const char *path, struct arena *arena)
{
	const char *name = basename(path), *dot = strrchr(name, '.');

	return arena_keep_part(arena, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static void fill_head(struct model_facts *facts, const struct onnx_model *model, struct arena *arena)
{
	char text[512];
	size_t used = 0;

	snprintf(text, sizeof text, "%s%s%s", model->producer_name, *model->producer_version ? " " : "",
		 model->producer_version);
	facts->producer = *text ? arena_keep(arena, text) : NULL;
	*text = 0;
	for (uint32_t i = 0; i < model->n_opsets && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %lld", used ? ", " : "",
					 *model->opsets[i].domain ? model->opsets[i].domain : "ai.onnx",
					 (long long)model->opsets[i].version);
	facts->opset = *text ? arena_keep(arena, text) : NULL;
}

int model_fill_facts(struct model_facts *facts, const struct model_static *analysis, struct arena *arena,
		     struct err *err)
{
	const struct onnx_model *model = &analysis->model;
	const struct cost_model *costs = &analysis->costs;
	const struct shape_scope *scope = analysis->shapes.main;

	facts->path = model->path;
	facts->file_bytes = (int64_t)model->file.size;
	facts->name = name_of(model->path, arena);
	facts->graph_missing = analysis->graph_missing;
	if (facts->graph_missing)
		return 0;
	fill_head(facts, model, arena);
	facts->inputs = values(model->graph.inputs, model->graph.n_inputs, scope, arena, &facts->n_inputs);
	facts->outputs = values(model->graph.outputs, model->graph.n_outputs, NULL, arena, &facts->n_outputs);
	facts->n_parameters = whole(costs->total.parameters);
	facts->weight_bytes = whole(costs->total.weight_bytes);
	facts->read_bytes = onnx_weights_read(model);
	facts->flops = whole(costs->total.flops);
	facts->bytes = whole(costs->total.bytes);
	facts->n_unknown = costs->n_unknown;
	if (!facts->inputs || !facts->outputs)
		return err_no_memory(err, failure);
	return fill_nodes(facts, costs, arena, err);
}
