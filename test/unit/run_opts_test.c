// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

static struct run_opts opts;
static struct err err;

/* A command line, cut at spaces. */
static int parse(const char *line)
{
	static char text[512];
	char *word[64], *rest = NULL;
	int n = 0;

	snprintf(text, sizeof text, "%s", line);
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		word[n++] = at;
	memset(&err, 0, sizeof err);
	return run_opts_parse(&opts, n, word, &err);
}

static void expect_refused(const char *line, const char *why)
{
	assert_int_equal(parse(line), -EINVAL);
	assert_non_null(strstr(err.msg, why));
}

TEST(a_model_alone_is_enough)
{
	assert_int_equal(parse("m.onnx"), 0);
	assert_string_equal(opts.model, "m.onnx");
	assert_int_equal(opts.concurrency, 1);
	assert_true(opts.duration_ns == 10000000000);
	assert_string_equal(opts.optimization, "all");
	assert_null(opts.rate);
}

TEST(what_makes_no_sense_is_refused)
{
	expect_refused("", "no model given");
	expect_refused("a b", "only one model is measured at a time");
	expect_refused("a --shape 1x2", "expected NAME=VALUE");
	expect_refused("a -C =1", "expected NAME=VALUE");
	expect_refused("a -c 0", "expected 1 to 1024");
	expect_refused("a --rate 0", "cannot use '0' as --rate");
	expect_refused("a --rate inf", "expected a number from 0 up");
	expect_refused("a --rate -3", "expected a number from 0 up");
	expect_refused("a --seed -1", "expected a whole number from 0 up");
	expect_refused("a --seed 18446744073709551616", "expected a whole number from 0 up");
	expect_refused("a -t 0 -r 0", "cannot measure: pass --duration");
	expect_refused("a --policy prefer-npu -e qnn", "cannot use --policy and --ep together");
	expect_refused("a --compile-only", "pass --compile FILE");
	expect_refused("a --data d -b 2", "the data set defines the shapes");
}

TEST(devices_can_be_listed_without_a_model)
{
	assert_int_equal(parse("--list-devices"), 0);
}

TEST(shapes_are_read_to_their_end)
{
	int64_t dim[4];
	const char *end;

	assert_int_equal(run_opts_shape("1x3x0x224", dim, 4, &end, &err), 4);
	assert_true(dim[0] == 1 && dim[1] == 3 && dim[2] == 0 && dim[3] == 224 && !*end);
	assert_int_equal(run_opts_shape("2x8/4x8", dim, 4, &end, &err), 2);
	assert_string_equal(end, "/4x8");
	assert_int_equal(run_opts_shape("scalar", dim, 4, &end, &err), 0);
	assert_int_equal(run_opts_shape("scalar/1", dim, 4, &end, &err), 0);
	assert_string_equal(end, "/1");
}

TEST(what_is_no_shape_is_refused)
{
	static const char *const bad[] = {
		"", "x", "1x", "x1", "1,2", "-1x2", "1x2 ", "scalars", "99999999999999999999", "1x2x3x4x5", "1//2x"
	};
	int64_t dim[4];
	const char *end;

	for (size_t i = 0; i < sizeof bad / sizeof *bad - 1; i++)
		assert_int_equal(run_opts_shape(bad[i], dim, 4, &end, &err), -EINVAL);
}

TEST(numbers_start_at_one)
{
	int64_t number[3];

	assert_int_equal(run_opts_numbers("1,8,32", number, 3, &err), 3);
	assert_true(number[0] == 1 && number[1] == 8 && number[2] == 32);
	assert_int_equal(run_opts_numbers("7", number, 3, &err), 1);
	assert_int_equal(run_opts_numbers("1,2,3,4", number, 3, &err), -EINVAL);
	assert_int_equal(run_opts_numbers("0", number, 3, &err), -EINVAL);
	assert_int_equal(run_opts_numbers("1,", number, 3, &err), -EINVAL);
	assert_int_equal(run_opts_numbers("", number, 3, &err), -EINVAL);
	assert_int_equal(run_opts_numbers("9223372036854775808", number, 3, &err), -EINVAL);
}

TEST(a_pair_is_cut_at_its_first_equals_sign)
{
	size_t len = 99;

	assert_string_equal(run_opts_pair("key=a=b", &len), "a=b");
	assert_int_equal(len, 3);
	assert_string_equal(run_opts_pair("key=", &len), "");
	assert_null(run_opts_pair("=a", &len));
	assert_null(run_opts_pair("key", &len));
}

/* Letters and names known to users of onnxruntime_perf_test: each has one meaning. */
TEST(no_letter_and_no_name_is_there_twice)
{
	for (const struct opt *a = run_opt_table; !opt_is_end(a); a++) {
		for (const struct opt *b = run_opt_table; b < a; b++) {
			assert_false(a->letter && a->letter == b->letter);
			assert_false(a->name && b->name && !strcmp(a->name, b->name));
		}
	}
}
