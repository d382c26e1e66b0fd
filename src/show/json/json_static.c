// SPDX-License-Identifier: Apache-2.0
/* The static analysis of a model as JSON, doc/model-file-json.md. What is not known is null; fields are only ever
 * added. */
#include <stdlib.h>
#include <string.h>

#include "show/words/export.h"

static void put_bytes(struct json *json, const char *key, struct onnx_bytes bytes)
{
	char *text = bytes.data ? strndup((const char *)bytes.data, bytes.size) : NULL;

	json_text(json, key, text);
	free(text);
}

static void put_text(struct json *json, const char *key, const char *text)
{
	json_text(json, key, text && *text ? text : NULL);
}

/* Whole numbers as such, however large. */
static void put_number(struct json *json, const char *key, double value)
{
	if (fabs(value) < 9e15 && value == floor(value))
		json_int(json, key, (int64_t)value);
	else
		json_real(json, key, value);
}

static const char *domain_name(const char *domain)
{
	return *domain ? domain : "ai.onnx";
}

static void put_shape(struct json *json, const struct onnx_type *type)
{
	if (!type->has_shape) {
		json_null(json, "shape");
		return;
	}
	json_array(json, "shape");
	for (uint32_t i = 0; i < type->n_dims; i++) {
		if (type->dims[i].value >= 0)
			json_int(json, NULL, type->dims[i].value);
		else
			json_text(json, NULL, type->dims[i].name);
	}
	json_end(json, ']');
}

/* Members of the innermost object; types inside as "of". As deep as the reader allows. */
static void put_type(struct json *json, const struct onnx_type *type)
{
	static const char *const kinds[] = { NULL, "tensor", "sparse_tensor", "sequence", "map", "optional", "opaque" };

	json_text(json, "kind", kinds[type->kind]);
	json_text(json, "element_type", onnx_elem_name(type->elem));
	put_shape(json, type);
	if (type->inner) {
		json_object(json, "of");
		put_type(json, type->inner);
		json_end(json, '}');
	}
}

static void put_value(struct json *json, const struct shape_value *value)
{
	json_object(json, NULL);
	json_text(json, "name", value->name);
	put_type(json, &value->type);
	json_end(json, '}');
}

static void put_head(struct json *json, const struct model_static *analysis)
{
	const struct onnx_model *model = &analysis->model;

	json_text(json, "file", model->path);
	json_int(json, "file_bytes", (int64_t)model->file.size);
	json_int(json, "ir_version", model->ir_version);
	put_text(json, "producer", model->producer_name);
	put_text(json, "producer_version", model->producer_version);
	put_text(json, "domain", model->domain);
	json_int(json, "model_version", model->version);
	put_bytes(json, "description", model->doc);
	json_array(json, "opsets");
	for (uint32_t i = 0; i < model->n_opsets; i++) {
		json_object(json, NULL);
		json_text(json, "domain", domain_name(model->opsets[i].domain));
		json_int(json, "version", model->opsets[i].version);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_int(json, "newest_known_opset", ONNX_NEWEST_OPSET);
	json_array(json, "metadata");
	for (uint32_t i = 0; i < model->n_metadata; i++) {
		json_object(json, NULL);
		put_bytes(json, "key", model->metadata[i].key);
		put_bytes(json, "value", model->metadata[i].value);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_graph(struct json *json, const struct model_static *analysis)
{
	const struct onnx_model *model = &analysis->model;
	const struct shape_scope *scope = analysis->shapes.main;

	json_object(json, "graph");
	put_text(json, "name", model->graph.name);
	put_bytes(json, "description", model->graph.doc);
	json_int(json, "nodes", model->graph.n_nodes);
	json_int(json, "all_nodes", analysis->n_all_nodes);
	json_int(json, "inner_graphs", model->n_graphs - 1);
	json_int(json, "functions", model->n_functions);
	json_int(json, "training_parts", model->n_training);
	json_end(json, '}');
	json_array(json, "inputs");
	for (uint32_t i = 0; i < scope->n_inputs; i++) {
		if (!scope->inputs[i]->is_initializer)
			put_value(json, scope->inputs[i]);
	}
	json_end(json, ']');
	json_array(json, "outputs");
	for (uint32_t i = 0; i < scope->n_outputs; i++)
		put_value(json, scope->outputs[i]);
	json_end(json, ']');
}

static void put_size(struct json *json, const char *key, int64_t size)
{
	if (size < 0)
		json_null(json, key);
	else
		json_int(json, key, size);
}

static void put_free_dim(void *ctx, const struct model_free_dim *dim)
{
	struct json *json = ctx;

	json_object(json, NULL);
	json_text(json, "name", dim->name);
	json_text(json, "input", dim->input);
	json_int(json, "axis", dim->axis);
	put_size(json, "given", dim->given);
	put_size(json, "counted_as", dim->counted);
	json_end(json, '}');
}

static void put_cost(struct json *json, const struct cost *cost)
{
	put_number(json, "flops", cost->flops);
	put_number(json, "bytes", cost->bytes);
	put_number(json, "weight_bytes", cost->weight_bytes);
	put_number(json, "parameters", cost->parameters);
}

static void put_total(struct json *json, const struct cost_model *costs)
{
	json_object(json, "total");
	put_cost(json, &costs->total);
	json_real(json, "flops_per_byte", costs->total.bytes > 0 ? costs->total.flops / costs->total.bytes : NAN);
	json_int(json, "nodes", costs->n_nodes);
	json_int(json, "nodes_not_known", costs->n_unknown);
	json_int(json, "nodes_computed_once", costs->n_constant);
	json_end(json, '}');
	json_array(json, "operators");
	for (uint32_t i = 0; i < costs->n_types; i++) {
		const struct cost_type *type = &costs->types[i];

		json_object(json, NULL);
		json_text(json, "op_type", type->op_type);
		json_text(json, "domain", domain_name(type->domain));
		json_int(json, "nodes", type->n);
		json_int(json, "nodes_not_known", type->n_unknown);
		put_cost(json, &type->cost);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_nodes(struct json *json, const struct cost_model *costs)
{
	json_array(json, "nodes");
	for (uint32_t i = 0; i < costs->n_nodes; i++) {
		const struct cost_node *node = &costs->nodes[i];

		json_object(json, NULL);
		json_text(json, "name", node->name);
		json_text(json, "op_type", node->op_type);
		json_text(json, "domain", domain_name(node->domain));
		json_int(json, "depth", node->depth);
		put_number(json, "times", node->times);
		json_bool(json, "is_computed_once", node->is_constant);
		put_cost(json, &node->cost);
		json_text(json, "flops_rule", node->rule);
		json_text(json, "not_known_because", node->why);
		json_array(json, "outputs");
		for (uint32_t o = 0; o < node->node->node->n_outputs; o++) {
			if (node->node->outputs[o])
				put_value(json, node->node->outputs[o]);
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_weights(struct json *json, const struct model_static *analysis)
{
	json_array(json, "initializers");
	for (uint32_t e = 0; e < TENSOR_N_TYPES; e++) {
		const struct model_weights *weights = &analysis->weights[e];

		if (!weights->n)
			continue;
		json_object(json, NULL);
		json_text(json, "element_type", onnx_elem_name(e));
		json_int(json, "tensors", weights->n);
		put_number(json, "elements", weights->elements);
		put_number(json, "bytes", weights->bytes);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_array(json, "external_data");
	for (uint32_t i = 0; i < analysis->externals.n; i++) {
		const struct onnx_external *file = &analysis->externals.files[i];

		json_object(json, NULL);
		json_text(json, "location", file->location);
		json_int(json, "tensors", file->n_tensors);
		json_int(json, "bytes", file->bytes);
		put_number(json, "file_bytes", file->file_bytes < 0 ? NAN : (double)file->file_bytes);
		json_text(json, "problem", file->problem);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_array(json, "repeated_initializers");
	for (uint32_t i = 0; i < analysis->repeats.n; i++) {
		json_object(json, NULL);
		json_text(json, "first", analysis->repeats.groups[i].tensor->name);
		json_int(json, "tensors", analysis->repeats.groups[i].n);
		json_int(json, "bytes", (int64_t)analysis->repeats.groups[i].tensor->raw.size);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void export_static_json(struct json *json, const struct model_static *analysis)
{
	put_head(json, analysis);
	put_graph(json, analysis);
	json_array(json, "free_dimensions");
	model_static_free_dims(analysis, put_free_dim, json);
	json_end(json, ']');
	put_total(json, &analysis->costs);
	put_weights(json, analysis);
	json_array(json, "local_functions");
	for (uint32_t i = 0; i < analysis->model.n_functions; i++) {
		json_object(json, NULL);
		json_text(json, "name", analysis->model.functions[i].name);
		json_text(json, "domain", domain_name(analysis->model.functions[i].domain));
		json_int(json, "nodes", analysis->model.functions[i].n_nodes);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_int(json, "contradictions", analysis->shapes.n_conflicts);
	json_text(json, "first_contradiction", analysis->shapes.conflict);
	json_bool(json, "is_cut_short", analysis->shapes.is_cut);
	put_nodes(json, &analysis->costs);
}
