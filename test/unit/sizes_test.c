// SPDX-License-Identifier: Apache-2.0
/* Inferences with inputs of several sizes: elements from shapes, and findings that compare like with like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/insight/recorded.h"
#include "analyze/result/input_sizes.h"
#include "analyze/store/shapes.h"
#include "cases.h"
#include "findings.h"
#include "show/report/reports.h"
#include "show/words/size_rows.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t lane;
	int64_t number;
	uint64_t us;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .us = 100 };
	stream_init(&f->s);
	f->lane = stream_lane(&f->s, stream_process(&f->s, 7, "app"), "m");
}

static void run(struct fixture *f, uint64_t took_us, unsigned rows)
{
	char shapes[64];

	snprintf(shapes, sizeof shapes, "float32[4],float32[%ux512]", rows);
	stream_text(&f->s, KEY_SHAPES, shapes);
	stream_int(&f->s, KEY_FIRST, !f->number);
	stream_inference(&f->s, f->lane, f->us, "m", 1, ++f->number);
	stream_text(&f->s, KEY_STATUS, "ok");
	f->us += took_us;
	stream_end(&f->s, f->lane, f->us);
}

static const struct finding *find(struct fixture *f, const char *name)
{
	struct summary_file file = { 0 };

	if (!f->summary) {
		f->summary = stream_summary(&f->s, &file);
		assert_non_null(f->summary);
		assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	}
	return findings_of(f->recorded.model, name, 0);
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

TEST(elements_are_those_of_all_inputs)
{
	assert_int_equal(shapes_elements("float32[1x3x4],int64[8]"), 20);
	assert_int_equal(shapes_elements("1x3x4,8->1x10"), 20);
	assert_int_equal(shapes_elements("float32[]"), 1);
	assert_int_equal(shapes_elements("float32[2x0x3],int64[5]"), 5);
	assert_int_equal(shapes_elements("int64[5],float32[2x3]*4,-*2,int64[1]*3"), 32);
	assert_int_equal(shapes_elements(""), 0);
	assert_int_equal(shapes_elements("float32[3"), 0);
	assert_int_equal(shapes_elements("float32[99999999999999999999x99999999999]"), 0);
	assert_int_equal(shapes_elements("float32[1152921504606846975]*4294967295,int64[1]"), 1);
}

TEST(the_input_that_differs_most_is_compared)
{
	static const char tokens[] = "int64[1x12],float32[1x256],float32[1]";

	assert_true(input_sizes_ratio("int64[1x60],float32[1x256],float32[1]", tokens) == 5);
	assert_true(input_sizes_ratio("int64[1x3],float32[2x256],float32[1]", tokens) == 0.25);
	assert_true(input_sizes_ratio(tokens, tokens) == 1);
	assert_true(input_sizes_ratio("float32[]", "float32[]") == 1);
	assert_true(input_sizes_ratio("int64[1x60]", tokens) == 0);
	assert_true(input_sizes_ratio("int64[1x0],float32[1x256],float32[1]", tokens) == 0);
	assert_true(input_sizes_ratio("", tokens) == 0);
	assert_true(input_sizes_ratio("8x3", "1x3") == 8);
	assert_true(input_sizes_ratio("a[1x],b[x],c[?]", tokens) == 0);
	assert_true(input_sizes_ratio("a[1x2", "a[1x2") == 0);
	assert_true(input_sizes_ratio("a[-1x3]", "a[1x3]") == 0);
	assert_true(input_sizes_ratio("a[18446744073709551615x18446744073709551615]", "a[1]") == 0);
	assert_true(input_sizes_ratio("int64[1x60],float32[4]*48->float32[9]", "int64[1x12],float32[4]*48") == 5);
	assert_true(input_sizes_ratio("int64[5]", "int64[5],") == 1);
}

TEST(the_part_that_differs_is_named)
{
	assert_string_equal(input_sizes_part("int64[1],float32[64x512]", "int64[1],float32[640x512]", 40).s, "64x512");
	assert_string_equal(input_sizes_part("1x3,8", "1x4,8", 40).s, "1x3");
	assert_string_equal(input_sizes_part("float32[2]", "float32[2]", 40).s, "float32[2]");
	assert_string_equal(input_sizes_part("", "float32[2]", 40).s, "");
	assert_string_equal(input_sizes_part("int64[7],a[64x512]*4", "int64[8],a[640x512]*4", 40).s, "64x512*4");
	assert_string_equal(input_sizes_name("1x3,8", "1x4,80", 40).s, "input 2 of 2: 8");
	assert_string_equal(input_sizes_name("a[1x3]", "a[1x4]", 40).s, "1x3");
	assert_string_equal(input_sizes_phrase("1x3,8", "1x4,80", 40).s, "input 2 of 2 of 8");
	assert_string_equal(input_sizes_phrase("a[1x3]", "a[1x4]", 40).s, "inputs of 1x3");
}

/* "*56" stands for 56 inputs. */
TEST(inputs_that_are_alike_are_counted_each)
{
	static const char tokens[] = "int64[1x1],int64[1x587],float32[1x8x586x64]*56,int64[1]->float32[9],float32[9]*2";
	static const char others[] = "int64[1x1],int64[1x588],float32[1x8x12x64]*56,int64[2]";

	assert_int_equal(input_sizes_count(tokens), 59);
	assert_int_equal(input_sizes_number(tokens, 3), 3);
	assert_int_equal(input_sizes_number(tokens, 4), 59);
	assert_int_equal(input_sizes_count("4*2,8*0,3*x"), 4);
	assert_int_equal(input_sizes_count(""), 0);
	assert_int_equal(input_sizes_count("a[1]*99999999999999999999"), UINT32_MAX);
	assert_string_equal(input_sizes_name(tokens, others, 40).s, "input 3 of 59: 1x8x586x64*56");
	assert_string_equal(input_sizes_name(tokens, others, 10).s, "input 3 of 59: 1x...64*56");
	assert_string_equal(input_sizes_part("a[]*4", "a[2]*4", 40).s, "a[]*4");
	assert_string_equal(input_sizes_part("a[7*4", "a[2]*4", 40).s, "a[7*4");
}

static uint32_t size_of(const char *shapes)
{
	uint64_t elements;
	uint32_t size = shapes_size(shapes, &elements);

	assert_true(elements == shapes_elements(shapes) && !size == !elements);
	return size;
}

/* A small input that varies makes sizes beside a large one that does not; those that grow together make few. */
TEST(a_size_is_that_of_each_input)
{
	char shapes[96];
	uint32_t size = 0, now;
	int n = 0;

	assert_int_equal(size_of("float32[1x3x224x224]"), size_of("1x3x220x224->8"));
	assert_int_not_equal(size_of("float32[1x3x224x224]"), size_of("float32[1x3x448x224]"));
	assert_int_not_equal(size_of("int64[1x16],float32[1x3x224x224]"), size_of("int64[1x64],float32[1x3x224x224]"));
	assert_int_equal(size_of("int64[1x16],float32[1x3x224x224]"), size_of("int64[1x17],float32[1x3x224x224]"));
	assert_int_not_equal(size_of("a[8],b[512]"), size_of("a[512],b[8]"));
	assert_int_not_equal(size_of("int64[1x1],float32[1x4x0x64]*8"), size_of("int64[1x1],float32[1x4x9x64]*8"));
	assert_int_equal(size_of(""), 0);
	assert_int_equal(size_of("float32[?]"), 0);
	for (int i = 128; i < 1024; i++) { /* three octaves of tokens: a mask, and a cache of the ones before */
		snprintf(shapes, sizeof shapes, "int64[1x1],int64[1x%d],float32[1x4x%dx64]*8", i + 1, i);
		now = size_of(shapes);
		n += now != size;
		size = now;
	}
	assert_in_range(n, 12, 18);
}

/* Of many inputs each is read once: what lies behind the first one is not needed for it. */
TEST(an_input_is_read_without_those_behind_it)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *text = room + page - 7;
	uint64_t elements;

	assert_true(room != MAP_FAILED);
	memcpy(room + page - 7, "f[4x8],", 7);
	assert_int_equal(mprotect(room + page, page, PROT_NONE), 0);
	assert_true(shapes_next(&text, &elements));
	assert_int_equal(elements, 32);
	assert_ptr_equal(text, room + page);
	munmap(room, 2 * page);
}

TEST(the_last_of_many_inputs_counts)
{
	char shapes[2][2048];
	int len[2] = { 0 };

	for (int i = 0; i < 300; i++)
		for (int k = 0; k < 2; k++)
			len[k] += sprintf(shapes[k] + len[k], "%s%d", i ? "," : "", i == 298 + k ? 1024 : 8);
	assert_int_equal(shapes_elements(shapes[0]), 299 * 8 + 1024);
	assert_int_equal(shapes_elements(shapes[1]), 299 * 8 + 1024);
	assert_int_not_equal(size_of(shapes[0]), size_of(shapes[1]));
}

TEST(one_in_ten_that_is_large_is_an_answer)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;
	struct insight_words words;

	begin(f);
	for (int i = 0; i < 301; i++)
		run(f, i % 10 ? 300 : 3000, i % 10 ? 64 : 640);
	found = find(f, "input_sizes");
	assert_true(found && found->a == 30 && found->b == 300 && found->value == 10);
	words = insight_words_of(f->recorded.model, found, true);
	assert_string_equal(words.finding.s, "inputs of 640x512 take 10 times those of 64x512");
	assert_null(find(f, "uneven"));
	assert_int_equal(f->summary->n_sizes, 2);
	assert_int_equal(f->summary->sizes[1].elements, 640 * 512 + 4);
	assert_int_equal(f->summary->sizes[1].n, 30);
	assert_int_equal(f->summary->sizes[1].p50_ns, 3000000);
	end(f);
	begin(f); /* others are slow, too: padding is no advice for large inputs */
	for (int i = 0; i < 301; i++)
		run(f, i % 20 == 1 ? 3000 : i % 20 == 7 || i % 20 == 13 ? 1500 : 300, i % 20 == 1 ? 640 : 64);
	assert_non_null(find(f, "input_sizes"));
	assert_null(find(f, "uneven"));
	end(f);
	begin(f); /* the same times, without a reason in the inputs */
	for (int i = 0; i < 301; i++)
		run(f, i % 10 ? 300 : 3000, 64);
	assert_null(find(f, "input_sizes"));
	assert_non_null(find(f, "uneven"));
	end(f);
}

static void run_shapes(struct fixture *f, uint32_t lane, uint64_t took_us, const char *shapes)
{
	stream_text(&f->s, KEY_SHAPES, shapes);
	stream_inference(&f->s, lane, f->us, "m", 1, ++f->number);
	stream_text(&f->s, KEY_STATUS, "ok");
	f->us += took_us;
	stream_end(&f->s, lane, f->us);
}

/* A session whose settings are known: it is counted apart until the end. */
static uint32_t other_lane(struct fixture *f)
{
	uint32_t process = stream_process(&f->s, 8, "app");

	stream_int(&f->s, KEY_SESSION, 1);
	stream_text(&f->s, KEY_MODEL, "m");
	stream_text(&f->s, KEY_OPTIONS, "threads 1");
	stream_instant(&f->s, process, f->us, KIND_NOTE, EVENT_NOTE_CREATED);
	return stream_lane(&f->s, process, "m");
}

/* So many inferences, each with other shares of its inputs; the first of them in a process of their own. */
static void run_apart(struct fixture *f, int n, int n_first, bool is_backward)
{
	uint32_t lane = f->lane;
	char shapes[64];

	for (int i = 0; i < n; i++) {
		int at = is_backward ? n - 1 - i : i;

		snprintf(shapes, sizeof shapes, "int64[%d],float32[%d],int64[%d]", 1 << at % 9, 1 << at / 9 % 9,
			 1 << at / 81 % 9);
		if (i == n_first)
			lane = other_lane(f);
		run_shapes(f, lane, 300, shapes);
	}
}

static uint64_t n_of_sizes(const struct summary *summary)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < summary->n_sizes; i++)
		n += summary->sizes[i].n;
	return n;
}

/* The two processes are counted apart: the second one's settings come later than the window. */
static void summarise(struct fixture *f)
{
	const struct summary_opts opts = { .window = 4 };
	struct summary_file file = { 0 };

	f->summary = stream_summary_of(&f->s, &opts, &file);
	assert_non_null(f->summary);
	assert_int_equal(f->summary->n_models, 1);
}

/* 60 sizes in each of two processes are 120 of the model; and one may have few, the other too many. */
TEST(sizes_beyond_the_most_do_not_depend_on_the_order)
{
	static const struct {
		int n, n_first;
		bool is_mixed;
	} cases[] = { { 60, 30, false }, { 120, 60, true }, { 700, 20, true }, { 700, 680, true } };
	struct fixture fixture[2];

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		for (int k = 0; k < 2; k++) {
			begin(&fixture[k]);
			run_apart(&fixture[k], cases[c].n, cases[c].n_first, k);
			summarise(&fixture[k]);
			assert_int_equal(fixture[k].summary->models->are_sizes_mixed, cases[c].is_mixed);
			assert_int_equal(n_of_sizes(fixture[k].summary), cases[c].n);
			assert_true(fixture[k].summary->n_sizes <= 64);
		}
		assert_int_equal(fixture[0].summary->n_sizes, fixture[1].summary->n_sizes);
		for (uint32_t i = 0; i < fixture[0].summary->n_sizes; i++) {
			const struct summary_size *one = &fixture[0].summary->sizes[i];
			const struct summary_size *other = &fixture[1].summary->sizes[i];

			assert_true(!cases[c].is_mixed || (one->size == other->size && one->n == other->n));
		}
		end(&fixture[0]);
		end(&fixture[1]);
	}
}

/* One input of 80 quarters of an octave: a size is that of its elements already. */
TEST(sizes_of_one_input_are_never_mixed)
{
	struct fixture fixture, *f = &fixture;
	char shapes[64];

	begin(f);
	for (int i = 0; i < 160; i++) {
		snprintf(shapes, sizeof shapes, "float32[%d]", (4 + i % 4) << i / 4 % 20);
		run_shapes(f, f->lane, 300, shapes);
	}
	find(f, "drifts");
	assert_int_equal(f->summary->n_sizes, 80);
	assert_int_equal(n_of_sizes(f->summary), 160);
	assert_false(f->summary->models->are_sizes_mixed);
	assert_int_equal(f->summary->n_coarse_sizes, 0);
	end(f);
}

/* Inferences of each of these inputs, half of them of the first. */
static void begin_each(struct fixture *f, const char *const *shapes, int n)
{
	begin(f);
	for (int i = 0; i < 40 * n; i++)
		run_shapes(f, f->lane, 300, shapes[i % 2 ? i / 2 % n : 0]);
	find(f, "drifts");
}

TEST(rows_of_sizes_differ_in_their_words)
{
	static const char *const shapes[] = { "a[1x4],b[64],c[512x8]*3", "a[1x4],b[4],c[512x8]*3",
					      "a[1x16],b[4],c[512x8]*3", "a[1x4],b[64],c[64x8]*3" };
	static const char *const words[] = { "3 of 5: 64x8*3", "2 of 5: 4, 1 of 5: 1x4", "2 of 5: 4, 1 of 5: 1x16",
					     "3 of 5: 512x8*3" };
	struct fixture fixture, *f = &fixture;
	struct table table = { 0 };
	enum table_style style;

	begin_each(f, shapes, 4);
	assert_int_equal(size_rows(&table, f->summary, f->summary->models, SIZE_ROWS), 0);
	assert_int_equal(table_n_rows(&table), 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(table_text(&table, i, 0, &style), words[i]);
	assert_string_equal(table.column[0].header, "input");
	table_done(&table);
	end(f);
}

TEST(the_input_and_the_dimension_that_vary_are_columns)
{
	static const struct {
		const char *shapes[3];
		uint32_t input;
		int64_t axis, length[3];
	} cases[] = {
		{ { "a[8]*2,b[4x8]->c[9]", "a[8]*2,b[4x32]->c[2]", "a[8]*2,b[8x512]->c[4]" }, 3, 1, { 8, 32, 512 } },
		{ { "1x3x64", "1x3x256", "4x3x256" }, 1, 0, { 1, 1, 4 } },
		{ { "a[1x4],b[2x0x8]", "a[1x8],b[2x3x8]", "a[1x9],b[2x9x8]" }, 2, 1, { 0, 3, 9 } },
		{ { "a[64]", "a[8x64]", "a[8x8x64]" }, 1, -1, { -1, -1, -1 } }, /* no dimension is the same in all */
		{ { "a[1],b[4]", "a[1],b[64],c[1]", "a[1],b[256]" }, 0, -1, { -1, -1, -1 } },
	};
	struct fixture fixture, *f = &fixture;

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		begin_each(f, cases[c].shapes, 3);
		assert_int_equal(f->summary->n_sizes, 3);
		for (uint32_t i = 0; i < 3; i++) {
			const struct summary_size *size = &f->summary->sizes[i];

			assert_int_equal(size->input, cases[c].input);
			assert_int_equal(size->axis, cases[c].axis);
			if (c != 4)
				assert_string_equal(names_text(f->summary->names, size->shapes), cases[c].shapes[i]);
			assert_int_equal(size->axis_length, cases[c].length[i]);
		}
		end(f);
	}
}

/* The plot has the elements of the input that tells sizes apart, if those of all are alike. */
TEST(sizes_are_drawn_by_the_input_that_varies)
{
	static const char *const large[] = { "a[8]*2,b[100000],c[16]", "a[8]*2,b[100000],c[64]",
					     "a[8]*2,b[100000],c[256]" };
	static const char *const alike[] = { "a[1000],b[8]", "a[1100],b[16]", "a[4000],b[64]" };
	struct fixture fixture, *f = &fixture;

	for (int i = 0; i < 2; i++) {
		char *page = NULL;
		size_t size;
		FILE *out = open_memstream(&page, &size);

		begin_each(f, i ? alike : large, 3);
		report_write(out, report_format_named("html"),
			     &(struct report){ f->summary, f->recorded.model, f->recorded.n },
			     &(struct report_look){ 0 });
		fclose(out);
		assert_int_equal(strstr(page, "elements of input 4 (logarithmic)") != NULL, !i);
		assert_int_equal(strstr(page, "elements of all inputs (logarithmic)") != NULL, i);
		free(page);
		end(f);
	}
}

/* As many elements in all, in other inputs: in the order of time nothing drifts, in that of their sizes it would. */
TEST(mixed_sizes_do_not_drift)
{
	static const char *const shapes[] = { "a[512],b[8],c[8]", "a[8],b[512],c[8]", "a[8],b[8],c[512]",
					      "a[256],b[256],c[16]" };
	struct fixture fixture, *f = &fixture;

	begin(f);
	for (int i = 0; i < 240; i++)
		run_shapes(f, f->lane, 1000 + 400 * (uint64_t)(i % 4), shapes[i % 4]);
	run_apart(f, 80, 80, false);
	find(f, "drifts");
	assert_true(f->summary->models->are_sizes_mixed);
	assert_true(isnan(f->summary->models->runs.size_drift));
	end(f);
}

TEST(a_first_inference_is_compared_with_its_size)
{
	struct fixture fixture, *f = &fixture;

	for (int later = 0; later <= 1; later++) {
		begin(f); /* a prompt of a decoder, and two more */
		run(f, 100000, 256);
		for (int i = 0; i < 60; i++)
			run(f, i % 20 == 9 ? (later ? 2000 : 95000) : 1000, i % 20 == 9 ? 256 : 1);
		assert_int_equal(find(f, "slow_first") != NULL, later);
		end(f);
	}
	begin(f); /* none is of its size */
	run(f, 100000, 640);
	for (int i = 0; i < 60; i++)
		run(f, 1000, 8);
	assert_null(find(f, "slow_first"));
	end(f);
	begin(f); /* one size alone */
	run(f, 100000, 8);
	for (int i = 0; i < 60; i++)
		run(f, 1000, 8);
	assert_non_null(find(f, "slow_first"));
	end(f);
}

TEST(inputs_that_grow_are_no_drift)
{
	struct fixture fixture, *f = &fixture;

	for (int grows = 0; grows <= 1; grows++) {
		begin(f);
		run(f, 1000, 64);
		for (unsigned i = 0; i < 400; i++)
			run(f, 1000 + 5 * i, grows ? 64 + i : 64);
		assert_int_equal(find(f, "drifts") != NULL, !grows);
		end(f);
	}
	begin(f); /* each size gets slower by half */
	run(f, 1000, 64);
	for (unsigned i = 0; i < 400; i++)
		run(f, (i % 2 ? 1000 : 4000) * (400 + i) / 400, i % 2 ? 64 : 256);
	assert_non_null(find(f, "drifts"));
	end(f);
}

static void flagged(struct fixture *f, uint64_t took_us, unsigned rows, enum event_key key, int64_t value)
{
	if (value)
		stream_int(&f->s, key, value);
	run(f, took_us, rows);
}

/* Those with subnormal numbers are those with large inputs; or large and small ones have them, and take half longer. */
TEST(subnormal_numbers_are_no_large_inputs)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	for (int costs = 0; costs <= 1; costs++) {
		begin(f);
		run(f, 1000, 64);
		for (int i = 0; i < 120; i++) {
			bool is_large = i % 3 == 0, is_with = costs ? i % 4 == 0 : i % 6 == 0 || i == 1;

			flagged(f, (is_large ? 4000 : 1000) * (costs && is_with ? 3 : 2) / 2, is_large ? 256 : 64,
				KEY_SUBNORMAL, is_with);
		}
		found = find(f, "subnormals");
		assert_int_equal(found != NULL, costs);
		assert_true(!found || (found->a == 30 && found->b == 90 && fabs(found->value - 1.5) < 1e-9));
		end(f);
	}
}

/* Batches of 8 with items of a quarter of the elements, or of as many. */
TEST(items_of_other_sizes_are_no_small_batches)
{
	struct fixture fixture, *f = &fixture;

	for (int is_alike = 0; is_alike <= 1; is_alike++) {
		begin(f);
		run(f, 1000, 64);
		for (int i = 0; i < 60; i++)
			flagged(f, i % 3 ? 1000 : 2000, i % 3 ? 64 : is_alike ? 512 : 128, KEY_BATCH, i % 3 ? 1 : 8);
		assert_int_equal(find(f, "small_batch") != NULL, is_alike);
		end(f);
	}
}
