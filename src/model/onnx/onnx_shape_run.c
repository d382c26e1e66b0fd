// SPDX-License-Identifier: Apache-2.0
/* Helpers for rules: inputs, attributes and outputs of one node, and dimensions. Contains no operator's rule. */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

const struct shape_dims shape_unknown = { .rank = -1 };

const struct shape_value *shape_in(const struct shape_run *run, uint32_t i)
{
	return i < run->node->n_inputs ? run->at->inputs[i] : NULL;
}

static const struct onnx_type *in_tensor(const struct shape_run *run, uint32_t i)
{
	const struct shape_value *value = shape_in(run, i);

	return value && value->type.kind == ONNX_TENSOR ? &value->type : NULL;
}

uint32_t shape_in_elem(const struct shape_run *run, uint32_t i)
{
	const struct onnx_type *type = in_tensor(run, i);

	return type ? type->elem : 0;
}

struct shape_dims shape_from(const struct onnx_type *type)
{
	struct shape_dims dims = shape_unknown;

	if (!type || !type->has_shape || type->n_dims > SHAPE_MAX_RANK)
		return dims;
	dims.rank = (int)type->n_dims;
	for (int i = 0; i < dims.rank; i++)
		dims.dim[i] = type->dims[i];
	return dims;
}

struct shape_dims shape_in_dims(const struct shape_run *run, uint32_t i)
{
	return shape_from(in_tensor(run, i));
}

int shape_in_rank(const struct shape_run *run, uint32_t i)
{
	const struct onnx_type *type = in_tensor(run, i);

	return type && type->has_shape ? (int)type->n_dims : -1;
}

const int64_t *shape_in_ints(const struct shape_run *run, uint32_t i, uint32_t *n)
{
	const struct shape_value *value = shape_in(run, i);
	int64_t *ints;

	*n = 0;
	if (!value || !value->elems)
		return NULL;
	for (uint32_t e = 0; e < value->n_elems; e++) {
		if (!value->elems[e].is_known)
			return NULL;
	}
	ints = shape_alloc(run->engine, value->n_elems, sizeof *ints);
	for (uint32_t e = 0; ints && e < value->n_elems; e++)
		ints[e] = value->elems[e].value;
	*n = ints ? value->n_elems : 0;
	return ints;
}

bool shape_in_int(const struct shape_run *run, uint32_t i, int64_t *to)
{
	const struct shape_value *value = shape_in(run, i);

	if (!value || !value->elems || !value->n_elems || !value->elems[0].is_known)
		return false;
	*to = value->elems[0].value;
	return true;
}

int64_t shape_in_floats(const struct shape_run *run, uint32_t i, double *to, uint32_t max)
{
	const struct shape_value *value = shape_in(run, i);

	if (!value)
		return -1;
	if (value->tensor)
		return onnx_tensor_floats(value->tensor, to, max);
	for (uint32_t e = 0; value->elems && e < value->n_elems && e < max; e++) {
		if (!value->elems[e].is_known)
			return -1;
		to[e] = (double)value->elems[e].value;
	}
	return value->elems ? (int64_t)value->n_elems : -1;
}

const struct onnx_attr *shape_attr(const struct shape_run *run, const char *name)
{
	return onnx_shape_attr(run->scope, run->node, name);
}

int64_t shape_attr_int(const struct shape_run *run, const char *name, int64_t fallback)
{
	const struct onnx_attr *attr = shape_attr(run, name);

	return attr && attr->type == ONNX_ATTR_INT ? attr->i : fallback;
}

const int64_t *shape_attr_ints(const struct shape_run *run, const char *name, uint32_t *n)
{
	const struct onnx_attr *attr = shape_attr(run, name);
	bool is_there = attr && attr->type == ONNX_ATTR_INTS;

	*n = is_there ? attr->n : 0;
	return is_there ? attr->ints : NULL;
}

bool shape_attr_is(const struct shape_run *run, const char *name, const char *value)
{
	const struct onnx_attr *attr = shape_attr(run, name);

	return attr && attr->type == ONNX_ATTR_STRING && attr->strings[0].size == strlen(value) &&
	       !memcmp(attr->strings[0].data, value, attr->strings[0].size);
}

const int64_t *shape_ints(const struct shape_run *run, const char *name, uint32_t input, uint32_t *n, bool *is_given)
{
	const int64_t *ints = shape_attr_ints(run, name, n);

	*is_given = ints || shape_in(run, input);
	return ints ? ints : shape_in_ints(run, input, n);
}

struct onnx_type *shape_new_type(const struct shape_run *run, const struct onnx_type *like)
{
	struct onnx_type *type = shape_alloc(run->engine, 1, sizeof *type);

	if (type)
		*type = *like;
	return type;
}

/* Each node can wrap a type in another container; types are walked by recursion. */
static bool is_too_deep(const struct onnx_type *type)
{
	int depth = 0;

	for (; type->inner && depth <= SHAPE_MAX_CONTAINERS; type = type->inner)
		depth++;
	return depth > SHAPE_MAX_CONTAINERS;
}

void shape_out_type(const struct shape_run *run, uint32_t o, const struct onnx_type *type)
{
	if (o < run->node->n_outputs && run->at->outputs[o] && !is_too_deep(type))
		run->at->outputs[o]->type = *type;
}

void shape_out(const struct shape_run *run, uint32_t o, uint32_t elem, const struct shape_dims *dims)
{
	struct onnx_type type = { .kind = ONNX_TENSOR, .elem = elem };
	struct onnx_dim *copy;

	if (o >= run->node->n_outputs || !run->at->outputs[o])
		return;
	if (dims->rank >= 0 && dims->rank <= SHAPE_MAX_RANK) {
		copy = shape_alloc(run->engine, (size_t)dims->rank, sizeof *copy);
		if (copy)
			memcpy(copy, dims->dim, (size_t)dims->rank * sizeof *copy);
		type.has_shape = copy != NULL;
		type.n_dims = copy ? (uint32_t)dims->rank : 0;
		type.dims = copy;
	}
	run->at->outputs[o]->type = type;
}

void shape_out_like(const struct shape_run *run, uint32_t o, uint32_t i)
{
	const struct shape_value *from = shape_in(run, i);
	struct shape_value *to = o < run->node->n_outputs ? run->at->outputs[o] : NULL;

	if (!from || !to)
		return;
	to->type = from->type;
	to->elems = from->elems;
	to->n_elems = from->n_elems;
	to->tensor = from->tensor;
}

void shape_out_scalar(const struct shape_run *run, uint32_t o, uint32_t elem)
{
	struct shape_dims none = { .rank = 0 };

	shape_out(run, o, elem, &none);
}

void shape_out_elems(const struct shape_run *run, uint32_t o, const struct shape_elem *elems, uint32_t n)
{
	struct shape_value *to = o < run->node->n_outputs ? run->at->outputs[o] : NULL;

	if (!to || !elems || onnx_shape_elements(&to->type) != (int64_t)n)
		return;
	to->elems = elems;
	to->n_elems = n;
}

struct shape_elem *shape_new_elems(const struct shape_run *run, uint32_t n)
{
	if (n > SHAPE_MAX_ELEMS || (run->engine->n_elems += n) > SHAPE_MAX_ELEMS_IN_ALL)
		return NULL;
	return shape_alloc(run->engine, n, sizeof(struct shape_elem));
}

struct onnx_dim shape_dim(int64_t value)
{
	return (struct onnx_dim){ .value = value < 0 ? -1 : value };
}

struct shape_dims shape_of_rank(int rank)
{
	struct shape_dims dims = { .rank = rank < 0 || rank > SHAPE_MAX_RANK ? -1 : rank };

	for (int i = 0; i < dims.rank; i++)
		dims.dim[i] = shape_dim(-1);
	return dims;
}

void shape_add(struct shape_dims *dims, struct onnx_dim dim)
{
	if (dims->rank < 0 || dims->rank >= SHAPE_MAX_RANK)
		dims->rank = -1;
	else
		dims->dim[dims->rank++] = dim;
}

bool shape_dim_is_same(struct onnx_dim a, struct onnx_dim b)
{
	if (a.value >= 0 || b.value >= 0)
		return a.value == b.value;
	return a.name && b.name && !strcmp(a.name, b.name);
}

struct onnx_dim shape_dim_merge(struct onnx_dim a, struct onnx_dim b, bool *differ)
{
	if (a.value >= 0 && b.value >= 0 && a.value != b.value)
		*differ = true;
	if (a.value >= 0)
		return a;
	if (b.value >= 0)
		return b;
	return a.name ? a : b;
}

struct onnx_dim shape_product(const struct onnx_dim *dims, uint32_t n)
{
	struct onnx_dim product = { .value = 1 };
	uint32_t n_unknown = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!dims[i].value)
			return shape_dim(0);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (dims[i].value < 0)
			n_unknown++;
		else if (__builtin_mul_overflow(product.value, dims[i].value, &product.value))
			return shape_dim(-1);
	}
	if (n_unknown == 1 && product.value == 1) {
		for (uint32_t i = 0; i < n; i++) {
			if (dims[i].value < 0)
				return dims[i];
		}
	}
	return n_unknown ? shape_dim(-1) : product;
}

/* NumPy's rule for one dimension. An unknown one may be 1, so only another number than 1 settles it. */
static struct onnx_dim broadcast_dim(struct onnx_dim a, struct onnx_dim b)
{
	if (a.value == 1)
		return b;
	if (b.value == 1)
		return a;
	if (a.value >= 0 && b.value >= 0)
		return a.value == b.value ? a : shape_dim(-1);
	if (a.value >= 0 || b.value >= 0)
		return a.value >= 0 ? a : b;
	return shape_dim_is_same(a, b) ? a : shape_dim(-1);
}

struct shape_dims shape_broadcast(const struct shape_dims *a, const struct shape_dims *b)
{
	struct shape_dims to;

	if (a->rank < 0 || b->rank < 0)
		return shape_unknown;
	to = shape_of_rank(a->rank > b->rank ? a->rank : b->rank);
	for (int i = 1; i <= to.rank; i++) {
		struct onnx_dim one = shape_dim(1);

		to.dim[to.rank - i] =
		    broadcast_dim(i <= a->rank ? a->dim[a->rank - i] : one, i <= b->rank ? b->dim[b->rank - i] : one);
	}
	return to;
}

int shape_axis(int64_t axis, int rank)
{
	if (axis < 0)
		axis += rank;
	return rank < 0 || axis < 0 || axis >= rank ? -1 : (int)axis;
}

struct shape_elem shape_elem(int64_t value)
{
	return (struct shape_elem){ .is_known = true, .value = value };
}

struct shape_elem shape_elem_of(struct onnx_dim dim)
{
	return dim.value >= 0 ? shape_elem(dim.value) : (struct shape_elem){ .name = dim.name };
}

struct onnx_dim shape_dim_of(struct shape_elem elem)
{
	if (elem.is_known)
		return shape_dim(elem.value);
	return (struct onnx_dim){ .value = -1, .name = elem.name };
}
