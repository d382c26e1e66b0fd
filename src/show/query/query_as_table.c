// SPDX-License-Identifier: Apache-2.0
/*
 * Answers as a table for people: columns as wide as what is in the first rows, numbers to the right. Those rows wait
 * until the widths are known, all others pass. Numbers are exact, unless units are wanted. Texts are made harmless, and
 * a very long one loses its middle.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "show/query/query_formats.h"

enum { WAITING = 1000, WIDEST = 400 };

struct cell {
	char *text;
	bool is_number;
};

struct state {
	struct array cells; /* struct cell: rows that wait */
	int *width;
	bool is_begun; /* the header is printed */
};

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len >= n && !strcmp(name + len - n, suffix);
}

/* By the unit in the column's name; others are left as they are. */
static bool put_units(char *to, size_t size, const char *column, double value)
{
	struct units_text text;

	if (ends_with(column, "_ns"))
		text = units_duration(value);
	else if (ends_with(column, "bytes"))
		text = units_bytes(value);
	else if (ends_with(column, "share"))
		text = units_percent(value);
	else if (ends_with(column, "_per_s"))
		text = units_rate(value);
	else
		return false;
	snprintf(to, size, "%s", text.s);
	return true;
}

static char *text_of(const struct query_writer *writer, size_t column, const struct query_value *value)
{
	char number[64];

	switch (value->type) {
	case QUERY_INT:
		if (!writer->is_human ||
		    !put_units(number, sizeof number, writer->columns[column], (double)value->integer))
			snprintf(number, sizeof number, "%" PRId64, value->integer);
		return strdup(number);
	case QUERY_REAL:
		if (!writer->is_human || !put_units(number, sizeof number, writer->columns[column], value->real))
			query_put_number_text(number, value->real);
		return strdup(number);
	case QUERY_TEXT:
		return strdup(printable_text(value->text ? value->text : "", value->len, WIDEST, writer->is_ascii).s);
	case QUERY_BYTES:
		snprintf(number, sizeof number, "(%zu bytes)", value->len);
		return strdup(number);
	default:
		return strdup("NULL");
	}
}

static void put_cell(FILE *out, const char *text, int width, bool is_right, bool is_last)
{
	int space = width - printable_width(text);

	fprintf(out, "%*s%s%*s%s", is_right && space > 0 ? space : 0, "", text,
		!is_right && !is_last && space > 0 ? space : 0, "", is_last ? "\n" : "  ");
}

static void put_header(struct query_writer *writer, const struct state *state, const struct cell *first)
{
	for (size_t i = 0; i < writer->n_columns; i++)
		put_cell(writer->out,
			 printable_text(writer->columns[i], strlen(writer->columns[i]), WIDEST, writer->is_ascii).s,
			 state->width[i], first && first[i].is_number, i + 1 == writer->n_columns);
	for (size_t i = 0; i < writer->n_columns; i++) {
		for (int k = 0; k < state->width[i]; k++)
			fputc('-', writer->out);
		fputs(i + 1 < writer->n_columns ? "  " : "\n", writer->out);
	}
}

/* Prints what waits. */
static void flush(struct query_writer *writer, struct state *state)
{
	const struct cell *cell = state->cells.data;

	if (!state->is_begun)
		put_header(writer, state, state->cells.n ? cell : NULL);
	state->is_begun = true;
	for (size_t i = 0; i < state->cells.n; i++) {
		size_t column = i % writer->n_columns;

		put_cell(writer->out, cell[i].text, state->width[column], cell[i].is_number,
			 column + 1 == writer->n_columns);
		free(cell[i].text);
	}
	state->cells.n = 0;
}

static const char failure[] = "cannot write the answer";

static int begin(struct query_writer *writer, struct err *err)
{
	struct state *state = calloc(1, sizeof *state);

	if (!state)
		return err_no_memory(err, failure);
	writer->state = state;
	state->width = calloc(writer->n_columns, sizeof *state->width);
	if (!state->width)
		return err_no_memory(err, failure);
	for (size_t i = 0; i < writer->n_columns; i++)
		state->width[i] = printable_width(
		    printable_text(writer->columns[i], strlen(writer->columns[i]), WIDEST, writer->is_ascii).s);
	return 0;
}

static int row(struct query_writer *writer, const struct query_value *values, struct err *err)
{
	struct state *state = writer->state;

	for (size_t i = 0; i < writer->n_columns; i++) {
		char *text = text_of(writer, i, &values[i]);
		struct cell *cell = text ? array_add(&state->cells, sizeof *cell) : NULL;
		int width = text ? printable_width(text) : 0;

		if (!cell) {
			free(text);
			return err_no_memory(err, failure);
		}
		*cell = (struct cell){ text, values[i].type == QUERY_INT || values[i].type == QUERY_REAL };
		if (!state->is_begun && width > state->width[i])
			state->width[i] = width;
	}
	if (state->is_begun || writer->n_rows + 1 >= WAITING)
		flush(writer, state);
	return 0;
}

static void end(struct query_writer *writer)
{
	struct state *state = writer->state;

	if (state->width)
		flush(writer, state);
	array_done(&state->cells, sizeof(struct cell));
	free(state->width);
	free(state);
}

extern const struct query_format query_as_table;
const struct query_format query_as_table = { "table", ".txt", begin, row, end };
