// SPDX-License-Identifier: Apache-2.0
/* A model's file: any bytes. Walks the result, so that every array must be as long as it claims. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_external.h"

static size_t n_seen;

static void see_text(const char *text)
{
	n_seen += strlen(text);
}

static void see_bytes(struct onnx_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		n_seen += bytes.data[i];
}

static void see_tensor(const struct onnx_tensor *tensor)
{
	int64_t values[16];

	see_text(tensor->name);
	see_bytes(tensor->raw);
	for (uint32_t i = 0; i < tensor->n_dims; i++)
		n_seen += (size_t)tensor->dims[i];
	if (onnx_tensor_ints(tensor, values, 16) > 0)
		n_seen += (size_t)values[0];
}

static void see_type(const struct onnx_type *type)
{
	for (uint32_t i = 0; i < type->n_dims; i++)
		n_seen += type->dims[i].name ? strlen(type->dims[i].name) : (size_t)type->dims[i].value;
	if (type->inner)
		see_type(type->inner);
}

static void see_values(const struct onnx_value *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		see_text(values[i].name);
		see_type(&values[i].type);
	}
}

static void see_graph(const struct onnx_graph *graph);

static void see_attr(const struct onnx_attr *attr)
{
	see_text(attr->name);
	for (uint32_t i = 0; i < attr->n; i++) {
		if (attr->ints)
			n_seen += (size_t)attr->ints[i];
		if (attr->floats)
			n_seen += attr->floats[i] > 0;
		if (attr->strings)
			see_bytes(attr->strings[i]);
		if (attr->tensors)
			see_tensor(&attr->tensors[i]);
		if (attr->graphs)
			see_graph(&attr->graphs[i]);
		if (attr->types)
			see_type(&attr->types[i]);
	}
}

static void see_nodes(const struct onnx_node *nodes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		see_text(nodes[i].name);
		see_text(nodes[i].op_type);
		for (uint32_t k = 0; k < nodes[i].n_inputs; k++)
			see_text(nodes[i].inputs[k]);
		for (uint32_t k = 0; k < nodes[i].n_outputs; k++)
			see_text(nodes[i].outputs[k]);
		for (uint32_t k = 0; k < nodes[i].n_attrs; k++)
			see_attr(&nodes[i].attrs[k]);
	}
}

static void see_graph(const struct onnx_graph *graph)
{
	for (uint32_t i = 0; i < graph->n_initializers; i++)
		see_tensor(&graph->initializers[i]);
	for (uint32_t i = 0; i < graph->n_sparse; i++)
		see_tensor(&graph->sparse[i].values);
	see_values(graph->inputs, graph->n_inputs);
	see_values(graph->outputs, graph->n_outputs);
	see_values(graph->values, graph->n_values);
	see_nodes(graph->nodes, graph->n_nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct onnx_externals externals;
	struct onnx_model model;
	struct err err = { 0 };
	int code = onnx_read_bytes(&model, data, size, &err);

	/* One clear error, or none. */
	if ((code < 0) != (err.code > 0) || (code < 0 && !*err.msg))
		abort();
	if (!code) {
		see_graph(&model.graph);
		for (uint32_t i = 0; i < model.n_functions; i++)
			see_nodes(model.functions[i].nodes, model.functions[i].n_nodes);
		if (onnx_external_find(&model, &externals, &err))
			abort();
	}
	onnx_done(&model);
	return 0;
}
