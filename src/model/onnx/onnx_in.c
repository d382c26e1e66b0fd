// SPDX-License-Identifier: Apache-2.0
/* Reads one message of a model's file, field by field, and reports the byte of an error. Does not interpret fields. */
#include "model/onnx/onnx_in.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int onnx_in_fail(struct onnx_in *in, const uint8_t *at, const char *fmt, ...)
{
	char text[sizeof in->err->msg];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return err_set(in->err, EINVAL, "at byte %zu: %.300s", (size_t)(at - in->base), text);
}

void *onnx_in_alloc(struct onnx_in *in, size_t n, size_t size)
{
	void *to = NULL;

	if (n <= SIZE_MAX / size)
		to = arena_alloc(&in->model->arena, n ? n * size : 1);
	if (!to)
		err_set(in->err, ENOMEM, "out of memory");
	return to;
}

/* Reports why pb_next failed. */
static int fail_field(struct onnx_message *message)
{
	struct pb_in pb = message->pb;
	uint64_t tag, len;

	if (!pb_get_varint(&pb, &tag))
		return onnx_in_fail(message->in, message->at,
				    "%s ends inside a field; the file is truncated or damaged", message->what);
	if (tag >> 3 == 0 || tag >> 3 > PB_FIELD_MAX)
		return onnx_in_fail(message->in, message->at, "%s has a field with the invalid number %llu",
				    message->what, (unsigned long long)(tag >> 3));
	if ((tag & 7) == PB_BYTES && pb_get_varint(&pb, &len))
		return onnx_in_fail(message->in, message->at,
				    "field %llu of %s claims %llu bytes, but only %zu are left; the file is "
				    "truncated or damaged",
				    (unsigned long long)(tag >> 3), message->what, (unsigned long long)len,
				    (size_t)(pb.end - pb.at));
	if ((tag & 7) == PB_VARINT || (tag & 7) == PB_BYTES || (tag & 7) == PB_FIXED32 || (tag & 7) == PB_FIXED64)
		return onnx_in_fail(
		    message->in, message->at,
		    "the number in field %llu of %s is not terminated; the file is truncated or damaged",
		    (unsigned long long)(tag >> 3), message->what);
	return onnx_in_fail(message->in, message->at, "field %llu of %s has the invalid wire type %u",
			    (unsigned long long)(tag >> 3), message->what, (unsigned)(tag & 7));
}

int onnx_in_next(struct onnx_message *message)
{
	int next;

	message->at = message->pb.at;
	next = pb_next(&message->pb, &message->field);
	return next < 0 ? fail_field(message) : next;
}

int onnx_in_open(struct onnx_message *message, struct onnx_in *in, const char *what, const struct pb_field *field)
{
	struct pb_in start = pb_inside(field);
	int next;

	*message = (struct onnx_message){ .in = in, .what = what, .pb = start };
	while ((next = onnx_in_next(message)) > 0) {
		if (message->field.number >= ONNX_MAX_FIELD)
			continue;
		if (message->n[message->field.number]++ == UINT32_MAX)
			return onnx_in_fail(in, message->at, "%s has too many fields", what);
	}
	message->pb = start;
	return next;
}

static int fail_wire(struct onnx_message *message)
{
	return onnx_in_fail(message->in, message->at,
			    "field %u of %s has wire type %u; the file is damaged, or not an ONNX model",
			    message->field.number, message->what, message->field.wire);
}

int onnx_in_is_message(struct onnx_message *message)
{
	return message->field.wire == PB_BYTES ? 0 : fail_wire(message);
}

int onnx_in_bytes(struct onnx_message *message, struct onnx_bytes *to)
{
	if (message->field.wire != PB_BYTES)
		return fail_wire(message);
	*to = (struct onnx_bytes){ message->field.data, (size_t)message->field.value };
	return 0;
}

int onnx_in_text(struct onnx_message *message, const char **to)
{
	size_t len = (size_t)message->field.value;
	char *text;

	if (message->field.wire != PB_BYTES)
		return fail_wire(message);
	*to = "";
	if (!len)
		return 0;
	if (memchr(message->field.data, 0, len))
		return onnx_in_fail(message->in, message->at, "a name in %s has a zero byte in it", message->what);
	text = onnx_in_alloc(message->in, len + 1, 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, message->field.data, len);
	*to = text;
	return 0;
}

int onnx_in_int(struct onnx_message *message, int64_t *to)
{
	if (message->field.wire != PB_VARINT)
		return fail_wire(message);
	*to = (int64_t)message->field.value;
	return 0;
}

int onnx_in_float(struct onnx_message *message, float *to)
{
	uint32_t bits = (uint32_t)message->field.value;

	if (message->field.wire != PB_FIXED32)
		return fail_wire(message);
	memcpy(to, &bits, sizeof bits);
	return 0;
}

static int fail_many(struct onnx_message *message)
{
	return onnx_in_fail(message->in, message->at, "%s has at most %d numbers are allowed", message->what,
			    INT32_MAX);
}

int onnx_in_ints(struct onnx_message *message, int64_t *to, uint32_t *n)
{
	struct pb_in packed;
	uint64_t value;

	if (message->field.wire == PB_VARINT) {
		if (*n == INT32_MAX)
			return fail_many(message);
		if (to)
			to[*n] = (int64_t)message->field.value;
		++*n;
		return 0;
	}
	if (message->field.wire != PB_BYTES)
		return fail_wire(message);
	if (message->field.value > INT32_MAX - *n)
		return fail_many(message);
	for (packed = pb_inside(&message->field); packed.at < packed.end; ++*n) {
		if (!pb_get_varint(&packed, &value))
			return onnx_in_fail(message->in, packed.at, "a number in field %u of %s is not terminated",
					    message->field.number, message->what);
		if (to)
			to[*n] = (int64_t)value;
	}
	return 0;
}

int onnx_in_floats(struct onnx_message *message, float *to, uint32_t *n)
{
	size_t count = (size_t)message->field.value / sizeof(float);

	if (message->field.wire == PB_FIXED32) {
		if (*n == INT32_MAX)
			return fail_many(message);
		if (to && onnx_in_float(message, &to[*n]))
			return -EINVAL;
		++*n;
		return 0;
	}
	if (message->field.wire != PB_BYTES)
		return fail_wire(message);
	if (count > INT32_MAX - *n)
		return fail_many(message);
	if (message->field.value % sizeof(float))
		return onnx_in_fail(message->in, message->at, "field %u of %s ends inside a number",
				    message->field.number, message->what);
	if (to && count)
		memcpy(to + *n, message->field.data, count * sizeof(float));
	*n += (uint32_t)count;
	return 0;
}
