// SPDX-License-Identifier: Apache-2.0
/* Arrow IPC streams: their messages and batches, and which type a column gets. What pyarrow reads is test_python.py's.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "show/query/query_formats.h"

enum { BATCH = 1 << 16 };

struct answer {
	struct query_writer writer;
	struct query_taker taker;
	struct err err;
	char *data;
	size_t len;
};

static void start(struct answer *a, const struct query_heading *columns, size_t n)
{
	*a = (struct answer){ .writer.format = query_format_named("arrow") };
	a->writer.out = open_memstream(&a->data, &a->len);
	assert_non_null(a->writer.out);
	a->taker = query_writer_taker(&a->writer);
	assert_int_equal(a->taker.begin(a->taker.ctx, columns, n, &a->err), 0);
}

static int put(struct answer *a, struct query_value value)
{
	return a->taker.row(a->taker.ctx, &value, 1, &a->err);
}

static int put_int(struct answer *a, int64_t integer)
{
	return put(a, (struct query_value){ .type = QUERY_INT, .integer = integer });
}

static int put_text(struct answer *a, const char *text, size_t len)
{
	return put(a, (struct query_value){ .type = QUERY_TEXT, .text = text, .len = len });
}

static uint64_t number(const char *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return value;
}

/* Where field `i` of a FlatBuffer's table is; NULL: the table has none. */
static const char *field(const char *table, size_t i)
{
	const char *vtable = table - (int32_t)number(table, 4);
	uint64_t at = number(vtable + 4 + 2 * i, 2);

	assert_true(4 + 2 * i < number(vtable, 2));
	return at ? table + at : NULL;
}

static const char *to(const char *at)
{
	return at + number(at, 4);
}

struct messages {
	size_t n_batches;
	uint64_t n_rows;
	int type;	  /* of the first column */
	const char *body; /* of the last batch */
};

static void read_message(struct messages *messages, const char *message, const char *body)
{
	const char *header = to(field(message, 2)), *columns;

	assert_int_equal(number(field(message, 0), 2), 4);
	if (number(field(message, 1), 1) == 1) {
		columns = to(field(header, 1));
		messages->type = (int)number(field(to(columns + 4), 2), 1);
		return;
	}
	assert_int_equal(number(field(message, 1), 1), 3);
	messages->n_batches++;
	messages->n_rows += number(field(header, 0), 8);
	messages->body = body;
}

/* Walks over the whole stream: it must end where the output ends. */
static struct messages finish(struct answer *a)
{
	struct messages messages = { 0 };
	size_t at = 0;

	assert_int_equal(a->taker.end(a->taker.ctx, &a->err), 0);
	query_writer_done(&a->writer);
	fclose(a->writer.out);
	for (;;) {
		uint64_t len;
		const char *message;

		assert_true(at + 8 <= a->len);
		assert_int_equal(number(a->data + at, 4), UINT32_MAX);
		len = number(a->data + at + 4, 4);
		at += 8;
		if (!len)
			break;
		assert_int_equal(len % 8, 0);
		message = to(a->data + at);
		read_message(&messages, message, a->data + at + len);
		at += len + number(field(message, 3), 8);
	}
	assert_int_equal(at, a->len);
	return messages;
}

TEST(an_answer_without_rows_has_its_documented_types)
{
	static const int arrow[] = {
		[QUERY_NULL] = 1, [QUERY_INT] = 2, [QUERY_REAL] = 3, [QUERY_TEXT] = 5, [QUERY_BYTES] = 4
	};

	for (int type = QUERY_NULL; type <= QUERY_BYTES; type++) {
		const struct query_heading column = { "x", (enum query_type)type };
		struct messages messages;
		struct answer a;

		start(&a, &column, 1);
		messages = finish(&a);
		assert_int_equal(messages.type, arrow[type]);
		assert_int_equal(messages.n_batches, 0);
		free(a.data);
	}
}

TEST(rows_come_in_batches)
{
	const struct query_heading column = { "x", QUERY_INT };
	struct messages messages;
	struct answer a;

	start(&a, &column, 1);
	for (int i = 0; i < 2 * BATCH + 3; i++)
		assert_int_equal(put_int(&a, i - 1), 0);
	messages = finish(&a);
	assert_int_equal(messages.n_batches, 3);
	assert_int_equal(messages.n_rows, 2 * BATCH + 3);
	/* a byte that says that all three are there, filled up to 8 */
	assert_int_equal(number(messages.body, 8), 7);
	assert_int_equal(number(messages.body + 8, 8), 2 * BATCH - 1);
	free(a.data);
}

TEST(long_texts_end_a_batch)
{
	const struct query_heading column = { "x", QUERY_TEXT };
	size_t len = 3 << 20;
	char *text = calloc(1, len);
	struct messages messages;
	struct answer a;

	assert_non_null(text);
	start(&a, &column, 1);
	for (int i = 0; i < 7; i++)
		assert_int_equal(put_text(&a, text, len), 0);
	messages = finish(&a);
	assert_int_equal(messages.n_batches, 3);
	assert_int_equal(messages.n_rows, 7);
	free(a.data);
	free(text);
}

TEST(a_computed_column_gets_the_type_of_its_first_rows)
{
	const struct query_heading column = { "x", QUERY_NULL };
	const double doubles[] = { 0, 3, 0.5, 4 };
	struct messages messages;
	struct answer a;

	start(&a, &column, 1);
	assert_int_equal(put(&a, (struct query_value){ .type = QUERY_NULL }), 0);
	assert_int_equal(put_int(&a, 3), 0);
	assert_int_equal(put(&a, (struct query_value){ .type = QUERY_REAL, .real = 0.5 }), 0);
	assert_int_equal(put_int(&a, 4), 0);
	messages = finish(&a);
	assert_int_equal(messages.type, 3);
	assert_int_equal(number(messages.body, 8), 0xe);
	assert_memory_equal(messages.body + 8, doubles, sizeof doubles);
	free(a.data);
}

TEST(broken_texts_become_valid)
{
	const struct query_heading column = { "x", QUERY_TEXT };
	struct messages messages;
	struct answer a;

	start(&a, &column, 1);
	assert_int_equal(put_text(&a, "a\xff", 2), 0);
	assert_int_equal(put(&a, (struct query_value){ .type = QUERY_NULL }), 0);
	messages = finish(&a);
	assert_int_equal(number(messages.body + 8, 4), 0);
	assert_int_equal(number(messages.body + 12, 4), 4);
	assert_int_equal(number(messages.body + 16, 4), 4);
	assert_memory_equal(messages.body + 24, "a\xef\xbf\xbd", 4);
	free(a.data);
}

TEST(a_value_of_another_type_is_an_error)
{
	const struct query_heading column = { "x", QUERY_NULL };
	struct answer a;

	start(&a, &column, 1);
	for (int i = 0; i < BATCH; i++)
		assert_int_equal(put_int(&a, i), 0);
	assert_int_equal(put(&a, (struct query_value){ .type = QUERY_REAL, .real = 0.5 }), -EINVAL);
	assert_string_equal(a.err.msg,
			    "cannot write the answer: column x has a real number in row 65537, and an integer "
			    "before: write CAST(... AS TEXT), INTEGER or REAL around it");
	finish(&a);
	free(a.data);
	start(&a, &column, 1);
	assert_int_equal(put_text(&a, "a", 1), 0);
	assert_int_equal(put_int(&a, 1), -EINVAL);
	finish(&a);
	free(a.data);
}
