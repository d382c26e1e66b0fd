// SPDX-License-Identifier: Apache-2.0
/* Which runs the options of `inftrace model` ask for, and what they are called. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "experiment/model_options.h"

enum { MOST = 64 };

struct asked {
	struct model_opts opts;
	struct model_ways ways;
	struct arena arena;
	struct err err;
	char *argv[MOST];
	int n;
};

/* A command line of words with a space between them. Returns what model_ways_find returns. */
static int ask(struct asked *asked, const char *line)
{
	static char text[2000];
	char *save;

	memset(asked, 0, sizeof *asked);
	snprintf(text, sizeof text, "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		asked->argv[asked->n++] = word;
	asked->n = opt_parse(model_opt_table, &asked->opts, asked->n, asked->argv, OPT_ANYWHERE, &asked->err);
	assert_true(asked->n >= 0 && asked->n < MOST);
	return model_ways_find(&asked->ways, &asked->opts, asked->argv, asked->n, &asked->arena, &asked->err);
}

static void done(struct asked *asked)
{
	arena_done(&asked->arena);
}

static void expect_labels(const char *line, const char *labels)
{
	struct asked asked;
	char text[4000] = "";

	assert_int_equal(ask(&asked, line), 0);
	for (int i = 0; i < asked.ways.n; i++)
		sprintf(text + strlen(text), "%s%s", i ? " | " : "", asked.ways.way[i].label);
	assert_string_equal(text, labels);
	done(&asked);
}

TEST(labels_name_only_what_differs)
{
	expect_labels("m.onnx", "cpu");
	expect_labels("m.onnx --ep openvino", "openvino");
	expect_labels("m.onnx --ep cpu,qnn", "cpu | qnn");
	expect_labels("m.onnx --ep cpu --policy prefer-npu", "cpu | prefer-npu");
	expect_labels("m.onnx -x 4", "cpu");
	expect_labels("m.onnx -x 1,2,4", "1 thread | 2 threads | 4 threads");
	expect_labels("m.onnx -x 1 -x 0", "1 thread | default threads");
	expect_labels("m.onnx -b 1,8", "batch 1 | batch 8");
	expect_labels("m.onnx --optimization none,all", "optimization none | optimization all");
	expect_labels("a/fp32.onnx b/int8.onnx", "fp32.onnx | int8.onnx");
	expect_labels("a/m.onnx b/m.onnx", "a/m.onnx | b/m.onnx");
	expect_labels("x/a/m.onnx y/a/m.onnx b/m.onnx", "x/a/m.onnx | y/a/m.onnx | b/m.onnx");
}

TEST(values_multiply_and_the_last_changes_first)
{
	struct asked asked;

	expect_labels("a.onnx b.onnx -x 1,4",
		      "a.onnx, 1 thread | a.onnx, 4 threads | b.onnx, 1 thread | b.onnx, 4 threads");
	assert_int_equal(ask(&asked, "a.onnx b.onnx --ep cpu,qnn -b 8 -x 1,4"), 0);
	assert_int_equal(asked.ways.n, 8);
	assert_string_equal(asked.ways.way[5].label, "b.onnx, cpu, 4 threads");
	assert_string_equal(asked.ways.way[5].slug, "b.onnx-cpu-4-threads");
	assert_string_equal(asked.ways.way[5].model, "b.onnx");
	assert_string_equal(asked.ways.way[5].provider, "cpu");
	assert_int_equal(asked.ways.way[5].threads, 4);
	assert_int_equal(asked.ways.way[5].batch, 8);
	assert_string_equal(asked.ways.way[5].differs[MODEL_AXIS_THREADS], "4");
	assert_null(asked.ways.way[5].differs[MODEL_AXIS_BATCH]);
	/* what all have, and what each has */
	assert_int_equal(asked.ways.shared.batch, 8);
	assert_int_equal(asked.ways.shared.threads, 0);
	assert_null(asked.ways.shared.model);
	assert_string_equal(asked.ways.all[MODEL_AXIS_THREADS], "1,4");
	assert_null(asked.ways.all[MODEL_AXIS_BATCH]);
	done(&asked);
}

TEST(names_of_files_stay_apart)
{
	struct asked asked;

	assert_int_equal(ask(&asked, "a/m.onnx a_m.onnx x/a/m.onnx"), 0);
	for (int i = 0; i < asked.ways.n; i++) {
		assert_null(strchr(asked.ways.way[i].slug, '/'));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(asked.ways.way[i].slug, asked.ways.way[k].slug);
	}
	done(&asked);
}

static void expect_error(const char *line, const char *words)
{
	struct asked asked;

	assert_true(ask(&asked, line) < 0);
	if (!strstr(asked.err.msg, words))
		fail_msg("%s: %s", line, asked.err.msg);
	done(&asked);
}

TEST(values_are_checked_before_anything_runs)
{
	expect_error("m.onnx --ep cpu,cpu", "cannot compare cpu with itself: it is in --ep twice");
	expect_error("m.onnx m.onnx", "cannot compare m.onnx with itself: it is given twice");
	expect_error("m.onnx -x 1,two", "cannot use 'two' as --intra-op-threads");
	expect_error("m.onnx -x 99999", "cannot use '99999' as --intra-op-threads");
	expect_error("m.onnx -x ,", "cannot use ',' as --intra-op-threads: it has no value");
	expect_error("m.onnx -b 0", "cannot use '0' as --batch-size");
	expect_error("m.onnx -b 1,x", "cannot use 'x' as --batch-size");
	expect_error("m.onnx --optimization all,much", "cannot use 'much' as --optimization");
	expect_error("m.onnx --runtime /nowhere/at/all", "/nowhere/at/all");
	expect_error("m.onnx --ep-option openvino:x=1", "openvino is not among --ep");
}

TEST(too_many_combinations_are_refused)
{
	expect_labels("m.onnx -x 1,2,3,4 -b 1,2,3", "1 thread, batch 1 | 1 thread, batch 2 | 1 thread, batch 3 | "
						    "2 threads, batch 1 | 2 threads, batch 2 | 2 threads, batch 3 | "
						    "3 threads, batch 1 | 3 threads, batch 2 | 3 threads, batch 3 | "
						    "4 threads, batch 1 | 4 threads, batch 2 | 4 threads, batch 3");
	expect_error("a.onnx b.onnx -x 1,2,3 -b 1,2,4",
		     "cannot compare 18 runs (2 models, 3 numbers of threads, 3 batch sizes): at most 16");
}

TEST(the_runner_gets_the_values_of_its_run)
{
	const struct model_pass_words words = { .program = "run", .result = "r", .duration_ns = 1000000000 };
	struct asked asked;
	char text[2000] = "", **argv;

	assert_int_equal(ask(&asked, "a.onnx b.onnx -x 2,4 --optimization basic -b 8 -c 3"), 0);
	argv = model_options_argv(&asked.opts, &asked.ways.way[3], &words, &asked.arena);
	for (; *argv; argv++)
		sprintf(text + strlen(text), "%s ", *argv);
	assert_string_equal(
	    text,
	    "run --intra-op-threads=4 --optimization=basic --optimized-data-min=1024 --batch-size=8 --duration=1s "
	    "--concurrency=3 --ep=cpu --result=r -- b.onnx ");
	done(&asked);
}
