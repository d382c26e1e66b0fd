// SPDX-License-Identifier: Apache-2.0
/* What ran while its process was halted is left out of the figures of operators, and adds up with them. */
#include "analyze/store/halts.h"

#include <string.h>

#include "analyze/remark/halt_words.h"
#include "cases.h"
#include "stream.h"

enum { N = 20, US = 1000 };

struct fixture {
	struct stream s;
	uint32_t process, lane, thread, other, halted;
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, 100, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 101);
	f->other = stream_thread(&f->s, f->process, 102);
	f->halted = stream_lane(&f->s, f->process, EVENT_HALT_STOPPED);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	summary_free(f->summary);
	stream_done(&f->s);
	free(f);
	return 0;
}

/* As the recorder does: it is seen running at `from` and `until`, and halted at `begin` and at `end`. */
static void put_halt(struct fixture *f, uint64_t from, uint64_t begin, uint64_t end, uint64_t until)
{
	stream_int(&f->s, KEY_FROM_NS, (int64_t)from * US);
	stream_begin(&f->s, f->halted, begin, KIND_HALT, EVENT_HALT_STOPPED);
	stream_int(&f->s, KEY_UNTIL_NS, (int64_t)until * US);
	stream_end(&f->s, f->halted, end);
}

static void begin_run(struct fixture *f, int i, uint64_t at)
{
	stream_int(&f->s, KEY_ID, i + 1);
	stream_inference(&f->s, f->lane, at, "m", 1, i + 1);
	stream_text(&f->s, KEY_STATUS, "ok");
}

static void put_operator(struct fixture *f, uint32_t thread, int i, const char *name, uint64_t begin, uint64_t end)
{
	stream_operator(&f->s, thread, begin, name, name, i + 1);
	stream_end(&f->s, thread, end);
}

/* Inferences of 1 ms: setup of 100 us, operators a and b of 300 us each. */
static void put_runs(struct fixture *f, int first, int end)
{
	for (int i = first; i < end; i++) {
		uint64_t at = 1000 + 2000 * (uint64_t)i;

		begin_run(f, i, at);
		stream_begin(&f->s, f->lane, at, KIND_SETUP, "setup");
		stream_end(&f->s, f->lane, at + 100);
		put_operator(f, f->thread, i, "a", at + 200, at + 500);
		put_operator(f, f->thread, i, "b", at + 600, at + 900);
		stream_end(&f->s, f->lane, at + 1000);
	}
}

static const struct summary_coverage *sum_up(struct fixture *f)
{
	const struct summary_coverage *coverage;

	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	coverage = &f->summary->models[0].coverage;
	assert_int_equal(coverage->wall_ns,
			 coverage->operators_ns + coverage->setup_ns + coverage->halted_ns + coverage->unattributed_ns);
	return coverage;
}

static const struct summary_operator *type_of(const struct fixture *f, const char *name)
{
	for (uint32_t i = 0; i < f->summary->n_types; i++)
		if (!strcmp(names_text(f->summary->names, f->summary->types[i].op_type), name))
			return &f->summary->types[i];
	fail_msg("no type %s", name);
	return NULL;
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(an_operator_that_was_halted_is_left_out_and_counted)
{
	const struct summary_coverage *coverage;
	const struct summary_runs *runs;

	put_runs(f, 0, N);
	begin_run(f, N, 100000);
	put_operator(f, f->thread, N, "a", 100200, 100500);
	put_halt(f, 100600, 110000, 400000, 401000);
	put_operator(f, f->thread, N, "b", 100600, 401100);
	stream_end(&f->s, f->lane, 401200);
	put_runs(f, N + 210, N + 220);
	coverage = sum_up(f);
	runs = &f->summary->models[0].runs;
	assert_int_equal(type_of(f, "b")->n, 30);
	assert_int_equal(type_of(f, "b")->n_halted, 1);
	assert_int_equal(type_of(f, "b")->halted_ns, 300500 * US);
	assert_int_equal(type_of(f, "b")->duration.max_ns, 300 * US);
	assert_int_equal(type_of(f, "b")->self_ns, 30 * 300 * US);
	assert_int_equal(type_of(f, "a")->n, 31);
	assert_int_equal(type_of(f, "a")->n_halted, 0);
	assert_int_equal(coverage->halted_ns, 300500 * US);
	assert_int_equal(coverage->operators_ns, (30 * 600 + 300) * US);
	/* to who called it, it did take that long */
	assert_int_equal(runs->latency.max_ns, 301200 * US);
	assert_int_equal(runs->n_halted, 1);
	assert_int_equal(runs->halted_ns, 290000 * US);
	assert_string_equal(halt_words(f->summary).s,
			    "1 inference contains 290 ms in which its process was stopped by a signal");
	assert_string_equal(halt_words_left_out(f->summary, &f->summary->models[0]).s,
			    "1 of 62 calls is left out of the figures of operators (300 ms): the process was stopped "
			    "by a signal meanwhile");
	assert_string_equal(halt_words_of_process(f->summary, f->summary->halt_kinds).s,
			    "Process 100 was stopped by a signal for 290 ms at 109 ms.");
}

CASE(operators_of_all_threads_are_left_out)
{
	const struct summary_coverage *coverage;

	put_runs(f, 0, N);
	begin_run(f, N, 100000);
	stream_operator(&f->s, f->thread, 100100, "a", "a", N + 1);
	put_operator(f, f->other, N, "b", 100100, 100200);
	put_halt(f, 100300, 110000, 200000, 201000);
	put_operator(f, f->other, N, "c", 100200, 201100);
	stream_end(&f->s, f->thread, 201200);
	stream_end(&f->s, f->lane, 201300);
	coverage = sum_up(f);
	assert_int_equal(coverage->n_parallel, 1);
	assert_int_equal(type_of(f, "a")->n_halted, 1);
	assert_int_equal(type_of(f, "c")->n_halted, 1);
	assert_int_equal(type_of(f, "c")->n, 0);
	assert_int_equal(type_of(f, "b")->n_halted, 0);
	/* half of its 100 us are a's, which was halted later */
	assert_int_equal(type_of(f, "b")->share_ns, N * 300 * US + 50 * US);
	assert_int_equal(coverage->halted_ns, (50 + 100900 + 100) * US);
}

CASE(setup_that_was_halted_is_no_setup)
{
	const struct summary_coverage *coverage;

	put_runs(f, 0, N);
	begin_run(f, N, 100000);
	stream_begin(&f->s, f->lane, 100000, KIND_SETUP, "setup");
	put_halt(f, 100010, 110000, 200000, 201000);
	stream_end(&f->s, f->lane, 201100);
	put_operator(f, f->thread, N, "a", 201200, 201500);
	stream_end(&f->s, f->lane, 201600);
	coverage = sum_up(f);
	assert_int_equal(coverage->setup_ns, N * 100 * US);
	assert_int_equal(coverage->halted_ns, 101100 * US);
	assert_int_equal(coverage->operators_ns, (N * 600 + 300) * US);
}

CASE(a_halt_between_operators_is_not_what_nothing_explains)
{
	const struct summary_coverage *coverage;

	put_runs(f, 0, N);
	begin_run(f, N, 100000);
	put_operator(f, f->thread, N, "a", 100100, 100400);
	put_halt(f, 100410, 110000, 200000, 201000);
	put_operator(f, f->thread, N, "b", 201100, 201400);
	stream_end(&f->s, f->lane, 201500);
	coverage = sum_up(f);
	assert_int_equal(coverage->halted_ns, 90000 * US);
	assert_int_equal(type_of(f, "a")->n_halted + type_of(f, "b")->n_halted, 0);
}

CASE(a_halt_of_another_process_hits_nothing)
{
	f->halted = stream_lane(&f->s, stream_process(&f->s, 200, "another"), EVENT_HALT_STOPPED);
	put_halt(f, 1100, 1250, 1350, 1400);
	put_runs(f, 0, N);
	sum_up(f);
	assert_int_equal(f->summary->models[0].runs.n_halted, 0);
	assert_int_equal(f->summary->n_halts, 1);
	assert_int_equal(f->summary->halts[0].from_ns, 1100 * US);
	assert_int_equal(f->summary->halts[0].until_ns, 1400 * US);
	assert_string_equal(halt_words(f->summary).s, "");
}

CASE(a_tracer_is_named_unless_there_are_several)
{
	static const char *const names[] = { "inftrace-next", "gdb" };
	uint32_t held = stream_lane(&f->s, f->process, EVENT_HALT_TRACED);

	put_runs(f, 0, N);
	for (uint64_t i = 0; i < 2; i++) {
		stream_text(&f->s, KEY_TEXT, names[i]);
		stream_begin(&f->s, held, 100000 + 1000 * i, KIND_HALT, EVENT_HALT_TRACED);
		stream_end(&f->s, held, 100500 + 1000 * i);
		summary_free(f->summary);
		sum_up(f);
		assert_non_null(strstr(halt_words_of_process(f->summary, f->summary->halt_kinds).s,
				       i ? "was held by a debugger or tracer 2 times"
					 : "was held by inftrace-next as its tracer for"));
	}
}

CASE(a_halt_without_an_end_lasts_to_the_end)
{
	put_runs(f, 0, N);
	begin_run(f, N, 100000);
	stream_begin(&f->s, f->halted, 100500, KIND_HALT, EVENT_HALT_STOPPED);
	sum_up(f);
	assert_true(f->summary->halts[0].end_ns == STORE_OPEN);
	assert_int_equal(f->summary->models[0].runs.n_halted, 0);
	assert_int_equal(f->summary->halt_kinds[0].n, 1);
}

CASE(no_phase_of_a_creation_is_slow_because_its_process_was_halted)
{
	const uint64_t *phase_ns;

	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, 1000, KIND_SESSION, "m");
	stream_begin(&f->s, f->lane, 1100, KIND_LOAD, "load");
	stream_begin(&f->s, f->lane, 1200, KIND_PHASE, "parse model");
	put_halt(f, 1300, 10000, 200000, 201000);
	stream_end(&f->s, f->lane, 201100);
	stream_end(&f->s, f->lane, 201200);
	stream_begin(&f->s, f->lane, 201300, KIND_PHASE, "build graph");
	stream_end(&f->s, f->lane, 201400);
	put_halt(f, 201410, 201420, 301420, 302000);
	stream_end(&f->s, f->lane, 302500);
	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	phase_ns = f->summary->sessions[0].phase_ns;
	assert_int_equal(phase_ns[PHASE_LOAD], 200 * US);
	assert_int_equal(phase_ns[PHASE_PARSE], 0);
	assert_int_equal(phase_ns[PHASE_BUILD], 100 * US);
	/* the session's own slice has a halt inside one that it contains: its own time is not told apart */
	assert_int_equal(phase_ns[PHASE_HALTED], 199900 * US);
	assert_int_equal(phase_ns[PHASE_UNATTRIBUTED], (302500 - 201400 + 100 + 100) * US);
}

CASE(a_creation_that_was_halted_between_phases_has_a_phase_for_it)
{
	const uint64_t *phase_ns;

	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, 1000, KIND_SESSION, "m");
	put_halt(f, 1010, 1020, 101020, 102000);
	stream_end(&f->s, f->lane, 102500);
	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	phase_ns = f->summary->sessions[0].phase_ns;
	assert_int_equal(phase_ns[PHASE_HALTED], 100000 * US);
	assert_int_equal(phase_ns[PHASE_UNATTRIBUTED], 1500 * US);
}

TEST_WITH(halts_are_found_in_any_stretch, setup, teardown)
{
	struct halts halts = { 0 };
	uint64_t most_ns;

	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t at = i * 10000000;

		assert_int_equal(halts_begin(&halts, &(struct halt){ .begin_ns = at, .from_ns = at - 20 }), 0);
		halts_end(&halts, 0, at + 100, at + 130);
	}
	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t at = i * 10000000;

		assert_true(halts_hit(&halts, at - 5, at + 5));
		assert_false(halts_hit(&halts, at + 1, at + 5000));
		assert_int_equal(halts_within(&halts, at - 1000, at + 1000, &most_ns), 100);
		assert_int_equal(most_ns, 150);
		assert_int_equal(halts_within(&halts, at + 40, at + 1000, &most_ns), 60);
	}
	assert_int_equal(halts_within(&halts, 0, UINT64_MAX - 1, &most_ns), 100000);
	assert_int_equal(halts_longest(&halts, 25000000, 35000000)->begin_ns, 30000000);
	halts_done(&halts);
}
