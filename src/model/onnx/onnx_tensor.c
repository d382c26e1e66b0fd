// SPDX-License-Identifier: Apache-2.0
/* Reads the tensors of a model: type, shape and the place of the data. Reads no data except small integer tensors. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/onnx/onnx_in.h"

/* Fields of TensorProto that hold elements. */
enum {
	FLOAT_DATA = 4,
	INT32_DATA = 5,
	STRING_DATA = 6,
	INT64_DATA = 7,
	RAW_DATA = 9,
	DOUBLE_DATA = 10,
	UINT64_DATA = 11
};

/* Reads field `number`; the first pass counts, the second fills. */
static int read_dims(const struct onnx_message *message, uint32_t number, uint32_t *n_dims, const int64_t **to)
{
	int64_t *dims = NULL;
	int next = 0;

	for (int round = 0; round < 2 && !next; round++) {
		struct onnx_message copy = *message;
		uint32_t n = 0;

		if (round && !(dims = onnx_in_alloc(message->in, *n_dims, sizeof *dims)))
			return -ENOMEM;
		while ((next = onnx_in_next(&copy)) > 0) {
			if (copy.field.number == number && (next = onnx_in_ints(&copy, dims, &n)))
				return next;
		}
		*n_dims = n;
	}
	*to = dims;
	return next;
}

/* The product of the dimensions, which must be valid. */
static int count_elements(struct onnx_in *in, const uint8_t *at, struct onnx_tensor *to)
{
	bool is_empty = false;

	to->n_elements = 1;
	for (uint32_t i = 0; i < to->n_dims; i++) {
		if (to->dims[i] < 0)
			return onnx_in_fail(in, at, "tensor %.100s has the dimension %lld", to->name,
					    (long long)to->dims[i]);
		is_empty |= !to->dims[i];
	}
	for (uint32_t i = 0; i < to->n_dims && !is_empty; i++) {
		if (__builtin_mul_overflow(to->n_elements, to->dims[i], &to->n_elements) ||
		    to->n_elements > INT64_MAX / 128)
			return onnx_in_fail(in, at, "tensor %.100s has a shape with more elements than can be counted",
					    to->name);
	}
	if (is_empty)
		to->n_elements = 0;
	return 0;
}

static int parse_number(struct onnx_message *message, const char *text, int64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	if (errno || end == text || *end || *to < 0)
		return onnx_in_fail(message->in, message->at, "external data has \"%.40s\" where a number is expected",
				    text);
	return 0;
}

/* StringStringEntryProto of external_data */
static int read_external(struct onnx_in *in, const struct pb_field *field, struct onnx_tensor *to)
{
	struct onnx_message message;
	const char *key = "", *value = "";
	int next = onnx_in_open(&message, in, "external data", field);

	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = onnx_in_text(&message, &key);
		else if (message.field.number == 2)
			next = onnx_in_text(&message, &value);
	}
	if (next)
		return next;
	if (!strcmp(key, "location"))
		to->location = value;
	else if (!strcmp(key, "offset"))
		return parse_number(&message, value, &to->offset);
	else if (!strcmp(key, "length"))
		return parse_number(&message, value, &to->length);
	return 0;
}

static int read_field(struct onnx_message *message, struct onnx_tensor *to, bool *is_external)
{
	int64_t number = 0;
	int code = 0;

	switch (message->field.number) {
	case 2:
		code = onnx_in_int(message, &number);
		to->elem = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
		break;
	case 8:
		code = onnx_in_text(message, &to->name);
		break;
	case RAW_DATA:
		code = onnx_in_bytes(message, &to->raw);
		break;
	case 13:
		if (!(code = onnx_in_is_message(message)))
			code = read_external(message->in, &message->field, to);
		break;
	case 14:
		code = onnx_in_int(message, &number);
		*is_external = number == 1;
		break;
	}
	return code;
}

/* Finds the data, and checks that there is as much as the shape needs. */
static int find_data(struct onnx_message *message, struct onnx_tensor *to, bool is_external, const uint8_t *at)
{
	static const uint8_t typed[] = { FLOAT_DATA, INT32_DATA, STRING_DATA, INT64_DATA, DOUBLE_DATA, UINT64_DATA };
	int64_t bytes = onnx_tensor_bytes(to);

	if (is_external) {
		to->where = ONNX_EXTERNAL;
		if (!to->location || !*to->location)
			return onnx_in_fail(message->in, at,
					    "tensor %.100s has its data in another file, but does not name it",
					    to->name);
		return 0;
	}
	to->where = to->n_elements ? ONNX_NO_DATA : ONNX_FIELDS;
	for (size_t i = 0; i < sizeof typed; i++) {
		if (message->n[typed[i]])
			to->where = ONNX_FIELDS;
	}
	if (to->raw.data)
		to->where = ONNX_RAW;
	if (to->where == ONNX_RAW && bytes >= 0 && (uint64_t)bytes != to->raw.size)
		return onnx_in_fail(message->in, at, "tensor %.100s has %zu bytes of data where its shape takes %lld",
				    to->name, to->raw.size, (long long)bytes);
	return 0;
}

int onnx_tensor_read(struct onnx_in *in, const struct pb_field *field, struct onnx_tensor *to)
{
	struct onnx_message message;
	bool is_external = false;
	int next = onnx_in_open(&message, in, "a tensor", field);

	*to = (struct onnx_tensor){ .name = "", .proto = { field->data, (size_t)field->value }, .length = -1 };
	if (!next)
		next = read_dims(&message, 1, &to->n_dims, &to->dims);
	while (!next && (next = onnx_in_next(&message)) > 0)
		next = read_field(&message, to, &is_external);
	if (next || (next = count_elements(in, field->data, to)))
		return next;
	return find_data(&message, to, is_external, field->data);
}

int onnx_sparse_read(struct onnx_in *in, const struct pb_field *field, struct onnx_sparse *to)
{
	struct onnx_message message, tensors;
	int next = onnx_in_open(&message, in, "a sparse tensor", field);

	*to = (struct onnx_sparse){ .values = { .name = "" }, .indices = { .name = "" } };
	tensors = message;
	while (!next && (next = onnx_in_next(&tensors)) > 0) {
		uint32_t number = tensors.field.number;

		next = 0;
		if ((number == 1 || number == 2) && !(next = onnx_in_is_message(&tensors)))
			next = onnx_tensor_read(in, &tensors.field, number == 1 ? &to->values : &to->indices);
	}
	return next ? next : read_dims(&message, 3, &to->n_dims, &to->dims);
}

int64_t onnx_tensor_bytes(const struct onnx_tensor *tensor)
{
	uint32_t bits = onnx_elem_bits(tensor->elem);

	return bits ? (tensor->n_elements * (int64_t)bits + 7) / 8 : -1;
}

static int64_t raw_int(const uint8_t *at, uint32_t elem)
{
	uint32_t n_bytes = onnx_elem_bits(elem) / 8;
	uint64_t value = 0;

	memcpy(&value, at, n_bytes);
	if (elem == TENSOR_INT8)
		return (int8_t)value;
	if (elem == TENSOR_INT16)
		return (int16_t)value;
	if (elem == TENSOR_INT32)
		return (int32_t)value;
	return (int64_t)value;
}

static bool is_whole(uint32_t elem)
{
	return (elem >= TENSOR_UINT8 && elem <= TENSOR_INT64) || elem == TENSOR_BOOL || elem == TENSOR_UINT32 ||
	       elem == TENSOR_UINT64;
}

/* int32_data, int64_data or uint64_data: numbers one by one or packed. */
static int64_t read_ints(const struct onnx_tensor *tensor, int64_t *to, size_t max)
{
	uint32_t wanted = tensor->elem == TENSOR_INT64					   ? INT64_DATA
			  : tensor->elem == TENSOR_UINT64 || tensor->elem == TENSOR_UINT32 ? UINT64_DATA
											   : INT32_DATA;
	struct pb_in pb = pb_in(tensor->proto.data, tensor->proto.size);
	struct pb_field field;
	int64_t n = 0;
	uint64_t value;

	while (pb_next(&pb, &field) > 0 && (size_t)n < max) {
		struct pb_in packed = field.wire == PB_BYTES ? pb_inside(&field) : (struct pb_in){ 0 };

		if (field.number != wanted)
			continue;
		if (field.wire == PB_VARINT)
			to[n++] = (int64_t)field.value;
		while ((size_t)n < max && pb_get_varint(&packed, &value))
			to[n++] = (int64_t)value;
	}
	return n;
}

int64_t onnx_tensor_ints(const struct onnx_tensor *tensor, int64_t *to, size_t max)
{
	uint32_t n_bytes = onnx_elem_bits(tensor->elem) / 8;
	size_t n = (uint64_t)tensor->n_elements < max ? (size_t)tensor->n_elements : max;

	if (!is_whole(tensor->elem) || (tensor->where != ONNX_RAW && tensor->where != ONNX_FIELDS))
		return -1;
	if (tensor->where == ONNX_FIELDS)
		return read_ints(tensor, to, n) == (int64_t)n ? tensor->n_elements : -1;
	for (size_t i = 0; i < n; i++)
		to[i] = raw_int(tensor->raw.data + i * n_bytes, tensor->elem);
	return tensor->n_elements;
}

static double half_to_double(uint16_t half)
{
	int exponent = half >> 10 & 31;
	double mantissa = half & 1023, value;

	if (exponent == 31)
		value = mantissa > 0 ? NAN : INFINITY;
	else
		value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
	return half & 0x8000 ? -value : value;
}

static double raw_float(const uint8_t *at, uint32_t elem)
{
	uint16_t half;
	double value;
	float single;

	if (elem == TENSOR_FLOAT16) {
		memcpy(&half, at, sizeof half);
		return half_to_double(half);
	}
	if (elem == TENSOR_FLOAT) {
		memcpy(&single, at, sizeof single);
		return (double)single;
	}
	memcpy(&value, at, sizeof value);
	return value;
}

/* float_data and double_data, one by one or packed; 16-bit floats lie in int32_data. */
static size_t read_floats(const struct onnx_tensor *tensor, double *to, size_t max)
{
	uint32_t wanted = tensor->elem == TENSOR_FLOAT ? FLOAT_DATA : DOUBLE_DATA,
		 size = onnx_elem_bits(tensor->elem) / 8;
	struct pb_in pb = pb_in(tensor->proto.data, tensor->proto.size);
	struct pb_field field;
	size_t n = 0;

	while (n < max && pb_next(&pb, &field) > 0) {
		if (field.number != wanted)
			continue;
		if (field.wire == PB_FIXED32 || field.wire == PB_FIXED64)
			to[n++] = raw_float((const uint8_t *)&field.value, tensor->elem);
		for (size_t i = 0; field.wire == PB_BYTES && n < max && i + size <= field.value; i += size)
			to[n++] = raw_float(field.data + i, tensor->elem);
	}
	return n;
}

int64_t onnx_tensor_floats(const struct onnx_tensor *tensor, double *to, size_t max)
{
	uint32_t size = onnx_elem_bits(tensor->elem) / 8;
	size_t n = (uint64_t)tensor->n_elements < max ? (size_t)tensor->n_elements : max;
	int64_t halves[16];

	if (tensor->elem != TENSOR_FLOAT && tensor->elem != TENSOR_FLOAT16 && tensor->elem != TENSOR_DOUBLE)
		return -1;
	if (tensor->where == ONNX_RAW) {
		for (size_t i = 0; i < n; i++)
			to[i] = raw_float(tensor->raw.data + i * size, tensor->elem);
		return tensor->n_elements;
	}
	if (tensor->where != ONNX_FIELDS)
		return -1;
	if (tensor->elem != TENSOR_FLOAT16)
		return read_floats(tensor, to, n) == n ? tensor->n_elements : -1;
	/* Only small tensors are ever used. */
	if (n > sizeof halves / sizeof *halves || read_ints(tensor, halves, n) != (int64_t)n)
		return -1;
	for (size_t i = 0; i < n; i++)
		to[i] = half_to_double((uint16_t)halves[i]);
	return tensor->n_elements;
}
