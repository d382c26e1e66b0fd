// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of element-wise operators, with broadcasting. Also computes known elements, because shapes are often computed
 * before they are used.
 */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* Computes an operator on two known elements. false: unknown. */
static bool compute(const char *op, struct shape_elem a, struct shape_elem b, bool is_whole, struct shape_elem *to)
{
	int64_t x = a.value, y = b.value, value;

	*to = (struct shape_elem){ 0 };
	if (!a.is_known || !b.is_known) {
		/* Times one, plus zero: the free dimension stays the same. */
		if ((!strcmp(op, "Mul") || !strcmp(op, "Div")) && a.name && b.is_known && y == 1)
			*to = a;
		else if ((!strcmp(op, "Add") || !strcmp(op, "Sub")) && a.name && b.is_known && !y)
			*to = a;
		else if ((!strcmp(op, "Mul") && b.name && a.is_known && x == 1) ||
			 (!strcmp(op, "Add") && b.name && a.is_known && !x))
			*to = b;
		return true;
	}
	if (!strcmp(op, "Add") || !strcmp(op, "Sum")) {
		if (__builtin_add_overflow(x, y, &value))
			return false;
	} else if (!strcmp(op, "Sub")) {
		if (__builtin_sub_overflow(x, y, &value))
			return false;
	} else if (!strcmp(op, "Mul")) {
		if (__builtin_mul_overflow(x, y, &value))
			return false;
	} else if (!strcmp(op, "Div")) {
		if (!y || (x == INT64_MIN && y == -1) || (!is_whole && x % y))
			return false;
		value = x / y;
	} else if (!strcmp(op, "Max") || !strcmp(op, "Min")) {
		value = (x > y) == !strcmp(op, "Max") ? x : y;
	} else if (!strcmp(op, "Mod")) {
		if (y <= 0 || x < 0)
			return false;
		value = x % y;
	} else if (!strcmp(op, "Equal")) {
		value = x == y;
	} else if (!strcmp(op, "Less") || !strcmp(op, "GreaterOrEqual")) {
		value = (x < y) == !strcmp(op, "Less");
	} else if (!strcmp(op, "Greater") || !strcmp(op, "LessOrEqual")) {
		value = (x > y) == !strcmp(op, "Greater");
	} else if (!strcmp(op, "And")) {
		value = x && y;
	} else if (!strcmp(op, "Or")) {
		value = x || y;
	} else {
		return false;
	}
	*to = shape_elem(value);
	/* Results that 32-bit numbers cannot hold exactly are unknown. */
	return value < INT32_MAX && value > INT32_MIN;
}

static bool is_float(uint32_t elem)
{
	return elem == TENSOR_FLOAT || elem == TENSOR_DOUBLE || elem == TENSOR_FLOAT16 || elem == TENSOR_BFLOAT16;
}

/* The index of the element in a tensor of this shape that element i of the result (of shape `to`) is computed from. */
static uint32_t source_of(const struct onnx_type *from, const struct onnx_type *to, uint32_t i)
{
	uint64_t at = 0, stride = 1;

	for (uint32_t d = 1; d <= to->n_dims; d++) {
		uint64_t size = (uint64_t)to->dims[to->n_dims - d].value, place = i % size;

		i = (uint32_t)(i / size);
		if (d > from->n_dims)
			continue;
		if (from->dims[from->n_dims - d].value != 1)
			at += place * stride;
		stride *= (uint64_t)from->dims[from->n_dims - d].value;
	}
	return (uint32_t)at;
}

/* Both inputs' elements and the shape of the result are known. */
static void compute_all(struct shape_run *run, const struct shape_value *a, const struct shape_value *b)
{
	struct shape_value *to = run->at->outputs[0];
	int64_t n = to ? onnx_shape_elements(&to->type) : -1;
	bool is_whole = !is_float(a->type.elem);
	struct shape_elem *elems;

	if (n < 0 || n > SHAPE_MAX_ELEMS || !a->elems || !b->elems || onnx_shape_elements(&a->type) != a->n_elems ||
	    onnx_shape_elements(&b->type) != b->n_elems)
		return;
	elems = shape_new_elems(run, (uint32_t)n);
	for (uint32_t i = 0; elems && i < n; i++) {
		uint32_t from_a = source_of(&a->type, &to->type, i), from_b = source_of(&b->type, &to->type, i);

		if (from_a >= a->n_elems || from_b >= b->n_elems ||
		    !compute(run->node->op_type, a->elems[from_a], b->elems[from_b], is_whole, &elems[i]))
			return;
	}
	shape_out_elems(run, 0, elems, (uint32_t)n);
}

static void broadcast(struct shape_run *run, uint32_t elem, uint32_t second)
{
	struct shape_dims a = shape_in_dims(run, 0), b = shape_in_dims(run, second), to = shape_broadcast(&a, &b);

	/* Before version 7, b was broadcast to a. */
	if (shape_attr_int(run, "broadcast", 0))
		to = a;
	shape_out(run, 0, elem, &to);
	if (shape_in(run, 0) && shape_in(run, second) && run->node->n_outputs)
		compute_all(run, shape_in(run, 0), shape_in(run, second));
}

/* arg: the index of the second input; 0: the one after the first. */
void rule_broadcast(struct shape_run *run, int arg)
{
	uint32_t elem = shape_in_elem(run, 0);

	broadcast(run, elem || !strcmp(run->node->op_type, "Pow") ? elem : shape_in_elem(run, 1),
		  arg ? (uint32_t)arg : 1);
}

void rule_broadcast_bool(struct shape_run *run, int arg)
{
	broadcast(run, TENSOR_BOOL, 1);
}

void rule_variadic(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);

	for (uint32_t i = 1; i < run->node->n_inputs; i++) {
		struct shape_dims other = shape_in_dims(run, i);

		to = shape_broadcast(&to, &other);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	if (run->node->n_inputs == 2 && shape_in(run, 0) && shape_in(run, 1) && run->node->n_outputs)
		compute_all(run, shape_in(run, 0), shape_in(run, 1));
}

void rule_where(struct shape_run *run, int arg)
{
	struct shape_dims c = shape_in_dims(run, 0), a = shape_in_dims(run, 1), b = shape_in_dims(run, 2), to;
	const struct shape_value *in[3] = { shape_in(run, 0), shape_in(run, 1), shape_in(run, 2) };
	struct shape_value *out = run->node->n_outputs ? run->at->outputs[0] : NULL;
	struct shape_elem *elems;
	int64_t n;

	to = shape_broadcast(&a, &b);
	to = shape_broadcast(&to, &c);
	shape_out(run, 0, shape_in_elem(run, 1) ? shape_in_elem(run, 1) : shape_in_elem(run, 2), &to);
	n = out ? onnx_shape_elements(&out->type) : -1;
	if (n < 0 || n > SHAPE_MAX_ELEMS)
		return;
	for (int i = 0; i < 3; i++) {
		if (!in[i] || !in[i]->elems || onnx_shape_elements(&in[i]->type) != in[i]->n_elems)
			return;
	}
	elems = shape_new_elems(run, (uint32_t)n);
	for (uint32_t i = 0; elems && i < n; i++) {
		struct shape_elem if_true = in[1]->elems[source_of(&in[1]->type, &out->type, i)];
		struct shape_elem if_false = in[2]->elems[source_of(&in[2]->type, &out->type, i)];
		struct shape_elem which = in[0]->elems[source_of(&in[0]->type, &out->type, i)];

		if (which.is_known)
			elems[i] = which.value ? if_true : if_false;
	}
	shape_out_elems(run, 0, elems, (uint32_t)n);
}

void rule_expand(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), wanted, to;
	const struct shape_value *shape = shape_in(run, 1), *in = shape_in(run, 0);
	int64_t n;

	if (shape && shape->elems) {
		wanted = shape_of_rank((int)shape->n_elems);
		for (int i = 0; i < wanted.rank; i++)
			wanted.dim[i] = shape_dim_of(shape->elems[i]);
	} else {
		struct shape_dims rank = shape_in_dims(run, 1);

		wanted = rank.rank == 1 && rank.dim[0].value >= 0 && rank.dim[0].value <= SHAPE_MAX_RANK
			     ? shape_of_rank((int)rank.dim[0].value)
			     : shape_unknown;
	}
	to = shape_broadcast(&from, &wanted);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	if (!run->node->n_outputs || !run->at->outputs[0] || !in || !in->elems ||
	    onnx_shape_elements(&in->type) != in->n_elems)
		return;
	n = onnx_shape_elements(&run->at->outputs[0]->type);
	if (n >= 0 && n <= SHAPE_MAX_ELEMS) {
		struct shape_elem *elems = shape_new_elems(run, (uint32_t)n);

		for (uint32_t i = 0; elems && i < n; i++)
			elems[i] = in->elems[source_of(&in->type, &run->at->outputs[0]->type, i)];
		shape_out_elems(run, 0, elems, (uint32_t)n);
	}
}

/* The first input's type. arg 1: its elements stay the same, too; 2: their negation or absolute value. */
void rule_same(struct shape_run *run, int arg)
{
	const struct shape_value *in = shape_in(run, 0);
	struct shape_elem *elems;

	if (!in || !run->node->n_outputs || !run->at->outputs[0])
		return;
	if (arg == 1) {
		shape_out_like(run, 0, 0);
		return;
	}
	shape_out_type(run, 0, &in->type);
	if (arg != 2 || !in->elems)
		return;
	elems = shape_new_elems(run, in->n_elems);
	for (uint32_t i = 0; elems && i < in->n_elems; i++) {
		bool is_abs = !strcmp(run->node->op_type, "Abs");

		if (in->elems[i].is_known && in->elems[i].value > INT64_MIN)
			elems[i] =
			    shape_elem(is_abs && in->elems[i].value >= 0 ? in->elems[i].value : -in->elems[i].value);
	}
	shape_out_elems(run, 0, elems, in->n_elems);
}

void rule_same_bool(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	const struct shape_value *in = shape_in(run, 0);
	struct shape_elem *elems;

	shape_out(run, 0, TENSOR_BOOL, &dims);
	if (!in || !in->elems || strcmp(run->node->op_type, "Not"))
		return;
	elems = shape_new_elems(run, in->n_elems);
	for (uint32_t i = 0; elems && i < in->n_elems; i++) {
		if (in->elems[i].is_known)
			elems[i] = shape_elem(!in->elems[i].value);
	}
	shape_out_elems(run, 0, elems, in->n_elems);
}

/* Slopes are broadcast to the input, never the other way round. */
void rule_prelu(struct shape_run *run, int arg)
{
	rule_same(run, 0);
}

void rule_dropout(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	bool is_old = run->opset && run->opset < 10;

	rule_same(run, 0);
	shape_out(run, 1, is_old ? shape_in_elem(run, 0) : TENSOR_BOOL, &dims);
}

void rule_batch_norm(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0), channels = shape_of_rank(1);

	rule_same(run, 0);
	if (dims.rank >= 2)
		channels.dim[0] = dims.dim[1];
	else if (dims.rank == 1)
		channels.dim[0] = shape_dim(1);
	for (uint32_t o = 1; o < run->node->n_outputs; o++)
		shape_out(run, o, run->opset >= 14 && o < 3 ? shape_in_elem(run, 3) : shape_in_elem(run, 0), &channels);
}

/* Mean and inverse deviation keep the dimensions before the axis. */
void rule_layer_norm(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	int axis = shape_axis(shape_attr_int(run, "axis", -1), dims.rank);
	uint32_t elem = (uint32_t)shape_attr_int(run, "stash_type", TENSOR_FLOAT);

	rule_same(run, 0);
	for (int i = axis; axis >= 0 && i < dims.rank; i++)
		dims.dim[i] = shape_dim(1);
	if (axis < 0)
		dims = shape_unknown;
	for (uint32_t o = 1; o < run->node->n_outputs; o++)
		shape_out(run, o, elem, &dims);
}

static void cast(struct shape_run *run, uint32_t elem)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	const struct shape_value *in = shape_in(run, 0);
	struct shape_elem *elems;

	shape_out(run, 0, elem, &dims);
	if (!in || !in->elems || !elem ||
	    !(is_float(elem) || elem == TENSOR_INT64 || elem == TENSOR_INT32 || elem == TENSOR_BOOL))
		return;
	elems = shape_new_elems(run, in->n_elems);
	for (uint32_t i = 0; elems && i < in->n_elems; i++) {
		int64_t value = in->elems[i].value,
			most = elem == TENSOR_FLOAT16 || elem == TENSOR_BFLOAT16 ? 256 : 1 << 24;

		if (!in->elems[i].is_known)
			elems[i].name = is_float(elem) || elem == TENSOR_INT64 ? in->elems[i].name : NULL;
		else if (elem == TENSOR_BOOL)
			elems[i] = shape_elem(value != 0);
		else if (!is_float(elem) ? elem == TENSOR_INT64 || value == (int32_t)value
					 : value <= most && value >= -most)
			elems[i] = shape_elem(value);
	}
	shape_out_elems(run, 0, elems, in->n_elems);
}

void rule_cast(struct shape_run *run, int arg)
{
	int64_t to = shape_attr_int(run, "to", 0);

	cast(run, to > 0 && to < TENSOR_N_TYPES ? (uint32_t)to : 0);
}

void rule_cast_like(struct shape_run *run, int arg)
{
	cast(run, shape_in_elem(run, 1));
}

/* The shape of the input; the element type is an attribute, else the input's (arg 0) or float32 (arg 1). */
void rule_like_dtype(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	int64_t elem = shape_attr_int(run, "dtype", shape_attr_int(run, "output_datatype", 0));

	if (elem <= 0 || elem >= TENSOR_N_TYPES)
		elem = arg == 1 ? TENSOR_FLOAT : shape_in_elem(run, 0);
	shape_out(run, 0, (uint32_t)elem, &dims);
}
