// SPDX-License-Identifier: Apache-2.0
/* Each kind of remark alone, which every format must give. */
#include "analyze/remark/remarks.h"

#include <stdio.h>

#include "analyze/insight/recorded.h"
#include "analyze/query/query.h"
#include "base/text/units.h"
#include "cases.h"
#include "show/query/query_formats.h"
#include "show/report/reports.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *whole; /* complete: nothing to remark */
	struct summary summary;
	char *text;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct stream *s = &f->s;
	uint32_t process, lane;

	stream_init(s);
	process = stream_process(s, 7, "app");
	stream_text(s, KEY_COMMAND, "app");
	stream_instant(s, process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	lane = stream_lane(s, process, "m");
	stream_int(s, KEY_INFERENCE, 1);
	stream_begin(s, lane, 1000, KIND_INFERENCE, "m");
	stream_end(s, lane, 2000);
	f->whole = stream_summary(s, &(struct summary_file){ .path = "a.pftrace", .bytes = 5000 });
	f->whole->recording.is_ours = true;
	f->whole->cost.is_known = true;
	f->whole->cost.lost = 0;
	for (int kind = 0; kind < N_KINDS; kind++)
		f->whole->n_open[kind] = 0;
	f->summary = *f->whole;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	summary_free(f->whole);
	stream_done(&f->s);
	free(f->text);
	free(f);
	return 0;
}

static void count_only(void *to, const struct remark *remark)
{
}

#define ONE(type, list, ...) \
	static type one; \
	one = (type){ __VA_ARGS__ }; \
	f->summary.list = &one; \
	f->summary.n_##list = 1

static uint32_t name(struct fixture *f, const char *text)
{
	return stream_name(&f->s, text);
}

static void give_lost(struct fixture *f)
{
	ONE(struct summary_loss, losses, .process = SUMMARY_NONE, .where = name(f, "a full ring"), .n = 3);
	f->summary.n_lost = 3;
	f->summary.cost.lost = 3;
}

static void give_cut_off(struct fixture *f)
{
	f->summary.file.is_cut = true;
	f->summary.file.cut_at = 4711;
}

static void give_unfinished(struct fixture *f)
{
	f->summary.cost.is_known = false;
}

static void give_dropped(struct fixture *f)
{
	f->summary.kept = (struct summary_kept){ .limit = name(f, "10m"), .segments = 2, .events = 5, .ns = 1000 };
}

static void give_thinned(struct fixture *f)
{
	f->summary.thinned = (struct summary_thinned){ .n_left_out = 9, .n_sampled = 1, .least = 10, .most = 10 };
}

static void give_not_seen(struct fixture *f)
{
	f->summary.processes[0].is_unseen = true;
	f->summary.processes[0].state = name(f, "its runtime is unsupported");
	f->summary.n_unseen = 1;
}

static void give_left_running(struct fixture *f)
{
	f->summary.n_left = 2;
}

static void give_sampled_out(struct fixture *f)
{
	f->summary.n_sampled_out = 12;
}

static void give_left_out(struct fixture *f)
{
	ONE(struct summary_left_out, left_out, .process = SUMMARY_NONE, .what = name(f, "inferences of gRPC"), .n = 4);
}

static void give_unknown_at_end(struct fixture *f)
{
	ONE(struct summary_device_clock, device_clocks, .process = SUMMARY_NONE,
	    .missing = name(f, "the last kernels"));
	f->summary.n_device_ends_unknown = 1;
}

static void give_joined_late(struct fixture *f)
{
	ONE(struct summary_runtime, runtimes, .process = SUMMARY_NONE, .runtime = name(f, "onnxruntime"),
	    .complete_from_ns = 1500000);
}

static void give_stopped(struct fixture *f)
{
	ONE(struct summary_stop, stops, .reason = name(f, "the disk is full"), .time_ns = 1500000);
}

static void give_unreadable(struct fixture *f)
{
	ONE(struct summary_unreadable, unreadable, .process = SUMMARY_NONE, .path = name(f, "/proc/7/io"),
	    .reason = name(f, "Permission denied"));
}

static void give_dumped(struct fixture *f)
{
	ONE(struct summary_dump, dumps, .path = name(f, "dump.1.pftrace"), .why = name(f, "SIGUSR2"),
	    .time_ns = 1500000);
}

static void give_not_dumped(struct fixture *f)
{
	f->summary.n_dumps_skipped = 6;
}

static void give_halted(struct fixture *f)
{
	ONE(struct summary_halt_kind, halt_kinds, .process = 0, .what = name(f, "stopped"), .n = 2, .ns = 5000000,
	    .first_ns = 1500000);
}

static void give_clock_changed(struct fixture *f)
{
	ONE(struct summary_clock, clock_changes, .what = name(f, EVENT_CLOCK_SUSPENDED), .from_ns = 1200000,
	    .to_ns = 1300000, .by_ns = 100000);
}

static void give_clock_jumped(struct fixture *f)
{
	f->summary.recording.clock_jumps = 8;
}

static void give_not_ended(struct fixture *f)
{
	f->summary.n_open[KIND_OPERATOR] = 13;
}

static void give_out_of_order(struct fixture *f)
{
	f->summary.counts.n_disordered = 21;
}

static void give_no_begin(struct fixture *f)
{
	f->summary.counts.n_unmatched = 22;
}

static void give_no_track(struct fixture *f)
{
	f->summary.counts.n_untracked = 23;
}

static void give_too_deep(struct fixture *f)
{
	f->summary.counts.n_too_deep = 24;
}

static void give_arguments_cut(struct fixture *f)
{
	f->summary.counts.n_args_cut = 25;
}

static void give_moved(struct fixture *f)
{
	f->summary.file.n_late = 26;
}

static void give_part_missing(struct fixture *f)
{
	f->summary.cost.lost = 27;
}

#define GIVE(kind) { #kind, give_##kind }
static const struct {
	const char *kind;
	void (*give)(struct fixture *);
} gives[] = {
	GIVE(lost),	    GIVE(cut_off),	 GIVE(unfinished),   GIVE(dropped),	  GIVE(thinned),
	GIVE(not_seen),	    GIVE(left_running),	 GIVE(sampled_out),  GIVE(left_out),	  GIVE(unknown_at_end),
	GIVE(joined_late),  GIVE(stopped),	 GIVE(unreadable),   GIVE(dumped),	  GIVE(not_dumped),
	GIVE(halted),	    GIVE(clock_changed), GIVE(clock_jumped), GIVE(not_ended),	  GIVE(out_of_order),
	GIVE(no_begin),	    GIVE(no_track),	 GIVE(too_deep),     GIVE(arguments_cut), GIVE(moved),
	GIVE(part_missing),
};

/* Lines of text are broken, HTML has &#39; for ': only letters and digits count. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (!strncmp(at, "&#39;", 5))
			at += 4;
		else if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9'))
			*to++ = *at;
	*to = 0;
}

static const char *report_as(struct fixture *f, const char *format)
{
	struct recorded recorded;
	size_t size;
	FILE *out;

	free(f->text);
	f->text = NULL;
	out = open_memstream(&f->text, &size);
	assert_int_equal(recorded_init(&recorded, &f->summary, NULL), 0);
	report_write(out, report_format_named(format), &(struct report){ &f->summary, recorded.model, recorded.n },
		     &(struct report_look){ 0 });
	fclose(out);
	recorded_done(&recorded);
	squeeze(f->text);
	return f->text;
}

static const char *query_as_csv(struct fixture *f)
{
	struct err err = { 0 };
	struct query *query = query_new(&f->summary, &(struct query_opts){ .memory_bytes = 64 << 20 }, &err);
	struct query_writer writer = { .format = query_format_named("csv") };
	struct query_taker taker;
	struct query_place place;
	size_t size;

	assert_non_null(query);
	free(f->text);
	f->text = NULL;
	writer.out = open_memstream(&f->text, &size);
	taker = query_writer_taker(&writer);
	assert_int_equal(query_run(query, "SELECT kind, is_loss, text FROM remarks", &taker, &place, &err), 0);
	query_writer_done(&writer);
	fclose(writer.out);
	query_free(query);
	squeeze(f->text);
	return f->text;
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(complete_recordings_have_no_remark)
{
	const struct remarks remarks = { .summary = &f->summary };

	assert_int_equal(remarks_give(&remarks, count_only, NULL), 0);
	for (size_t i = 0; i < remarks_count(&f->summary); i++)
		assert_string_equal(remarks_at(&remarks, i).text.s, "");
	assert_string_equal(remarks_headline(&f->summary), "Nothing was lost.");
	assert_null(strstr(report_as(f, "text"), "Losses"));
}

/* The only sentence, of this kind. */
static struct remark the_remark(struct fixture *f, const char *kind)
{
	const struct remarks remarks = { .summary = &f->summary };
	struct remark found = { 0 };

	for (size_t i = 0; i < remarks_count(&f->summary); i++) {
		struct remark remark = remarks_at(&remarks, i);

		if (!*remark.text.s)
			continue;
		assert_string_equal(remark.kind, kind);
		assert_null(found.kind);
		found = remark;
	}
	assert_non_null(found.kind);
	return found;
}

/* Pages have µs where all others have us. */
static void has_for_page(struct fixture *f, const char *kind)
{
	struct remark remark;

	units_for_page(true);
	remark = the_remark(f, kind);
	units_for_page(false);
	squeeze(remark.text.s);
	if (!strstr(report_as(f, "html"), remark.text.s))
		fail_msg("html has no \"%s\"", remark.text.s);
}

CASE(every_format_gives_every_remark)
{
	static const char *const formats[] = { "text", "html", "json", "csv-losses" };
	size_t n = 0;

	for (; remarks_kind(n); n++) {
		struct remark remark;

		assert_string_equal(remarks_kind(n), gives[n].kind);
		f->summary = *f->whole;
		gives[n].give(f);
		remark = the_remark(f, gives[n].kind);
		squeeze(remark.text.s);
		/* pages have a table of lost events */
		for (size_t i = strcmp(gives[n].kind, "lost") ? 0 : 2; i < sizeof formats / sizeof *formats; i++)
			if (!strcmp(formats[i], "html"))
				has_for_page(f, gives[n].kind);
			else if (!strstr(report_as(f, formats[i]), remark.text.s))
				fail_msg("%s has no \"%s\"", formats[i], remark.text.s);
		if (!strstr(query_as_csv(f), remark.text.s))
			fail_msg("the table remarks has no \"%s\"", remark.text.s);
		for (size_t i = 0; i < 2; i++)
			assert_true(strcmp(gives[n].kind, "lost") || strstr(report_as(f, formats[i]), "afullring"));
		f->whole->processes[0].is_unseen = false;
	}
	assert_int_equal(n, sizeof gives / sizeof *gives);
}

CASE(many_of_a_kind_are_counted)
{
	struct summary_stop stops[7];

	for (int i = 0; i < 7; i++)
		stops[i] = (struct summary_stop){ .reason = name(f, "the disk is full") };
	f->summary.stops = stops;
	f->summary.n_stops = 7;
	assert_non_null(strstr(report_as(f, "text"), "3moreall"));
	assert_int_equal(remarks_give(&(struct remarks){ .summary = &f->summary }, count_only, NULL), 7);
}

/* In whatever order a process was noted: that the rest had no runtime hides nothing. */
TEST(what_was_not_seen_is_said_first)
{
	static const char *const said[] = { "no runtime was loaded", "what 1 forked from it did was not seen" };

	for (int first = 0; first < 2; first++) {
		struct stream s;
		struct summary *summary;
		uint32_t process;

		stream_init(&s);
		process = stream_process(&s, 7, "app");
		for (int i = 0; i < 2; i++) {
			int which = i ^ first;
			stream_text(&s, KEY_STATE, said[which]);
			if (which)
				stream_int(&s, KEY_COUNT, 1);
			stream_instant(&s, process, (uint64_t)i, KIND_NOTE, EVENT_NOTE_PROCESS);
		}
		summary = stream_summary(&s, &(struct summary_file){ .path = "a.pftrace" });
		assert_int_equal(summary->n_unseen, 1);
		assert_string_equal(names_text(s.names, summary->processes[0].state), said[1]);
		summary_free(summary);
		stream_done(&s);
	}
}
