// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "analyze/insight/recorded.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "cases.h"
#include "first_sentence.h"
#include "show/diff/diff_page.h"
#include "show/query/query_formats.h"
#include "show/report/reports.h"
#include "stream.h"

TEST(durations_have_three_digits)
{
	assert_string_equal(units_duration(0).s, "0 ns");
	assert_string_equal(units_duration(999).s, "999 ns");
	assert_string_equal(units_duration(999.6).s, "1.00 us");
	assert_string_equal(units_duration(1930000).s, "1.93 ms");
	assert_string_equal(units_duration(9996000).s, "10.0 ms");
	assert_string_equal(units_duration(999600).s, "1.00 ms");
	assert_string_equal(units_duration(12.34e9).s, "12.3 s");
	assert_string_equal(units_duration(200e9).s, "3 min 20 s");
	assert_string_equal(units_duration(119.99e9).s, "2 min 0 s");
	assert_string_equal(units_duration(3599.4e9).s, "59 min 59 s");
	assert_string_equal(units_duration(3599.6e9).s, "1 h 0 min");
	assert_string_equal(units_duration(7300e9).s, "2 h 2 min");
	assert_string_equal(units_duration(NAN).s, "-");
	assert_string_equal(units_interval(1950000, 12345, 1).s, "1.95 +- 0.01 ms");
	assert_string_equal(units_interval(1950000, NAN, 0).s, "1.95 ms");
	assert_string_equal(units_interval(612345, 412, 1).s, "612.3 +- 0.4 us");
	assert_string_equal(units_interval(612345, 0, 1).s, "612 +- 0 us");
	assert_string_equal(units_interval(375000, 529000, 1).s, "about 375 us");
	assert_string_equal(units_interval(NAN, NAN, 1).s, "-");
}

TEST(pages_have_the_letter_of_micro)
{
	units_for_page(true);
	assert_string_equal(units_duration(1000).s, "1.00 µs");
	assert_string_equal(units_duration(999).s, "999 ns");
	assert_string_equal(units_micro(), "µs");
	units_for_page(false);
	assert_string_equal(units_duration(1000).s, "1.00 us");
	assert_string_equal(units_interval(4000, 12, 1).s, "4.00 +- 0.01 us");
}

TEST(other_units)
{
	assert_string_equal(units_count(0).s, "0");
	assert_string_equal(units_count(1234567).s, "1,234,567");
	assert_string_equal(units_count(UINT64_MAX).s, "18,446,744,073,709,551,615");
	assert_string_equal(units_bytes(1023).s, "1023 B");
	assert_string_equal(units_bytes(432013312).s, "412 MiB");
	assert_string_equal(units_percent(0.612).s, "61.2 %");
	assert_string_equal(units_percent(0.0001).s, "<0.1 %");
	assert_string_equal(units_percent(0).s, "0 %");
	assert_string_equal(units_percent(1).s, "100 %");
	assert_string_equal(units_percent(0.9999).s, "99.9 %");
	assert_string_equal(units_rate(512.3).s, "512/s");
	assert_string_equal(units_rate(0.05).s, "3/min");
	assert_string_equal(units_decimal(4711).s, "4,711");
	assert_string_equal(units_decimal(0.25).s, "0.25");
	assert_string_equal(units_decimal(-1e300).s, "-1e+300");
	assert_string_equal(units_bytes(1e300).s, "9.09e+287 TiB");
	assert_string_equal(units_rate(1e300).s, "1e+300/s");
	assert_string_equal(units_percent(1e300).s, "1e+302 %");
	assert_string_equal(units_duration(1e300).s, "1e+291 s");
}

static struct printable printable(const char *text)
{
	return printable_text(text, strlen(text), 200, false);
}

TEST(harmful_characters_are_spelled_out)
{
	assert_string_equal(printable("plain /layer1/Conv").s, "plain /layer1/Conv");
	assert_string_equal(printable("\033[31mred\a").s, "\\x1b[31mred\\x07");
	assert_string_equal(printable("a\nb\tc").s, "a\\nb\\tc");
	assert_string_equal(printable("\xe2\x80\xae"
				      "evil")
				.s,
			    "\\u202eevil");
	assert_string_equal(printable("\xc2\x9b"
				      "31m")
				.s,
			    "\\u009b31m"); /* the one-character CSI */
	assert_string_equal(printable("zero\xe2\x80\x8bwidth").s, "zero\\u200bwidth");
	assert_string_equal(printable("\xf3\xa0\x80\x81").s, "\\U0e0001");
	assert_string_equal(printable("gr\xc3\xbc\xc3\x9f").s, "gr\xc3\xbc\xc3\x9f");
	assert_string_equal(printable("\xff\xc0\xafx\xe2\x82").s, "\\xff\\xc0\\xafx\\xe2\\x82");
	assert_string_equal(printable("\xed\xa0\x80").s, "\\ud800");
	assert_string_equal(printable_text("a\0b", 3, 99, false).s, "a\\x00b");
	assert_string_equal(printable_text("gr\xc3\xbcn", 5, 99, true).s, "gr\\u00fcn");
}

TEST(long_names_lose_their_middle)
{
	char *huge = malloc(100001);

	assert_string_equal(printable_text("abcdefghijklmnop", 16, 16, false).s, "abcdefghijklmnop");
	assert_string_equal(printable_text("abcdefghijklmnop", 16, 9, false).s, "abcd\xe2\x80\xa6mnop");
	assert_string_equal(printable_text("abcdefghijklmnop", 16, 9, true).s, "abc...nop");
	/* a wide character that does not fit is not cut in half */
	assert_int_equal(
	    printable_width(printable_text("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 12, 6, false).s), 5);
	memset(huge, 'x', 100000);
	huge[100000] = 0;
	assert_int_equal(printable_width(printable_text(huge, 100000, 40, false).s), 40);
	/* marks without width must not fill memory or the screen */
	for (int i = 0; i + 1 < 100000; i += 2)
		memcpy(huge + i, "\xcc\x80", 2);
	assert_true(strlen(printable_text(huge, 100000, 40, false).s) < 1024);
	free(huge);
}

static char *text_of(struct stream *s, const char *format, struct report_look look)
{
	struct summary_file file = { .path = "a.pftrace" };
	struct summary *summary = stream_summary(s, &file);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	struct recorded recorded;
	struct report report;

	assert_int_equal(recorded_init(&recorded, summary, NULL), 0);
	report = (struct report){ summary, recorded.model, recorded.n };
	report_write(out, report_format_named(format), &report, &look);
	fclose(out);
	recorded_done(&recorded);
	summary_free(summary);
	return text;
}

/* Every text of a file that reaches a report, with the worst content. */
static void put_hostile(struct stream *s, const char *bad)
{
	uint32_t process = stream_process(s, 7, bad), lane = stream_lane(s, process, bad),
		 thread = stream_thread(s, process, 8);
	static const enum event_key texts[] = { KEY_COMMAND, KEY_LEVEL, KEY_VERSION, KEY_EXE,	 KEY_STATE,
						KEY_RUNTIME, KEY_PATH,	KEY_TEXT,    KEY_STATUS, KEY_SOURCE };
	static const char *const topics[] = { EVENT_NOTE_RECORDING, EVENT_NOTE_PROCESS, EVENT_NOTE_RUNTIME,
					      EVENT_NOTE_CLOCK,	    EVENT_NOTE_STOPPED, EVENT_NOTE_UNREADABLE,
					      EVENT_NOTE_LEFT_OUT };

	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
			stream_text(s, texts[k], bad);
		stream_int(s, KEY_ERROR_NS, 5);
		stream_int(s, KEY_FROM_NS, 9);
		stream_instant(s, process, i, KIND_NOTE, topics[i]);
	}
	stream_int(s, KEY_COUNT, 3);
	stream_text(s, KEY_WHERE, bad);
	stream_instant(s, process, 10, KIND_LOST, bad);
	for (int i = 1; i <= 3; i++) {
		stream_text(s, KEY_MODEL, bad);
		stream_text(s, KEY_MODEL_PATH, bad);
		stream_text(s, KEY_PROVIDERS, bad);
		stream_text(s, KEY_OPTIONS, bad);
		stream_int(s, KEY_SESSION, i);
		stream_instant(s, process, 20, KIND_NOTE, EVENT_NOTE_CREATED);
	}
	stream_int(s, KEY_SESSION, 1);
	stream_begin(s, lane, 30, KIND_SESSION, bad);
	stream_begin(s, lane, 31, KIND_SPECIALIZE, bad);
	stream_int(s, KEY_MODIFIED, 1);
	stream_end(s, lane, 32);
	stream_end(s, lane, 33);
	stream_int(s, KEY_SESSION, 2);
	stream_begin(s, lane, 34, KIND_SESSION, bad);
	stream_text(s, KEY_STATUS, bad);
	stream_end(s, lane, 35);
	for (int i = 1; i <= 30; i++) {
		uint64_t at = 100 * (uint64_t)i;

		stream_text(s, KEY_SHAPES, bad);
		stream_text(s, KEY_TAG, bad);
		stream_inference(s, lane, at, bad, 1, i);
		if (i % 5 == 0)
			stream_text(s, KEY_STATUS, bad);
		stream_end(s, lane, at + 50 + (uint64_t)i);
		stream_text(s, KEY_OP_TYPE, bad);
		stream_text(s, KEY_PROVIDER, i % 2 ? bad : "other");
		stream_int(s, KEY_INFERENCE, i < 28 ? i : 99);
		stream_begin(s, thread, at + 1, KIND_OPERATOR, bad);
		stream_end(s, thread, at + 20 + (uint64_t)i);
	}
	stream_sample(s, stream_counter(s, process, bad, bad), 5000, 1);
	stream_sample(s, stream_counter(s, 0, bad, bad), 5000, 1);
}

TEST(no_name_reaches_the_terminal_as_it_is)
{
	static const char bad[] = "\033]0;owned\a\x01\xe2\x80\xae\xc2\x9b\"\\\xff\r\n\t end";
	struct stream s;

	for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
		char *text;

		stream_init(&s);
		put_hostile(&s, bad);
		text = text_of(&s, "text", (struct report_look){ .is_ascii = is_ascii, .is_all = true });
		assert_non_null(strstr(text, "owned"));
		for (const unsigned char *c = (unsigned char *)text; *c; c++)
			assert_true((*c >= 0x20 || *c == '\n') && *c != 0x7f && (!is_ascii || *c < 0x80));
		assert_null(strstr(text, "\xe2\x80\xae"));
		assert_null(strstr(text, "\xc2\x9b"));
		free(text);
		stream_done(&s);
	}
}

/* A parser just good enough to recognise well-formed text: strings, brackets, no control characters. */
static void check_json(const char *text)
{
	char open[64];
	int depth = 0;
	bool in_string = false;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (in_string) {
			assert_true(*c >= 0x20);
			if (*c == '\\')
				assert_non_null(strchr("\"\\/bfnrtu", *++c));
			else if (*c == '"')
				in_string = false;
		} else if (*c == '"') {
			in_string = true;
		} else if (*c == '{' || *c == '[') {
			assert_true(depth < 64);
			open[depth++] = (char)(*c + 2);
		} else if (*c == '}' || *c == ']') {
			assert_true(depth-- > 0 && open[depth] == (char)*c);
		}
	}
	assert_int_equal(depth, 0);
	assert_false(in_string);
}

TEST(json_escapes_what_must_be)
{
	struct stream s;
	char *text;

	stream_init(&s);
	put_hostile(&s, "\033\"\\\x01\xff\n end");
	text = text_of(&s, "json", (struct report_look){ 0 });
	check_json(text);
	assert_non_null(strstr(text, "\"\\u001b\\\"\\\\\\u0001\\ufffd\\n end\""));
	free(text);
	stream_done(&s);
}

TEST(lines_keep_to_the_width)
{
	struct stream s;
	char *text, *save, bad[400];

	memset(bad, 'n', sizeof bad - 1);
	bad[sizeof bad - 1] = 0;
	for (int i = 50; i < 399; i += 50)
		bad[i] = ' ';
	stream_init(&s);
	put_hostile(&s, bad);
	text = text_of(&s, "text", (struct report_look){ .width = 100 });
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (printable_width(line) > 100)
			fail_msg("%d: %s", printable_width(line), line);
		assert_true(*line && line[strlen(line) - 1] != ' ');
	}
	free(text);
	stream_done(&s);
}

TEST(colour_comes_only_when_asked_for)
{
	struct stream s;
	char *text;

	stream_init(&s);
	put_hostile(&s, "name");
	text = text_of(&s, "text", (struct report_look){ 0 });
	assert_null(strchr(text, '\033'));
	free(text);
	text = text_of(&s, "text", (struct report_look){ .has_color = true });
	assert_non_null(strstr(text, "\033[1m"));
	assert_non_null(strstr(text, "\033[31m"));
	free(text);
	stream_done(&s);
}

static char *verdict_of(struct stream *s)
{
	struct summary_file file = { 0 };
	struct summary *summary = stream_summary(s, &file);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	export_verdict(out, &(struct report){ .summary = summary }, false);
	fclose(out);
	summary_free(summary);
	return text;
}

static void check_verdict(struct stream *s, const char *expected)
{
	char *verdict = verdict_of(s);

	assert_string_equal(verdict, expected);
	assert_true(first_sentence_words(verdict) <= FIRST_SENTENCE_MOST);
	free(verdict);
}

static uint32_t start_unseen(struct stream *s, const char *state)
{
	uint32_t process;

	stream_init(s);
	process = stream_process(s, 1, "app");
	stream_text(s, KEY_LEVEL, "operator");
	stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_COST);
	stream_text(s, KEY_STATE, state);
	stream_int(s, KEY_COUNT, 1);
	stream_instant(s, process, 2, KIND_NOTE, EVENT_NOTE_PROCESS);
	return process;
}

TEST(many_processes_share_the_line_of_their_reason)
{
	struct stream s;
	char *text;

	(void)state;
	stream_init(&s);
	for (int pid = 1; pid <= 1000; pid++) {
		uint32_t process = stream_process(&s, pid, "app");

		stream_text(&s, KEY_STATE, pid == 7 ? "the agent switched itself off" : "no runtime was loaded");
		stream_instant(&s, process, 2, KIND_NOTE, EVENT_NOTE_PROCESS);
	}
	text = text_of(&s, "text", (struct report_look){ .width = 100 });
	assert_non_null(strstr(text, "\n  999 processes: no runtime was loaded\n"));
	assert_non_null(strstr(text, "\n  7: the agent switched itself off\n"));
	free(text);
	stream_done(&s);
}

/* What was not seen is never called lost or absent. */
static void check_unseen(void)
{
	struct stream s;
	uint32_t process = start_unseen(&s, "it is statically linked");

	check_verdict(&s, "no model was seen: it is statically linked");
	stream_done(&s);
	start_unseen(&s, "what app did was not seen: it is statically linked");
	check_verdict(&s, "what app did was not seen. It is statically linked");
	stream_done(&s);
	process = start_unseen(&s, "it is statically linked");
	stream_int(&s, KEY_COUNT, 2);
	stream_instant(&s, process, 3, KIND_NOTE, EVENT_NOTE_EXIT);
	check_verdict(
	    &s,
	    "no model was seen: it is statically linked. 2 processes that the program started went on, not recorded");
	stream_text(&s, KEY_RUNTIME, "onnxruntime");
	stream_text(&s, KEY_VERSION, "1.23.0");
	stream_text(&s, KEY_STATUS, "runs (unknown code)");
	stream_instant(&s, process, 4, KIND_NOTE, EVENT_NOTE_RUNTIME);
	check_verdict(
	    &s,
	    "whether a model was run is not known: inferences of onnxruntime 1.23.0, which was loaded, are not seen "
	    "(unknown code). What 1 process did was not seen; 2 processes that the program started went on, not "
	    "recorded");
	stream_int(&s, KEY_SESSION, 1);
	stream_text(&s, KEY_MODEL, "chain");
	stream_instant(&s, process, 5, KIND_NOTE, EVENT_NOTE_CREATED);
	check_verdict(
	    &s,
	    "whether a model was run is not known: inferences of onnxruntime 1.23.0, which was loaded, are not seen "
	    "(unknown code). What 1 process did was not seen; 2 processes that the program started went on, not "
	    "recorded");
	stream_done(&s);

	/* what is left out of it is not its inferences */
	stream_init(&s);
	stream_instant(&s, process = stream_process(&s, 7, "app"), 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_text(&s, KEY_RUNTIME, "litert");
	stream_text(&s, KEY_VERSION, "2.1");
	stream_text(&s, KEY_STATUS, "operators, session creation and names of models; build id 6ee4478d");
	stream_instant(&s, process, 1, KIND_NOTE, EVENT_NOTE_RUNTIME);
	check_verdict(&s,
		      "no model was run: litert 2.1 was loaded, but no session was created or used. The recorder was "
		      "ended before it finished the file");
	stream_done(&s);
}

TEST(the_verdict_says_what_happened)
{
	struct stream s;
	uint32_t process, lane, thread;

	stream_init(&s);
	check_verdict(&s, "the recording is empty");
	process = stream_process(&s, 1, "app");
	stream_text(&s, KEY_LEVEL, "operator");
	stream_instant(&s, process, 1, KIND_NOTE, EVENT_NOTE_RECORDING);
	check_verdict(&s, "no model was run: no runtime that inftrace knows was loaded by the process seen. The "
			  "recorder was ended before it finished the file");
	stream_instant(&s, process, 1, KIND_NOTE, EVENT_NOTE_COST);
	check_verdict(&s,
		      "no model was run: no runtime that inftrace knows was loaded by the process seen. Nothing lost");
	check_unseen();
	stream_text(&s, KEY_RUNTIME, "onnxruntime");
	stream_text(&s, KEY_VERSION, "1.22.1");
	stream_instant(&s, process, 2, KIND_NOTE, EVENT_NOTE_RUNTIME);
	check_verdict(
	    &s, "no model was run: onnxruntime 1.22.1 was loaded, but no session was created or used. Nothing lost");
	lane = stream_lane(&s, process, "m");
	stream_int(&s, KEY_SESSION, 1);
	stream_begin(&s, lane, 3, KIND_SESSION, "m");
	stream_text(&s, KEY_STATUS, "no such file");
	stream_end(&s, lane, 4);
	check_verdict(&s, "no inference was run: 1 session of m could not be created (no such file). Nothing lost");
	thread = stream_thread(&s, process, 2);
	for (int i = 1; i <= 200; i++) {
		stream_inference(&s, lane, (uint64_t)i * 1000, "m", 2, i);
		stream_text(&s, KEY_STATUS, i == 7 ? "bad input" : "ok");
		stream_end(&s, lane, (uint64_t)i * 1000 + 500);
		stream_operator(&s, thread, (uint64_t)i * 1000, "conv", "Conv", i);
		stream_end(&s, thread, (uint64_t)i * 1000 + 400);
	}
	check_verdict(&s,
		      "No model ran in 50.1 % of the 200 ms. 200 inferences of m: median 500 us, p99 500 us. 2 "
		      "sessions on CPUExecutionProvider, 1,003/s; 80 % of the time is in operators, Conv takes 80 %; 1 "
		      "inference failed (bad input); 1 session could not be created (no such file); nothing lost");
	stream_int(&s, KEY_COUNT, 1234);
	stream_instant(&s, process, 300000, KIND_LOST, "lost");
	stream_int(&s, KEY_SIGNAL, 11);
	stream_int(&s, KEY_PID, 1);
	stream_instant(&s, process, 300001, KIND_NOTE, EVENT_NOTE_EXIT);
	check_verdict(&s, "No model ran in 66.7 % of the 300 ms. 200 inferences of m: median 500 us, p99 500 us. 2 "
			  "sessions on CPUExecutionProvider, 1,003/s; 80 % of the time is in operators, Conv takes 80 "
			  "%; 1 inference failed (bad input); 1 session could not be created (no such file); process 1 "
			  "was killed by SIGSEGV; 1,234 events lost");
	stream_done(&s);
}

TEST(the_verdict_begins_with_failures_of_most_inferences)
{
	struct stream s;
	uint32_t process, lane;

	stream_init(&s);
	process = stream_process(&s, 1, "app");
	lane = stream_lane(&s, process, "m");
	for (int i = 1; i <= 4; i++) {
		stream_inference(&s, lane, (uint64_t)i * 1000, "m", 1, i);
		stream_text(&s, KEY_STATUS, i > 1 ? "bad input." : "ok");
		stream_end(&s, lane, (uint64_t)i * 1000 + 500);
	}
	check_verdict(&s, "3 of 4 inferences failed: bad input. 4 inferences of m: 500 us. 1 session, 1,143/s; no "
			  "operators were seen");
	stream_done(&s);
}

/* The usual program: three models, a dozen inferences each, and a session for each of them. */
static void put_usual(struct stream *s)
{
	static const char *const models[] = { "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_cls_infer" };
	uint32_t process = stream_process(s, 7, "python"), lane = stream_lane(s, process, "m"),
		 thread = stream_thread(s, process, 8);
	uint64_t at = 1000;
	char node[16];

	stream_text(s, KEY_COMMAND, "/opt/somewhere/a/long/way/down/the/tree/of/folders/venv/bin/python ocr.py 12");
	stream_text(s, KEY_LEVEL, "detail");
	stream_text(s, KEY_MACHINE, "AMD EPYC, 2 CPUs, 23.5 GiB, Linux 6.18.44 x86_64");
	stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_RECORDING);
	for (int m = 0; m < 3; m++, at += 30000) {
		stream_int(s, KEY_SESSION, m + 1);
		stream_begin(s, lane, at, KIND_SESSION, models[m]);
		stream_begin(s, lane, at + 1, KIND_SPECIALIZE, "ConstantFolding");
		stream_end(s, lane, at + 15000);
		stream_end(s, lane, at + 20000);
	}
	for (int i = 0; i < 36; i++, at += 10000) {
		stream_int(s, KEY_FIRST, i < 3);
		stream_inference(s, lane, at, models[i % 3], i % 3 + 1, i + 1);
		for (int k = 0; k < 30; k++) {
			snprintf(node, sizeof node, "node_%d", k);
			stream_operator(s, thread, at + 100 * (uint64_t)k, node, node + (k % 9 ? 5 : 0), i + 1);
			stream_end(s, thread, at + 100 * (uint64_t)k + 90);
		}
		stream_int(s, KEY_RUN_QUEUE_NS, 2000000);
		stream_text(s, KEY_STATUS, "ok");
		stream_end(s, lane, at + 4000 + 100 * (uint64_t)i);
	}
	stream_instant(s, process, at, KIND_NOTE, EVENT_NOTE_COST);
}

TEST(the_page_of_the_usual_program_fits_a_screen)
{
	struct stream s;
	char *text, *all, *save;
	int n = 0;

	stream_init(&s);
	put_usual(&s);
	text = text_of(&s, "text", (struct report_look){ .width = 80 });
	all = text_of(&s, "text", (struct report_look){ .width = 80, .is_all = true });
	assert_true(strlen(all) > 3 * strlen(text));
	assert_non_null(strstr(text, "python ocr.py 12"));
	assert_non_null(strstr(text, "its inferences wait for a CPU"));
	for (const char *at = text; *at; at++)
		n += *at == '\n';
	if (n > 40)
		fail_msg("%d lines:\n%s", n, text);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(printable_width(line) <= 80);
	free(text);
	free(all);
	stream_done(&s);
}

/* One inference of two operators, on these providers, which ends then. */
static void put_on(struct stream *s, const char *first, const char *second, uint64_t end_us)
{
	uint32_t process = stream_process(s, 7, "app"), lane = stream_lane(s, process, "m"),
		 thread = stream_thread(s, process, 8);
	const char *const providers[] = { first, second };

	stream_inference(s, lane, 1000, "m", 1, 1);
	for (int i = 0; i < 2; i++) {
		stream_text(s, KEY_OP_TYPE, "Gemm");
		stream_text(s, KEY_PROVIDER, providers[i]);
		stream_int(s, KEY_INFERENCE, 1);
		stream_begin(s, thread, 1000 + 500 * (uint64_t)i, KIND_OPERATOR, i ? "b" : "a");
		stream_end(s, thread, 1400 + 500 * (uint64_t)i);
	}
	stream_text(s, KEY_STATUS, "ok");
	stream_end(s, lane, end_us);
}

/* A report of an inference that ends then has this text, or lacks it. */
static void check_says_at(uint64_t end_us, const char *const providers[2], const char *format, const char *text,
			  bool has)
{
	struct stream s;
	char *report;

	stream_init(&s);
	put_on(&s, providers[0], providers[1], end_us);
	report = text_of(&s, format, (struct report_look){ .width = 200 });
	if (!!strstr(report, text) != has)
		fail_msg("%s in %s:\n%s", has ? "missing" : "too much", format, report);
	free(report);
	stream_done(&s);
}

static void check_says(const char *const providers[2], const char *format, const char *text, bool has)
{
	check_says_at(2000, providers, format, text, has);
}

/* Where operators of a provider end before the device has computed them, every report says so. */
TEST(operators_that_only_start_work_are_called_that)
{
	static const char *const cpu[] = { "CPUExecutionProvider", "CPUExecutionProvider" };
	static const char *const gpu[] = { "CUDAExecutionProvider", "CUDAExecutionProvider" };
	static const char *const both[] = { "CPUExecutionProvider", "CUDAExecutionProvider" };
	static const char words[] = "perators of CUDA only start work on the device";

	for (int i = 0; i < 3; i++) {
		static const char *const formats[] = { "text", "html", "json" };

		check_says(cpu, formats[i], words, false);
		check_says(gpu, formats[i], words, true);
		check_says(both, formats[i], words, true);
	}
	check_says(gpu, "text", "% of the time is in operators that start work on the device", true);
	check_says(both, "text", "% of the time is in operators, ", true);
	check_says_at(100000, gpu, "text",
		      "; its operators only start work on the device, in less than 1 % of the time", true);
	check_says_at(100000, gpu, "text", "Gemm takes 0 %", false);
	check_says_at(100000, both, "text", "1 % of the time is in operators, ", true);
	check_says(both, "json", "\"is_deferred\": true", true);
	check_says(both, "json", "\"deferred\": null", true);
	check_says(gpu, "json", "\"is_deferred\": false", false);
}

/* Six inferences with these options; the first two have an operator. */
static char *page_of_replays(const char *providers)
{
	struct stream s;
	uint32_t process, lane, thread;
	char *text;

	stream_init(&s);
	process = stream_process(&s, 7, "app");
	lane = stream_lane(&s, process, "m");
	thread = stream_thread(&s, process, 8);
	stream_text(&s, KEY_MODEL, "m");
	stream_text(&s, KEY_PROVIDERS, providers);
	stream_int(&s, KEY_SESSION, 1);
	stream_instant(&s, process, 0, KIND_NOTE, EVENT_NOTE_CREATED);
	for (uint64_t i = 0; i < 6; i++) {
		stream_int(&s, KEY_FIRST, !i);
		stream_inference(&s, lane, 1000 * (i + 1), "m", 1, (int64_t)i + 1);
		if (i < 2) {
			stream_operator(&s, thread, 1000 * (i + 1), "a", "Gemm", (int64_t)i + 1);
			stream_end(&s, thread, 1000 * (i + 1) + 400);
		}
		stream_text(&s, KEY_STATUS, "ok");
		stream_end(&s, lane, 1000 * (i + 1) + 500);
	}
	text = text_of(&s, "text", (struct report_look){ .width = 200 });
	stream_done(&s);
	return text;
}

TEST(inferences_that_replay_a_graph_are_told_from_others)
{
	char *text = page_of_replays("CUDAExecutionProvider,CPUExecutionProvider enable_cuda_graph=1 use_tf32=0");

	assert_non_null(strstr(text, "; 4 of 5 inferences ran no operator: they replay a CUDA graph"));
	assert_non_null(strstr(text, "\n  4 of 5 inferences ran no operator: they replay a CUDA graph.\n"));
	assert_non_null(strstr(text, "CUDA graph; in the others Gemm 80.0 %"));
	assert_null(strstr(text, "time is in operators"));
	free(text);
	text = page_of_replays("TensorrtExecutionProvider{\"trt_cuda_graph_enable\":\"True\"}");
	assert_non_null(strstr(text, "they replay a CUDA graph"));
	free(text);
	text = page_of_replays("CUDAExecutionProvider enable_cuda_graph=0");
	assert_non_null(strstr(text, "; 4 of 5 inferences have no operators"));
	free(text);
}

static void put_runtime(struct stream *s, uint32_t process, const char *path)
{
	stream_text(s, KEY_RUNTIME, "onnxruntime");
	stream_text(s, KEY_VERSION, "1.31.1");
	stream_text(s, KEY_PATH, path);
	stream_instant(s, process, 1, KIND_NOTE, EVENT_NOTE_RUNTIME);
}

/* What the page of a program with a GPU says; n_s: seconds for which an inference ran. */
static char *page_of_gpu(uint64_t n_s)
{
	struct stream s;
	uint32_t process, lane, group, busy, memory;
	char *text;

	stream_init(&s);
	process = stream_process(&s, 7, "app");
	lane = stream_lane(&s, process, "m");
	group =
	    stream_track(&s, (struct track_def){ .type = TRACK_GROUP,
						 .name = stream_name(&s, "gpu nvidia0: NVIDIA H200 at 0000:06:00.0") });
	busy = stream_counter(&s, group, "gpu nvidia0 busy", "%");
	stream_counter(&s, group, "gpu nvidia0 memory busy", "%");
	memory = stream_counter(&s, process, "gpu nvidia0 memory", "bytes");
	put_runtime(&s, process, "/opt/site/onnxruntime_pybind11_state.so");
	put_runtime(&s, process, "/opt/site/libonnxruntime_providers_cuda.so");
	stream_inference(&s, lane, 1000, "m", 1, 1);
	for (uint64_t i = 0; i <= n_s * 10; i++) {
		stream_sample(&s, busy, 1000 + i * 100000, i % 2 ? 20 : 10);
		stream_sample(&s, memory, 1000 + i * 100000, 64 << 20);
	}
	stream_text(&s, KEY_STATUS, "ok");
	stream_end(&s, lane, 1000 + n_s * 1000000);
	text = text_of(&s, "text", (struct report_look){ .width = 120 });
	stream_done(&s);
	return text;
}

TEST(the_page_names_the_gpu_and_one_runtime)
{
	char *text = page_of_gpu(3);

	assert_non_null(strstr(text, "onnxruntime 1.31.1 with libonnxruntime_providers_cuda.so\n"));
	assert_non_null(strstr(text, "gpu nvidia0 15.0 % busy, 64.0 MiB\n"));
	free(text);
	text = page_of_gpu(1); /* NVIDIA's figure is a mean of up to a second */
	assert_non_null(strstr(text, "gpu nvidia0 at most 20.0 % busy in a sample, 64.0 MiB\n"));
	free(text);
}

#define EXPECT_NAMES(table, expected) \
	do { \
		char names_[200] = ""; \
		for (size_t i = 0; table[i]; i++) \
			strcat(strcat(names_, i ? "|" : ""), table[i]->name); \
		assert_string_equal(names_, expected); \
	} while (0)

TEST(the_names_of_formats_are_those_of_the_tables)
{
	EXPECT_NAMES(reports, REPORT_NAMES);
	EXPECT_NAMES(diff_formats, DIFF_FORMAT_NAMES);
	EXPECT_NAMES(query_formats, QUERY_FORMAT_NAMES);
	for (size_t i = 0; query_formats[i]; i++)
		assert_ptr_equal(query_format_of(query_formats[i]->suffix), query_formats[i]);
	assert_ptr_equal(report_format_of("a/b.htm"), report_format_named("html"));
	assert_ptr_equal(report_format_of("b.json"), report_format_named("json"));
	assert_ptr_equal(report_format_of(".json"), reports[0]);
	assert_ptr_equal(report_format_of("page"), reports[0]);
	assert_null(report_format_named("yaml"));
}
