// SPDX-License-Identifier: Apache-2.0
/*
 * doc/query.md says what tables, columns and functions there are: the part between its two marks is made from the
 * tables themselves. INFTRACE_BLESS=1 writes it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"
#include "cases.h"

#define PATH TEST_DIR "/../doc/query.md"
#define BEGIN "<!-- tables -->\n"
#define END "<!-- end of tables -->\n"

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static void put_table(FILE *out, size_t i, const struct query_table_words *table)
{
	fprintf(out, "\n### %s\n\n%s%s\n\n| column | type | meaning |\n|---|---|---|\n", table->name, table->what,
		table->is_view ? " A view." : "");
	for (size_t k = 0; k < table->n_columns; k++) {
		struct query_column_words column = query_column_at(i, k);

		fprintf(out, "| `%s` | %s | %s |\n", column.name, column.type, column.what);
	}
}

static char *make_words(void)
{
	struct query_table_words table;
	struct query_column_words function;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; query_table_at(i, &table); i++)
		put_table(out, i, &table);
	fputs("\n## Functions\n\nBesides those of SQLite (core, aggregate, window, date, math and JSON functions):\n\n"
	      "| function | kind | meaning |\n|---|---|---|\n",
	      out);
	for (size_t i = 0; query_function_at(i, &function); i++)
		fprintf(out, "| `%s` | %s | %s |\n", function.name, function.type, function.what);
	fputc('\n', out);
	fclose(out);
	return text;
}

static void bless(const char *text, const char *begin, const char *end, const char *words)
{
	FILE *file = fopen(PATH, "w");

	assert_non_null(file);
	fprintf(file, "%.*s%s%s", (int)(begin - text), text, words, end);
	fclose(file);
}

TEST(document_has_every_table_and_column)
{
	char *text = read_file(PATH), *words = make_words();
	char *begin = strstr(text, BEGIN), *end = strstr(text, END);

	assert_non_null(begin);
	assert_non_null(end);
	begin += strlen(BEGIN);
	if (getenv("INFTRACE_BLESS")) {
		bless(text, begin, end, words);
	} else {
		*end = 0;
		assert_string_equal(begin, words);
	}
	free(text);
	free(words);
}

TEST(words_are_complete)
{
	struct query_table_words table;

	for (size_t i = 0; query_table_at(i, &table); i++) {
		assert_true(strlen(table.what) > 10);
		for (size_t k = 0; k < table.n_columns; k++) {
			struct query_column_words column = query_column_at(i, k);

			assert_non_null(column.name);
			assert_true(strlen(column.what) > 3);
			assert_true(!strcmp(column.type, "INTEGER") || !strcmp(column.type, "REAL") ||
				    !strcmp(column.type, "TEXT"));
		}
	}
}

/* A column of an annotation has the name that the annotation has in files. */
TEST(columns_are_called_as_their_annotations)
{
	static const char *const others[][2] = {
		{ "number", "id" },
		{ "is_training_mode", "training_mode" },
		{ "has_gradients", "gradients" },
		{ "allocated_bytes", "allocated" },
		{ "tracer", "text" },
		{ "reason", "text" },
		{ "tracer_pid", "pid" },
	};

	for (size_t i = 0; query_tables[i]; i++)
		for (size_t k = 0; k < query_tables[i]->n_columns; k++) {
			const struct query_column *column = &query_tables[i]->columns[k];
			const char *name = column->name;

			for (size_t o = 0; column->arg && o < sizeof others / sizeof *others; o++)
				if (!strcmp(name, others[o][0]))
					name = others[o][1];
			if (column->arg)
				assert_string_equal(name, event_key_name(column->arg));
		}
}
