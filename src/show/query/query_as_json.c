// SPDX-License-Identifier: Apache-2.0
/* Answers as JSON: an array of objects, one a line; jsonl: the objects alone. Bytes are written in hexadecimal. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/json.h"
#include "show/query/query_formats.h"

extern const struct query_format query_as_json, query_as_jsonl;

static void put_value(FILE *out, const struct query_value *value)
{
	char number[32];

	switch (value->type) {
	case QUERY_INT:
		fprintf(out, "%" PRId64, value->integer);
		break;
	case QUERY_REAL:
		query_put_number_text(number, value->real);
		fputs(isfinite(value->real) ? number : "null", out);
		break;
	case QUERY_TEXT:
		json_put_text(out, value->text ? value->text : "");
		break;
	case QUERY_BYTES:
		fputc('"', out);
		for (size_t i = 0; i < value->len; i++)
			fprintf(out, "%02x", (unsigned char)value->text[i]);
		fputc('"', out);
		break;
	default:
		fputs("null", out);
	}
}

static int begin(struct query_writer *writer, struct err *err)
{
	writer->state = writer; /* end is called */
	if (writer->format == &query_as_json)
		fputc('[', writer->out);
	return 0;
}

static int row(struct query_writer *writer, const struct query_value *values, struct err *err)
{
	if (writer->format == &query_as_json)
		fputs(writer->n_rows ? ",\n" : "\n", writer->out);
	fputc('{', writer->out);
	for (size_t i = 0; i < writer->n_columns; i++) {
		if (i)
			fputs(", ", writer->out);
		json_put_text(writer->out, writer->columns[i]);
		fputs(": ", writer->out);
		put_value(writer->out, &values[i]);
	}
	fputc('}', writer->out);
	if (writer->format == &query_as_jsonl)
		fputc('\n', writer->out);
	return 0;
}

static void end(struct query_writer *writer)
{
	if (writer->format == &query_as_json)
		fputs(writer->n_rows ? "\n]\n" : "]\n", writer->out);
}

const struct query_format query_as_json = { "json", ".json", begin, row, end };
const struct query_format query_as_jsonl = { "jsonl", ".jsonl", begin, row, end };
