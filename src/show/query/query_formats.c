// SPDX-License-Identifier: Apache-2.0
/* Every format of answers: one line each, and query_as_<name>.c, which defines query_as_<name>. */
#include "show/query/query_formats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUERY_FORMATS(F) \
	F(table) \
	F(csv) \
	F(json) \
	F(jsonl) \
	F(arrow)

#define DECLARE(name) extern const struct query_format query_as_##name;
QUERY_FORMATS(DECLARE)

#define ENTRY(name) &query_as_##name,
const struct query_format *const query_formats[] = { QUERY_FORMATS(ENTRY) NULL };

const struct query_format *query_format_named(const char *name)
{
	for (size_t i = 0; query_formats[i]; i++)
		if (!strcmp(name, query_formats[i]->name))
			return query_formats[i];
	return NULL;
}

const struct query_format *query_format_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && query_formats[i]; i++)
		if (!strcmp(suffix, query_formats[i]->suffix))
			return query_formats[i];
	return query_formats[0];
}

void query_put_number_text(char text[32], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (digits == 17 || strtod(text, NULL) == value)
			break;
	}
	/* a real number stays one when it is read again */
	if (isfinite(value) && !strpbrk(text, ".e"))
		strcat(text, ".0");
}

void query_writer_done(struct query_writer *writer)
{
	if (writer->state)
		writer->format->end(writer);
	writer->state = NULL;
	for (size_t i = 0; i < writer->n_columns; i++)
		free(writer->columns[i]);
	free(writer->columns);
	free(writer->types);
	writer->columns = NULL;
	writer->types = NULL;
	writer->n_columns = 0;
}

/* The output may be a pipe that nobody reads any more. */
static int check(struct query_writer *writer, struct err *err)
{
	if (!ferror(writer->out))
		return 0;
	writer->is_closed = errno == EPIPE;
	return err_set(err, errno ? errno : EIO, "cannot write the answer: %s", strerror(errno ? errno : EIO));
}

static int begin(void *writer_, const struct query_heading *columns, size_t n, struct err *err)
{
	struct query_writer *writer = writer_;
	int code = 0;

	if (writer->format->is_binary && isatty(fileno(writer->out)))
		return err_set(err, EINVAL,
			       "cannot write the answer: %s is not for a terminal: write it to a file (> FILE)",
			       writer->format->name);
	writer->n_rows = 0;
	writer->columns = calloc(n, sizeof *writer->columns);
	writer->types = calloc(n, sizeof *writer->types);
	while (writer->columns && writer->types && writer->n_columns < n) {
		char *copy = strdup(columns[writer->n_columns].name);

		if (!copy)
			break;
		writer->types[writer->n_columns] = columns[writer->n_columns].type;
		writer->columns[writer->n_columns++] = copy;
	}
	if (writer->n_columns < n)
		return err_no_memory(err, "cannot write the answer");
	code = writer->format->begin(writer, err);
	return code ? code : check(writer, err);
}

static int row(void *writer_, const struct query_value *values, size_t n, struct err *err)
{
	struct query_writer *writer = writer_;
	int code = writer->format->row(writer, values, err);

	writer->n_rows++;
	return code ? code : check(writer, err);
}

static int end(void *writer_, struct err *err)
{
	struct query_writer *writer = writer_;

	query_writer_done(writer);
	return check(writer, err);
}

struct query_taker query_writer_taker(struct query_writer *writer)
{
	return (struct query_taker){ writer, begin, row, end };
}
