/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the profile of ONNX Runtime. */
#ifndef TRACE_EXPORT_EXPORT_ORT_IN_H
#define TRACE_EXPORT_EXPORT_ORT_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/export/text_out.h"

/*
 * Rows of an array of JSON, one a line. A row can wait for others that must stand right behind it: an operator for its
 * kernels, which end later. The oldest are written when too many wait; as long as none does, rows are written at once.
 */
enum { HELD_ROWS = 1 << 14 };

struct held_row {
	char *text;
	size_t len, room;
};

struct held_place {
	uint64_t key, number;
};

struct held_rows {
	struct text_out *out;		/* borrowed */
	uint64_t first, n;		/* number of the oldest row that waits; how many do */
	bool has_row;			/* one was written */
	struct held_row row[HELD_ROWS]; /* a ring, by number */
	struct held_place place[2 * HELD_ROWS];
};

/* Writes the row, or lets it wait: with a key, or behind others that do. text has no comma and no line break around it.
 */
void held_rows_put(struct held_rows *rows, const char *text, size_t len, uint64_t key);
/* The same for a row that belongs behind the one with this key, if that still waits. key: 0: behind all. */
void held_rows_put_behind(struct held_rows *rows, const char *text, size_t len, uint64_t key);
/* Writes all rows, and the end of the array. */
void held_rows_end(struct held_rows *rows);
void held_rows_done(struct held_rows *rows);

/* Shapes of recordings in the form of ONNX Runtime's own profile. Both take a text like float32[64x256],int64[]. */
/* Writes the list; [] if the text is longer than 4,000 bytes or has another form. */
void ort_shapes_put(struct text_out *out, const char *text, size_t len);
/* Bytes of all tensors; 0: unknown. */
int64_t ort_shapes_bytes(const char *text);

#endif
