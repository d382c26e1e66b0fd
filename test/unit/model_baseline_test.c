// SPDX-License-Identifier: Apache-2.0
/* An earlier report, read back from its JSON, beside runs of today. */

#include "analyze/insight/insight.h"
#include "cases.h"
#include "first_sentence.h"
#include "model_sample.h"
#include "show/report/reports.h"
#include "show/words/model/baseline_words.h"

struct made {
	struct sample *sample;
	struct model_baseline baseline;
	struct model_analysis *analysis;
	struct arena arena;
};

/* Runs beside the same report, as it is written. */
static struct made *make(void)
{
	struct made *made = calloc(1, sizeof *made);
	struct report report = { .n_analyses = 1 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err = { 0 };

	made->sample = sample_new();
	report.analysis = insights_analyse(&made->sample->report, NULL);
	report_write(out, report_format_named("json"), &report, NULL);
	fclose(out);
	assert_int_equal(model_baseline_parse(&made->baseline, text, size, &made->arena, &err), 0);
	free(text);
	model_analysis_free((struct model_analysis *)report.analysis);
	made->baseline.path = "old.json";
	made->sample->report.baseline = &made->baseline;
	return made;
}

/* The time of all runs is that many times what it was. */
static void scale(struct made *made, double factor)
{
	for (uint32_t r = 0; r < SAMPLE_RUNS; r++)
		for (uint32_t i = 0; i < made->sample->result[r].n_latencies; i++)
			made->sample->latency[r][i].duration_ns *= factor;
	model_analysis_free(made->analysis);
	made->analysis = insights_analyse(&made->sample->report, NULL);
}

static void done(struct made *made)
{
	model_analysis_free(made->analysis);
	arena_done(&made->arena);
	free(made->sample);
	free(made);
}

TEST(a_report_is_read_back)
{
	struct made *made = make();
	const struct baseline_run *run;

	scale(made, 1);
	assert_int_equal(made->baseline.n_runs, SAMPLE_RUNS);
	assert_string_equal(made->baseline.cpu, "AMD EPYC 9R14");
	assert_string_equal(made->baseline.model_name, "squeeze <tiny> & co");
	assert_int_equal(made->baseline.n_cpus, 4);
	assert_int_equal(made->baseline.n_settings, 2);
	assert_string_equal(made->baseline.setting[0].value, "10 s");
	run = model_baseline_find(&made->baseline, "openvino");
	assert_non_null(run);
	assert_string_equal(run->version, "1.23.1");
	assert_true(fabs(run->mean_ns / made->analysis->runs[1].latency.mean_ns - 1) < 1e-6);
	assert_true(fabs(run->interval_ns / made->analysis->runs[1].latency.interval_ns - 1) < 1e-6);
	assert_true(run->round_low_ns > 0 && run->n_rounds == 1);
	assert_true(isnan(model_baseline_find(&made->baseline, "qnn")->mean_ns));
	assert_null(model_baseline_find(&made->baseline, "nothing"));
	done(made);
}

static void expect_begin(const struct made *made, const char *words)
{
	struct printable text = baseline_verdict(made->analysis, true);

	if (strncmp(text.s, words, strlen(words)) != 0)
		fail_msg("%s", text.s);
	assert_true(first_sentence_words(text.s) <= FIRST_SENTENCE_MOST);
}

TEST(the_same_cannot_be_told_from_itself)
{
	struct made *made = make();

	scale(made, 1);
	expect_begin(made,
		     "compared with old.json: cannot tell whether 4 runs are slower or faster. 1 run has no time to "
		     "compare");
	assert_false(model_is_slower(made->analysis, 0));
	assert_string_equal(baseline_note(made->analysis, 0, true).s, "");
	done(made);
}

TEST(slower_and_faster_runs_are_told_with_their_intervals)
{
	struct made *made = make();
	uint32_t i;

	scale(made, 1.25);
	expect_begin(made, "compared with old.json: cpu is 25.0 % slower (95 % interval 23.1 to 27.0 %). openvino is ");
	assert_true(model_is_slower(made->analysis, 0) && model_is_slower(made->analysis, 0.2));
	assert_false(model_is_slower(made->analysis, 0.3));
	/* more than twice the time is told in times */
	scale(made, 2);
	expect_begin(made, "compared with old.json: cpu takes 2.5 times as long (95 % interval 2.5 to 2.5). ");
	scale(made, 0.5);
	/* the one that is slower comes first */
	for (i = 0; i < made->sample->result[0].n_latencies; i++)
		made->sample->latency[0][i].duration_ns *= 0.5;
	scale(made, 1);
	expect_begin(made, "compared with old.json: openvino is ");
	assert_non_null(
	    strstr(baseline_verdict(made->analysis, true).s, "cpu is 37.5 % faster (95 % interval 36.5 to 38.5 %)"));
	done(made);
}

TEST(a_batch_of_another_size_is_not_compared)
{
	struct made *made = make();

	made->sample->result[0].n_items = 8;
	scale(made, 2);
	assert_null(made->analysis->runs[0].before);
	assert_non_null(made->analysis->runs[1].before);
	done(made);
}

TEST(tokens_are_compared_behind_the_same_prompts_alone)
{
	static const struct {
		int64_t old_tokens, old_prompts, tokens, prompt;
		bool is_compared;
	} cases[] = { { 0, 0, 12, 5, false },
		      { 12, 5, 12, 5, true },
		      { 12, 5, 0, 5, false },
		      { 12, 40, 12, 5, false },
		      { 13, 5, 12, 5, false } };
	struct made *made = make();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model_result *result = &made->sample->result[0];
		int64_t prompts[8] = { cases[i].prompt };

		made->baseline.run[0].n_tokens = cases[i].old_tokens;
		made->baseline.run[0].prompt_tokens = cases[i].old_prompts;
		result->n_tokens = cases[i].tokens;
		result->prompts = prompts;
		assert_in_range(result->n_shapes, 1, 8);
		scale(made, 1);
		assert_int_equal(made->analysis->runs[0].before != NULL, cases[i].is_compared);
		result->n_tokens = 0;
	}
	done(made);
}

TEST(generations_are_read_back)
{
	static const char text[] =
	    "{\"runs\":[{\"label\":\"cpu\",\"generations\":{\"output_tokens\":12,\"prompts\":["
	    "{\"prompt_tokens\":5},{\"prompt_tokens\":40},7]}},{\"label\":\"gpu\",\"generations\":null}]}";
	struct model_baseline *baseline = calloc(1, sizeof *baseline);
	struct arena arena = { 0 };
	struct err err = { 0 };

	assert_int_equal(model_baseline_parse(baseline, text, sizeof text - 1, &arena, &err), 0);
	assert_int_equal(baseline->run[0].n_tokens, 12);
	assert_int_equal(baseline->run[0].prompt_tokens, 45);
	assert_int_equal(baseline->run[1].n_tokens, 0);
	arena_done(&arena);
	free(baseline);
}

TEST(other_circumstances_are_remarked)
{
	struct made *made = make();
	static const struct model_setting settings[] = { { "duration", "1 s" }, { "concurrency", "2" } };

	made->sample->report.machine.cpu = "Intel";
	made->sample->report.machine.kernel = "6.18";
	made->sample->result[0].version = "1.30.0";
	made->sample->report.settings = settings;
	made->sample->report.model.file_bytes = 5;
	scale(made, 1);
	assert_string_equal(baseline_note(made->analysis, 0, true).s,
			    "another machine: AMD EPYC 9R14, 4 CPUs; now Intel, 4 CPUs");
	assert_string_equal(baseline_note(made->analysis, 1, true).s, "another kernel: 6.1.0-18-amd64; now 6.18");
	assert_string_equal(baseline_note(made->analysis, 2, true).s, "another runtime: 1.23.1; now 1.30.0");
	assert_string_equal(baseline_note(made->analysis, 3, true).s,
			    "another model of the same name: its file had 4,956,208 bytes; now 5");
	assert_string_equal(baseline_note(made->analysis, 4, true).s,
			    "other settings: duration 10 s, now 1 s; concurrency default, now 2; seed 1, now default");
	assert_string_equal(baseline_note(made->analysis, 5, true).s, "");
	assert_non_null(strstr(baseline_verdict(made->analysis, true).s,
			       ". The baseline had another machine, runtime, model or settings"));
	done(made);
}

static void expect_error(const char *text, const char *words)
{
	struct model_baseline *baseline = calloc(1, sizeof *baseline);
	struct arena arena = { 0 };
	struct err err = { 0 };

	assert_true(model_baseline_parse(baseline, text, strlen(text), &arena, &err) < 0);
	if (!strstr(err.msg, words))
		fail_msg("%s: %s", text, err.msg);
	arena_done(&arena);
	free(baseline);
}

TEST(what_is_no_report_is_an_error)
{
	expect_error("", "not JSON");
	expect_error("hello", "not JSON");
	expect_error("{\"runs\":[{\"label\":\"cpu\"}", "not JSON from byte 24 on");
	expect_error("[]", "it has no runs");
	expect_error("{}", "it has no runs");
	expect_error("{\"runs\":[{\"mean_ns\":1}, 3]}", "it has no runs");
	expect_error("{\"runs\":{\"label\":\"cpu\"}}", "it has no runs");
}
