// SPDX-License-Identifier: Apache-2.0
/* Shapes of sequences of tensors, and of optional values. */
#include "model/onnx/onnx_shape_in.h"

/* The common type of all elements of a sequence, or of an optional value; NULL: unknown. */
static const struct onnx_type *inner_of(const struct shape_run *run, uint32_t i)
{
	const struct shape_value *value = shape_in(run, i);

	return value && (value->type.kind == ONNX_SEQUENCE || value->type.kind == ONNX_OPTIONAL) ? value->type.inner
												 : NULL;
}

static void out_container(struct shape_run *run, enum onnx_kind kind, const struct onnx_type *inner)
{
	struct onnx_type type = { .kind = kind, .inner = inner };

	shape_out_type(run, 0, &type);
}

void rule_sequence_construct(struct shape_run *run, int arg)
{
	struct onnx_type type;

	if (!shape_in(run, 0))
		return;
	type = shape_in(run, 0)->type;
	for (uint32_t i = 1; i < run->node->n_inputs && shape_in(run, i); i++)
		type = shape_type_common(run, &type, &shape_in(run, i)->type);
	out_container(run, ONNX_SEQUENCE, shape_new_type(run, &type));
}

void rule_sequence_at(struct shape_run *run, int arg)
{
	if (inner_of(run, 0))
		shape_out_type(run, 0, inner_of(run, 0));
}

/* SequenceInsert (arg 1) may insert a tensor of another shape; SequenceErase does not. */
void rule_sequence_same(struct shape_run *run, int arg)
{
	const struct onnx_type *inner = inner_of(run, 0);
	struct onnx_type type;

	if (!inner)
		return;
	type = *inner;
	if (arg == 1 && shape_in(run, 1))
		type = shape_type_common(run, inner, &shape_in(run, 1)->type);
	out_container(run, ONNX_SEQUENCE, shape_new_type(run, &type));
}

void rule_sequence_empty(struct shape_run *run, int arg)
{
	int64_t elem = shape_attr_int(run, "dtype", TENSOR_FLOAT);
	struct onnx_type type = { .kind = ONNX_TENSOR, .elem = elem > 0 && elem < TENSOR_N_TYPES ? (uint32_t)elem : 0 };

	out_container(run, ONNX_SEQUENCE, shape_new_type(run, &type));
}

void rule_sequence_length(struct shape_run *run, int arg)
{
	shape_out_scalar(run, 0, TENSOR_INT64);
}

/*
 * Parts along an axis: of one size if one is given that divides it; without that dimension if each part has size one.
 */
void rule_split_to_sequence(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	int axis = shape_axis(shape_attr_int(run, "axis", 0), from.rank);
	bool is_kept = shape_attr_int(run, "keepdims", 1) != 0 || shape_in(run, 1);
	struct onnx_type type = { .kind = ONNX_TENSOR, .elem = shape_in_elem(run, 0) };
	struct onnx_dim *dims;

	for (int i = 0; i < from.rank && axis >= 0; i++) {
		if (i != axis)
			shape_add(&to, from.dim[i]);
		else if (is_kept)
			shape_add(&to, shape_dim(shape_in(run, 1) ? -1 : 1));
	}
	dims = axis < 0 ? NULL : shape_alloc(run->engine, SHAPE_MAX_RANK, sizeof *dims);
	for (int i = 0; dims && i < to.rank; i++)
		dims[i] = to.dim[i];
	type.has_shape = dims != NULL;
	type.n_dims = dims ? (uint32_t)to.rank : 0;
	type.dims = dims;
	out_container(run, ONNX_SEQUENCE, shape_new_type(run, &type));
}

void rule_concat_from_sequence(struct shape_run *run, int arg)
{
	const struct onnx_type *inner = inner_of(run, 0);
	struct shape_dims from = inner ? shape_from(inner) : shape_unknown, to = { .rank = 0 };
	bool is_new = shape_attr_int(run, "new_axis", 0) != 0;
	int rank = from.rank < 0 ? -1 : from.rank + is_new, axis = shape_axis(shape_attr_int(run, "axis", 0), rank),
	    next = 0;

	for (int i = 0; i < rank && axis >= 0; i++) {
		if (i == axis)
			shape_add(&to, shape_dim(-1));
		else
			shape_add(&to, from.dim[next]);
		next += i != axis || !is_new;
	}
	if (inner)
		shape_out(run, 0, inner->elem, axis < 0 ? &shape_unknown : &to);
}

void rule_optional(struct shape_run *run, int arg)
{
	const struct onnx_attr *attr = shape_attr(run, "type");

	if (shape_in(run, 0))
		out_container(run, ONNX_OPTIONAL, shape_new_type(run, &shape_in(run, 0)->type));
	else if (attr && attr->types)
		out_container(run, ONNX_OPTIONAL, attr->types);
}

void rule_optional_get(struct shape_run *run, int arg)
{
	const struct shape_value *in = shape_in(run, 0);

	if (in && in->type.kind == ONNX_OPTIONAL && in->type.inner)
		shape_out_type(run, 0, in->type.inner);
	else if (in && in->type.kind != ONNX_OPTIONAL)
		shape_out_type(run, 0, &in->type);
}

void rule_optional_has(struct shape_run *run, int arg)
{
	shape_out_scalar(run, 0, TENSOR_BOOL);
}
