/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of Arrow's IPC streams: what a table's columns are, and where the columns of a batch of rows lie in the
 * bytes that follow. Format: Arrow's Schema.fbs and Message.fbs (metadata version 5), as FlatBuffers, little-endian.
 */
#ifndef SHOW_QUERY_ARROW_MESSAGE_H
#define SHOW_QUERY_ARROW_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ARROW_ALIGN = 8 };

/* Numbers of Schema.fbs. */
enum arrow_type { ARROW_NULL = 1, ARROW_INT64 = 2, ARROW_DOUBLE = 3, ARROW_BINARY = 4, ARROW_UTF8 = 5 };

struct arrow_field {
	const char *name; /* UTF-8 */
	enum arrow_type type;
};

/* A column of a batch. Lengths in bytes, without what aligns them; the buffers follow each other in this order. */
struct arrow_column {
	uint64_t n_null;
	size_t n_buffers; /* 0 of ARROW_NULL; validity, values; of texts and bytes validity, offsets, values */
	uint64_t bytes[3];
};

/* 0, or -ENOMEM. Errors of the stream are found by ferror. */
int arrow_put_schema(FILE *out, const struct arrow_field *field, size_t n);
/* What stands before the columns of a batch; they follow, each buffer filled up to ARROW_ALIGN bytes. */
int arrow_put_batch(FILE *out, const struct arrow_column *column, size_t n, uint64_t n_rows);
void arrow_put_end(FILE *out);

/* How many bytes a buffer takes with what aligns it. */
static inline uint64_t arrow_aligned(uint64_t bytes)
{
	return (bytes + ARROW_ALIGN - 1) / ARROW_ALIGN * ARROW_ALIGN;
}

#endif
