// SPDX-License-Identifier: Apache-2.0
/* Puts together what src/model finds out about a file. */
#include "cmd/model_static.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int model_static_dims(struct model_static *to, const struct opt_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *sign = strrchr(list->item[i], '=');
		long long value;
		char *end;

		errno = 0;
		value = sign ? strtoll(sign + 1, &end, 10) : 0;
		if (!sign || sign == list->item[i] || end == sign + 1 || *end || errno || value < 0)
			return cmd_misused(err, "\"%s\" is no dimension; write its name and its size: --dim batch=4",
					   list->item[i]);
		/* The words of the command line may be written to. */
		*(char *)sign = 0;
		to->dims[to->n_dims++] = (struct shape_dim){ .name = list->item[i], .value = value };
	}
	return 0;
}

static void count_graph(struct model_static *to, const struct onnx_graph *graph);

static void count_nodes(struct model_static *to, const struct onnx_node *nodes, uint32_t n)
{
	to->n_all_nodes += n;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t a = 0; a < nodes[i].n_attrs; a++) {
			const struct onnx_attr *attr = &nodes[i].attrs[a];

			for (uint32_t g = 0; attr->graphs && g < attr->n; g++)
				count_graph(to, &attr->graphs[g]);
		}
	}
}

static void count_graph(struct model_static *to, const struct onnx_graph *graph)
{
	for (uint32_t i = 0; i < graph->n_initializers; i++) {
		const struct onnx_tensor *tensor = &graph->initializers[i];
		struct model_weights *weights = &to->weights[tensor->elem < ONNX_ELEM_COUNT ? tensor->elem : 0];
		int64_t bytes = onnx_tensor_bytes(tensor);

		weights->n++;
		weights->elements += (double)tensor->n_elements;
		weights->bytes += bytes < 0 ? NAN : (double)bytes;
	}
	for (uint32_t i = 0; i < graph->n_sparse; i++) {
		const struct onnx_tensor *tensor = &graph->sparse[i].values;
		struct model_weights *weights = &to->weights[tensor->elem < ONNX_ELEM_COUNT ? tensor->elem : 0];
		int64_t bytes = onnx_tensor_bytes(tensor), index_bytes = onnx_tensor_bytes(&graph->sparse[i].indices);

		weights->n++;
		weights->elements += (double)tensor->n_elements;
		weights->bytes += bytes < 0 || index_bytes < 0 ? NAN : (double)bytes + (double)index_bytes;
	}
	count_nodes(to, graph->nodes, graph->n_nodes);
}

/* A name that the model does not have is a mistake: nothing would come of it. */
static int check_dims(const struct model_static *to, const char *path, struct err *err)
{
	for (uint32_t i = 0; i < to->n_dims; i++) {
		if (!to->dims[i].is_used)
			return cmd_misused(err, "%s has no free dimension \"%s\"; see which it has without --dim", path,
					   to->dims[i].name);
	}
	return 0;
}

int model_static_read(struct model_static *to, const char *path, struct err *err)
{
	int code;

	if ((code = onnx_read_file(&to->model, path, err)))
		return code;
	count_graph(to, &to->model.graph);
	for (uint32_t i = 0; i < to->model.n_functions; i++)
		count_nodes(to, to->model.functions[i].nodes, to->model.functions[i].n_nodes);
	if ((code = onnx_external_find(&to->model, &to->externals, err)) ||
	    (code = onnx_repeat_find(&to->model, &to->repeats, err)) ||
	    (code = onnx_shape_infer(&to->shapes, &to->model, to->dims, to->n_dims, err)) ||
	    (code = onnx_cost_count(&to->costs, &to->shapes, err)))
		return err_wrap(err, "cannot analyse %s", path);
	return check_dims(to, path, err);
}

void model_static_done(struct model_static *analysis)
{
	onnx_cost_done(&analysis->costs);
	onnx_shape_done(&analysis->shapes);
	onnx_done(&analysis->model);
}

static int64_t given(const struct model_static *analysis, const char *input, uint32_t axis, const char *name)
{
	char place[256];

	if (snprintf(place, sizeof place, "%s:%u", input, axis) >= (int)sizeof place)
		*place = 0;
	for (uint32_t i = 0; i < analysis->n_dims; i++) {
		if (!strcmp(analysis->dims[i].name, place) || (name && !strcmp(analysis->dims[i].name, name)))
			return analysis->dims[i].value;
	}
	return -1;
}

static bool is_initializer(const struct onnx_graph *graph, const char *name)
{
	for (uint32_t i = 0; i < graph->n_initializers; i++) {
		if (!strcmp(graph->initializers[i].name, name))
			return true;
	}
	return false;
}

void model_static_free_dims(const struct model_static *analysis,
			    void (*each)(void *ctx, const char *input, uint32_t axis, const char *name, int64_t given),
			    void *ctx)
{
	const struct onnx_graph *graph = &analysis->model.graph;

	for (uint32_t i = 0; i < graph->n_inputs; i++) {
		const struct onnx_value *input = &graph->inputs[i];

		for (uint32_t d = 0; d < input->type.n_dims; d++) {
			const struct onnx_dim *dim = &input->type.dims[d];

			if (dim->value < 0 && !is_initializer(graph, input->name))
				each(ctx, input->name, d, dim->name, given(analysis, input->name, d, dim->name));
		}
	}
}
