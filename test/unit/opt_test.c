// SPDX-License-Identifier: Apache-2.0
#include "base/opt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cases.h"

struct sample_opts {
	bool quiet, verbose;
	const char *out, *level;
	int count;
	uint64_t interval_ns, size;
	struct opt_list env;
};

static const struct opt sample_table[] = {
	{ 'q', "quiet", NULL, "say nothing", OPT_FLAG, offsetof(struct sample_opts, quiet) },
	{ 'v', "verbose", NULL, "say more", OPT_FLAG, offsetof(struct sample_opts, verbose) },
	{ 0, NULL, NULL, "A heading:" },
	{ 'o', "out", "FILE", "where to", OPT_STR, offsetof(struct sample_opts, out) },
	{ 0, "level", "low|middle|high", "how much", OPT_CHOICE, offsetof(struct sample_opts, level), "middle" },
	{ 'n', "count", "N", "how many", OPT_INT, offsetof(struct sample_opts, count), "3" },
	{ 'i', "interval", "TIME", "how often", OPT_DURATION, offsetof(struct sample_opts, interval_ns), "1s", 'w' },
	{ 0, "size", "SIZE", "how large", OPT_SIZE, offsetof(struct sample_opts, size) },
	{ 'e', "env", "NAME=VALUE", "set it", OPT_LIST, offsetof(struct sample_opts, env) },
	{ 0 },
};

static char *words[80];
static struct err err;

/* Parses the words of a line, separated by single spaces. */
static int parse(struct sample_opts *opts, enum opt_order order, const char *line)
{
	static char copy[512];
	int n = 0;

	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	*opts = (struct sample_opts){ 0 };
	err = (struct err){ 0 };
	return opt_parse(sample_table, opts, n, words, order, &err);
}

static void expect_refused(const char *line, const char *msg)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, line), -EINVAL);
	assert_string_equal(err.msg, msg);
}

TEST(what_is_not_given_has_its_default)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, ""), 0);
	assert_string_equal(opts.level, "middle");
	assert_int_equal(opts.count, 3);
	assert_int_equal(opts.interval_ns, 1000000000);
	assert_false(opts.quiet);
	assert_null(opts.out);
	assert_int_equal(opts.env.n, 0);
}

TEST(every_spelling_of_a_value_is_understood)
{
	static const char *const lines[] = { "-o x -q", "-ox -q", "-qox", "--out x --quiet", "--quiet --out=x" };

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct sample_opts opts;

		assert_int_equal(parse(&opts, OPT_ANYWHERE, lines[i]), 0);
		assert_string_equal(opts.out, "x");
		assert_true(opts.quiet);
		assert_false(opts.verbose);
	}
}

TEST(a_value_may_be_empty_or_begin_with_a_dash)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, "--out= -e -x"), 0);
	assert_string_equal(opts.out, "");
	assert_string_equal(opts.env.item[0], "-x");
}

TEST(a_list_keeps_its_order)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, "-e a=1 --env b=2 --env=c=3"), 0);
	assert_int_equal(opts.env.n, 3);
	assert_string_equal(opts.env.item[0], "a=1");
	assert_string_equal(opts.env.item[1], "b=2");
	assert_string_equal(opts.env.item[2], "c=3");
}

TEST(arguments_are_gathered_in_front)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, "a -q b - --count 5 -- -v c"), 5);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "b");
	assert_string_equal(words[2], "-");
	assert_string_equal(words[3], "-v");
	assert_string_equal(words[4], "c");
	assert_true(opts.quiet);
	assert_false(opts.verbose);
	assert_int_equal(opts.count, 5);
}

TEST(the_first_argument_may_end_the_options)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_FIRST, "-q python -v --help -- x"), 5);
	assert_string_equal(words[0], "python");
	assert_string_equal(words[2], "--help");
	assert_string_equal(words[3], "--");
	assert_false(opts.verbose);
	assert_int_equal(parse(&opts, OPT_FIRST, "-q -- -v --help"), 2);
	assert_string_equal(words[0], "-v");
	assert_false(opts.verbose);
}

TEST(help_is_known_without_a_row)
{
	struct sample_opts opts;

	assert_int_equal(parse(&opts, OPT_ANYWHERE, "a --help"), OPT_HELP);
	assert_int_equal(parse(&opts, OPT_ANYWHERE, "-qh"), OPT_HELP);
	assert_int_equal(parse(&opts, OPT_ANYWHERE, "-- --help"), 1);
}

TEST(mistakes_say_what_would_be_right)
{
	char line[400] = "";

	expect_refused("--cuont 5", "unknown option --cuont; did you mean --count?");
	expect_refused("--inter=5", "unknown option --inter; did you mean --interval?");
	expect_refused("--nothing-like-it", "unknown option --nothing-like-it");
	expect_refused("-qx", "unknown option -x");
	expect_refused("-w 5s", "unknown option -w; it is called -i (--interval) now");
	expect_refused("--out", "option --out needs a value: --out FILE");
	expect_refused("-o", "option --out needs a value: --out FILE");
	expect_refused("--quiet=yes", "option --quiet takes no value");
	expect_refused("--level=hgih", "cannot use 'hgih' as --level: expected one of low|middle|high");
	expect_refused("--level=low|middle", "cannot use 'low|middle' as --level: expected one of low|middle|high");
	expect_refused("--level=", "cannot use '' as --level: expected one of low|middle|high");
	expect_refused("-n five", "cannot use 'five' as --count: expected a whole number");
	expect_refused("-n -5", "cannot use '-5' as --count: expected a whole number");
	expect_refused("-n 5x", "cannot use '5x' as --count: expected a whole number");
	expect_refused("-n 2147483648", "cannot use '2147483648' as --count: the largest value is 2147483647");
	expect_refused("-i soon",
		       "cannot use 'soon' as --interval: expected a time such as 500us, 10ms, 1.5s, 2m or 1h");
	expect_refused("--size 1X", "cannot use '1X' as --size: expected a size such as 4096, 256K, 1M or 2G");
	for (int i = 1; i <= 65; i++)
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s-e%d", i > 1 ? " " : "", i);
	expect_refused(line, "cannot use '65' as --env: it may be given at most 64 times");
}

TEST(times_are_exact_to_the_nanosecond)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "7ns", 7 },
		{ "500us", 500000 },
		{ "10ms", 10000000 },
		{ "1s", 1000000000 },
		{ "2", 2000000000 },
		{ "1.5s", 1500000000 },
		{ "0.000000001s", 1 },
		{ "2m", 120000000000 },
		{ "1h", 3600000000000 },
		{ "1.25h", 4500000000000 },
		{ "2d", 172800000000000 },
		{ "18446744073709551615ns", UINT64_MAX },
	};
	static const char *const bad[] = { "",
					   "s",
					   "1.s",
					   ".5s",
					   "1 s",
					   "-1s",
					   "1w",
					   "1e9",
					   "1.5.5s",
					   "18446744073709551616ns",
					   "18446744074s",
					   "99999999999999999999999h" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(opt_parse_duration(good[i].text, &ns, &err), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(opt_parse_duration(bad[i], &ns, &err), -EINVAL);
}

TEST(sizes_step_by_1024)
{
	uint64_t bytes;

	assert_int_equal(opt_parse_size("4096", &bytes, &err), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(opt_parse_size("256K", &bytes, &err), 0);
	assert_int_equal(bytes, 256 * 1024);
	assert_int_equal(opt_parse_size("1.5MiB", &bytes, &err), 0);
	assert_int_equal(bytes, 1536 * 1024);
	assert_int_equal(opt_parse_size("2G", &bytes, &err), 0);
	assert_int_equal(bytes, 2147483648u);
	assert_int_equal(opt_parse_size("17179869184G", &bytes, &err), -EINVAL);
}

static const char *nearest(const char *word)
{
	static const char *const known[] = { "record", "report", "doctor", "help" };
	struct near near;

	near_init(&near, word, strlen(word));
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		near_offer(&near, known[i]);
	return near_best(&near);
}

TEST(a_slip_of_the_finger_finds_the_word)
{
	assert_string_equal(nearest("rceord"), "record");
	assert_string_equal(nearest("reprt"), "report");
	assert_string_equal(nearest("doc"), "doctor");
	assert_string_equal(nearest("hepl"), "help");
	assert_null(nearest("view"));
	assert_null(nearest(""));
	assert_null(nearest("a word that is far longer than any command that there will ever be"));
}
