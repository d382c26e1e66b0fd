// SPDX-License-Identifier: Apache-2.0
/*
 * All writers of a model's report against files in test/data/model-report, from the same made-up runs. INFTRACE_BLESS=1
 * rewrites the files: read the difference.
 */
#include <locale.h>

#include "analyze/diff/diff.h"
#include "base/text/printable.h"
#include "cases.h"
#include "first_sentence.h"
#include "model_sample.h"
#include "show/html/html.h"
#include "show/html/plot.h"
#include "show/report/reports.h"
#include "show/words/model/model_words.h"

static char *written(void (*write)(FILE *out, const struct model_analysis *analysis),
		     const struct model_analysis *analysis)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(out, analysis);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);

	if (file) {
		assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
		fclose(file);
	}
	return text;
}

static void expect_file(const char *name, void (*write)(FILE *out, const struct model_analysis *analysis),
			const struct model_analysis *analysis)
{
	char path[400], *text = written(write, analysis), *expected;
	FILE *file;

	snprintf(path, sizeof path, "%s/data/model-report/%s", TEST_DIR, name);
	if (getenv("INFTRACE_BLESS")) {
		file = fopen(path, "wb");
		fputs(text, file);
		fclose(file);
	}
	expected = file_text(path);
	assert_string_equal(text, expected);
	free(expected);
	free(text);
}

static void write_as(FILE *out, const char *format, const struct model_analysis *analysis,
		     const struct report_look *look)
{
	report_write(out, report_format_named(format), &(struct report){ .analysis = analysis, .n_analyses = 1 }, look);
}

static void write_csv(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "csv", analysis, NULL);
}

static void write_csv_operators(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "csv-operators", analysis, NULL);
}

static void write_csv_kernels(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "csv-kernels", analysis, NULL);
}

static void write_html(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "html", analysis, NULL);
}

static void write_all_of_json(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "json", analysis, NULL);
}

/* What is deeper than a run or a node is on its line. */
static void write_json(FILE *out, const struct model_analysis *analysis)
{
	char *text = written(write_all_of_json, analysis);

	for (char *at = text; *at; at++) {
		size_t depth = *at == '\n' ? strspn(at + 1, " ") : 0;

		if (depth > 8)
			at += depth;
		else
			fputc(*at, out);
	}
	free(text);
}

/* The style is in page.html. */
static void write_html_without_style(FILE *out, const struct model_analysis *analysis)
{
	char *text = written(write_html, analysis), *style = strstr(text, "<style>");

	fprintf(out, "%.*s%s", (int)(style - text), text, strstr(style, "</style>") + strlen("</style>"));
	free(text);
}

static void write_page(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "text", analysis, &(struct report_look){ 0 });
}

static void write_all_in_ascii(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "text", analysis, &(struct report_look){ .is_all = true, .is_ascii = true });
}

static void write_coloured(FILE *out, const struct model_analysis *analysis)
{
	write_as(out, "text", analysis, &(struct report_look){ .has_color = true });
}

#define CASE(name) TEST_OF_NEW(name, struct sample, s, sample_new(), free(s))

CASE(all_exports_are_as_they_were)
{
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);

	expect_file("page.txt", write_page, analysis);
	expect_file("all.ascii.txt", write_all_in_ascii, analysis);
	expect_file("runs.csv", write_csv, analysis);
	expect_file("operators.csv", write_csv_operators, analysis);
	expect_file("kernels.csv", write_csv_kernels, analysis);
	expect_file("page.html", write_html, analysis);
	model_analysis_free(analysis);
	/* samples are written one by one */
	for (int r = 0; r < SAMPLE_RUNS; r++)
		s->result[r].n_latencies = s->result[r].n_latencies > 30 ? 30 : s->result[r].n_latencies;
	analysis = insights_analyse(&s->report, NULL);
	expect_file("report.json", write_json, analysis);
	model_analysis_free(analysis);
}

TEST(the_page_fits_its_width)
{
	struct sample *s = sample_new();
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);
	char *text = written(write_page, analysis), *ascii = written(write_all_in_ascii, analysis), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (printable_width(line) > 100)
			fail_msg("%s", line);
		assert_true(line[strlen(line) - 1] != ' ');
	}
	for (char *at = ascii; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at < 127));
	free(ascii);
	free(text);
	model_analysis_free(analysis);
	free(s);
}

TEST(what_was_not_measured_is_said)
{
	static void (*const writers[])(FILE *, const struct model_analysis *) = { write_page, write_html, write_json };
	struct sample *s = sample_new();
	struct model_analysis *analysis;

	s->result[0].ended_early = "the buffer for latencies was full";
	s->result[0].n_unserved = 1234567;
	analysis = insights_analyse(&s->report, NULL);
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		char *text = written(writers[i], analysis);

		assert_non_null(strstr(text, "the buffer for latencies was full"));
		assert_true(strstr(text, "1,234,567 requests") || strstr(text, "\"requests_not_served\":1234567") ||
			    strstr(text, "\"requests_not_served\": 1234567"));
		free(text);
	}
	model_analysis_free(analysis);
	free(s);
}

TEST(colour_is_for_terminals)
{
	struct sample *s = sample_new();
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);
	char *plain = written(write_page, analysis), *coloured = written(write_coloured, analysis);

	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(coloured, "\033[31m"));
	free(coloured);
	free(plain);
	model_analysis_free(analysis);
	free(s);
}

/* Texts that break out of every format, in every place that can hold a text. */
static void poison(struct sample *s)
{
	static const char *const bad = "</title><script>alert(1)</script>\"'&\033[31m\n=1+1\xff\xe2\x80\xae\x01,";
	struct model_phase *phase = &s->phase[0][1];

	s->report.model.name = s->report.model.path = s->report.model.opset = s->report.model.producer = bad;
	s->report.command = s->report.version = s->report.machine.cpu = s->report.machine.kernel = bad;
	s->result[0].label = s->result[4].error = s->result[4].failed_in = s->result[4].available = bad;
	s->result[1].provider = s->result[1].recording = s->result[1].energy_missing = bad;
	s->op[0][0].name = s->op[0][0].op_type = s->op[0][1].provider = bad;
	s->node[0].name = s->node[1].op_type = bad;
	s->op[2][3].name = "=1+1";
	s->step[0][1].name = phase->name = bad;
	phase->ns = 30000000;
}

TEST(no_text_breaks_out)
{
	struct sample *s = sample_new();
	struct model_analysis *analysis;
	char *text;

	poison(s);
	analysis = insights_analyse(&s->report, NULL);
	text = written(write_html, analysis);
	assert_null(strstr(text, "<script"));
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\001'));
	assert_non_null(strstr(text, "&lt;script&gt;alert(1)"));
	free(text);
	text = written(write_page, analysis);
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\001'));
	free(text);
	text = written(write_csv_operators, analysis);
	assert_non_null(strstr(text, "\"'=1+1\""));
	assert_non_null(strstr(text, "\"</title><script>alert(1)</script>\"\"'&"));
	free(text);
	model_analysis_free(analysis);
	free(s);
}

TEST(little_is_known_and_nothing_breaks)
{
	static void (*const writers[])(FILE *, const struct model_analysis *) = {
		write_page, write_all_in_ascii, write_json, write_csv, write_csv_operators, write_html,
	};
	struct model_result result;
	struct model_report report;
	struct model_latency latency = { .duration_ns = 5, .queued_ns = -1 };

	model_report_init(&report);
	model_result_init(&result);
	report.results = &result;
	for (report.n_results = 0; report.n_results < 2; report.n_results++) {
		for (result.n_latencies = 0; result.n_latencies < 2; result.n_latencies++) {
			struct model_analysis *analysis;

			result.latencies = &latency;
			analysis = insights_analyse(&report, NULL);
			for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
				char *text = written(writers[i], analysis);

				assert_true(*text);
				assert_null(strstr(text, "nan"));
				assert_null(strstr(text, "inf "));
				free(text);
			}
			model_analysis_free(analysis);
		}
	}
}

static const int64_t extremes[] = { 0, 1, -1, 2, INT64_MAX, INT64_MIN, 1000000, INT32_MAX };
static const double real_extremes[] = { 0, 1, -1, 1e308, -1e308, 1e-308, 1e300 };

static int64_t any_int(struct sample *s)
{
	return extremes[(int)(sample_random(s) * 8)];
}

static double any_real(struct sample *s)
{
	double at = sample_random(s);

	return at < 0.1 ? NAN : at < 0.2 ? INFINITY : real_extremes[(int)(sample_random(s) * 7)];
}

static void make_strange(struct sample *s)
{
	struct model_facts *model = &s->report.model;
	uint32_t r = (uint32_t)(sample_random(s) * SAMPLE_RUNS), i = (uint32_t)(sample_random(s) * SAMPLE_NODES);
	struct model_result *result = &s->result[r];
	struct model_latency *one = &s->latency[r][(int)(sample_random(s) * SAMPLE_LATENCIES)];
	int64_t *const ints[] = { &model->file_bytes,
				  &model->n_parameters,
				  &model->flops,
				  &s->node[i].flops,
				  &s->node[i].bytes,
				  &result->concurrency,
				  &result->n_threads,
				  &result->creation_ns,
				  &result->first_ns,
				  &result->steady_ns,
				  &result->cpu_user_ns,
				  &result->run_queue_ns,
				  &result->peak_bytes,
				  &result->n_operator_runs,
				  &s->step[r][i % 6].rss_bytes,
				  &s->phase[r][i % 5].ns,
				  &one->queued_ns,
				  (int64_t *)&one->start_ns,
				  (int64_t *)&one->duration_ns,
				  &s->report.machine.n_cpus,
				  &s->report.machine.peak.n_cpus,
				  &s->report.start_realtime_ns };
	double *const reals[] = { &result->rate_per_s,
				  &result->energy_joules,
				  &result->operators_wall_ns,
				  &result->unattributed_ns,
				  &s->op[r][i].mean_ns,
				  &s->op[r][i].interval_ns,
				  &s->op[r][i].share_ns,
				  &s->report.machine.peak.flops.high,
				  &s->report.machine.peak.bytes.high,
				  &s->report.machine.peak.cache_bytes.high };

	*ints[(size_t)(sample_random(s) * (sizeof ints / sizeof *ints))] = any_int(s);
	*reals[(size_t)(sample_random(s) * (sizeof reals / sizeof *reals))] = any_real(s);
	one->round = sample_random(s) < 0.01 ? 7 : one->round;
	one->status = sample_random(s) < 0.1;
	result->n_shapes = sample_random(s) < 0.2 ? 0 : result->n_shapes;
}

/* Every place in a plot is a number, never "nan" or "inf". */
static void expect_places(const char *html)
{
	for (const char *at = html; (at = strstr(at, "=\"")); at++) {
		char value[24] = "";

		sscanf(at, "=\"%23[^\"]", value);
		if (strstr(value, "nan"))
			fail_msg("%.60s ... %.90s", at, at - 90);
		if (strstr(value, "inf") && !strstr(value, "inftrace"))
			fail_msg("%.60s ... %.90s", at, at - 90);
	}
}

TEST(strange_figures_break_nothing)
{
	static void (*const writers[])(FILE *, const struct model_analysis *) = {
		write_page, write_all_in_ascii, write_json, write_csv, write_csv_operators,
	};

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sample *s = sample_new();
		struct model_analysis *analysis;
		char *text;

		s->seed = seed;
		for (int i = 0; i < 12; i++)
			make_strange(s);
		analysis = insights_analyse(&s->report, NULL);
		assert_non_null(analysis);
		for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
			free(written(writers[i], analysis));
		text = written(write_html, analysis);
		expect_places(text);
		free(text);
		model_analysis_free(analysis);
		free(s);
	}
}

TEST(numbers_look_the_same_in_every_locale)
{
	struct sample *s;
	struct model_analysis *analysis;

	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		skip(); /* no locale with decimal commas here */
	s = sample_new();
	analysis = insights_analyse(&s->report, NULL);
	expect_file("page.html", write_html, analysis);
	expect_file("page.txt", write_page, analysis);
	expect_file("runs.csv", write_csv, analysis);
	setlocale(LC_ALL, "C");
	model_analysis_free(analysis);
	free(s);
}

static struct units_text plain(double value)
{
	struct units_text text;

	snprintf(text.s, sizeof text.s, "%g", value);
	return text;
}

TEST(axes_have_round_ticks)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct plot plot = plot_of(out, 400, 200);

	plot.x = plot_axis_of(0, 97, false);
	plot.y = plot_axis_of(3, 40000, true);
	assert_true(plot_x(&plot, 0) == plot.left && plot_x(&plot, 97) == plot.right);
	assert_true(plot_y(&plot, 3) == plot.bottom && plot_y(&plot, 0) == plot.bottom &&
		    plot_y(&plot, 1e9) == plot.top);
	plot_draw_x(&plot, plain, "x");
	plot_draw_y(&plot, plain, "y");
	fclose(out);
	assert_non_null(strstr(text, ">50<"));
	assert_non_null(strstr(text, ">10000<"));
	assert_null(strstr(text, ">97<"));
	free(text);
	plot.x = plot_axis_of(5, 5, false);
	assert_true(plot.x.high > plot.x.low);
	plot.x = plot_axis_of(NAN, NAN, true);
	assert_true(plot.x.high > plot.x.low && plot.x.low > 0);
	plot.x = plot_axis_of(-1, 0, true);
	assert_true(plot.x.high > plot.x.low && plot.x.low > 0);
}

TEST(figures_have_words)
{
	struct stats_ratio ratio = { 1.9, 1.81, 2, true, true };

	assert_string_equal(model_ratio_words(&ratio).s, "1.90 x (1.81 to 2.00)");
	ratio.is_different = false;
	assert_string_equal(model_ratio_words(&ratio).s, "cannot tell (1.81 to 2.00 x)");
	ratio = (struct stats_ratio){ NAN, NAN, NAN, false, false };
	assert_string_equal(model_ratio_words(&ratio).s, "-");
	assert_string_equal(units_latency(0, 0, 0, 0).s, "");
	assert_string_equal(units_latency(1, 7e6, 7e6, 7e6).s, "7.00 ms");
	assert_string_equal(units_latency(99, 7e6, 9e6, 123e6).s, "median 7.00 ms, slowest 123 ms");
	assert_string_equal(units_latency(100, 7e6, 9e6, 123e6).s, "median 7.00 ms, p99 9.00 ms");
	assert_string_equal(units_metric(139.2e9, "FLOP/s").s, "139 GFLOP/s");
	assert_string_equal(units_metric(0, "B/s").s, "0 B/s");
	assert_string_equal(units_metric(1240000, "").s, "1.24 M");
	assert_string_equal(units_metric(NAN, "").s, "-");
	assert_string_equal(model_provider("OpenVINOExecutionProvider", 40, true).s, "OpenVINO");
	assert_string_equal(model_text("a\n", 40, true).s, "a");
}

static void expect_verdict(struct sample *s, const char *expected)
{
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);

	assert_string_equal(model_verdict(analysis, true).s, expected);
	assert_true(first_sentence_words(expected) <= FIRST_SENTENCE_MOST);
	model_analysis_free(analysis);
}

/* Four processes of every run; those of the second are all as long as those of the first. */
static void make_alike(struct sample *s)
{
	memcpy(s->latency[1], s->latency[0], sizeof s->latency[0]);
	s->result[1].n_latencies = SAMPLE_LATENCIES;
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[0][i].round = s->latency[1][i].round = i / (SAMPLE_LATENCIES / 4);
}

/* As many as inftrace model runs at most; a table has a limit of columns. */
TEST(sixteen_runs_fit_into_every_format)
{
	enum { MANY = 16 };
	static const char *const formats[] = { "text", "json", "html", "csv", "csv-operators" };
	struct sample *s = sample_new();
	struct model_result *results = calloc(MANY, sizeof *results);
	struct model_analysis *analysis;
	char labels[MANY][32];

	for (uint32_t r = 0; r < MANY; r++) {
		results[r] = s->result[r % 4];
		snprintf(labels[r], sizeof labels[r], "run %u with some more words", r);
		results[r].label = labels[r];
		for (int axis = 0; axis < N_MODEL_AXES; axis++)
			results[r].differs[axis] = "something";
		results[r].n_items = 1 + r % 2;
	}
	s->report.results = results;
	s->report.n_results = MANY;
	analysis = insights_analyse(&s->report, NULL);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		const struct report_look look = { .is_all = true };

		write_as(out, formats[i], analysis, &look);
		fclose(out);
		assert_non_null(strstr(text, "run 15"));
		free(text);
	}
	model_analysis_free(analysis);
	free(results);
	free(s);
}

/* So many runs of four processes, which take that many times as long as the first. */
static void make_runs(struct sample *s, const double *factors, const char *const *labels, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++) {
		memcpy(s->latency[r], s->latency[0], sizeof s->latency[0]);
		s->result[r].label = labels[r];
		s->result[r].n_latencies = SAMPLE_LATENCIES;
		s->result[r].latencies = s->latency[r];
		s->result[r].n_outputs = 0;
		s->result[r].provider = "cpu";
		s->result[r].error = NULL;
		for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
			s->latency[r][i].round = i / (SAMPLE_LATENCIES / 4);
	}
	for (uint32_t r = n; r-- > 0;)
		for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
			s->latency[r][i].duration_ns *= factors[r];
	s->report.model.name = "m";
	s->report.n_results = n;
}

static void read_back(struct diff_run *to, const struct model_analysis *analysis, struct arena *arena)
{
	char *text = written(export_model_json, analysis);

	*to = (struct diff_run){ .path = "old.json" };
	assert_int_equal(diff_result_of(to, text, strlen(text), arena, NULL), 0);
	free(text);
}

static void expect_baseline_of_json(const struct model_analysis *analysis)
{
	static const char *const parts[] = {
		"\"verdict\": \"m: compared with old.json: m on 4 threads, batch 8 is 25 % slower in new: 7.18 ms "
		"instead of",
		"\"baseline\": {\n    \"path\": \"old.json\",\n    \"version\": \"0.1.0\",\n    \"start_realtime_ns\": "
		"1795",
		"\"kernel: 6.0; now 6.1.0-18-amd64\",\n      \"settings: duration 10 s, seed 1; now duration 10 s\"",
		"\"is_regression\": true",
		"\"mean_before_ns\": 5",
		"\"speed_since_baseline\": {\n        \"ratio\": 0.8",
		"\"speed_since_baseline\": {\n        \"ratio\": null,",
	};
	char *text = written(export_model_json, analysis);

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strstr(text, parts[i]))
			fail_msg("%s", parts[i]);
	free(text);
}

/* Two numbers of threads and two batch sizes beside an earlier report: columns, items, changes. */
CASE(runs_that_differ_in_several_things_have_a_column_for_each)
{
	static const char *const labels[] = { "1 thread, batch 1", "1 thread, batch 8", "4 threads, batch 1",
					      "4 threads, batch 8" };
	static const double factors[] = { 1, 4, 0.5, 1.5 };
	static const struct model_setting settings[] = { { "duration", "10 s" } };
	const struct diff_opts opts = { .threshold = 0, .minimum = DIFF_MINIMUM };
	struct diff_run before, now;
	const struct diff_side sides[] = { { &before, 1 }, { &now, 1 } };
	struct diff diff;
	struct arena arena = { 0 };
	struct model_facts batch_of_8 = s->report.model;
	struct model_analysis *analysis;

	make_runs(s, factors, labels, 4);
	batch_of_8.flops *= 8;
	for (uint32_t r = 0; r < 4; r++) {
		s->result[r].n_threads = r < 2 ? 1 : 4;
		s->result[r].n_items = r % 2 ? 8 : 1;
		s->result[r].facts = r % 2 ? &batch_of_8 : NULL;
		s->result[r].differs[MODEL_AXIS_THREADS] = r < 2 ? "1" : "4";
		s->result[r].differs[MODEL_AXIS_BATCH] = r % 2 ? "8" : "1";
		s->result[r].outputs_missing = r % 2 ? "no run has its inputs" : NULL;
		s->result[r].n_operators = s->result[r].n_placements = s->result[r].n_kernels = 0;
	}
	s->result[2].error = "no memory";
	/* before, the last run took less, and the second was not there */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[3][i].duration_ns *= 0.8;
	s->result[1].label = "2 threads";
	s->report.machine.kernel = "6.0";
	analysis = insights_analyse(&s->report, NULL);
	read_back(&before, analysis, &arena);
	model_analysis_free(analysis);
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[3][i].duration_ns /= 0.8;
	s->result[1].label = labels[1];
	s->report.machine.kernel = "6.1.0-18-amd64";
	s->report.settings = settings;
	s->report.n_settings = 1;
	analysis = insights_analyse(&s->report, NULL);
	read_back(&now, analysis, &arena);
	assert_int_equal(diff_make(&diff, &sides[0], &sides[1], &opts, &arena, NULL), 0);
	s->report.baseline = &diff;
	expect_file("several.txt", write_page, analysis);
	expect_file("several.html", write_html_without_style, analysis);
	expect_baseline_of_json(analysis);
	model_analysis_free(analysis);
	arena_done(&arena);
}

TEST(the_verdict_of_several_runs_begins_with_the_fastest)
{
	static const char *const labels[] = { "1 thread", "2 threads", "4 threads", "8 threads" };
	static const double faster[] = { 1, 0.5, 0.25, 1 }, slower[] = { 1, 2, 3, 4 }, alike[] = { 1, 1, 1, 2 },
			    two[] = { 1, 0.5, 0.5, 0.5 };
	struct sample *s = sample_new();

	make_runs(s, faster, labels, 4);
	expect_verdict(s,
		       "m: 4 threads is the fastest with 1.21 +- 0.02 ms per inference. It is 4.0 times as fast as 1 "
		       "thread (95 % interval 3.9 to 4.1). 2 threads is 2.00 times as fast as 1 thread (95 % interval "
		       "1.94 to 2.06). 1 thread takes 4.84 +- 0.10 ms per inference. Cannot tell whether 8 threads is "
		       "faster than 1 thread: the intervals of their means overlap (1.00 times, 0.97 to 1.03)");
	free(s);
	s = sample_new();
	make_runs(s, slower, labels, 3);
	expect_verdict(s, "m: 1 thread is the fastest with 4.84 +- 0.10 ms per inference. 2 threads takes 2.00 times "
			  "as long as 1 thread (95 % interval 1.94 to 2.06). 4 threads takes 3.00 times as long as 1 "
			  "thread (95 % interval 2.92 to 3.09)");
	free(s);
	s = sample_new();
	make_runs(s, alike, labels, 4);
	expect_verdict(
	    s, "m: cannot tell whether 1 thread (4.84 ms) or 2 threads (4.84 ms per inference) is the fastest. Cannot "
	       "tell whether 4 threads is faster than 1 thread: the intervals of their means overlap (1.00 times, 0.97 "
	       "to 1.03). 8 threads takes 2.00 times as long as 1 thread (95 % interval 1.94 to 2.06)");
	free(s);
	/* the outputs of several differ: that is said once */
	s = sample_new();
	make_runs(s, two, labels, 4);
	for (uint32_t r = 1; r < 3; r++) {
		s->result[r].outputs = sample_different;
		s->result[r].n_outputs = 1;
		s->result[r].against = "1 thread";
	}
	expect_verdict(s, "m: cannot tell whether 2 threads (2.42 ms) or 4 threads (2.42 ms per inference) is the "
			  "fastest. 2 threads is 2.00 times as fast as 1 thread (95 % interval 1.94 to 2.06). 1 thread "
			  "takes 4.84 +- 0.10 ms per inference. 4 threads is 2.00 times as fast as 1 thread (95 % "
			  "interval 1.94 to 2.06). 8 threads is 2.00 times as fast as 1 thread (95 % interval 1.94 to "
			  "2.06). The outputs of 2 runs differ from those that they are compared with");
	/* of different batches an item counts: 8 of them are 4 times as fast then */
	for (uint32_t r = 0; r < 4; r++) {
		s->result[r].n_outputs = 0;
		s->result[r].n_items = r == 3 ? 8 : 1;
	}
	s->report.n_results = 4;
	expect_verdict(s, "m: 8 threads is the fastest with 302 +- 6 us per item. It is 16.0 times as fast as 1 thread "
			  "(95 % interval 15.6 to 16.5). 2 threads is 2.00 times as fast as 1 thread (95 % interval "
			  "1.94 to 2.06). 1 thread takes 4.84 +- 0.10 ms per item. 4 threads is 2.00 times as fast as "
			  "1 thread (95 % interval 1.94 to 2.06)");
	free(s);
}

CASE(the_verdict_says_what_was_compared_and_how_sure_it_is)
{
	s->report.model.name = "m";
	s->report.n_results = 1;
	expect_verdict(s, "m: cpu takes 4.84 +- 0.05 ms per inference (95 % interval of one process)");
	s->report.n_results = 2;
	expect_verdict(s, "m: openvino is 1.85 times as fast as cpu (95 % interval 1.82 to 1.88, of one process each). "
			  "cpu takes 4.84 +- 0.05 ms per inference");
	s->result[1].label = "cpu";
	s->result[0].label = "openvino";
	s->report.n_results = 3;
	s->result[2].error = "no device";
	make_alike(s);
	expect_verdict(s, "m: cannot tell whether cpu is faster than openvino: the intervals of their means overlap "
			  "(1.00 times, 0.97 to 1.03). openvino takes 4.84 +- 0.10 ms per inference. webgpu failed");
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[1][i].duration_ns *= 2;
	s->report.n_results = 2;
	expect_verdict(s, "m: cpu takes 2.00 times as long as openvino (95 % interval 1.94 to 2.06). openvino takes "
			  "4.84 +- 0.10 ms per inference");
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[1][i].duration_ns *= s->latency[1][i].round ? 1 : 60;
	expect_verdict(s, "m: cpu takes 31.9 times as long as openvino (each of its 4 processes was slower than any of "
			  "openvino). openvino takes 4.84 +- 0.10 ms per inference");
	s->result[0].n_latencies = 5;
	expect_verdict(s, "m: cpu takes 32.0 times as long as openvino; too few inferences to be sure. openvino takes "
			  "4.83 ms per inference (mean)");
	s->report.n_results = 1;
	expect_verdict(s,
		       "m: openvino takes 4.83 ms per inference (mean): too few inferences for a confidence interval");
	s->report.n_results = 0;
	expect_verdict(s, "m: nothing ran");
}

CASE(the_verdict_says_when_a_speed_is_worth_nothing)
{
	struct model_output output = sample_different[0];
	struct model_analysis *analysis;

	s->report.model.name = "m";
	s->report.n_results = 2;
	s->result[1].outputs = &output;
	expect_verdict(s, "m: openvino is 1.85 times as fast as cpu (95 % interval 1.82 to 1.88, of one process each). "
			  "But its outputs differ from those of cpu. cpu takes 4.84 +- 0.05 ms per inference");
	output.problem = "its file cannot be read";
	expect_verdict(s, "m: openvino is 1.85 times as fast as cpu (95 % interval 1.82 to 1.88, of one process each). "
			  "cpu takes 4.84 +- 0.05 ms per inference");
	analysis = insights_analyse(&s->report, NULL);
	assert_string_equal(analysis->findings[0].insight->name, "outputs_not_compared");
	assert_string_equal(insight_words_of(analysis, &analysis->findings[0], true).finding.s,
			    "its outputs could not be compared with those of cpu");
	model_analysis_free(analysis);
	s->result[0].outputs = sample_different;
	s->result[0].n_outputs = 1;
	s->result[0].against = "expected";
	s->result[1].provider = "cuda";
	expect_verdict(s, "m: openvino is 1.85 times as fast as cpu (95 % interval 1.82 to 1.88, of one process each). "
			  "But it ran no node of the model. cpu takes 4.84 +- 0.05 ms per inference. The outputs of "
			  "cpu differ from those expected");
}
