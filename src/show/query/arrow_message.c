// SPDX-License-Identifier: Apache-2.0
/*
 * FlatBuffers, written from front to back. A table is a list of places of its fields (the vtable) and, behind it, the
 * fields; what a field refers to (a text, a table, a vector) lies behind the table, and the field says how far. So a
 * table is written with gaps, and refer() fills a gap when the thing is about to be written.
 */
#include "show/query/arrow_message.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { METADATA_V5 = 4, HEADER_SCHEMA = 1, HEADER_BATCH = 3, PRECISION_DOUBLE = 2, MAX_FIELDS = 8 };

/* A FlatBuffer that grows. Failures stay: all is refused after one. */
struct flat {
	uint8_t *data;
	size_t len, size;
	bool has_failed;
};

/* How many bytes a field of a table takes there; 0: the table has none. */
struct flat_layout {
	size_t n;
	uint8_t size[MAX_FIELDS];
};

static uint8_t *grow(struct flat *flat, size_t bytes)
{
	static uint8_t nowhere[64];

	if (flat->len + bytes > flat->size && !flat->has_failed) {
		size_t size = 2 * flat->size + bytes + 1024;
		uint8_t *data = realloc(flat->data, size);

		flat->has_failed = !data;
		if (data) {
			flat->data = data;
			flat->size = size;
		}
	}
	if (flat->has_failed)
		return bytes <= sizeof nowhere ? nowhere : NULL;
	memset(flat->data + flat->len, 0, bytes);
	flat->len += bytes;
	return flat->data + flat->len - bytes;
}

static void put(struct flat *flat, uint64_t value, size_t bytes)
{
	memcpy(grow(flat, bytes), &value, bytes);
}

static void align(struct flat *flat, size_t to)
{
	grow(flat, (to - flat->len % to) % to);
}

static void set(struct flat *flat, size_t at, uint64_t value, size_t bytes)
{
	if (!flat->has_failed)
		memcpy(flat->data + at, &value, bytes);
}

/* What follows is what the gap at `at` refers to. */
static void refer(struct flat *flat, size_t at)
{
	align(flat, 4);
	set(flat, at, flat->len - at, 4);
}

/* Writes a table of gaps; field[] gets their places. The largest fields must come first: that aligns them. */
static void put_table(struct flat *flat, size_t gap, const struct flat_layout *layout, size_t field[MAX_FIELDS])
{
	size_t vtable, table, place = 4;
	uint8_t widest = 4;

	for (size_t i = 0; i < layout->n; i++)
		widest = layout->size[i] > widest ? layout->size[i] : widest;
	align(flat, 2);
	vtable = flat->len;
	grow(flat, 4 + 2 * layout->n);
	/* the fields lie behind the table's first 4 bytes */
	while ((flat->len + 4) % widest)
		put(flat, 0, 1);
	table = flat->len;
	set(flat, gap, table - gap, 4);
	put(flat, table - vtable, 4);
	for (uint8_t size = 8; size; size /= 2) {
		for (size_t i = 0; i < layout->n; i++) {
			if (layout->size[i] != size)
				continue;
			field[i] = flat->len;
			set(flat, vtable + 4 + 2 * i, place, 2);
			place += size;
			put(flat, 0, size);
		}
	}
	set(flat, vtable, 4 + 2 * layout->n, 2);
	set(flat, vtable + 2, place, 2);
}

static void put_text(struct flat *flat, size_t gap, const char *text)
{
	size_t len = strlen(text);

	refer(flat, gap);
	put(flat, len, 4);
	for (size_t i = 0; i <= len; i++)
		put(flat, (uint8_t)text[i], 1);
}

/* The root: a message; returns where its header is to be referred to. */
static size_t put_message(struct flat *flat, uint8_t header, uint64_t body_bytes)
{
	/* version, header type, header, length of the body */
	const struct flat_layout layout = { 4, { 2, 1, 4, 8 } };
	size_t field[MAX_FIELDS];

	put(flat, 0, 4);
	put_table(flat, 0, &layout, field);
	set(flat, field[0], METADATA_V5, 2);
	set(flat, field[1], header, 1);
	set(flat, field[3], body_bytes, 8);
	return field[2];
}

static void put_type(struct flat *flat, size_t gap, enum arrow_type type)
{
	/* bits, is signed; precision; nothing */
	const struct flat_layout integer = { 2, { 4, 1 } }, real = { 1, { 2 } }, other = { 0 };
	size_t field[MAX_FIELDS];

	if (type == ARROW_INT64) {
		put_table(flat, gap, &integer, field);
		set(flat, field[0], 64, 4);
		set(flat, field[1], 1, 1);
	} else if (type == ARROW_DOUBLE) {
		put_table(flat, gap, &real, field);
		set(flat, field[0], PRECISION_DOUBLE, 2);
	} else {
		put_table(flat, gap, &other, field);
	}
}

static void put_field(struct flat *flat, size_t gap, const struct arrow_field *of)
{
	/* name, may be null, kind of type, type, dictionary, children */
	const struct flat_layout layout = { 6, { 4, 1, 1, 4, 0, 4 } };
	size_t field[MAX_FIELDS];

	put_table(flat, gap, &layout, field);
	set(flat, field[1], 1, 1);
	set(flat, field[2], of->type, 1);
	put_text(flat, field[0], of->name);
	put_type(flat, field[3], of->type);
	refer(flat, field[5]);
	put(flat, 0, 4);
}

/* The message, in the frame that it has in a stream: a mark, its length, it, bytes that align. */
static int put_framed(FILE *out, struct flat *flat)
{
	const uint32_t mark = UINT32_MAX;
	uint32_t len;
	int code = -ENOMEM;

	align(flat, ARROW_ALIGN);
	if (!flat->has_failed) {
		len = (uint32_t)flat->len;
		fwrite(&mark, sizeof mark, 1, out);
		fwrite(&len, sizeof len, 1, out);
		fwrite(flat->data, 1, flat->len, out);
		code = 0;
	}
	free(flat->data);
	return code;
}

int arrow_put_schema(FILE *out, const struct arrow_field *field, size_t n)
{
	/* order of bytes (absent: little-endian), fields */
	const struct flat_layout layout = { 2, { 0, 4 } };
	struct flat flat = { 0 };
	size_t at[MAX_FIELDS], gaps;

	put_table(&flat, put_message(&flat, HEADER_SCHEMA, 0), &layout, at);
	refer(&flat, at[1]);
	put(&flat, n, 4);
	gaps = flat.len;
	for (size_t i = 0; i < n; i++)
		put(&flat, 0, 4);
	for (size_t i = 0; i < n; i++)
		put_field(&flat, gaps + 4 * i, &field[i]);
	return put_framed(out, &flat);
}

/* A vector of structs of 8-byte numbers: they lie at a multiple of 8, their count before them. */
static void put_vector(struct flat *flat, size_t gap, size_t n)
{
	while ((flat->len + 4) % 8)
		put(flat, 0, 1);
	refer(flat, gap);
	put(flat, n, 4);
}

int arrow_put_batch(FILE *out, const struct arrow_column *column, size_t n, uint64_t n_rows)
{
	/* rows, columns, buffers */
	const struct flat_layout layout = { 3, { 8, 4, 4 } };
	struct flat flat = { 0 };
	size_t at[MAX_FIELDS], n_buffers = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		n_buffers += column[i].n_buffers;
		for (size_t k = 0; k < column[i].n_buffers; k++)
			bytes += arrow_aligned(column[i].bytes[k]);
	}
	put_table(&flat, put_message(&flat, HEADER_BATCH, bytes), &layout, at);
	set(&flat, at[0], n_rows, 8);
	put_vector(&flat, at[1], n);
	for (size_t i = 0; i < n; i++) {
		put(&flat, n_rows, 8);
		put(&flat, column[i].n_null, 8);
	}
	put_vector(&flat, at[2], n_buffers);
	bytes = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < column[i].n_buffers; k++) {
			put(&flat, bytes, 8);
			put(&flat, column[i].bytes[k], 8);
			bytes += arrow_aligned(column[i].bytes[k]);
		}
	}
	return put_framed(out, &flat);
}

void arrow_put_end(FILE *out)
{
	const uint32_t end[2] = { UINT32_MAX, 0 };

	fwrite(end, sizeof end, 1, out);
}
