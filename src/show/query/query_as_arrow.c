// SPDX-License-Identifier: Apache-2.0
/*
 * Answers as Arrow IPC streams, which pandas, polars, DuckDB, R and others read without parsing. Columns are int64,
 * double, utf8 or binary, and all may be null. The type is the documented one; that of a computed column is what its
 * first rows have: integers and reals together are doubles, nothing but NULL is Arrow's null.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "show/query/arrow_message.h"
#include "show/query/query_formats.h"

/* A batch ends at so many rows, or bytes of one column's texts. */
enum { BATCH_ROWS = 1 << 16, BATCH_BYTES = 8 << 20 };

struct column {
	enum query_type type; /* QUERY_NULL: not known yet */
	uint64_t n_null;
	uint8_t valid[BATCH_ROWS / 8];
	union {
		int64_t integer[BATCH_ROWS];
		double real[BATCH_ROWS];
		uint32_t offset[BATCH_ROWS + 1];
	};
	char *text;
	size_t len, size;
};

struct arrow {
	size_t n; /* columns */
	uint32_t n_rows;
	bool has_schema, is_full;
	struct column column[];
};

static const char *const type_words[] = { "NULL", "an integer", "a real number", "a text", "bytes" };

static bool is_text(enum query_type type)
{
	return type == QUERY_TEXT || type == QUERY_BYTES;
}

static const char failure[] = "cannot write the answer";

static int begin(struct query_writer *writer, struct err *err)
{
	struct arrow *arrow = calloc(1, sizeof *arrow + writer->n_columns * sizeof *arrow->column);

	if (!arrow)
		return err_no_memory(err, failure);
	arrow->n = writer->n_columns;
	for (size_t i = 0; i < arrow->n; i++)
		arrow->column[i].type = writer->types[i];
	writer->state = arrow;
	return 0;
}

static enum arrow_type arrow_type_of(enum query_type type)
{
	static const enum arrow_type types[] = { ARROW_NULL, ARROW_INT64, ARROW_DOUBLE, ARROW_UTF8, ARROW_BINARY };

	return types[type];
}

static int put_schema(struct query_writer *writer, const struct arrow *arrow)
{
	struct arrow_field *field = calloc(arrow->n, sizeof *field);
	int code = -ENOMEM;

	for (size_t i = 0; field && i < arrow->n; i++)
		field[i] = (struct arrow_field){ writer->columns[i], arrow_type_of(arrow->column[i].type) };
	if (field)
		code = arrow_put_schema(writer->out, field, arrow->n);
	free(field);
	return code;
}

static size_t bytes_of(const struct column *column, uint32_t n_rows)
{
	return is_text(column->type) ? (n_rows + 1) * sizeof *column->offset : n_rows * sizeof *column->integer;
}

static void put_buffer(FILE *out, const void *data, uint64_t bytes)
{
	static const char zeros[ARROW_ALIGN];

	fwrite(data, 1, bytes, out);
	fwrite(zeros, 1, arrow_aligned(bytes) - bytes, out);
}

static void put_columns(FILE *out, const struct arrow *arrow)
{
	for (size_t i = 0; i < arrow->n; i++) {
		const struct column *column = &arrow->column[i];

		if (column->type == QUERY_NULL)
			continue;
		put_buffer(out, column->valid, (arrow->n_rows + 7) / 8);
		put_buffer(out, column->integer, bytes_of(column, arrow->n_rows));
		if (is_text(column->type))
			put_buffer(out, column->text, column->len);
	}
}

static int put_batch(FILE *out, const struct arrow *arrow)
{
	struct arrow_column *column = calloc(arrow->n, sizeof *column);
	int code = -ENOMEM;

	for (size_t i = 0; column && i < arrow->n; i++) {
		const struct column *from = &arrow->column[i];
		size_t n_buffers = is_text(from->type) ? 3 : from->type != QUERY_NULL ? 2 : 0;

		column[i] = (struct arrow_column){
			.n_null = from->n_null,
			.n_buffers = n_buffers,
			.bytes = { (arrow->n_rows + 7) / 8, bytes_of(from, arrow->n_rows), from->len },
		};
	}
	if (column)
		code = arrow_put_batch(out, column, arrow->n, arrow->n_rows);
	free(column);
	if (!code)
		put_columns(out, arrow);
	return code;
}

static void start_batch(struct arrow *arrow)
{
	arrow->n_rows = 0;
	arrow->is_full = false;
	for (size_t i = 0; i < arrow->n; i++) {
		struct column *column = &arrow->column[i];

		memset(column->valid, 0, sizeof column->valid);
		column->n_null = column->len = 0;
		column->offset[0] = 0;
	}
}

static int flush(struct query_writer *writer)
{
	struct arrow *arrow = writer->state;
	int code = arrow->has_schema ? 0 : put_schema(writer, arrow);

	arrow->has_schema = true;
	if (!code && arrow->n_rows)
		code = put_batch(writer->out, arrow);
	start_batch(arrow);
	return code;
}

/* Of a column of which nothing but NULL has come. */
static void become(struct column *column, enum query_type type)
{
	column->type = type;
	memset(column->integer, 0, sizeof column->integer);
}

static void become_real(struct column *column, uint32_t n_rows)
{
	for (uint32_t i = 0; i < n_rows; i++)
		column->real[i] = (double)column->integer[i];
	column->type = QUERY_REAL;
}

/* False: the column cannot hold a value of the type. */
static bool fits(struct arrow *arrow, struct column *column, enum query_type type)
{
	if (type == column->type || type == QUERY_NULL || (type == QUERY_INT && column->type == QUERY_REAL))
		return true;
	if (arrow->has_schema)
		return false;
	if (column->type == QUERY_NULL)
		become(column, type);
	else if (column->type == QUERY_INT && type == QUERY_REAL)
		become_real(column, arrow->n_rows);
	return column->type == type;
}

static bool add_text(struct arrow *arrow, struct column *column, const struct query_value *value)
{
	size_t needed = column->len + 3 * value->len;

	if (needed > column->size) {
		char *text = realloc(column->text, 2 * needed);

		if (!text)
			return false;
		column->text = text;
		column->size = 2 * needed;
	}
	if (column->type == QUERY_TEXT) {
		column->len += utf8_clean(column->text + column->len, value->text, value->len);
	} else if (value->len) {
		memcpy(column->text + column->len, value->text, value->len);
		column->len += value->len;
	}
	arrow->is_full |= column->len >= BATCH_BYTES;
	return true;
}

/* 0, or -ENOMEM. */
static int add(struct arrow *arrow, struct column *column, const struct query_value *value)
{
	uint32_t row = arrow->n_rows;
	bool is_null = value->type == QUERY_NULL;
	int code = 0;

	if (column->type == QUERY_REAL)
		column->real[row] = is_null ? 0 : value->type == QUERY_INT ? (double)value->integer : value->real;
	else if (column->type == QUERY_INT)
		column->integer[row] = is_null ? 0 : value->integer;
	else if (is_text(column->type) && !is_null)
		code = add_text(arrow, column, value) ? 0 : -ENOMEM;
	if (is_text(column->type))
		column->offset[row + 1] = (uint32_t)column->len;
	column->n_null += is_null;
	if (!is_null)
		column->valid[row / 8] |= (uint8_t)(1 << row % 8);
	return code;
}

static int row(struct query_writer *writer, const struct query_value *values, struct err *err)
{
	struct arrow *arrow = writer->state;

	for (size_t i = 0; i < arrow->n; i++) {
		struct column *column = &arrow->column[i];

		if (!fits(arrow, column, values[i].type))
			return err_set(err, EINVAL,
				       "cannot write the answer: column %s has %s in row %llu, and %s before: write "
				       "CAST(... AS TEXT), INTEGER or REAL around it",
				       writer->columns[i], type_words[values[i].type],
				       (unsigned long long)writer->n_rows + 1, type_words[column->type]);
		if (add(arrow, column, &values[i]))
			return err_no_memory(err, failure);
	}
	if (++arrow->n_rows < BATCH_ROWS && !arrow->is_full)
		return 0;
	return flush(writer) ? err_no_memory(err, failure) : 0;
}

static void end(struct query_writer *writer)
{
	struct arrow *arrow = writer->state;

	if (!flush(writer))
		arrow_put_end(writer->out);
	for (size_t i = 0; i < arrow->n; i++)
		free(arrow->column[i].text);
	free(arrow);
}

extern const struct query_format query_as_arrow;
const struct query_format query_as_arrow = { "arrow", ".arrows", begin, row, end, .is_binary = true };
