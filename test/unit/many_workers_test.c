// SPDX-License-Identifier: Apache-2.0
/* 1,000 workers that run four models: a report of as many lines as of four workers, in a time that hardly grows more
 * than they do. */
#include <stdlib.h>
#include <time.h>

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "show/report/reports.h"
#include "stream.h"

enum { MODELS = 4, RUNS = 10, SAMPLES = 5 };

static const struct {
	const char *name, *unit;
} counters[] = { { "cpu", "%" },
		 { "rss", "bytes" },
		 { "peak rss", "bytes" },
		 { "threads", "count" },
		 { "cpus allowed", "count" },
		 { "cpu quota", "CPUs" },
		 { "cpu quota of /pod", "CPUs" },
		 { "quota periods of /pod", "count" },
		 { "waited for its own processes", "%" },
		 { "page faults", "count/s" },
		 { "pool threads", "count" },
		 { "major faults", "count/s" } };

static void work(struct stream *s, int worker)
{
	uint32_t process = stream_process(s, 1000 + worker, "server"),
		 thread = stream_thread(s, process, 9000 + worker);
	int64_t number = 0;

	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		uint32_t counter = stream_counter(s, process, counters[i].name, counters[i].unit);

		for (uint64_t k = 0; k < SAMPLES; k++)
			stream_sample(s, counter, k * 10000, 2);
	}
	for (int m = 0; m < MODELS; m++) {
		char name[8];
		uint32_t lane;

		snprintf(name, sizeof name, "m%d", m);
		lane = stream_lane(s, process, name);
		stream_text(s, KEY_MODEL, name);
		stream_text(s, KEY_MODEL_PATH, "/m.onnx");
		stream_int(s, KEY_SESSION, m + 1);
		stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_CREATED);
		for (uint64_t i = 0; i < RUNS; i++) {
			uint64_t us = (i * MODELS + (uint64_t)m) * 1000 + (uint64_t)worker % 100;

			stream_inference(s, lane, us, name, m + 1, ++number);
			stream_operator(s, thread, us, "conv", "Conv", number);
			stream_end(s, thread, us + 300);
			stream_text(s, KEY_STATUS, "ok");
			stream_end(s, lane, us + 400 + (uint64_t)worker % 7);
		}
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How many lines the report has in this format; *cpu_s: what it took. */
static size_t report(int n_workers, const char *format, double *cpu_s)
{
	struct summary_file file = { 0 };
	struct report_look look = { 0 };
	struct recorded recorded = { 0 };
	struct summary *summary;
	struct stream s;
	size_t size, n = 0;
	char *text;
	FILE *out = open_memstream(&text, &size);

	stream_init(&s);
	for (int i = 0; i < n_workers; i++)
		work(&s, i);
	*cpu_s = seconds();
	summary = stream_summary(&s, &file);
	assert_non_null(summary);
	assert_int_equal(summary->n_models, MODELS);
	assert_int_equal(summary->models[0].n_processes, n_workers);
	assert_int_equal(recorded_init(&recorded, summary, NULL), 0);
	report_write(out, report_format_named(format),
		     &(struct report){ .summary = summary, .analysis = recorded.model, .n_analyses = recorded.n },
		     &look);
	*cpu_s = seconds() - *cpu_s;
	assert_int_equal(fclose(out), 0);
	for (const char *at = text; *at; at++)
		n += *at == '\n';
	free(text);
	recorded_done(&recorded);
	summary_free(summary);
	stream_done(&s);
	return n;
}

TEST(a_thousand_workers_make_a_report_of_one_screen)
{
	double few_s, many_s;
	size_t few = report(4, "text", &few_s), many = report(1000, "text", &many_s);

	print_message("text: %zu lines in %.3f s, %zu in %.3f s\n", few, few_s, many, many_s);
	assert_in_range(many, few / 2, few + 12);
	assert_true(many_s < 5);
}

TEST(a_page_of_a_thousand_workers_is_bounded)
{
	double few_s, many_s;
	size_t few = report(50, "html", &few_s), many = report(1000, "html", &many_s);

	print_message("html: %zu lines in %.3f s, %zu in %.3f s\n", few, few_s, many, many_s);
	assert_true(many < 4 * few);
	assert_true(many_s < 10);
}
