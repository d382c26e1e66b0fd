// SPDX-License-Identifier: Apache-2.0
/* Types, shapes and memory of tensors. Does not interpret values. */
#include "model/tensor/tensor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static const struct tensor_type_info type_info[TENSOR_N_TYPES] = {
	[TENSOR_FLOAT] = { "float32", TENSOR_KIND_FLOAT, 32 },
	[TENSOR_UINT8] = { "uint8", TENSOR_KIND_UINT, 8 },
	[TENSOR_INT8] = { "int8", TENSOR_KIND_INT, 8 },
	[TENSOR_UINT16] = { "uint16", TENSOR_KIND_UINT, 16 },
	[TENSOR_INT16] = { "int16", TENSOR_KIND_INT, 16 },
	[TENSOR_INT32] = { "int32", TENSOR_KIND_INT, 32 },
	[TENSOR_INT64] = { "int64", TENSOR_KIND_INT, 64 },
	[TENSOR_STRING] = { "string", TENSOR_KIND_STRING, 0 },
	[TENSOR_BOOL] = { "bool", TENSOR_KIND_BOOL, 8 },
	[TENSOR_FLOAT16] = { "float16", TENSOR_KIND_FLOAT, 16 },
	[TENSOR_DOUBLE] = { "float64", TENSOR_KIND_FLOAT, 64 },
	[TENSOR_UINT32] = { "uint32", TENSOR_KIND_UINT, 32 },
	[TENSOR_UINT64] = { "uint64", TENSOR_KIND_UINT, 64 },
	[TENSOR_COMPLEX64] = { "complex64", TENSOR_KIND_COMPLEX, 64 },
	[TENSOR_COMPLEX128] = { "complex128", TENSOR_KIND_COMPLEX, 128 },
	[TENSOR_BFLOAT16] = { "bfloat16", TENSOR_KIND_FLOAT, 16 },
	[TENSOR_FLOAT8E4M3FN] = { "float8e4m3fn", TENSOR_KIND_FLOAT, 8 },
	[TENSOR_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", TENSOR_KIND_FLOAT, 8 },
	[TENSOR_FLOAT8E5M2] = { "float8e5m2", TENSOR_KIND_FLOAT, 8 },
	[TENSOR_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", TENSOR_KIND_FLOAT, 8 },
	[TENSOR_UINT4] = { "uint4", TENSOR_KIND_UINT, 4 },
	[TENSOR_INT4] = { "int4", TENSOR_KIND_INT, 4 },
	[TENSOR_FLOAT4E2M1] = { "float4e2m1", TENSOR_KIND_FLOAT, 4 },
	[TENSOR_FLOAT8E8M0] = { "float8e8m0", TENSOR_KIND_FLOAT, 8 },
	[TENSOR_UINT2] = { "uint2", TENSOR_KIND_UINT, 2 },
	[TENSOR_INT2] = { "int2", TENSOR_KIND_INT, 2 },
	[TENSOR_FLOAT6E2M3] = { "float6e2m3", TENSOR_KIND_FLOAT, 6 },
	[TENSOR_FLOAT6E3M2] = { "float6e3m2", TENSOR_KIND_FLOAT, 6 },
};

/* The numbers that differ in ONNX Runtime. */
static const struct ort_number {
	enum tensor_type type;
	int ort;
} ort_numbers[] = { { TENSOR_UINT2, 24 }, { TENSOR_INT2, 25 }, { TENSOR_FLOAT8E8M0, 26 } };

enum { N_ORT_NUMBERS = sizeof ort_numbers / sizeof *ort_numbers };

const struct tensor_type_info *tensor_type_info(int64_t type)
{
	return type > TENSOR_UNDEFINED && type < TENSOR_N_TYPES ? &type_info[type] : NULL;
}

const char *tensor_type_name(int64_t type)
{
	const struct tensor_type_info *info = tensor_type_info(type);

	return info ? info->name : "?";
}

enum tensor_type tensor_type_from_ort(int ort_type)
{
	for (size_t i = 0; i < N_ORT_NUMBERS; i++) {
		if (ort_numbers[i].ort == ort_type)
			return ort_numbers[i].type;
	}
	return tensor_type_info(ort_type) ? (enum tensor_type)ort_type : TENSOR_UNDEFINED;
}

int tensor_type_to_ort(enum tensor_type type)
{
	for (size_t i = 0; i < N_ORT_NUMBERS; i++) {
		if (ort_numbers[i].type == type)
			return ort_numbers[i].ort;
	}
	return tensor_type_info(type) ? (int)type : 0;
}

/* The product may become 0 by a later dimension: the dimensions before it must not overflow either, as in numpy. */
static int count_elements(const int64_t *dims, size_t n_dims, size_t *n_elements, struct err *err)
{
	bool is_empty = false;
	size_t n = 1;

	for (size_t i = 0; i < n_dims; i++) {
		if (dims[i] < 0)
			return err_set(err, EINVAL, "dimension %zu is invalid: it is %" PRId64, i, dims[i]);
		is_empty |= dims[i] == 0;
		if (dims[i] && __builtin_mul_overflow(n, (size_t)dims[i], &n))
			return err_set(err, EOVERFLOW, "cannot count the elements: no memory is that large");
	}
	*n_elements = is_empty ? 0 : n;
	return 0;
}

int tensor_measure(enum tensor_type type, const int64_t *dims, size_t n_dims, size_t *n_elements, size_t *size_bytes,
		   struct err *err)
{
	const struct tensor_type_info *info = tensor_type_info(type);
	size_t n_bits;
	int ret;

	if (!info)
		return err_set(err, EINVAL, "element type %d is unknown", (int)type);
	if (n_dims > TENSOR_MAX_DIMS)
		return err_set(err, EINVAL, "cannot use %zu dimensions: at most %d are supported", n_dims,
			       TENSOR_MAX_DIMS);
	ret = count_elements(dims, n_dims, n_elements, err);
	if (ret)
		return ret;
	if (__builtin_mul_overflow(*n_elements, info->bits, &n_bits) || n_bits > PTRDIFF_MAX)
		return err_set(err, EOVERFLOW, "cannot use %zu elements of %s: no memory is that large", *n_elements,
			       info->name);
	*size_bytes = n_bits / 8 + (n_bits % 8 != 0);
	return 0;
}

static int set_shape(struct tensor *tensor, enum tensor_type type, const int64_t *dims, size_t n_dims, struct err *err)
{
	int ret;

	*tensor = (struct tensor){ .type = type, .n_dims = (uint32_t)n_dims };
	ret = tensor_measure(type, dims, n_dims, &tensor->n_elements, &tensor->size_bytes, err);
	if (ret)
		*tensor = (struct tensor){ 0 };
	else if (n_dims)
		memcpy(tensor->dims, dims, n_dims * sizeof *dims);
	return ret;
}

static int no_memory(struct tensor *tensor, size_t size, struct err *err)
{
	char text[160];

	tensor_describe(tensor, text, sizeof text);
	*tensor = (struct tensor){ 0 };
	return err_set(err, ENOMEM, "cannot allocate %zu bytes for %s: out of memory", size, text);
}

/* One block holds pointers, lengths and texts. */
static int alloc_texts(struct tensor *tensor, size_t n_bytes, struct err *err)
{
	const size_t each = sizeof *tensor->strings + sizeof *tensor->string_bytes + 1;
	size_t size;

	if (__builtin_mul_overflow(tensor->n_elements, each, &size) || __builtin_add_overflow(size, n_bytes, &size))
		size = SIZE_MAX;
	tensor->own = size <= PTRDIFF_MAX ? calloc(1, size ? size : 1) : NULL;
	if (!tensor->own)
		return no_memory(tensor, size, err);
	tensor->strings = tensor->own;
	tensor->string_bytes = (size_t *)(tensor->strings + tensor->n_elements);
	return 0;
}

int tensor_alloc_strings(struct tensor *tensor, const int64_t *dims, size_t n_dims, const struct tensor_texts *texts,
			 struct err *err)
{
	const size_t *start = texts->start;
	int ret = set_shape(tensor, TENSOR_STRING, dims, n_dims, err);
	char *at;

	if (!ret)
		ret = alloc_texts(tensor, texts->n_bytes, err);
	if (ret)
		return ret;
	at = (char *)(tensor->string_bytes + tensor->n_elements);
	for (size_t i = 0; i < tensor->n_elements; i++) {
		size_t end = i + 1 < tensor->n_elements ? start[i + 1] : texts->n_bytes;
		if (start[i] > end || end > texts->n_bytes) {
			tensor_done(tensor);
			return err_set(err, EINVAL,
				       "string %zu is invalid: it ends before it begins, or outside the data", i);
		}
		tensor->strings[i] = at;
		tensor->string_bytes[i] = end - start[i];
		if (end > start[i])
			memcpy(at, texts->bytes + start[i], end - start[i]);
		at += end - start[i] + 1;
	}
	return 0;
}

static void point_at_nothing(struct tensor *tensor)
{
	char *at = (char *)(tensor->string_bytes + tensor->n_elements);

	for (size_t i = 0; i < tensor->n_elements; i++)
		tensor->strings[i] = at + i;
}

int tensor_alloc(struct tensor *tensor, enum tensor_type type, const int64_t *dims, size_t n_dims, struct err *err)
{
	int ret = set_shape(tensor, type, dims, n_dims, err);
	size_t size;

	if (ret)
		return ret;
	if (type == TENSOR_STRING) {
		ret = alloc_texts(tensor, 0, err);
		if (!ret)
			point_at_nothing(tensor);
		return ret;
	}
	size = tensor->size_bytes ? (tensor->size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
	tensor->own = aligned_alloc(ALIGNMENT, size);
	if (!tensor->own)
		return no_memory(tensor, size, err);
	tensor->data = memset(tensor->own, 0, size);
	return 0;
}

int tensor_borrow(struct tensor *tensor, enum tensor_type type, const int64_t *dims, size_t n_dims,
		  const struct tensor_bytes *bytes, struct err *err)
{
	int ret = set_shape(tensor, type, dims, n_dims, err);
	size_t needed = tensor->size_bytes;

	if (ret)
		return ret;
	if (type == TENSOR_STRING || bytes->size_bytes != needed) {
		*tensor = (struct tensor){ 0 };
		return type == TENSOR_STRING
			   ? err_set(err, EINVAL, "cannot use bytes as strings: strings need their own tensor")
			   : err_set(err, EINVAL, "cannot use %zu bytes: the shape needs %zu", bytes->size_bytes,
				     needed);
	}
	tensor->data = bytes->data;
	return 0;
}

void tensor_done(struct tensor *tensor)
{
	free(tensor->own);
	*tensor = (struct tensor){ 0 };
}

bool tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
	return a->n_dims == b->n_dims && !memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims);
}

/* "name[1,2]", cut at the end of text. */
static const char *write_list(const char *name, const int64_t *number, size_t n, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s[", name);

	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? "," : "", number[i]);
	if (used < size)
		snprintf(text + used, size - used, "]");
	return text;
}

const char *tensor_describe(const struct tensor *tensor, char *text, size_t size)
{
	return write_list(tensor_type_name(tensor->type), tensor->dims, tensor->n_dims, text, size);
}

const char *tensor_place(const struct tensor *tensor, size_t index, char *text, size_t size)
{
	int64_t place[TENSOR_MAX_DIMS] = { 0 };

	for (size_t i = tensor->n_dims; i-- > 0 && tensor->n_elements;) {
		place[i] = (int64_t)(index % (size_t)tensor->dims[i]);
		index /= (size_t)tensor->dims[i];
	}
	return write_list("", place, tensor->n_dims, text, size);
}
