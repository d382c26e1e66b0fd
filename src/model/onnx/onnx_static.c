// SPDX-License-Identifier: Apache-2.0
/* Reads a model's file and combines structure, shapes, costs and weights into one analysis. */
#include "model/onnx/onnx_static.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_SIZES = 1000 };

int model_static_dims(struct model_static *to, const struct opt_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *sign = strrchr(list->item[i], '=');
		long long value;
		char *end;

		errno = 0;
		value = sign ? strtoll(sign + 1, &end, 10) : 0;
		if (!sign || sign == list->item[i] || end == sign + 1 || *end || errno || value < 0)
			return opt_misused(
			    err, "cannot use \"%s\" as a dimension: expected a name and a size, such as --dim batch=4",
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
		struct model_weights *weights = &to->weights[tensor->elem < TENSOR_N_TYPES ? tensor->elem : 0];
		int64_t bytes = onnx_tensor_bytes(tensor);

		weights->n++;
		weights->elements += (double)tensor->n_elements;
		weights->bytes += bytes < 0 ? NAN : (double)bytes;
	}
	for (uint32_t i = 0; i < graph->n_sparse; i++) {
		const struct onnx_tensor *tensor = &graph->sparse[i].values;
		struct model_weights *weights = &to->weights[tensor->elem < TENSOR_N_TYPES ? tensor->elem : 0];
		int64_t bytes = onnx_tensor_bytes(tensor), index_bytes = onnx_tensor_bytes(&graph->sparse[i].indices);

		weights->n++;
		weights->elements += (double)tensor->n_elements;
		weights->bytes += bytes < 0 || index_bytes < 0 ? NAN : (double)bytes + (double)index_bytes;
	}
	count_nodes(to, graph->nodes, graph->n_nodes);
}

/* A dimension name that the model does not have is an error: it would have no effect. */
static int check_dims(const struct model_static *to, const char *path, struct err *err)
{
	for (uint32_t i = 0; i < to->n_dims; i++) {
		if (!to->dims[i].is_used)
			return opt_misused(err, "%s has no free dimension \"%s\"; run without --dim to list them", path,
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
	    (code = onnx_shape_infer(&to->shapes, &to->model, to->dims, to->n_dims, err)))
		return err_wrap(err, "cannot analyse %s", path);
	return check_dims(to, path, err);
}

int model_static_close(struct model_static *to, const char *path, const char *why, struct err *err)
{
	struct stat status;

	if (stat(path, &status))
		return err_set(err, errno, "cannot inspect %s: %s", path, strerror(errno));
	to->graph_missing = why;
	to->model.file.size = (size_t)status.st_size;
	to->model.path = strdup(path);
	return to->model.path ? 0 : err_set(err, ENOMEM, "cannot read %s: out of memory", path);
}

/* Sizes while they are being collected. */
struct sizing {
	struct model_static *to;
	model_static_size_fn *size_of;
	void *ctx;
	struct onnx_map seen; /* names and positions already handled */
	bool is_out_of_memory;
};

static void add_size(void *ctx, const struct model_free_dim *dim)
{
	struct sizing *sizing = ctx;
	struct model_static *to = sizing->to;
	size_t room = strlen(dim->input) + 16;
	char *place = dim->name ? NULL : arena_alloc(&to->model.arena, room);
	const char *name = dim->name ? dim->name : place;
	int64_t size = sizing->size_of(sizing->ctx, dim);

	if (place)
		snprintf(place, room, "%s:%u", dim->input, dim->axis);
	sizing->is_out_of_memory |= !name;
	/* inputs share names: the first one decides */
	if (!name || onnx_map_get(&sizing->seen, name))
		return;
	sizing->is_out_of_memory |= onnx_map_put(&sizing->seen, name, to) != 0;
	if (size >= 0 && to->n_sizes < MAX_SIZES)
		to->sizes[to->n_sizes++] = (struct shape_dim){ .name = name, .value = size };
}

/* Adds given sizes that no input has, which belong to values between the nodes. */
static void add_given(struct sizing *sizing)
{
	struct model_static *to = sizing->to;

	for (uint32_t i = 0; i < to->n_dims && to->n_sizes < MAX_SIZES; i++)
		if (!onnx_map_get(&sizing->seen, to->dims[i].name))
			to->sizes[to->n_sizes++] = to->dims[i];
}

int model_static_count(struct model_static *to, model_static_size_fn *size_of, void *ctx, struct err *err)
{
	struct sizing sizing = { .to = to, .size_of = size_of, .ctx = ctx, .seen = { .arena = &to->model.arena } };
	int code;

	onnx_cost_done(&to->costs);
	onnx_shape_done(&to->sized);
	if (!to->sizes)
		to->sizes = arena_alloc(&to->model.arena, MAX_SIZES * sizeof *to->sizes);
	if (!to->sizes)
		return err_set(err, ENOMEM, "cannot analyse %s: out of memory", to->model.path);
	to->n_sizes = 0;
	model_static_free_dims(to, add_size, &sizing);
	add_given(&sizing);
	if (sizing.is_out_of_memory)
		return err_set(err, ENOMEM, "cannot analyse %s: out of memory", to->model.path);
	if ((code = onnx_shape_infer(&to->sized, &to->model, to->sizes, to->n_sizes, err)) ||
	    (code = onnx_cost_count(&to->costs, &to->sized, err)))
		return err_wrap(err, "cannot analyse %s", to->model.path);
	return 0;
}

void model_static_done(struct model_static *analysis)
{
	onnx_cost_done(&analysis->costs);
	onnx_shape_done(&analysis->sized);
	onnx_shape_done(&analysis->shapes);
	onnx_done(&analysis->model);
}

/* The value of a dimension in the list; -1: none. */
static int64_t value_of(const struct shape_dim *dims, uint32_t n, const struct model_free_dim *dim)
{
	char place[256];

	if (snprintf(place, sizeof place, "%s:%u", dim->input, dim->axis) >= (int)sizeof place)
		*place = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(dims[i].name, place) || (dim->name && !strcmp(dims[i].name, dim->name)))
			return dims[i].value;
	}
	return -1;
}

void model_static_free_dims(const struct model_static *analysis,
			    void (*each)(void *ctx, const struct model_free_dim *dim), void *ctx)
{
	const struct onnx_graph *graph = &analysis->model.graph;

	for (uint32_t i = 0; i < graph->n_inputs; i++) {
		const struct onnx_value *input = &graph->inputs[i];
		const struct shape_value *value = onnx_shape_find(analysis->shapes.main, input->name);

		for (uint32_t d = 0; d < input->type.n_dims && !(value && value->is_initializer); d++) {
			struct model_free_dim dim = { .input = input->name,
						      .name = input->type.dims[d].name,
						      .axis = d };

			if (input->type.dims[d].value >= 0)
				continue;
			dim.given = value_of(analysis->dims, analysis->n_dims, &dim);
			dim.counted = value_of(analysis->sizes, analysis->n_sizes, &dim);
			each(ctx, &dim);
		}
	}
}
