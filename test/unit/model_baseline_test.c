// SPDX-License-Identifier: Apache-2.0
/* An earlier report beside runs of today: read from a file or a folder, compared as diff compares their JSON. */
#include "experiment/model_baseline.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/insight/insight.h"
#include "cases.h"
#include "model_sample.h"
#include "show/report/reports.h"

struct made {
	struct sample *sample;
	struct model_analysis *analysis;
	struct model_baseline baseline;
	struct arena arena;
	char folder[64], path[96];
};

/* Runs beside the same report, as it is written into a folder. */
static void make(struct made *made)
{
	struct report report = { .n_analyses = 1 };
	struct err err = { 0 };
	FILE *out;

	*made = (struct made){ .sample = sample_new(), .folder = "/tmp/inftrace-baseline-XXXXXX" };
	assert_non_null(mkdtemp(made->folder));
	snprintf(made->path, sizeof made->path, "%s/report.json", made->folder);
	made->analysis = insights_analyse(&made->sample->report, NULL);
	report.analysis = made->analysis;
	out = fopen(made->path, "w");
	report_write(out, report_format_named("json"), &report, NULL);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(model_baseline_read(&made->baseline, made->folder, &made->arena, &err), 0);
}

/* Each run takes that many times what it took. */
static void compare(struct made *made, double factor, double threshold)
{
	for (uint32_t r = 0; r < SAMPLE_RUNS; r++)
		for (uint32_t i = 0; i < made->sample->result[r].n_latencies; i++)
			made->sample->latency[r][i].duration_ns *= factor;
	model_analysis_free(made->analysis);
	made->analysis = insights_analyse(&made->sample->report, NULL);
	assert_int_equal(model_baseline_compare(&made->baseline, made->analysis, threshold, &made->arena, NULL), 0);
}

static void done(struct made *made)
{
	unlink(made->path);
	rmdir(made->folder);
	model_analysis_free(made->analysis);
	arena_done(&made->arena);
	free(made->sample);
}

TEST(the_same_runs_do_not_differ)
{
	struct made made;

	make(&made);
	compare(&made, 1, 0);
	assert_string_equal(made.baseline.before.runs->path, made.folder);
	assert_int_equal(made.baseline.diff.n_pairs, made.sample->report.n_results);
	assert_true(made.baseline.diff.says < DIFF_WORSE && !made.baseline.diff.is_regression);
	for (int i = 0; i < N_DIFF_FACTS; i++)
		assert_false(made.baseline.diff.fact_differs[i]);
	done(&made);
}

TEST(slower_runs_are_a_regression_beyond_the_threshold)
{
	static const struct {
		double threshold;
		bool is_regression;
	} cases[] = { { 0, true }, { 0.2, true }, { 0.3, false } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct diff_pair *pair;
		struct made made;

		make(&made);
		compare(&made, 1.25, cases[i].threshold);
		pair = diff_pair_of(&made.baseline.diff, 1);
		assert_string_equal(pair->base->label, "openvino");
		assert_int_equal(pair->value[DIFF_MEDIAN].says, DIFF_WORSE);
		assert_true(fabs(pair->value[DIFF_MEDIAN].change - 0.25) < 1e-3);
		assert_int_equal(made.baseline.diff.is_regression, cases[i].is_regression);
		done(&made);
	}
}

static void expect_error(const char *path, const char *words)
{
	struct model_baseline baseline = { 0 };
	struct arena arena = { 0 };
	struct err err = { 0 };

	assert_true(model_baseline_read(&baseline, path, &arena, &err) < 0);
	if (!strstr(err.msg, words) || !strstr(err.msg, path))
		fail_msg("%s: %s", path, err.msg);
	arena_done(&arena);
}

TEST(what_is_no_report_is_an_error)
{
	expect_error("/nothing/here.json", "No such file");
	expect_error(TEST_DIR "/data/model-result/bad/cut.json", "damaged or cut off");
	expect_error(TEST_DIR "/data/pftrace/good/two_inferences.pftrace", "it is a recording");
	expect_error(TEST_DIR "/data/watch_rows/lines.json", "it has rows of inftrace watch");
	expect_error(TEST_DIR "/unit/model_baseline_test.c", "it is no report; give the JSON of inftrace model");
}
