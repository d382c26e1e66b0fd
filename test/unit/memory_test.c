// SPDX-License-Identifier: Apache-2.0
/* Whose memory: sums of blocks that come and go, and what a report makes of them, or of a file without them. */
#include "capture/decode/memory.h"

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "lines.h"
#include "show/words/memory_words.h"
#include "stream.h"

enum { ARENA = 1, BEHIND, DIRECT };

struct sums {
	struct memory memory;
	struct lines lines;
	uint64_t time_ns;
};

static void begin_sums(struct sums *sums)
{
	uint32_t cpu;

	memset(sums, 0, sizeof *sums);
	lines_init(&sums->lines);
	cpu = names_of(sums->lines.sink.names, "cpu");
	for (uint32_t id = ARENA; id <= DIRECT; id++)
		memory_allocator(&sums->memory, id)->device = cpu;
	*memory_allocator(&sums->memory, ARENA) =
	    (struct memory_allocator){ .device = cpu, .session = 1, .is_arena = true };
	memory_allocator(&sums->memory, BEHIND)->session = 1;
	memory_allocator(&sums->memory, BEHIND)->is_behind_arena = true;
}

static void end_sums(struct sums *sums)
{
	memory_done(&sums->memory);
	lines_done(&sums->lines);
}

static void add(struct sums *sums, struct memory_event event)
{
	event.time_ns = ++sums->time_ns;
	assert_int_equal(memory_add(&sums->memory, &event), 0);
}

static void take(struct sums *sums, uint32_t allocator, uint64_t address, uint64_t bytes, enum memory_use use)
{
	add(sums, (struct memory_event){
		      .allocator = allocator, .address = address, .bytes = bytes, .use = (uint8_t)use, .session = 1 });
}

static void take_for(struct sums *sums, uint32_t node, uint64_t address, uint64_t bytes)
{
	add(sums, (struct memory_event){ .allocator = ARENA,
					 .address = address,
					 .bytes = bytes,
					 .use = MEMORY_OPERATOR,
					 .session = 1,
					 .node = node });
}

static void give(struct sums *sums, uint32_t allocator, uint64_t address)
{
	add(sums, (struct memory_event){ .allocator = allocator, .address = address, .is_free = true });
}

static const struct memory_account *account(struct sums *sums)
{
	struct err err;

	assert_int_equal(memory_apply(&sums->memory, &sums->lines.sink, UINT64_MAX, &err), 0);
	assert_int_equal(sums->memory.n_accounts, 1);
	return &sums->memory.account[0];
}

#define CASE(name) TEST_OF(name, struct sums, sums, begin_sums(sums), end_sums(sums))

CASE(an_arenas_region_and_its_first_block_have_one_address)
{
	const struct memory_account *own;

	take(sums, BEHIND, 0x1000, 4096, MEMORY_RUN);
	take(sums, ARENA, 0x1000, 100, MEMORY_RUN);
	take(sums, DIRECT, 0x9000, 7, MEMORY_WEIGHTS);
	give(sums, ARENA, 0x1000);
	own = account(sums);
	assert_int_equal(own->now.held, 4096);
	assert_int_equal(own->now.in_use, 7);
	assert_int_equal(own->now.direct, 7);
	assert_int_equal(own->peak, 107);
	assert_int_equal(own->n_growths, 1);
	assert_int_equal(sums->memory.total, 4096 + 7);
	assert_int_equal(sums->memory.n_growths, 1);
	give(sums, BEHIND, 0x1000);
	give(sums, DIRECT, 0x9000);
	own = account(sums);
	assert_int_equal(own->now.held + own->now.in_use + sums->memory.total, 0);
	assert_int_equal(own->n_allocs, own->n_frees);
	assert_int_equal(sums->memory.n_unknown + sums->memory.n_reused, 0);
}

/* Uses at the highest moment; operators when they had most, which is another one. */
CASE(peaks_name_who_had_the_memory)
{
	const struct memory_account *own;

	take(sums, ARENA, 0x100, 1000, MEMORY_PACKED);
	take_for(sums, 5, 0x200, 300);
	take_for(sums, 6, 0x300, 500);
	give(sums, ARENA, 0x200);
	give(sums, ARENA, 0x300);
	take(sums, ARENA, 0x200, 900, MEMORY_RUN);
	take_for(sums, 7, 0x300, 40);
	give(sums, ARENA, 0x200);
	own = account(sums);
	assert_int_equal(own->peak, 1940);
	assert_int_equal(own->use_at_peak[MEMORY_PACKED], 1000);
	assert_int_equal(own->use_at_peak[MEMORY_RUN], 900);
	assert_int_equal(own->use_at_peak[MEMORY_OPERATOR], 40);
	assert_int_equal(own->operators_peak, 800);
	assert_int_equal(own->n_at_peak, 2);
	assert_int_equal(own->at_peak[0].node, 6);
	assert_int_equal(own->at_peak[0].bytes, 500);
	assert_int_equal(own->at_peak[1].node, 5);
}

CASE(a_released_session_shows_what_it_had_and_what_is_left)
{
	const struct memory_account *own;

	take(sums, ARENA, 0x100, 1000, MEMORY_WEIGHTS);
	take_for(sums, 5, 0x200, 30);
	add(sums, (struct memory_event){ .is_run_end = true, .session = 1 });
	add(sums, (struct memory_event){ .is_run_end = true, .session = 2 });
	add(sums, (struct memory_event){ .is_release = true, .session = 1 });
	give(sums, ARENA, 0x100);
	own = account(sums);
	assert_true(own->is_released);
	assert_int_equal(own->at_release.in_use, 1030);
	assert_int_equal(own->now.in_use, 30);
	assert_int_equal(own->n_run_ends, 1);
	assert_int_equal(own->at_run_end.bytes, 30);
	assert_int_equal(own->at_run_end.n, 1);
}

/* Each inference takes two outputs, which are given back `later` inferences later; 0: never. */
static uint64_t kept_of(int n_runs, int later)
{
	struct sums sums;
	uint64_t n;

	begin_sums(&sums);
	for (int i = 0; i < n_runs; i++) {
		take(&sums, ARENA, 0x1000 + 0x100 * (uint64_t)i, 10, MEMORY_RUN);
		take_for(&sums, 5, 0x1080 + 0x100 * (uint64_t)i, 20);
		if (later && i >= later) {
			give(&sums, ARENA, 0x1000 + 0x100 * (uint64_t)(i - later));
			give(&sums, ARENA, 0x1080 + 0x100 * (uint64_t)(i - later));
		}
		add(&sums, (struct memory_event){ .is_run_end = true, .session = 1 });
	}
	n = account(&sums)->kept.n;
	assert_int_equal(account(&sums)->kept.bytes, n / 2 * 30);
	end_sums(&sums);
	return n;
}

TEST(outputs_of_the_last_inferences_are_not_kept_ones)
{
	assert_int_equal(kept_of(1, 0), 0);
	assert_int_equal(kept_of(3, 0), 0);
	assert_int_equal(kept_of(100, 1), 0);
	assert_int_equal(kept_of(100, 3), 0);
	assert_int_equal(kept_of(100, 0), 2 * 96);
}

CASE(blocks_that_are_not_known_are_counted)
{
	const struct memory_account *own;

	give(sums, ARENA, 0x500);
	give(sums, 0, 0x500);
	take(sums, ARENA, 0x100, 10, MEMORY_RUN);
	take(sums, ARENA, 0x100, 20, MEMORY_RUN);
	own = account(sums);
	assert_int_equal(sums->memory.n_unknown, 2);
	assert_int_equal(sums->memory.n_reused, 1);
	assert_int_equal(own->now.in_use, 20);
}

CASE(blocks_of_many_operators_keep_the_largest)
{
	const struct memory_account *own;

	for (uint32_t node = 1; node <= 500; node++)
		take_for(sums, node, node << 12, 1 + (node * 7919) % 500);
	own = account(sums);
	assert_int_equal(own->n_at_peak, 500);
	for (uint32_t i = 1; i < MEMORY_AT_PEAK; i++)
		assert_true(own->at_peak[i - 1].bytes > own->at_peak[i].bytes);
	assert_int_equal(own->at_peak[0].bytes, 500);
}

/* Reports. */

struct report_fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	struct summary_file file;
	uint32_t process, lane;
};

static void begin(struct report_fixture *f, const char *level, const char *left_out)
{
	*f = (struct report_fixture){ 0 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	if (!level)
		return;
	stream_text(&f->s, KEY_LEVEL, level);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_text(&f->s, KEY_RUNTIME, "onnxruntime");
	stream_text(&f->s, KEY_VERSION, "1.99.0");
	if (left_out)
		stream_text(&f->s, KEY_STATUS, left_out);
	stream_int(&f->s, KEY_PID, 7);
	stream_instant(&f->s, f->process, 1, KIND_NOTE, EVENT_NOTE_RUNTIME);
}

static void analyse(struct report_fixture *f)
{
	f->summary = stream_summary(&f->s, &f->file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
}

static void end(struct report_fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

static void session(struct report_fixture *f, uint64_t at_us, int64_t number)
{
	stream_int(&f->s, KEY_SESSION, number);
	stream_begin(&f->s, f->lane, at_us, KIND_SESSION, "m");
	stream_end(&f->s, f->lane, at_us + 10);
	stream_inference(&f->s, f->lane, at_us + 20, "m", number, 1);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, at_us + 30);
}

static void released(struct report_fixture *f, uint64_t at_us, int64_t number)
{
	stream_int(&f->s, KEY_SESSION, number);
	stream_text(&f->s, KEY_MODEL, "m");
	stream_instant(&f->s, f->process, at_us, KIND_NOTE, EVENT_NOTE_RELEASED);
}

/* run_blocks blocks of 100 bytes when the last of n_runs inferences ended. */
static void sums_of(struct report_fixture *f, uint64_t at_us, int64_t number, int64_t n_runs, int64_t run_blocks)
{
	stream_text(&f->s, KEY_DEVICE, "cpu");
	stream_int(&f->s, KEY_SESSION, number);
	stream_text(&f->s, KEY_MODEL, "m");
	stream_int(&f->s, KEY_IN_USE, 5000);
	stream_int(&f->s, KEY_PEAK, 8000);
	stream_int(&f->s, KEY_OPERATORS_PEAK, 700);
	stream_int(&f->s, KEY_HELD, 10000);
	stream_int(&f->s, KEY_DIRECT, 24);
	stream_int(&f->s, KEY_RUN_ENDS, n_runs);
	stream_int(&f->s, KEY_AT_RUN_END, run_blocks * 100);
	stream_int(&f->s, KEY_BLOCKS_AT_RUN_END, run_blocks);
	stream_int(&f->s, KEY_KEPT, run_blocks * 100);
	stream_int(&f->s, KEY_BLOCKS_KEPT, run_blocks);
	stream_int(&f->s, KEY_ALLOCATIONS, 3);
	stream_instant(&f->s, f->process, at_us, KIND_NOTE, EVENT_NOTE_MEMORY);
}

static void at_peak(struct report_fixture *f, int64_t peak, const char *use, const char *name, int64_t bytes)
{
	stream_text(&f->s, KEY_DEVICE, "cpu");
	stream_int(&f->s, KEY_SESSION, 1);
	stream_int(&f->s, KEY_PEAK, peak);
	stream_text(&f->s, use ? KEY_STATE : KEY_TEXT, use ? use : name);
	stream_int(&f->s, KEY_BYTES, bytes);
	stream_instant(&f->s, f->process, 50, KIND_NOTE, EVENT_NOTE_AT_PEAK);
}

TEST(notes_of_the_last_peak_hold)
{
	struct report_fixture fixture, *f = &fixture;
	const struct summary_memory *own;

	begin(f, "detail", NULL);
	session(f, 10, 1);
	at_peak(f, 900, EVENT_USE_WEIGHTS, NULL, 900);
	at_peak(f, 8000, EVENT_USE_PACKED, NULL, 3000);
	at_peak(f, 8000, EVENT_USE_RUNS, NULL, 5000);
	at_peak(f, 8000, EVENT_USE_RUNS, NULL, 5000);
	at_peak(f, 500, NULL, "old", 500);
	sums_of(f, 60, 1, 1, 0);
	analyse(f);
	assert_int_equal(f->summary->n_memory, 1);
	own = &f->summary->memory[0];
	assert_int_equal(own->model, 0);
	assert_int_equal(own->n_runs, 1);
	assert_int_equal(own->n_uses, 2);
	assert_int_equal(own->use[0].bytes, 5000);
	assert_int_equal(own->n_holders, 0); /* those of the peak of 700 are lost */
	assert_string_equal(memory_at_peak(f->summary, own).s,
			    "planned ahead for inferences 4.88 KiB, packed weights 2.93 KiB");
	assert_string_equal(memory_whose(f->summary, own, true).s, "session 1 of m on cpu");
	assert_string_equal(memory_missing(f->summary).s, "");
	end(f);
}

TEST(a_report_says_why_it_knows_nothing)
{
	static const struct {
		const char *level, *left_out, *why;
	} cases[] = {
		{ NULL, NULL, "this file is not a recording of inftrace and has no data on allocators" },
		{ "operator", NULL, "only a recording at level detail has the calls of the runtime's allocators" },
		{ "detail", "memory taken (slot 2 by version, -1 by code)",
		  "the allocators of ONNX Runtime 1.99.0 are not recognised" },
		{ "detail", NULL, "no call of an allocator was recorded" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct report_fixture fixture, *f = &fixture;
		begin(f, cases[i].level, cases[i].left_out);
		session(f, 10, 1);
		analyse(f);
		assert_string_equal(memory_missing(f->summary).s, cases[i].why);
		end(f);
	}
}

TEST(a_report_says_why_sums_may_be_wrong)
{
	struct report_fixture fixture, *f = &fixture;
	struct printable doubt[MEMORY_DOUBTS];

	begin(f, "detail", NULL);
	f->file = (struct summary_file){ .is_cut = true, .cut_at = 100 };
	session(f, 10, 1);
	sums_of(f, 60, 1, 1, 0);
	stream_int(&f->s, KEY_COUNT, 1234);
	stream_text(&f->s, KEY_WHERE, "ring of thread 8: full");
	stream_instant(&f->s, f->process, 70, KIND_LOST, "lost");
	analyse(f);
	assert_int_equal(memory_doubts(f->summary, doubt), 2);
	assert_string_equal(doubt[0].s, "Events lost: 1,234. Calls of allocators may be among them.");
	assert_string_equal(doubt[1].s, "The file is cut off: these sums are up to a second older than its end.");
	end(f);
}

static const struct finding *find(const struct report_fixture *f, const char *name)
{
	return findings_of(&f->recorded.model[0], name, 0);
}

TEST(sessions_that_nothing_uses_are_found)
{
	struct report_fixture fixture, *f = &fixture;

	begin(f, "detail", NULL);
	for (int i = 1; i <= 5; i++)
		session(f, (uint64_t)i * 100, i);
	for (int i = 1; i <= 4; i++)
		sums_of(f, 900, i, 1, 0);
	analyse(f);
	assert_int_equal(find(f, "sessions_kept")->a, 4);
	assert_int_equal(find(f, "sessions_kept")->b, 5);
	assert_true(find(f, "sessions_kept")->low == 4 * 10024);
	end(f);
	/* each is released after the next one was created */
	begin(f, "detail", NULL);
	for (int i = 1; i <= 5; i++) {
		session(f, (uint64_t)i * 100, i);
		released(f, (uint64_t)i * 100 + 150, i);
	}
	analyse(f);
	assert_null(find(f, "sessions_kept"));
	end(f);
	/* a pool: all are used after the last one was created */
	begin(f, "detail", NULL);
	for (int i = 1; i <= 5; i++)
		session(f, (uint64_t)i * 100, i);
	for (int i = 1; i <= 5; i++) {
		stream_inference(&f->s, f->lane, 900 + (uint64_t)i * 20, "m", i, 2);
		stream_end(&f->s, f->lane, 910 + (uint64_t)i * 20);
	}
	analyse(f);
	assert_null(find(f, "sessions_kept"));
	end(f);
	/* releases are not seen */
	begin(f, "detail", "session release (slot 1 by version, -1 by code)");
	for (int i = 1; i <= 5; i++)
		session(f, (uint64_t)i * 100, i);
	analyse(f);
	assert_null(find(f, "sessions_kept"));
	end(f);
}

/* Of three sessions one keeps its outputs: what the others give back hides nothing. */
TEST(outputs_count_for_each_session)
{
	struct report_fixture fixture, *f = &fixture;

	begin(f, "detail", NULL);
	for (int i = 1; i <= 3; i++) {
		session(f, (uint64_t)i * 10, i);
		sums_of(f, 60, i, 400, i == 2 ? 396 : 1);
	}
	analyse(f);
	assert_int_equal(find(f, "outputs_kept")->a, 396);
	assert_int_equal(find(f, "outputs_kept")->b, 400);
	end(f);
}

TEST(outputs_that_are_kept_are_found)
{
	static const struct {
		int64_t n_runs, n_blocks;
		bool is_found;
	} cases[] = {
		{ 100, 100, true }, { 100, 60, true }, { 100, 40, false }, { 20, 20, false }, { 1000, 2, false }
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct report_fixture fixture, *f = &fixture;
		begin(f, "detail", NULL);
		session(f, 10, 1);
		sums_of(f, 60, 1, cases[i].n_runs, cases[i].n_blocks);
		analyse(f);
		assert_int_equal(find(f, "outputs_kept") != NULL, cases[i].is_found);
		if (cases[i].is_found)
			assert_true(find(f, "outputs_kept")->low == (double)cases[i].n_blocks * 100);
		end(f);
	}
}
