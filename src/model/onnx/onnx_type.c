// SPDX-License-Identifier: Apache-2.0
/* Reads the types of values. */
#include <errno.h>

#include "model/onnx/onnx_in.h"

/* TensorShapeProto.Dimension */
static int read_dim(struct onnx_in *in, const struct pb_field *field, struct onnx_dim *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "a dimension", field);

	*to = (struct onnx_dim){ .value = -1 };
	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1) {
			next = onnx_in_int(&message, &to->value);
			to->name = NULL;
		} else if (message.field.number == 2) {
			next = onnx_in_text(&message, &to->name);
			to->value = -1;
		}
	}
	/* Some writers put 0 or -1 for "unknown"; 0 is a valid dimension, less is not. */
	if (to->value < 0)
		to->value = -1;
	if (to->name && !*to->name)
		to->name = NULL;
	return next;
}

/* TensorShapeProto */
static int read_shape(struct onnx_in *in, const struct pb_field *field, struct onnx_type *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "a shape", field);
	struct onnx_dim *dims = next ? NULL : onnx_in_alloc(in, message.n[1], sizeof *dims);

	if (!dims)
		return next ? next : -ENOMEM;
	to->has_shape = true;
	to->dims = dims;
	to->n_dims = 0;
	while ((next = onnx_in_next(&message)) > 0) {
		if (message.field.number != 1)
			continue;
		if ((next = onnx_in_is_message(&message)) || (next = read_dim(in, &message.field, &dims[to->n_dims])))
			return next;
		to->n_dims++;
	}
	return next;
}

/* TypeProto.Tensor, .SparseTensor */
static int read_tensor_type(struct onnx_in *in, const struct pb_field *field, struct onnx_type *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "a tensor's type", field);
	int64_t elem = 0;

	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = onnx_in_int(&message, &elem);
		else if (message.field.number == 2 && !(next = onnx_in_is_message(&message)))
			next = read_shape(in, &message.field, to);
	}
	to->elem = elem > 0 && elem < UINT32_MAX ? (uint32_t)elem : 0;
	return next;
}

/* TypeProto.Sequence, .Map, .Optional: an inner type, and a map's keys. */
static int read_container(struct onnx_in *in, const struct pb_field *field, int depth, struct onnx_type *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "a type", field);
	uint32_t inner_number = to->kind == ONNX_MAP ? 2 : 1;
	int64_t key = 0;

	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == inner_number) {
			struct onnx_type *inner = onnx_in_alloc(in, 1, sizeof *inner);

			if (!inner)
				return -ENOMEM;
			if (!(next = onnx_in_is_message(&message)))
				next = onnx_type_read(in, &message.field, depth + 1, inner);
			to->inner = inner;
		} else if (message.field.number == 1) {
			next = onnx_in_int(&message, &key);
		}
	}
	to->elem = key > 0 && key < TENSOR_N_TYPES ? (uint32_t)key : 0;
	return next;
}

int onnx_type_read(struct onnx_in *in, const struct pb_field *field, int depth, struct onnx_type *to)
{
	static const uint8_t kinds[] = { [1] = ONNX_TENSOR, [4] = ONNX_SEQUENCE,      [5] = ONNX_MAP,
					 [7] = ONNX_OPAQUE, [8] = ONNX_SPARSE_TENSOR, [9] = ONNX_OPTIONAL };
	struct onnx_message message;
	int next;

	if (depth > ONNX_MAX_TYPES)
		return onnx_in_fail(in, field->data, "types are nested more than %d deep", ONNX_MAX_TYPES);
	*to = (struct onnx_type){ 0 };
	next = onnx_in_open(&message, in, "a type", field);
	while (!next && (next = onnx_in_next(&message)) > 0) {
		uint32_t number = message.field.number;

		next = 0;
		if (number >= sizeof kinds || !kinds[number])
			continue;
		*to = (struct onnx_type){ .kind = kinds[number] };
		if ((next = onnx_in_is_message(&message)))
			return next;
		if (to->kind == ONNX_TENSOR || to->kind == ONNX_SPARSE_TENSOR)
			next = read_tensor_type(in, &message.field, to);
		else if (to->kind != ONNX_OPAQUE)
			next = read_container(in, &message.field, depth, to);
	}
	return next;
}

int onnx_value_read(struct onnx_in *in, const struct pb_field *field, struct onnx_value *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "a value", field);

	*to = (struct onnx_value){ .name = "" };
	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = onnx_in_text(&message, &to->name);
		else if (message.field.number == 2 && !(next = onnx_in_is_message(&message)))
			next = onnx_type_read(in, &message.field, 0, &to->type);
	}
	return next;
}
