// SPDX-License-Identifier: Apache-2.0
/* Answers as CSV for spreadsheets and scripts, with a header: NULL is an empty field, an empty text is "". Bytes are
 * written in hexadecimal. */
#include <inttypes.h>
#include <string.h>

#include "base/text/csv.h"
#include "show/query/query_formats.h"

static void put_text(FILE *out, const char *text, size_t len)
{
	if (len)
		csv_put_text(out, text, len);
	else
		fputs("\"\"", out);
}

static void put_value(FILE *out, const struct query_value *value)
{
	char number[32];

	if (value->type == QUERY_INT) {
		fprintf(out, "%" PRId64, value->integer);
	} else if (value->type == QUERY_REAL) {
		query_put_number_text(number, value->real);
		fputs(number, out);
	} else if (value->type == QUERY_TEXT) {
		put_text(out, value->text ? value->text : "", value->len);
	} else if (value->type == QUERY_BYTES) {
		for (size_t i = 0; i < value->len; i++)
			fprintf(out, "%02x", (unsigned char)value->text[i]);
	}
}

static int begin(struct query_writer *writer, struct err *err)
{
	for (size_t i = 0; i < writer->n_columns; i++) {
		if (i)
			fputc(',', writer->out);
		put_text(writer->out, writer->columns[i], strlen(writer->columns[i]));
	}
	fputs("\r\n", writer->out);
	return 0;
}

static int row(struct query_writer *writer, const struct query_value *values, struct err *err)
{
	for (size_t i = 0; i < writer->n_columns; i++) {
		if (i)
			fputc(',', writer->out);
		put_value(writer->out, &values[i]);
	}
	fputs("\r\n", writer->out);
	return 0;
}

static void end(struct query_writer *writer)
{
}

extern const struct query_format query_as_csv;
const struct query_format query_as_csv = { "csv", ".csv", begin, row, end };
