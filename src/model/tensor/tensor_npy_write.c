// SPDX-License-Identifier: Apache-2.0
/* Writes numpy's .npy, version 1, and undoes its conversion of types that numpy lacks in memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/utf8.h"
#include "model/tensor/tensor_file.h"

enum { PREFIX = 10, ALIGNMENT = 64, HEADER_MAX = 2048 };

/* The form of written elements: numpy's kind and bytes. */
struct form {
	char kind;
	size_t size;
	bool is_unpacked; /* an element of less than a byte, written as one byte */
};

static struct form form_of(enum tensor_type type)
{
	const struct tensor_type_info *info = tensor_type_info(type);
	struct form form = { 'u', (info->bits + 7) / 8, info->bits < 8 };

	switch (info->kind) {
	case TENSOR_KIND_BOOL:
		form.kind = 'b';
		break;
	case TENSOR_KIND_INT:
		form.kind = 'i';
		break;
	case TENSOR_KIND_COMPLEX:
		form.kind = 'c';
		break;
	case TENSOR_KIND_FLOAT:
		if (type == TENSOR_FLOAT16 || type == TENSOR_FLOAT || type == TENSOR_DOUBLE)
			form.kind = 'f';
		break;
	default:
		break;
	}
	return form;
}

/* Characters of the longest string; bytes if one is not UTF-8. At least 1: numpy has no empty string type. */
static struct form form_of_strings(const struct tensor *tensor)
{
	struct form form = { 'U', 1, false };

	for (size_t i = 0; i < tensor->n_elements && form.kind == 'U'; i++) {
		if (!utf8_is_valid(tensor->strings[i], tensor->string_bytes[i]))
			form.kind = 'S';
	}
	for (size_t i = 0; i < tensor->n_elements; i++) {
		size_t n = 0, broken;
		for (size_t at = 0; form.kind == 'U' && at < tensor->string_bytes[i]; n++)
			at += utf8_char_len(tensor->strings[i] + at, tensor->string_bytes[i] - at, &broken);
		if (form.kind == 'S')
			n = tensor->string_bytes[i];
		if (n > form.size)
			form.size = n;
	}
	return form;
}

static void write_header(const struct tensor *tensor, struct form form, FILE *out)
{
	static const char magic[] = "\x93NUMPY\1";
	char text[HEADER_MAX];
	const char order = form.size == 1 && form.kind != 'U' ? '|' : tensor_file_is_big_endian_here() ? '>' : '<';
	size_t used = (size_t)snprintf(text, sizeof text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
				       order, form.kind, form.size);
	size_t whole;

	for (size_t i = 0; i < tensor->n_dims; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? ", " : "", tensor->dims[i]);
	/* A tuple of one needs its comma. */
	used += (size_t)snprintf(text + used, sizeof text - used, "%s), }", tensor->n_dims == 1 ? "," : "");
	whole = (PREFIX + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - PREFIX;
	fwrite(magic, 1, sizeof magic, out);
	putc((int)(whole & 0xff), out);
	putc((int)(whole >> 8), out);
	fprintf(out, "%-*s\n", (int)(whole - 1), text);
}

static void write_string(const struct tensor *tensor, size_t i, struct form form, FILE *out)
{
	const char *text = tensor->strings[i];
	const size_t len = tensor->string_bytes[i];
	size_t n = 0, broken;

	if (form.kind == 'S') {
		fwrite(text, 1, len, out);
		n = len;
	}
	for (size_t at = 0; form.kind == 'U' && at < len; n++) {
		uint32_t number = utf8_decode(text + at);
		fwrite(&number, sizeof number, 1, out);
		at += utf8_char_len(text + at, len - at, &broken);
	}
	for (size_t zeros = (form.size - n) * (form.kind == 'U' ? sizeof(uint32_t) : 1); zeros; zeros--)
		putc(0, out);
}

static void write_items(const struct tensor *tensor, struct form form, FILE *out)
{
	if (form.kind != 'U' && form.kind != 'S' && !form.is_unpacked) {
		fwrite(tensor->data, 1, tensor->size_bytes, out);
		return;
	}
	for (size_t i = 0; i < tensor->n_elements; i++) {
		if (form.is_unpacked)
			putc((int)(tensor_get_int(tensor, i) & 0xff), out);
		else
			write_string(tensor, i, form, out);
	}
}

int tensor_npy_write(const struct tensor *tensor, const char *path, struct err *err)
{
	const struct form form = tensor->type == TENSOR_STRING ? form_of_strings(tensor) : form_of(tensor->type);
	FILE *out = fopen(path, "wbe");
	bool has_failed, is_file;
	struct stat stat;

	if (!out)
		return err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	is_file = !fstat(fileno(out), &stat) && S_ISREG(stat.st_mode);
	errno = 0;
	write_header(tensor, form, out);
	write_items(tensor, form, out);
	has_failed = ferror(out);
	has_failed |= fclose(out) != 0;
	if (!has_failed)
		return 0;
	err_set(err, errno, "cannot write %s: %s", path, errno ? strerror(errno) : "writing failed");
	/* never removes a device or a pipe */
	if (is_file)
		unlink(path);
	return err ? -err->code : -EIO;
}

/*
 * Whether elements of `from` may stand for elements of `to`, as written by this file or by numpy for ml_dtypes (raw
 * bits).
 */
static bool stands_for(enum tensor_type from, enum tensor_type to)
{
	const struct form form = form_of(to);

	if (to == TENSOR_STRING || form.kind == 'f' || form.kind == 'c' || form.kind == 'b' ||
	    tensor_type_info(to)->bits > 16)
		return false;
	if (form.size == 2)
		return from == TENSOR_UINT16 && to == TENSOR_BFLOAT16;
	if (to == TENSOR_UINT8 || to == TENSOR_INT8)
		return false;
	return from == TENSOR_UINT8 || (from == TENSOR_INT8 && form.kind == 'i');
}

static int pack(struct tensor *tensor, enum tensor_type type, struct err *err)
{
	const uint32_t bits = tensor_type_info(type)->bits;
	const bool is_signed = tensor->type == TENSOR_INT8;
	const int64_t low = is_signed ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
	struct tensor packed;
	int ret = tensor_alloc(&packed, type, tensor->dims, tensor->n_dims, err);

	for (size_t i = 0; !ret && i < tensor->n_elements; i++) {
		const int64_t value = tensor_get_int(tensor, i);
		if (value < low || value > high)
			ret =
			    err_set(err, EINVAL,
				    "cannot take element %zu as %s: it is %" PRId64 ", beyond %" PRId64 " to %" PRId64,
				    i, tensor_type_name(type), value, low, high);
		else
			tensor_put_int(&packed, i, value);
	}
	tensor_done(ret ? &packed : tensor);
	if (!ret)
		*tensor = packed;
	return ret;
}

int tensor_npy_retype(struct tensor *tensor, enum tensor_type type, struct err *err)
{
	if (type == tensor->type)
		return 0;
	if (!tensor_type_info(type) || !stands_for(tensor->type, type))
		return err_set(err, EINVAL, "cannot take elements of %s as %s", tensor_type_name(tensor->type),
			       tensor_type_name(type));
	if (tensor_type_info(type)->bits < 8)
		return pack(tensor, type, err);
	tensor->type = type;
	return 0;
}
