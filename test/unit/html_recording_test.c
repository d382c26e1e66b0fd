// SPDX-License-Identifier: Apache-2.0
/* The HTML page of a recording: what stands on the axis of time, in treemaps and in the table of gaps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "event/callstack.h"
#include "show/report/reports.h"
#include "stream.h"

static char *report_as(struct stream *s, const char *format)
{
	struct summary_file file = { 0 };
	struct summary *summary = stream_summary(s, &file);
	struct recorded recorded;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	assert_non_null(summary);
	assert_int_equal(recorded_init(&recorded, summary, &err), 0);
	report_write(out, report_format_named(format), &(struct report){ summary, recorded.model, recorded.n },
		     &(struct report_look){ 0 });
	fclose(out);
	recorded_done(&recorded);
	summary_free(summary);
	return text;
}

static void has(const char *page, const char *text)
{
	if (!strstr(page, text))
		fail_msg("the page lacks: %s", text);
}

/* How many inferences the titles of columns say, and how many columns there are. */
static uint64_t counted(const char *page, uint32_t *n)
{
	uint64_t sum = 0;

	for (const char *at = page; (at = strstr(at, "<rect class=\"ran\"")); at++) {
		const char *words = strstr(at, ": ") + 2, *end = words;

		(*n)++;
		if (!strncmp(words, "one ran", 7))
			continue;
		for (uint64_t value = 0; *end != ' '; end++) {
			value = *end == ',' ? value : value * 10 + (uint64_t)(*end - '0');
			if (end[1] == ' ')
				sum += value;
		}
	}
	return sum;
}

static void put_inference(struct stream *s, uint32_t lane, uint32_t thread, uint64_t us, int64_t number, bool is_failed)
{
	stream_inference(s, lane, us, "m", 1, number);
	stream_operator(s, thread, us + 10, "a/<conv>", "Conv", number);
	stream_end(s, thread, us + 310);
	stream_operator(s, thread, us + 310, "b", "Relu", number);
	stream_end(s, thread, us + 410);
	stream_text(s, KEY_STATUS, is_failed ? "<no>" : "ok");
	stream_end(s, lane, us + 500);
}

TEST(a_page_has_each_event_and_counter_at_its_time)
{
	struct stream s;
	uint32_t process, lane, thread, cpu, power, n = 0;
	char *page;

	stream_init(&s);
	process = stream_process(&s, 100, "app<1>");
	lane = stream_lane(&s, process, "m");
	thread = stream_thread(&s, process, 101);
	cpu = stream_counter(&s, process, "cpu", "%");
	power = stream_counter(&s, 0, "package-0 power", "W");
	stream_instant(&s, process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	for (int64_t i = 0; i < 5000; i++) {
		put_inference(&s, lane, thread, 1000 * (uint64_t)i, i + 1, false);
		if (i % 100)
			continue;
		stream_sample(&s, cpu, 1000 * (uint64_t)i + 600, 150);
		stream_sample(&s, power, 1000 * (uint64_t)i + 600, 12);
	}
	put_inference(&s, lane, thread, 9000000, 5001, true);
	page = report_as(&s, "html");
	assert_int_equal(counted(page, &n), 5000);
	assert_in_range(n, 50, 320);
	has(page, "<rect class=\"broken\"");
	has(page, ", 1 failed</title>");
	has(page, ">CPUs in use<");
	has(page, "CPUs in use, app&lt;1&gt; 100: 1.5");
	has(page, ">Power<");
	has(page, "Power, package-0 power: 12 W");
	has(page, "<title>a/&lt;conv&gt; (Conv, CPU): 300 µs of an inference, 75.0 % of all operators</title>");
	has(page, "<title>b (Relu, CPU): 100 µs of an inference, 25.0 % of all operators</title>");
	assert_null(strstr(page, "The stronger the color"));
	assert_in_range(strlen(page), 20000, 250000);
	free(page);
	stream_done(&s);
}

static void put_conv(struct stream *s, uint32_t thread, uint64_t us, const char *name, uint64_t wide, int64_t number)
{
	stream_operator(s, thread, us, name, "Conv", number);
	stream_end(s, thread, us + wide);
}

TEST(of_one_family_a_longer_call_has_a_stronger_color)
{
	struct stream s;
	uint32_t process, lane, thread;
	char *page;

	stream_init(&s);
	process = stream_process(&s, 100, "app");
	lane = stream_lane(&s, process, "m");
	thread = stream_thread(&s, process, 101);
	for (int64_t i = 0; i < 20; i++) {
		uint64_t at = 5000 * (uint64_t)i;

		stream_inference(&s, lane, at, "m", 1, i + 1);
		put_conv(&s, thread, at + 10, "long", 1000, i + 1);
		put_conv(&s, thread, at + 1010, "middle", 200, i + 1);
		put_conv(&s, thread, at + 1210, "short", 9, i + 1);
		stream_text(&s, KEY_STATUS, "ok");
		stream_end(&s, lane, at + 1300);
	}
	page = report_as(&s, "html");
	has(page, "The stronger the color, the longer a call takes.");
	for (int i = 0; i < 3; i++) {
		static const char *const marks[][2] = {
			{ "tree f2\"", ">long (Conv, CPU): 1.00 ms of an inference, 1.00 ms a call" },
			{ "tree f2 t3\"", ">middle (" },
			{ "tree f2 t1\"", ">short (" }
		};
		const char *at = strstr(page, marks[i][1]);

		assert_non_null(at);
		while (strncmp(at, "<rect", 5) != 0)
			at--;
		assert_memory_equal(at + 13, marks[i][0], strlen(marks[i][0]));
	}
	free(page);
	stream_done(&s);
}

TEST(the_title_is_the_command_without_folders)
{
	struct stream s;
	uint32_t process;
	char *page;

	stream_init(&s);
	process = stream_process(&s, 100, "app");
	stream_text(&s, KEY_COMMAND, "/opt/venv/bin/python /srv/<app>/serve.py --model /m/a.onnx --root / org/name");
	stream_instant(&s, process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	page = report_as(&s, "html");
	has(page, "<h1>python serve.py --model a.onnx --root / org/name</h1>");
	has(page, "<title>python serve.py --model a.onnx");
	has(page, "<p class=\"name\">/opt/venv/bin/python /srv/&lt;app&gt;/serve.py --model /m/a.onnx");
	/* what the page has is in its contents, and nothing else */
	has(page, "<a href=\"#resources\">Resources</a>");
	assert_null(strstr(page, "href=\"#gaps\""));
	free(page);
	stream_done(&s);
}

/* A function of Python runs for 300 ms. sample: outlives the stream. */
static uint64_t put_function(struct stream *s, uint32_t process, uint64_t us, const char *function,
			     struct event_sample *sample)
{
	struct callstacks *stacks = names_callstacks(s->names);
	struct frame frame = { .kind = FRAME_PYTHON, .function = stream_name(s, function) };

	*sample = (struct event_sample){ .tid = 100,
					 .state = SAMPLE_RAN,
					 .weight_ns = 10000000,
					 .cpu_ns = 10000000,
					 .stack = callstacks_push(stacks, 0, callstacks_frame(stacks, &frame)) };
	for (int i = 0; i < 30; i++)
		stream_put(
		    s, (struct event){
			   .type = EVENT_SAMPLE, .track = process, .time_ns = (us += 10000) * 1000, .sample = sample });
	return us;
}

/* The characters of a frame's name that stand in its rectangle, and the pixels that it has for one. */
static double pixels_of(const char *page, const char *begin, uint32_t *n)
{
	char text[40];
	const char *at;
	double width;

	snprintf(text, sizeof text, " class=\"on\">%s", begin);
	at = strstr(page, text);
	assert_non_null(at);
	*n = 0;
	for (const char *end = strchr(at, '>') + 1; *end != '<'; end++)
		*n += ((unsigned char)*end & 0xc0) != 0x80;
	while (strncmp(at, "<rect", 5) != 0)
		at--;
	assert_int_equal(sscanf(strstr(at, " width="), " width=\"%lf\"", &width), 1);
	return (width - 4) / *n;
}

/* The widest letters of a line of 12 pixels have 12 pixels, others 7 on average. */
TEST(names_of_frames_stay_within_them)
{
	/* the last one is wide, but of one column: shcha of Cyrillic */
	static const char *const letters[] = { "m", "e", "\320\251" };
	struct event_sample sample[3];
	struct stream s;
	uint32_t process, lane, n_shown;
	uint64_t us = 1000;
	char *page;

	stream_init(&s);
	process = stream_process(&s, 100, "app");
	lane = stream_lane(&s, process, "m");
	stream_instant(&s, process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	for (int i = 0; i < 2; i++) {
		stream_int(&s, KEY_TID, 100);
		stream_inference(&s, lane, us, "m", 1, i + 1);
		stream_text(&s, KEY_STATUS, "ok");
		stream_end(&s, lane, us + 500);
		for (int k = 0; k < 3 && !i; k++) {
			char name[200] = "";

			for (int n = 0; n < 60; n++)
				strcat(name, letters[k]);
			us = put_function(&s, process, us, name, &sample[k]);
		}
		us += 1000;
	}
	stream_instant(&s, process, us, KIND_NOTE, EVENT_NOTE_COST);
	page = report_as(&s, "html");
	for (int k = 0; k < 3; k++) {
		double pixels = pixels_of(page, letters[k], &n_shown);

		assert_true(pixels >= (k == 1 ? 6.9 : 12));
		assert_in_range(n_shown, k == 1 ? 45 : 25, 60); /* no more is cut than must be */
	}
	free(page);
	stream_done(&s);
}

struct loop {
	struct stream s;
	uint32_t lane;
	int64_t number;
	uint64_t us;
};

/* A decoder with a cache runs for 100 us, and 20 us later the next one does. */
static void put_step(struct loop *loop, int64_t session, int tokens, int cached)
{
	char shapes[100];

	snprintf(shapes, sizeof shapes, "int64[1x%d],float32[1x4x%dx32],float32[1x4x%dx32]", tokens, cached, cached);
	stream_text(&loop->s, KEY_SHAPES, shapes);
	stream_int(&loop->s, KEY_TID, 100 + session);
	stream_inference(&loop->s, loop->lane, loop->us, "m", session, ++loop->number);
	stream_text(&loop->s, KEY_STATUS, "ok");
	stream_end(&loop->s, loop->lane, loop->us + 100);
	loop->us += 120;
}

TEST(generations_are_drawn_as_far_as_they_were_recorded)
{
	struct loop loop = { .us = 1000 };
	char *page, *line, *end;

	stream_init(&loop.s);
	loop.lane = stream_lane(&loop.s, stream_process(&loop.s, 100, "app"), "m");
	put_step(&loop, 1, 16, 0);
	for (int i = 0; i < 3; i++)
		put_step(&loop, 1, 1, 16 + i);
	put_step(&loop, 1, 1, 40); /* of another one, whose prompt was before */
	page = report_as(&loop.s, "html");
	line = strstr(page, "Generations on a time line");
	assert_non_null(line);
	end = strstr(line, "</svg>");
	*end = 0;
	has(line, "<title>prompt of 16 tokens, first token after 100 µs</title>");
	has(line, "<title>3 tokens behind it, each 120 µs</title>");
	has(line, "<title>1 token</title>");
	free(page);
	stream_done(&loop.s);
}

static bool is_row(const char *page, const char *what)
{
	char cell[100];

	snprintf(cell, sizeof cell, ">%s</th>", what);
	return strstr(page, cell);
}

/* Inferences of 500 us: setup of 100 us, operators of 300, the rest unattributed; one is stopped for 50 ms. */
static void put_with_setup(struct stream *s, bool has_halt)
{
	uint32_t process = stream_process(s, 100, "app"), lane = stream_lane(s, process, "m");
	uint32_t thread = stream_thread(s, process, 101), halted = stream_lane(s, process, EVENT_HALT_STOPPED);

	for (uint64_t i = 0; i < 20; i++) {
		uint64_t at = 1000 + 2000 * i, later = has_halt && i == 19 ? 50000 : 0;

		stream_int(s, KEY_ID, (int64_t)i + 1);
		stream_inference(s, lane, at, "m", 1, (int64_t)i + 1);
		stream_text(s, KEY_STATUS, "ok");
		stream_begin(s, lane, at, KIND_SETUP, "setup");
		stream_end(s, lane, at + 100);
		stream_operator(s, thread, at + 100, "a", "Conv", (int64_t)i + 1);
		if (later) {
			stream_int(s, KEY_FROM_NS, (int64_t)(at + 200) * 1000);
			stream_begin(s, halted, at + 210, KIND_HALT, EVENT_HALT_STOPPED);
			stream_int(s, KEY_UNTIL_NS, (int64_t)(at + 220 + later) * 1000);
			stream_end(s, halted, at + 210 + later);
		}
		stream_end(s, thread, at + 400 + later);
		stream_end(s, lane, at + 500 + later);
	}
}

TEST(time_that_no_operator_has_is_in_the_same_rows_as_in_the_text)
{
	static const char *const rows[] = { "setup", "process stopped", "unattributed" };

	for (int has_halt = 0; has_halt < 2; has_halt++) {
		struct stream s;
		char *page, *text;

		stream_init(&s);
		put_with_setup(&s, has_halt);
		page = report_as(&s, "html");
		text = report_as(&s, "text");
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			char line[100];

			snprintf(line, sizeof line, "\n  %s ", rows[i]);
			assert_int_equal(is_row(page, rows[i]), i != 1 || has_halt);
			assert_int_equal(strstr(text, line) != NULL, i != 1 || has_halt);
		}
		free(page);
		free(text);
		stream_done(&s);
	}
}

/* Processes that live at one time have their memory together; PSS counts once it was read of a process that runs. */
TEST(memory_is_that_of_processes_that_live_at_one_time)
{
	static const char *const words[2][3] = {
		{ "the peaks of 3 processes add up to 93.5 MiB; pages that they share count in each; divided among "
		  "them, 28.6 MiB (PSS)",
		  "peaks of 3 processes, added up", "93.5 MiB" },
		{ "66.8 MiB at most, in one process: those recorded ran one after the other", "of the largest process",
		  "66.8 MiB" },
	};

	for (int is_one_by_one = 0; is_one_by_one < 2; is_one_by_one++) {
		char *page, *text, *line;
		struct stream s;

		stream_init(&s);
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t process = stream_process(&s, 7 + i, "app");
			uint32_t rss = stream_counter(&s, process, "rss", "bytes");
			uint32_t pss = stream_counter(&s, process, "pss", "bytes");

			uint64_t us = 10000 * i * is_one_by_one;

			for (int n = 0; n < 5; n++, us += 1000) {
				stream_sample(&s, rss, us, i == 1 ? 70e6 : 14e6);
				stream_sample(&s, pss, us + 100, 10e6);
			}
			if (!is_one_by_one)
				continue;
			stream_int(&s, KEY_PID, 7 + i);
			stream_int(&s, KEY_EXIT_STATUS, 0);
			stream_instant(&s, process, us + 80000, KIND_NOTE, EVENT_NOTE_EXIT); /* seen late */
		}
		page = report_as(&s, "json");
		has(page, is_one_by_one ? "\"processes\": 1,\n" : "\"processes\": 3,\n");
		has(page, is_one_by_one ? "\"peak_bytes\": 70000000,\n" : "\"peak_bytes\": 98000000,\n");
		has(page, is_one_by_one ? "\"pss_bytes\": 10000000,\n" : "\"pss_bytes\": 30000000,\n");
		free(page);
		page = report_as(&s, "html");
		text = report_as(&s, "text");
		while ((line = strstr(text, "\n            ")))
			memmove(line, line + 12, strlen(line + 12) + 1);
		has(text, words[is_one_by_one][0]);
		has(page, words[is_one_by_one][1]);
		has(page, words[is_one_by_one][2]);
		free(page);
		free(text);
		stream_done(&s);
	}
}
