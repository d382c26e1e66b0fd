// SPDX-License-Identifier: Apache-2.0
/* When a dump is asked for: the words, and inferences for which they hold. */
#include "capture/recorder/thin/dump_when.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "lines.h"

TEST(rules_are_read)
{
	struct dump_rules rules = { .n = 0 };
	struct err err;

	assert_int_equal(dump_rules_add(&rules, "p99>50ms, error", &err), 0);
	assert_int_equal(dump_rules_add(&rules, " p99.9 > 1.5s ,max>2s,mean>300us,signal", &err), 0);
	assert_int_equal(rules.n, 6);
	assert_int_equal(rules.rule[0].kind, DUMP_QUANTILE);
	assert_true(rules.rule[0].share == 0.99);
	assert_int_equal(rules.rule[0].limit_ns, 50000000);
	assert_int_equal(rules.rule[1].kind, DUMP_ERROR);
	assert_string_equal(rules.rule[2].name, "p99.9");
	assert_int_equal(rules.rule[2].limit_ns, 1500000000);
	assert_int_equal(rules.rule[3].kind, DUMP_MAX);
	assert_int_equal(rules.rule[4].kind, DUMP_MEAN);
	assert_int_equal(rules.rule[5].kind, DUMP_SIGNAL);
}

TEST(mistake_is_named_with_its_place)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "at character 1: expected p50, p99 or another percentile, max, mean, error or signal" },
		{ "p99>>50ms", "at character 5: expected a time such as 50ms" },
		{ "p99", "at character 4: expected > and a time, such as >50ms" },
		{ "p99<50ms", "at character 4: expected > and a time, such as >50ms" },
		{ "p99>50", NULL },
		{ "p99>0ms", "at character 5: expected a time such as 50ms" },
		{ "p100>5ms", "at character 1: expected p50, p99 or another percentile, max, mean, error or signal" },
		{ "p0>5ms", "at character 1: expected p50, p99 or another percentile, max, mean, error or signal" },
		{ "errors", "at character 1: expected p50, p99 or another percentile, max, mean, error or signal" },
		{ "error,", "at character 7: expected p50, p99 or another percentile, max, mean, error or signal" },
		{ "error p99>1s", "at character 7: expected a comma or the end" },
		{ "max>1s;error", "at character 5: expected a time such as 50ms" },
		{ "error,error,error,error,error,error,error,error,error,error,error,error,error,error,error,error,"
		  "error",
		  "at character 97: expected at most 16 conditions in all" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct dump_rules rules = { .n = 0 };
		struct err err = { 0 };

		assert_int_equal(dump_rules_add(&rules, bad[i].text, &err), bad[i].message ? -EINVAL : 0);
		assert_string_equal(err.msg, bad[i].message ? bad[i].message : "");
	}
}

struct watch {
	struct lines lines;
	struct dump_when *when;
	uint64_t time_ns;
	int n_asked;
	char why[300];
};

static void ask(void *ctx, const char *why)
{
	struct watch *watch = ctx;

	watch->n_asked++;
	snprintf(watch->why, sizeof watch->why, "%s", why);
}

static void start(struct watch *watch, const char *rules)
{
	struct dump_when_opts opts = { .ask = ask, .ctx = watch };
	struct err err;

	memset(watch, 0, sizeof *watch);
	lines_init(&watch->lines);
	assert_int_equal(dump_rules_add(&opts.rules, rules, &err), 0);
	watch->when = dump_when_new(&watch->lines.sink, &opts, &err);
	watch->time_ns = 1000000000000;
}

static void stop(struct watch *watch)
{
	dump_when_free(watch->when);
	lines_done(&watch->lines);
}

static void run(struct watch *watch, uint64_t ns, const char *status)
{
	struct arg arg = arg_text(KEY_STATUS, &watch->lines.sink, status);
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_INFERENCE, .track = 3, .time_ns = watch->time_ns };
	struct sink *sink = dump_when_sink(watch->when);
	struct err err;

	assert_int_equal(sink_put(sink, &event, &err), 0);
	watch->time_ns += ns;
	event = (struct event){ .type = EVENT_END, .track = 3, .time_ns = watch->time_ns, .args = &arg, .n_args = 1 };
	assert_int_equal(sink_put(sink, &event, &err), 0);
}

static int look(struct watch *watch)
{
	struct err err;
	int before = watch->n_asked;

	assert_int_equal(sink_flush(dump_when_sink(watch->when), &err), 0);
	return watch->n_asked - before;
}

#define CASE(name, ...) TEST_OF(name, struct watch, watch, start(watch, __VA_ARGS__), stop(watch))

CASE(percentile_needs_as_many_as_it_says, "p99>10ms")
{
	for (int i = 0; i < 98; i++)
		run(watch, 1000000, "ok");
	run(watch, 20000000, "ok");
	assert_int_equal(look(watch), 0);
	run(watch, 1000000, "ok");
	assert_int_equal(look(watch), 1);
	assert_string_equal(watch->why, "p99 of the last 10 s is 20.0 ms, more than 10.0 ms");
	for (int i = 0; i < 100; i++)
		run(watch, 1000000, "ok");
	assert_int_equal(look(watch), 0);
}

CASE(values_leave_the_window, "p50>10ms,mean>10ms")
{
	run(watch, 100000000, "ok");
	run(watch, 100000000, "ok");
	assert_int_equal(look(watch), 1);
	watch->time_ns += DUMP_WINDOW_NS;
	run(watch, 1000000, "ok");
	run(watch, 1000000, "ok");
	assert_int_equal(look(watch), 0);
}

CASE(one_slow_or_failed_inference_asks_once, "max>1s,error")
{
	run(watch, 1000000, "ok");
	assert_int_equal(look(watch), 0);
	run(watch, 1500000000, "ok");
	assert_int_equal(look(watch), 1);
	assert_string_equal(watch->why, "an inference took 1.50 s, more than 1.00 s");
	assert_int_equal(look(watch), 0);
	run(watch, 1000000, "no such tensor");
	run(watch, 1000000, "ok");
	assert_int_equal(look(watch), 1);
	assert_string_equal(watch->why, "an inference failed: no such tensor");
	assert_int_equal(look(watch), 0);
}

TEST(signal_asks_where_it_is_wanted)
{
	struct watch watch;

	start(&watch, "signal");
	assert_int_equal(look(&watch), 0);
	dump_when_signal(watch.when);
	assert_int_equal(look(&watch), 1);
	assert_int_equal(look(&watch), 0);
	stop(&watch);
	start(&watch, "error");
	dump_when_signal(watch.when);
	assert_int_equal(look(&watch), 0);
	stop(&watch);
}
