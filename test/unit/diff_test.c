// SPDX-License-Identifier: Apache-2.0
/* Comparisons of made-up runs whose difference is known, and of results of `inftrace model`. */
#include "analyze/diff/diff.h"

#include <errno.h>
#include <stdio.h>

#include "analyze/diff/diff_in.h"
#include "cases.h"
#include "diff_made.h"
#include "show/words/diff/diff_rows.h"
#include "stream.h"

struct fixture {
	struct arena arena;
	struct diff_run base[8], fresh[8];
	struct diff diff;
};

static const struct diff_opts usual = { .threshold = 0, .minimum = 0.02 };

static void compare(struct fixture *f, uint32_t n_base, uint32_t n_fresh, const struct diff_opts *opts)
{
	const struct diff_side base = { f->base, n_base }, fresh = { f->fresh, n_fresh };

	assert_int_equal(diff_make(&f->diff, &base, &fresh, opts, &f->arena, NULL), 0);
}

static void done(struct fixture *f)
{
	arena_done(&f->arena);
	*f = (struct fixture){ 0 };
}

/* What is called worse or better. */
static int n_named(const struct diff *diff)
{
	int n = 0;

	for (uint32_t i = 0; i < diff->n_pairs; i++) {
		for (int k = 0; k < N_DIFF_FIGURES; k++)
			n += diff->pairs[i].value[k].says >= DIFF_WORSE;
		for (uint32_t k = 0; k < diff->pairs[i].n_rows; k++)
			n += diff->pairs[i].rows[k].value.says >= DIFF_WORSE;
	}
	return n;
}

static const struct diff_row *row_of(const struct diff *diff, const char *name)
{
	for (uint32_t i = 0; diff->n_pairs && i < diff->pairs->n_rows; i++)
		if (!strcmp(diff->pairs->rows[i].base->name, name))
			return &diff->pairs->rows[i];
	fail_msg("no row is called %s", name);
	return NULL;
}

TEST(two_runs_of_one_program_do_not_differ_50_times_out_of_50)
{
	struct fixture fixture = { 0 }, *f = &fixture;

	for (uint64_t i = 0; i < 50; i++) {
		struct made_run a = made_plain(2 * i + 1), b = made_plain(2 * i + 2);

		f->base[0] = made_run(&a, &f->arena);
		f->fresh[0] = made_run(&b, &f->arena);
		compare(f, 1, 1, &usual);
		assert_int_equal(f->diff.n_pairs, 1);
		assert_int_equal(f->diff.pairs->n_rows, 8);
		assert_int_equal(n_named(&f->diff), 0);
		assert_true(f->diff.says == DIFF_SAME || f->diff.says == DIFF_OPEN);
		assert_false(f->diff.is_regression);
		done(f);
	}
}

TEST(several_runs_of_one_program_on_a_busy_machine_do_not_differ)
{
	struct fixture fixture = { 0 }, *f = &fixture;

	for (uint64_t i = 0; i < 10; i++) {
		for (uint64_t k = 0; k < 8; k++) {
			struct made_run made = made_plain(1000 + 8 * i + k);

			made.n_inferences = 80;
			made.between = 0.05;
			made.drift = 0.1;
			made.preempted = 0.2;
			made.pressure = 90;
			(k % 2 ? f->base : f->fresh)[k / 2] = made_run(&made, &f->arena);
		}
		compare(f, 4, 4, &usual);
		assert_int_equal(n_named(&f->diff), 0);
		done(f);
	}
}

TEST(an_operator_that_is_5_percent_slower_is_found_and_named)
{
	struct fixture fixture = { 0 }, *f = &fixture;
	const struct diff_row *row;

	for (uint64_t i = 0; i < 20; i++) {
		struct made_run a = made_plain(3000 + 2 * i), b = made_plain(3001 + 2 * i);

		a.drift = b.drift = 0.003;
		a.between = b.between = 0.004;
		a.n_inferences = b.n_inferences = 400;
		b.slow = 5;
		b.slower = 1.05;
		f->base[0] = made_run(&a, &f->arena);
		f->fresh[0] = made_run(&b, &f->arena);
		compare(f, 1, 1, &usual);
		row = row_of(&f->diff, "/layer5/MatMul");
		assert_int_equal(row->value.says, DIFF_WORSE);
		assert_true(row->value.change > 0.03 && row->value.change < 0.08);
		assert_true(row->value.low > 0 && row->value.low < row->value.change);
		assert_int_equal(row->n_peers, f->diff.pairs->value[DIFF_OPERATORS].says >= DIFF_WORSE ? 0 : 7);
		assert_true(f->diff.is_regression);
		assert_int_equal(n_named(&f->diff), 1 + (f->diff.pairs->value[DIFF_OPERATORS].says >= DIFF_WORSE));
		done(f);
	}
}

/* A run in which a share of inferences has inputs that take 8 times as long. */
static struct diff_run run_with_large(struct fixture *f, uint64_t seed, double large, double slower)
{
	struct made_run made = made_plain(seed);

	made.large = large;
	made.n_inferences = 400;
	made.n_operators = 1;
	made.slow = 0;
	made.slower = slower;
	return made_run(&made, &f->arena);
}

static void mix_has(const struct fixture *f, const char *words)
{
	struct printable mix = diff_mix(f->diff.pairs, true);

	if (!strstr(mix.s, words))
		fail_msg("\"%s\" lacks \"%s\"", mix.s, words);
}

TEST(more_large_inputs_do_not_make_a_program_slower)
{
	struct fixture fixture = { 0 }, *f = &fixture;

	for (uint64_t i = 0; i < 20; i++) {
		f->base[0] = run_with_large(f, 7000 + 2 * i, 0.1, 1);
		f->fresh[0] = run_with_large(f, 7001 + 2 * i, 0.6, 1);
		compare(f, 1, 1, &usual);
		assert_true(f->diff.pairs->moved);
		assert_true(f->diff.pairs->value[DIFF_MEDIAN].change > 1);
		assert_int_equal(diff_headline(f->diff.pairs), DIFF_WITHIN);
		assert_int_equal(n_named(&f->diff), 0);
		assert_int_equal(f->diff.pairs->n_sizes, 2);
		mix_has(f, "changed: inferences with inputs of 8x512 are ");
		done(f);
	}
}

TEST(a_program_that_is_slower_is_found_although_its_inputs_are_smaller)
{
	struct fixture fixture = { 0 }, *f = &fixture;

	for (uint64_t i = 0; i < 20; i++) {
		f->base[0] = run_with_large(f, 8000 + 2 * i, 0.6, 1);
		f->fresh[0] = run_with_large(f, 8001 + 2 * i, 0.1, 1.3);
		compare(f, 1, 1, &usual);
		assert_int_equal(f->diff.says, DIFF_WORSE);
		assert_true(fabs(f->diff.pairs->value[DIFF_WITHIN].change - 0.3) < 0.08);
		assert_true(f->diff.pairs->value[DIFF_MEAN].change < 0);
		done(f);
	}
}

TEST(the_same_mix_of_sizes_is_compared_as_a_whole)
{
	struct fixture fixture = { 0 }, *f = &fixture;

	for (uint64_t i = 0; i < 20; i++) {
		f->base[0] = run_with_large(f, 9000 + 2 * i, 0.3, 1);
		f->fresh[0] = run_with_large(f, 9001 + 2 * i, 0.3, 1);
		compare(f, 1, 1, &usual);
		assert_int_equal(f->diff.pairs->moved, 0);
		assert_int_equal(n_named(&f->diff), 0);
		done(f);
	}
}

static struct diff_run run_apart(struct fixture *f, uint64_t seed, int apart, double slower)
{
	struct made_run made = made_plain(seed);

	made.apart = apart;
	made.n_inferences = 1000;
	made.n_operators = 1;
	made.slow = 0;
	made.slower = slower;
	made.is_without_operators = true;
	return made_run(&made, &f->arena);
}

/* Which combinations come first is chance; a side with few of them is compared by what the other one has. */
TEST(inputs_of_more_sizes_than_there_is_room_for_are_compared)
{
	struct fixture fixture = { 0 }, *f = &fixture;
	const struct diff_size_row *row;

	for (uint64_t i = 0; i < 10; i++) {
		f->base[0] = run_apart(f, 9500 + 2 * i, 8, 1);
		f->fresh[0] = run_apart(f, 9501 + 2 * i, 8, i % 2 ? 2 : 1);
		compare(f, 1, 1, &usual);
		assert_true(f->diff.pairs->are_sizes_mixed);
		assert_int_equal(f->diff.pairs->moved, 0);
		assert_int_equal(f->diff.says == DIFF_WORSE, i % 2);
		row = f->diff.pairs->sizes;
		for (uint32_t k = 0; k < f->diff.pairs->n_sizes; k++)
			assert_true((row[k].n_base && row[k].n_fresh) || row[k].n_base + row[k].n_fresh < 8);
		done(f);
	}
	f->base[0] = run_apart(f, 1, 3, 1);
	f->fresh[0] = run_apart(f, 2, 8, 1);
	compare(f, 1, 1, &usual);
	assert_true(f->base[0].models->coarse_sizes.n < f->base[0].models->sizes.n);
	assert_true(f->diff.pairs->moved && f->diff.pairs->are_sizes_mixed);
	mix_has(f, "changed: inferences with inputs of about ");
	assert_int_equal(n_named(&f->diff), 0);
	assert_true(fabs(f->diff.pairs->value[DIFF_WITHIN].change) < 0.05);
	done(f);
}

#define CASE(name) TEST_OF(name, struct fixture, f, *f = (struct fixture){ 0 }, done(f))

/* A row of the table has the number of the input alone; a sentence says what it is. */
CASE(an_input_among_several_is_named)
{
	const struct diff_size_row *row[DIFF_SIZE_ROWS];

	f->base[0] = run_apart(f, 1, 2, 1);
	f->fresh[0] = run_apart(f, 2, 3, 1);
	compare(f, 1, 1, &usual);
	assert_false(f->diff.pairs->are_sizes_mixed);
	for (uint32_t i = 0; i < DIFF_SIZE_ROWS; i++)
		row[i] = &f->diff.pairs->sizes[i];
	mix_has(f, "changed: inferences with input ");
	mix_has(f, " of 3 of ");
	for (uint32_t i = 0; i < DIFF_SIZE_ROWS; i++) {
		struct printable cell = diff_size_cell(f->diff.pairs, row, DIFF_SIZE_ROWS, i, true);

		assert_non_null(strstr(cell.s, " of 3: "));
		assert_null(strstr(cell.s, "input"));
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(cell.s, diff_size_cell(f->diff.pairs, row, DIFF_SIZE_ROWS, k, true).s);
	}
}

/* The machine makes 5 % of difference from run to run for all operators alike, and another program runs beside. */
CASE(several_runs_find_it_on_a_busy_machine)
{
	for (uint64_t k = 0; k < 8; k++) {
		struct made_run made = made_plain(5000 + k);

		made.between = 0.012;
		made.drift = 0.05;
		made.preempted = 0.2;
		made.pressure = 90;
		made.slow = k % 2 ? -1 : 2;
		made.slower = 1.05;
		(k % 2 ? f->base : f->fresh)[k / 2] = made_run(&made, &f->arena);
	}
	compare(f, 4, 4, &usual);
	assert_int_equal(row_of(&f->diff, "/layer2/MatMul")->value.says, DIFF_WORSE);
	assert_int_equal(n_named(&f->diff), 1);
}

CASE(a_whole_program_that_is_slower_is_a_regression_beyond_its_threshold_only)
{
	static const struct diff_opts lax = { .threshold = 0.5, .minimum = 0.02 };
	struct made_run a = made_plain(1), b = made_plain(2);

	b.n_operators = 8;
	f->base[0] = made_run(&a, &f->arena);
	b.slow = 2;
	b.slower = 2.5;
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.says, DIFF_WORSE);
	assert_int_equal(f->diff.pairs->value[DIFF_MEDIAN].says, DIFF_WORSE);
	assert_int_equal(diff_headline(f->diff.pairs), DIFF_MEDIAN);
	assert_true(f->diff.is_regression);
	/* the other way round it is faster, which is none */
	f->base[1] = f->base[0];
	f->base[0] = f->fresh[0];
	f->fresh[0] = f->base[1];
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.says, DIFF_BETTER);
	assert_false(f->diff.is_regression);
	/* the operator alone is beyond the threshold, the model is not */
	f->base[1] = f->base[0];
	f->base[0] = f->fresh[0];
	f->fresh[0] = f->base[1];
	compare(f, 1, 1, &lax);
	assert_true(f->diff.pairs->value[DIFF_MEDIAN].change < 0.5);
	assert_true(f->diff.is_regression);
	compare(f, 1, 1, &(struct diff_opts){ .threshold = 2, .minimum = 0.02 });
	assert_int_equal(f->diff.says, DIFF_WORSE);
	assert_false(f->diff.is_regression);
}

CASE(one_run_a_side_on_a_busy_machine_is_not_judged_by_its_latency)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	a.pressure = 60;
	b.slow = 0;
	b.slower = 4;
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_true(f->diff.is_busy);
	assert_int_equal(f->diff.pairs->value[DIFF_MEDIAN].says, DIFF_UNTESTED);
	assert_non_null(f->diff.pairs->no_verdict);
	assert_int_equal(row_of(&f->diff, "/layer0/MatMul")->value.says, DIFF_WORSE);
}

TEST(a_machine_is_its_processor_and_its_number_of_cpus)
{
	static const char name[] = "Intel(R) Xeon(R) CPU E5-2680, 2.40GHz";
	static const struct {
		const char *rest, *reason; /* why nothing is judged */
	} cases[] = { { ", 4 CPUs, 15.6 GiB, Linux 6.1.0-18-amd64 x86_64", NULL },
		      { ", 4 CPUs, 15.7 GiB, Linux 6.12 x86_64", NULL },
		      { ", 1 CPU, 15.6 GiB, Linux 6.1.0-18-amd64 x86_64", "different numbers of CPUs" },
		      { " v4, 4 CPUs, 15.6 GiB, Linux 6.1.0-18-amd64 x86_64", "different machines" } };
	char texts[2][200];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture fixture = { 0 }, *f = &fixture;
		struct made_run a = made_plain(1), b = made_plain(2);

		snprintf(texts[0], sizeof texts[0], "%s%s", name, cases[0].rest);
		snprintf(texts[1], sizeof texts[1], "%s%s", name, cases[i].rest);
		a.machine = texts[0];
		b.machine = texts[1];
		f->base[0] = made_run(&a, &f->arena);
		f->fresh[0] = made_run(&b, &f->arena);
		compare(f, 1, 1, &usual);
		assert_string_equal(f->base->fact[DIFF_MACHINE], name);
		assert_string_equal(f->base->fact[DIFF_CPUS], "4");
		assert_string_equal(f->base->fact[DIFF_MEMORY], "15.6 GiB");
		assert_string_equal(f->base->fact[DIFF_KERNEL], "6.1.0-18-amd64");
		assert_int_equal(f->diff.no_verdict == NULL, cases[i].reason == NULL);
		assert_true(!cases[i].reason || strstr(f->diff.no_verdict, cases[i].reason));
		assert_int_equal(f->diff.fact_differs[DIFF_KERNEL], i == 1);
		assert_int_equal(strstr(diff_verdict(&f->diff, true).s, "differ in memory, kernel") != NULL, i == 1);
		done(f);
	}
}

CASE(other_machines_are_not_judged_at_all)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	b.machine = "another machine";
	b.slow = 0;
	b.slower = 4;
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_true(f->diff.fact_differs[DIFF_MACHINE]);
	assert_false(f->diff.fact_differs[DIFF_LEVEL]);
	assert_non_null(f->diff.no_verdict);
	assert_int_equal(n_named(&f->diff), 0);
	assert_true(f->diff.pairs->value[DIFF_MEDIAN].change > 0.1);
	assert_false(f->diff.is_regression);
}

CASE(operators_are_joined_by_node_and_then_by_order)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	b.suffix = "_nchwc";
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.pairs->n_rows, 8);
	assert_int_equal(row_of(&f->diff, "/layer3/MatMul")->join, DIFF_BY_NODE);
	assert_string_equal(row_of(&f->diff, "/layer3/MatMul")->fresh->name, "/layer3/MatMul_nchwc");
	b.suffix = "_renamed";
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.pairs->n_rows, 8);
	assert_int_equal(row_of(&f->diff, "/layer3/MatMul")->join, DIFF_BY_ORDER);
	assert_string_equal(row_of(&f->diff, "/layer3/MatMul")->fresh->name, "/layer3/MatMul_renamed");
	/* one more: the order says nothing then */
	b.n_operators = 9;
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.pairs->n_rows, 0);
	assert_int_equal(f->diff.pairs->n_only_base, 8);
	assert_int_equal(f->diff.pairs->n_only_fresh, 9);
}

CASE(without_operators_latencies_are_compared_and_the_reason_is_kept)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	b.is_without_operators = true;
	b.level = "inference";
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_true(f->diff.fact_differs[DIFF_LEVEL]);
	assert_non_null(f->diff.pairs->no_operators);
	assert_non_null(strstr(f->diff.pairs->no_operators, "level inference"));
	assert_int_equal(f->diff.pairs->value[DIFF_OPERATORS].says, DIFF_MISSING);
	assert_true(f->diff.pairs->value[DIFF_MEDIAN].says >= DIFF_OPEN);
}

CASE(the_only_model_of_each_side_is_compared_by_whatever_name)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	b.model = "m_int8";
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.n_pairs, 1);
	assert_true(f->diff.pairs->is_renamed);
	/* with another model beside it nobody knows which is which */
	f->fresh[0].models = arena_alloc(&f->arena, 2 * sizeof *f->fresh[0].models);
	f->fresh[0].models[0] = *f->diff.pairs->fresh;
	f->fresh[0].models[1] = *f->diff.pairs->fresh;
	f->fresh[0].models[1].name = "third";
	f->fresh[0].n_models = 2;
	compare(f, 1, 1, &usual);
	assert_int_equal(f->diff.n_pairs, 0);
	assert_int_equal(f->diff.n_only_base, 1);
	assert_int_equal(f->diff.n_only_fresh, 2);
	assert_int_equal(f->diff.says, DIFF_MISSING);
}

CASE(a_peak_of_memory_is_judged_also_of_one_run)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	a.rss = 100e6;
	b.rss = 104e6;
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_false(f->diff.is_regression);
	b.rss = 130e6;
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_true(f->diff.is_regression);
	for (uint32_t i = 0; i < f->diff.n_resources; i++)
		assert_int_equal(f->diff.resources[i].max.says == DIFF_WORSE,
				 !strcmp(f->diff.resources[i].name, "rss"));
}

CASE(few_inferences_are_not_judged)
{
	struct made_run a = made_plain(1), b = made_plain(2);

	a.n_inferences = b.n_inferences = 12;
	f->base[0] = made_run(&a, &f->arena);
	f->fresh[0] = made_run(&b, &f->arena);
	compare(f, 1, 1, &usual);
	assert_int_equal(n_named(&f->diff), 0);
	assert_non_null(f->diff.pairs->no_verdict);
	assert_int_equal(f->diff.says, DIFF_UNTESTED);
}

static char *read_report(size_t *len)
{
	FILE *file = fopen(TEST_DIR "/data/model-report/report.json", "r");
	char *text = malloc(1 << 22);

	assert_non_null(file);
	*len = fread(text, 1, (1 << 22) - 1, file);
	fclose(file);
	text[*len] = 0;
	return text;
}

TEST(a_result_has_the_figures_of_its_json)
{
	struct fixture fixture = { 0 }, *f = &fixture;
	size_t len;
	char *text = read_report(&len);
	const struct diff_model *cpu;

	f->base[0].path = "report.json";
	assert_int_equal(diff_result_of(&f->base[0], text, len, &f->arena, NULL), 0);
	assert_int_equal(f->base[0].source, DIFF_OF_RESULT);
	assert_int_equal(f->base[0].n_models, 5);
	cpu = f->base[0].models;
	assert_string_equal(cpu->name, "squeeze <tiny> & co on cpu");
	assert_int_equal(cpu->n, 30);
	assert_true(cpu->figure[DIFF_CREATION] == 38000000);
	assert_true(cpu->figure[DIFF_FIRST] == 9120000);
	assert_true(cpu->n_operators > 3);
	assert_true(isnan(cpu->scatter[DIFF_MEDIAN])); /* of 30 inferences nothing is told */
	assert_string_equal(f->base[0].fact[DIFF_RUNTIME], "onnxruntime 1.23.1");
	f->fresh[0] = f->base[0];
	compare(f, 1, 1, &usual);
	assert_int_equal(n_named(&f->diff), 0);
	assert_int_equal(f->diff.n_pairs, 5);
	assert_true(f->diff.pairs->value[DIFF_MEDIAN].change == 0);
	done(f);
	free(text);
}

TEST(each_member_of_a_result_goes_to_its_figure)
{
	static const char text[] =
	    "{\"runs\":[{\"label\":\"r\",\"provider\":\"p\",\"options\":\"\",\"runtime\":\"rt\",\"version\":\"1\","
	    "\"latency\":"
	    "{\"count\":2,\"p50_ns\":3,\"p99_ns\":4,\"mean_ns\":5,\"total_ns\":2e9},\"creation\":{\"duration_ns\":7,"
	    "\"phases\":"
	    "[{\"name\":\"load\",\"self_ns\":8}],\"unattributed_ns\":9},\"first_inference_ns\":10,\"per_second\":11,"
	    "\"failed_inferences\":12,\"event_ns\":13,\"peak_rss_bytes\":14,\"cpus_in_use\":15,\"cpus_in_use_by_"
	    "others\":0,"
	    "\"operators\":{\"inferences\":2,\"list\":[{\"name\":\"n\",\"op_type\":\"t\",\"shapes\":\"s\",\"calls\":6,"
	    "\"p50_ns\":18,"
	    "\"mean_ns\":20,\"mean_interval_95_ns\":4}]}}],\"machine\":{\"cpu\":\"c\",\"cpus\":4},\"version\":\"v\"}";
	static const struct {
		int figure;
		double value;
	} known[] = {
		{ DIFF_MEDIAN, 3 },
		{ DIFF_P99, 4 },
		{ DIFF_MEAN, 5 },
		{ DIFF_CREATION, 7 },
		{ DIFF_PHASE + PHASE_LOAD, 8 },
		{ DIFF_PHASE + PHASE_UNATTRIBUTED, 9 },
		{ DIFF_FIRST, 10 },
		{ DIFF_RATE, 11 },
	};
	struct arena arena = { 0 };
	struct diff_run run = { 0 };
	const struct diff_model *model;

	assert_int_equal(diff_result_of(&run, text, strlen(text), &arena, NULL), 0);
	model = run.models;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_true(model->figure[known[i].figure] == known[i].value);
	assert_true(model->n == 2 && model->n_failed == 12 && model->wall_ns == 2e9 && model->event_ns == 13);
	assert_true(run.resources->max == 14 && run.busy == 0);
	assert_string_equal(model->provider, "p");
	assert_null(model->options);
	assert_string_equal(run.fact[DIFF_RUNTIME], "rt 1");
	assert_string_equal(run.fact[DIFF_VERSION], "v");
	assert_string_equal(run.fact[DIFF_MACHINE], "c");
	assert_true(model->operators->calls == 3 && model->operators->median_ns == 18);
	assert_true(model->operators->scatter == 0.1);
	assert_string_equal(model->operators->shapes, "s");
	arena_done(&arena);
}

/* A result with one run: its label, its batch, its model, its mean in ms. */
static void read_result(struct fixture *f, struct diff_run *run, const char *label, int batch, const char *model,
			int ms)
{
	char text[2000], samples[1000] = "";

	for (int i = 0; i < 40; i++)
		sprintf(samples + strlen(samples), "%s%d", i ? "," : "", 1000000 * ms + 1000 * (i % 7));
	snprintf(
	    text, sizeof text,
	    "{\"model\":{\"name\":\"%s\",\"file_bytes\":4096},\"start_realtime_ns\":5,\"machine\":{\"cpu\":\"c\","
	    "\"memory_bytes\":16750372454,\"kernel\":\"6.1\",\"cpus\":4},\"settings\":[{\"name\":\"seed\",\"value\":\"%"
	    "d\"},{\"name\":\"runtime\","
	    "\"value\":\"/%d\"}],\"runs\":[{\"label\":\"%s\",\"batch_size\":%d,\"generations\":{\"output_tokens\":3,"
	    "\"prompts\":[{\"prompt_tokens\":5},{\"prompt_tokens\":40},7]},\"latency\":{\"p50_ns\":%d000000},"
	    "\"samples\":{\"duration_ns\":[%s]}},{\"label\":\"other\"}]}",
	    model, batch, ms, label, batch, ms, samples);
	run->path = "r.json";
	assert_int_equal(diff_result_of(run, text, strlen(text), &f->arena, NULL), 0);
}

CASE(runs_of_results_are_joined_by_label_whatever_their_model)
{
	const struct diff_pair *pair;

	read_result(f, f->base, "cpu", 8, "m", 10);
	read_result(f, f->fresh, "cpu", 8, "m_int8", 20);
	assert_string_equal(f->base->fact[DIFF_MODEL], "m, 4,096 bytes");
	assert_string_equal(f->base->fact[DIFF_SETTINGS], "seed 8");
	assert_string_equal(f->base->fact[DIFF_CPUS], "4");
	assert_string_equal(f->base->fact[DIFF_KERNEL], "6.1");
	assert_string_equal(f->base->fact[DIFF_MEMORY], "15.6 GiB");
	assert_string_equal(f->base->models->work, "batch 8, 3 tokens behind prompts of 45");
	assert_int_equal(f->base->start_realtime_ns, 5);
	compare(f, 1, 1, &usual);
	pair = f->diff.pairs;
	assert_int_equal(f->diff.n_pairs, 2);
	assert_string_equal(pair->base->name, "m on cpu");
	assert_string_equal(pair->fresh->name, "m_int8 on cpu");
	assert_true(pair->is_renamed && f->diff.fact_differs[DIFF_MODEL] && !f->diff.fact_differs[DIFF_SETTINGS]);
	assert_int_equal(pair->value[DIFF_MEDIAN].says, DIFF_WORSE);
	assert_true(f->diff.is_regression);
	assert_non_null(strstr(diff_verdict(&f->diff, true).s, ". Base and new differ in model"));
}

/* The rows of the table of models, as a terminal shows them. */
static char *rows_of(const struct diff *diff)
{
	struct table table = { .width = 120 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	diff_rows_models(&table, diff, true);
	table_print(&table, out);
	fclose(out);
	return text;
}

TEST(a_table_of_models_has_the_latency_and_what_judges_it)
{
	struct fixture fixture = { 0 }, *f = &fixture;
	struct made_run made = made_plain(1);
	char *text;

	made.pressure = 60;
	f->base[0] = made_run(&made, &f->arena);
	made.seed++;
	f->fresh[0] = made_run(&made, &f->arena);
	compare(f, 1, 1, &usual);
	text = rows_of(&f->diff);
	assert_non_null(strstr(text, "m  median latency"));
	assert_non_null(strstr(text, "not judged\n   operators"));
	free(text);
	done(f);
	read_result(f, f->base, "cpu", 8, "m", 10);
	read_result(f, f->fresh, "gpu", 8, "m", 20);
	compare(f, 1, 1, &usual);
	text = rows_of(&f->diff);
	assert_non_null(strstr(text, "gpu    -"));
	assert_null(strstr(text, "operators"));
	free(text);
	done(f);
}

TEST(a_label_that_has_its_model_is_the_name)
{
	static const char text[] =
	    "{\"runs\":[{\"label\":\"a, 2 threads\",\"differs\":{\"model\":\"a\"}},{\"label\":\"b\"}],"
	    "\"model\":{\"name\":\"a\"}}";
	struct arena arena = { 0 };
	struct diff_run run = { 0 };

	assert_int_equal(diff_result_of(&run, text, strlen(text), &arena, NULL), 0);
	assert_string_equal(run.models[0].name, "a, 2 threads");
	assert_string_equal(run.models[1].name, "a on b");
	assert_int_equal(run.start_realtime_ns, -1);
	arena_done(&arena);
}

CASE(other_batches_and_tokens_are_not_judged)
{
	read_result(f, f->base, "cpu", 1, "m", 10);
	read_result(f, f->fresh, "cpu", 8, "m", 80);
	compare(f, 1, 1, &usual);
	assert_true(f->diff.pairs->does_other_work);
	assert_int_equal(f->diff.pairs->value[DIFF_MEDIAN].says, DIFF_UNTESTED);
	assert_non_null(strstr(f->diff.pairs->no_verdict, "batches or tokens differ"));
	assert_false(f->diff.is_regression);
	assert_non_null(strstr(diff_verdict(&f->diff, true).s, "Cannot tell: "));
	assert_null(strstr(diff_verdict(&f->diff, true).s, "several times")); /* they would differ as much */
}

TEST(on_a_busy_machine_one_run_a_side_finds_only_what_no_waiting_explains)
{
	static const enum diff_says says[] = { DIFF_UNTESTED, DIFF_WORSE };

	for (int is_far = 0; is_far < 2; is_far++) {
		struct fixture fixture = { 0 }, *f = &fixture;

		read_result(f, f->base, "cpu", 1, "m", 10);
		read_result(f, f->fresh, "cpu", 1, "m", is_far ? 200 : 30);
		f->fresh->busy = 0.6;
		compare(f, 1, 1, &usual);
		assert_int_equal(f->diff.pairs->value[DIFF_MEDIAN].says, says[is_far]);
		assert_int_equal(f->diff.is_regression, is_far);
		assert_int_equal(f->diff.pairs->no_verdict == NULL, is_far);
		if (!is_far)
			assert_non_null(strstr(diff_verdict(&f->diff, true).s, "Measure each several times, in turn"));
		done(f);
	}
}

TEST(a_result_of_tokens_speaks_of_tokens)
{
	struct fixture fixture = { 0 }, *f = &fixture;
	size_t len;
	char *text = read_report(&len), *at = text;

	f->base[0].path = "report.json";
	while ((at = strstr(at, "\"speed_of\": \"inference\"")))
		memcpy(at, "\"speed_of\":     \"token\"", 23);
	assert_int_equal(diff_result_of(&f->base[0], text, len, &f->arena, NULL), 0);
	assert_true(f->base[0].models->counts_tokens);
	f->fresh[0] = f->base[0];
	compare(f, 1, 1, &usual);
	assert_string_equal(diff_words_of(f->diff.pairs, DIFF_RATE), "tokens");
	assert_string_equal(diff_words_of(f->diff.pairs, DIFF_MEDIAN), "median time between tokens");
	assert_string_equal(diff_words_of(f->diff.pairs, DIFF_CREATION), "session creation");
	assert_non_null(strstr(f->diff.pairs->no_verdict, "too few tokens"));
	done(f);
	free(text);
}

TEST(what_is_no_result_says_why)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "{\"verdict\": \"x\", \"runs\": [", "damaged or cut off" },
		{ "{\"verdict\": \"x\"}", "no \"runs\"" },
		{ "{\"verdict\": \"x\", \"recording\": {}}", "report of a recording" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct diff_run run = { .path = "x.json" };
		struct err err = { 0 };

		assert_true(diff_result_of(&run, bad[i].text, strlen(bad[i].text), &arena, &err) < 0);
		assert_non_null(strstr(err.msg, bad[i].message));
	}
	arena_done(&arena);
}

static void near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%g instead of %g", value, expected);
}

TEST(t_and_holm_are_those_of_the_tables)
{
	double p[] = { 0.01, NAN, 0.04, 0.03 };

	near(diff_t_p(2.0423, 30), 0.05, 1e-5);
	near(diff_t_p(-12.7062, 1), 0.05, 1e-5);
	near(diff_t_p(4.6041, 4), 0.01, 1e-5);
	near(diff_t_p(0, 7), 1, 1e-9);
	assert_true(diff_t_p(INFINITY, 7) == 0);
	assert_true(isnan(diff_t_p(1, NAN)));
	assert_int_equal(diff_holm(p, 4), 0);
	near(p[0], 0.03, 1e-12);
	assert_true(isnan(p[1]));
	near(p[2], 0.06, 1e-12);
	near(p[3], 0.06, 1e-12);
}

TEST(the_mean_of_runs_is_known_by_what_they_differ)
{
	double a[] = { 1, 2, 3 }, b[] = { 5, 6 }, none[] = { NAN, NAN, NAN };
	const struct diff_sample base = { a, none, 3 }, fresh = { b, none, 2 };
	struct diff_estimate estimate = diff_estimate(&base, &fresh, &(struct diff_prior){ 0 });

	near(estimate.change, 3.5, 1e-12);
	near(estimate.df, 3, 1e-12);
	near(estimate.error, sqrt(2.5 / 3 * (1.0 / 3 + 0.5)), 1e-12);
	/* a larger variance beside it draws its own up, a smaller one never down */
	estimate = diff_estimate(&base, &fresh, &(struct diff_prior){ .variance = 10, .df = 4 });
	near(estimate.df, 7, 1e-12);
	near(estimate.error, sqrt((2.5 + 40) / 7 * (1.0 / 3 + 0.5)), 1e-12);
	estimate = diff_estimate(&base, &fresh, &(struct diff_prior){ .variance = 0.1, .df = 4 });
	near(estimate.df, 3, 1e-12);
}

TEST(the_interval_of_a_median_contains_it)
{
	uint64_t seed = 5;

	for (int i = 0; i < 200; i++) {
		struct stats stats = { 0 };
		struct stats_typical typical;

		for (int k = 0; k < 300; k++)
			stats_add(&stats, (uint64_t)(1e6 * (1 - log(made_uniform(&seed)))));
		assert_int_equal(stats_typical_of(&typical, &stats), 0);
		assert_int_equal(typical.n_blocks, STATS_TYPICAL_BLOCKS);
		assert_true(typical.quartile_ns < typical.median_ns);
		stats_done(&stats);
	}
}

/* A worker has 70 MB, the two others 14 MB each; beside each other, or one after the other. */
static struct diff_run run_of_processes(struct stream *s, struct arena *arena, bool is_one_by_one, const char *name)
{
	struct summary_file file = { .path = "a.pftrace" };
	struct diff_run run = { 0 };
	struct summary *summary;

	stream_init(s);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t counter = stream_counter(s, stream_process(s, 7 + i, "app"), name, "bytes");
		uint64_t from_us = is_one_by_one ? 10000 * i : 0;

		for (uint64_t us = 0; us < 5000; us += 1000)
			stream_sample(s, counter, from_us + us, i == 1 ? 70e6 : 14e6);
	}
	summary = stream_summary(s, &file);
	assert_non_null(summary);
	assert_int_equal(diff_recording_of(&run, summary, arena, NULL), 0);
	summary_free(summary);
	stream_done(s);
	return run;
}

TEST(memory_is_that_of_processes_of_one_name_that_live_at_one_time)
{
	struct arena arena = { 0 };
	struct diff_run run;
	struct stream s;

	run = run_of_processes(&s, &arena, false, "rss");
	assert_int_equal(run.n_resources, 1);
	assert_true(run.resources->max == 98e6 && isnan(run.resources->mean) && isnan(run.resources->last));
	assert_int_equal(run.resources->n_processes, 3);
	run = run_of_processes(&s, &arena, true, "rss");
	assert_int_equal(run.n_resources, 1);
	assert_true(run.resources->max == 70e6 && run.resources->mean == 70e6);
	assert_int_equal(run.resources->n_processes, 1);
	arena_done(&arena);
}
