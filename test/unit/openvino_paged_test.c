// SPDX-License-Identifier: Apache-2.0
/* Sequences of a model with paged attention, by what its tables of integers contain; and none of other models. */
#include <string.h>

#include "cases.h"
#include "runtime/openvino/openvino_in.h"

enum { INT32 = 6, INT64 = 7, FLOAT32 = 1 };

static struct shape tokens(int64_t n)
{
	return (struct shape){ .type = INT64, .n_dims = 1, .dim = { n } };
}

static struct shape table(const int32_t *value, int64_t n)
{
	return (struct shape){ .type = INT32, .n_dims = n != 0, .dim = { n }, .data = value };
}

static struct shapes of_inputs(const struct shape *inputs, uint32_t n)
{
	struct shapes shapes = { .n = n };

	memcpy(shapes.input, inputs, n * sizeof *inputs);
	return shapes;
}

static void assert_text(const struct shape *inputs, uint32_t n, const char *expected)
{
	char text[256];
	const struct shapes shapes = of_inputs(inputs, n);
	size_t len = openvino_sequences(&shapes, text, sizeof text);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(text, expected, len);
}

static const int32_t past[] = { 16, 0, 7 }, begins[] = { 0, 1, 65, 66 }, blocks[] = { 0, 1, 3, 4 },
		     block[] = { 5, 6, 7, 9 }, longest[] = { 64 }, other[] = { 1024 };

TEST(of_two_tables_those_that_agree_are_taken)
{
	const struct shape inputs[] = { tokens(66),	   tokens(66),	     table(other, 0),
					table(blocks, 4),  table(block, 4),  table(block, 3),
					table(longest, 0), table(begins, 4), table(past, 3) };

	assert_text(inputs, 9, "?:16+1/1,?:0+64/1,?:7+1/1");
}

/* Four tokens of one sequence and one of another check a draft, if the results of all are asked for. */
TEST(results_that_are_asked_for_are_counted_also_behind_the_first_inputs)
{
	const int32_t before[] = { 64, 9 }, from[] = { 0, 4, 5 }, most[] = { 68 };
	struct shape inputs[] = { tokens(5), tokens(5), table(most, 0), table(from, 3), table(before, 2), tokens(5) };
	struct shapes shapes = of_inputs(inputs, 5);
	char text[100];

	assert_text(inputs, 6, "?:64+4/4,?:9+1/1");
	inputs[5] = tokens(2);
	assert_text(inputs, 6, "?:64+4/1,?:9+1/1");
	shapes.n_groups = 2;
	shapes.times[0] = 30;
	shapes.times[1] = 1;
	shapes.group[0] = table(before, 2);
	shapes.group[1] = tokens(5);
	text[openvino_sequences(&shapes, text, sizeof text)] = 0;
	assert_string_equal(text, "?:64+4/4,?:9+1/1");
	shapes.group[1] = tokens(2);
	text[openvino_sequences(&shapes, text, sizeof text)] = 0;
	assert_string_equal(text, "?:64+4/1,?:9+1/1");
}

TEST(as_many_as_fit_are_written)
{
	const struct shape inputs[] = { tokens(66), table(longest, 0), table(begins, 4), table(past, 3) };
	const struct shapes shapes = of_inputs(inputs, 4);
	char text[70];

	assert_int_equal(openvino_sequences(&shapes, text, sizeof text), strlen("?:16+1/1"));
}

/* As many as openvino-genai runs at a time unless it is told otherwise. */
TEST(all_of_256_sequences_are_written)
{
	int32_t many[256], from[257];
	const int32_t most[] = { 1256 };
	const struct shape inputs[] = { tokens(256), table(from, 257), table(many, 256), table(most, 0) };
	struct shapes shapes;
	char text[4096];
	size_t n = 1;

	for (int i = 0; i < 256; i++)
		many[i] = 1000 + i;
	for (int i = 0; i < 257; i++)
		from[i] = i;
	shapes = of_inputs(inputs, 4);
	text[openvino_sequences(&shapes, text, sizeof text)] = 0;
	for (const char *at = text; (at = strchr(at, ',')); at++)
		n++;
	assert_int_equal(n, 256);
	assert_non_null(strstr(text, ",?:1255+1/1"));
}

TEST(other_models_have_none)
{
	const int32_t less[] = { 0, 65, 1, 66 }, negative[] = { -16, 0, 7 };
	const struct shape image = { .type = FLOAT32, .n_dims = 4, .dim = { 1, 3, 224, 224 } };
	const struct shape unread = { .type = INT32, .n_dims = 1, .dim = { 3 } };

	assert_text((struct shape[]){ image, table(longest, 0), table(begins, 4), table(past, 3) }, 4, "");
	assert_text((struct shape[]){ tokens(60), table(longest, 0), table(begins, 4), table(past, 3) }, 4, "");
	assert_text((struct shape[]){ tokens(66), table(other, 0), table(begins, 4), table(past, 3) }, 4, "");
	assert_text((struct shape[]){ tokens(66), table(longest, 0), table(less, 4), table(past, 3) }, 4, "");
	assert_text((struct shape[]){ tokens(66), table(longest, 0), table(begins, 4), table(negative, 3) }, 4, "");
	assert_text((struct shape[]){ tokens(66), table(longest, 0), table(begins, 4), unread }, 4, "");
	assert_text(NULL, 0, "");
}
