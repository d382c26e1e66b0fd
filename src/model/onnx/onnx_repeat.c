// SPDX-License-Identifier: Apache-2.0
/*
 * Finds equal initializers: sorts them by what shows without reading them in full, reads those that still look equal,
 * then compares neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "model/onnx/onnx_in.h"

enum { LEAST_BYTES = 256, END_BYTES = 64 };

struct list {
	struct arena *arena;
	const struct onnx_tensor **tensors;
	uint32_t n, n_room;
	bool is_out_of_memory;
};

static void add_graph(struct list *list, const struct onnx_graph *graph)
{
	for (uint32_t i = 0; i < graph->n_initializers; i++) {
		const struct onnx_tensor *tensor = &graph->initializers[i];

		if (tensor->where != ONNX_RAW || tensor->raw.size < LEAST_BYTES)
			continue;
		if (list->n == list->n_room) {
			uint32_t n_room = list->n_room ? 2 * list->n_room : 64;
			const struct onnx_tensor **grown =
			    arena_grow(list->arena, list->tensors, list->n * sizeof *grown, n_room * sizeof *grown);

			if (!grown) {
				list->is_out_of_memory = true;
				return;
			}
			list->tensors = grown;
			list->n_room = n_room;
		}
		list->tensors[list->n++] = tensor;
	}
	for (uint32_t n = 0; n < graph->n_nodes; n++) {
		for (uint32_t a = 0; a < graph->nodes[n].n_attrs; a++) {
			const struct onnx_attr *attr = &graph->nodes[n].attrs[a];

			for (uint32_t g = 0; attr->graphs && g < attr->n; g++)
				add_graph(list, &attr->graphs[g]);
		}
	}
}

static int by_look(const void *a, const void *b)
{
	const struct onnx_tensor *x = *(const struct onnx_tensor *const *)a, *y = *(const struct onnx_tensor *const *)b;
	int order;

	if (x->raw.size != y->raw.size)
		return x->raw.size < y->raw.size ? -1 : 1;
	if (x->elem != y->elem)
		return x->elem < y->elem ? -1 : 1;
	if ((order = memcmp(x->raw.data, y->raw.data, END_BYTES)))
		return order;
	order = memcmp(x->raw.data + x->raw.size - END_BYTES, y->raw.data + y->raw.size - END_BYTES, END_BYTES);
	if (order || (order = memcmp(x->raw.data, y->raw.data, x->raw.size)))
		return order;
	return x->raw.data < y->raw.data ? -1 : x->raw.data > y->raw.data;
}

static bool is_same(const struct onnx_tensor *a, const struct onnx_tensor *b)
{
	return a->raw.size == b->raw.size && a->elem == b->elem && !memcmp(a->raw.data, b->raw.data, a->raw.size);
}

static int by_waste(const void *a, const void *b)
{
	const struct onnx_repeat *x = a, *y = b;
	uint64_t left = (x->n - 1) * (uint64_t)x->tensor->raw.size, right = (y->n - 1) * (uint64_t)y->tensor->raw.size;

	if (left != right)
		return left < right ? 1 : -1;
	return x->tensor->raw.data < y->tensor->raw.data ? -1 : 1;
}

int onnx_repeat_find(struct onnx_model *model, struct onnx_repeats *to, struct err *err)
{
	struct list list = { .arena = &model->arena };
	struct onnx_repeat *groups;

	*to = (struct onnx_repeats){ 0 };
	add_graph(&list, &model->graph);
	groups = arena_alloc(&model->arena, (list.n / 2 + 1) * sizeof *groups);
	if (list.is_out_of_memory || !groups)
		return err_no_memory(err, "cannot compare the weights");
	if (list.n)
		qsort(list.tensors, list.n, sizeof *list.tensors, by_look);
	for (uint32_t i = 0, end; i < list.n; i = end) {
		for (end = i + 1; end < list.n && is_same(list.tensors[i], list.tensors[end]);)
			end++;
		if (end - i < 2)
			continue;
		groups[to->n++] = (struct onnx_repeat){ list.tensors[i], end - i };
		to->bytes += (int64_t)(end - i - 1) * (int64_t)list.tensors[i]->raw.size;
	}
	if (to->n)
		qsort(groups, to->n, sizeof *groups, by_waste);
	to->groups = groups;
	return 0;
}
