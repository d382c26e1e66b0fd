// SPDX-License-Identifier: Apache-2.0
/* Rows of `inftrace watch` as sides of a comparison: which machines they are of, and what follows from them. */
#include "analyze/diff/diff_watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "cases.h"
#include "show/words/diff/diff_words.h"

enum { PER_ROW = 100, ROWS = 24 };

static const struct diff_opts usual = { .threshold = 0, .minimum = 0.02 };

struct made {
	char *text;
	size_t len;
	FILE *out;
};

static void begin(struct made *made)
{
	*made = (struct made){ 0 };
	made->out = open_memstream(&made->text, &made->len);
	assert_non_null(made->out);
}

/* The bucket of 1 s times `factor`, with PER_ROW inferences around it. */
static int bucket_of(double factor)
{
	return (int)floor(32 * log2(factor) + 1e-6);
}

static void put_line_on(struct made *made, const char *host, const char *provider, const char *model, int interval,
			double factor)
{
	fprintf(
	    made->out,
	    "{\"kind\":\"series\",\"host\":\"%s\",\"boot\":\"b\",\"interval\":%d,\"begin_ns\":%d000000000,\"end_ns\":%"
	    "d000000000,"
	    "\"service\":\"shop\",\"service_version\":\"1.4\",\"model\":\"%s\",\"runtime\":\"onnxruntime\","
	    "\"runtime_version\":\"1.22.1\",\"provider\":\"%s\",\"inferences\":100,\"inference_ns\":%.0f,"
	    "\"first_inferences\":1,\"first_inference_ns\":7,\"cpu_ns\":500,\"cpu_wait_ns\":200,\"created\":1,"
	    "\"not_created\":1,\"creating_ns\":8,\"durations\":{\"scale\":5,\"first\":%d,\"buckets\":[20,60,20]}}\n",
	    host, interval, 10 * interval, 10 * interval + 10, model, provider, 1e11 * factor, bucket_of(factor) - 1);
}

static void put_line(struct made *made, const char *host, const char *model, int interval, double factor)
{
	put_line_on(made, host, "CPU", model, interval, factor);
}

static void put_row(struct made *made, const char *host, const char *model, int interval, double factor)
{
	fprintf(
	    made->out,
	    "{\"ts\":\"2026-11-29 12:00:%02d.000\",\"interval_ms\":10000,\"host\":\"%s\",\"service\":\"shop\","
	    "\"service_version\":\"1.4\",\"model\":\"%s\",\"runtime\":\"onnxruntime\",\"runtime_version\":\"1.22.1\","
	    "\"provider\":\"CPU\",\"n\":100,\"sum_ns\":\"%.0f\",\"first_n\":1,\"first_ns\":\"7\",\"cpu_ns\":\"500\","
	    "\"wait_ns\":\"200\",\"created\":1,\"not_created\":1,\"creating_ns\":\"8\",\"processes\":0,"
	    "\"resident_bytes\":\"0\",\"lost\":\"0\",\"bucket_first\":%d,\"bucket_n\":[20,60,20]}\n",
	    interval, host, model, 1e11 * factor, bucket_of(factor) - 1);
}

static int add(struct diff_watch *watch, struct made *made, const char *path, struct err *err)
{
	int code;

	fclose(made->out);
	assert_true(!made->len || diff_watch_is(made->text, made->len));
	code = diff_watch_add(watch, path, made->text, made->len, err);
	free(made->text);
	return code;
}

static struct diff_side side_of(struct made *made, struct arena *arena)
{
	struct diff_watch watch = { .arena = arena };
	struct diff_side side = { 0 };

	assert_int_equal(add(&watch, made, "rows.json", NULL), 0);
	assert_int_equal(diff_watch_take(&watch, &side, NULL), 0);
	diff_watch_done(&watch);
	return side;
}

static struct diff compare(const struct diff_side *base, const struct diff_side *fresh, struct arena *arena)
{
	struct diff diff;

	assert_int_equal(diff_make(&diff, base, fresh, &usual, arena, NULL), 0);
	return diff;
}

/* n machines that differ by a few percent. */
static struct diff_side fleet_of(int n, double factor, struct arena *arena)
{
	struct made made;

	begin(&made);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < n; k++) {
			char host[32];

			snprintf(host, sizeof host, "web-%d", k);
			put_line(&made, host, "resnet", i + 1, factor * (1 + 0.04 * (k % 3)));
		}
	return side_of(&made, arena);
}

TEST(lines_and_rows_of_clickhouse_are_the_same_run)
{
	struct arena arena = { 0 };

	for (int is_row = 0; is_row < 2; is_row++) {
		struct diff_side side;
		struct made made;
		const struct diff_model *model;

		begin(&made);
		for (int i = 0; i < ROWS; i++)
			(is_row ? put_row : put_line)(&made, "web-1", "resnet", i + 1, 1);
		side = side_of(&made, &arena);
		assert_int_equal(side.n_runs, 1);
		assert_string_equal(side.runs->path, "rows.json, web-1");
		assert_string_equal(side.runs->fact[DIFF_SERVICE], "shop 1.4");
		assert_string_equal(side.runs->fact[DIFF_RUNTIME], "onnxruntime 1.22.1");
		assert_int_equal(side.runs->n_models, 1);
		model = side.runs->models;
		assert_string_equal(model->name, "resnet of shop");
		assert_string_equal(model->provider, "CPU");
		assert_int_equal(model->n, PER_ROW * ROWS);
		/* the middle of the bucket that begins at 1 s */
		assert_float_equal(model->figure[DIFF_MEDIAN], 1e9 * exp2(0.5 / 32), 1);
		assert_float_equal(model->figure[DIFF_P99], 1e9 * exp2(1.95 / 32), 1);
		assert_float_equal(model->figure[DIFF_MEAN], 1e9, 1);
		assert_float_equal(model->figure[DIFF_FIRST], 7, 0.001);
		assert_float_equal(model->figure[DIFF_CREATION], 4, 0.001);
		assert_float_equal(model->figure[DIFF_RATE], 10, 0.001);
		assert_float_equal(model->figure[DIFF_CPU], 5, 0.001);
		assert_float_equal(model->figure[DIFF_WAIT], 2, 0.001);
		assert_float_equal(model->scatter[DIFF_MEDIAN], 0, 0.0001);
	}
	arena_done(&arena);
}

TEST(a_slower_version_is_found_by_the_machines_that_run_it)
{
	struct arena arena = { 0 };
	struct diff_side base = fleet_of(12, 1, &arena), same = fleet_of(9, 1, &arena),
			 slower = fleet_of(12, exp2(4.0 / 32), &arena);
	struct diff diff = compare(&base, &slower, &arena);

	assert_int_equal(base.n_runs, 12);
	assert_int_equal(diff.says, DIFF_WORSE);
	assert_int_equal(diff.pairs->value[DIFF_MEDIAN].says, DIFF_WORSE);
	assert_float_equal(diff.pairs->value[DIFF_MEDIAN].change, exp2(4.0 / 32) - 1, 0.012);
	diff = compare(&base, &same, &arena);
	assert_true(diff.says < DIFF_WORSE);
	arena_done(&arena);
}

/* Its stretches of time tell how steady it was. */
TEST(one_machine_is_judged_by_its_rows_in_order)
{
	struct arena arena = { 0 };
	struct diff_side base = fleet_of(1, 1, &arena), slower = fleet_of(1, exp2(4.0 / 32), &arena), mixed;
	struct diff diff = compare(&base, &slower, &arena);
	struct made made;

	assert_int_equal(diff.says, DIFF_WORSE);
	begin(&made);
	for (int i = ROWS; i > 0; i--)
		put_line(&made, "web-0", "resnet", i, exp2(4.0 / 32));
	mixed = side_of(&made, &arena);
	assert_int_equal(mixed.runs->n_notes, 1);
	assert_non_null(strstr(mixed.runs->notes[0], "not in order of time"));
	assert_true(isnan(mixed.runs->models->figure[DIFF_RATE]));
	diff = compare(&base, &mixed, &arena);
	assert_int_equal(diff.pairs->value[DIFF_MEDIAN].says, DIFF_UNTESTED);
	assert_non_null(strstr(diff.pairs->no_verdict, "in order of time"));
	arena_done(&arena);
}

/* The watcher lost an event, which is noted. */
TEST(one_machine_that_lost_an_event_is_judged)
{
	struct arena arena = { 0 };
	struct diff_side base = fleet_of(1, 1, &arena), slower;
	struct made made;
	struct diff diff;

	begin(&made);
	for (int i = 0; i < ROWS; i++)
		put_line(&made, "web-0", "resnet", i + 1, exp2(4.0 / 32));
	fputs("{\"kind\":\"watch\",\"host\":\"web-0\",\"end_ns\":1,\"events_lost\":1}\n", made.out);
	slower = side_of(&made, &arena);
	assert_int_equal(slower.runs->n_notes, 1);
	diff = compare(&base, &slower, &arena);
	assert_int_equal(diff.says, DIFF_WORSE);
	arena_done(&arena);
}

TEST(two_machines_tell_nothing_of_two_versions)
{
	struct arena arena = { 0 };
	struct diff_side base = fleet_of(1, 1, &arena), other;
	struct made made;
	struct diff diff;

	begin(&made);
	for (int i = 0; i < ROWS; i++)
		put_line(&made, "web-9", "resnet", i + 1, 2);
	other = side_of(&made, &arena);
	diff = compare(&base, &other, &arena);
	assert_true(diff.says < DIFF_WORSE);
	assert_non_null(strstr(diff.no_verdict, "different machines"));
	arena_done(&arena);
}

/* Three that differ by far more than the versions do; and they begin in another order. */
TEST(each_machine_is_compared_with_itself)
{
	static const char *const hosts[] = { "web-0", "web-1", "web-2" };
	struct arena arena = { 0 };
	struct diff_side side[2];
	struct made made;
	struct diff diff;

	for (int i = 0; i < 2; i++) {
		begin(&made);
		for (int k = 0; k < 3; k++) {
			int host = i ? 2 - k : k;

			for (int row = 0; row < ROWS; row++)
				put_line(&made, hosts[host], "resnet", row + 1,
					 exp2(8 * host / 32.0) * (i ? exp2(3.0 / 32) : 1));
		}
		side[i] = side_of(&made, &arena);
	}
	diff = compare(&side[0], &side[1], &arena);
	assert_true(diff.is_paired);
	assert_int_equal(diff.says, DIFF_WORSE);
	assert_float_equal(diff.pairs->value[DIFF_MEDIAN].change, exp2(3.0 / 32) - 1, 0.002);
	side[1].runs[0].machine = "web-9";
	diff = compare(&side[0], &side[1], &arena);
	assert_false(diff.is_paired);
	assert_true(diff.says < DIFF_WORSE);
	arena_done(&arena);
}

/* A machine that is fast in one half of the time and slow in the other half is no steady base. */
TEST(many_rows_of_a_machine_that_changes_prove_little)
{
	struct arena arena = { 0 };
	struct diff_side base, fresh = fleet_of(1, exp2(4.0 / 32), &arena);
	struct made made;
	struct diff diff;

	begin(&made);
	for (int i = 0; i < 1000; i++)
		put_line(&made, "web-0", "resnet", i + 1, i / 250 % 2 ? 1 : exp2(4.0 / 32));
	base = side_of(&made, &arena);
	assert_true(base.runs->models->scatter[DIFF_MEDIAN] > 0.03);
	diff = compare(&base, &fresh, &arena);
	assert_true(diff.says < DIFF_WORSE);
	arena_done(&arena);
}

TEST(rows_of_one_machine_in_two_files_are_one_run)
{
	struct arena arena = { 0 };
	struct diff_watch watch = { .arena = &arena };
	struct diff_side side = { 0 };

	for (int file = 0; file < 2; file++) {
		struct made made;

		begin(&made);
		put_line(&made, "web-1", "resnet", file + 1, 1);
		put_line(&made, file ? "web-2" : "web-3", "resnet", file + 1, 1);
		assert_int_equal(add(&watch, &made, file ? "b" : "a", NULL), 0);
	}
	assert_int_equal(diff_watch_take(&watch, &side, NULL), 0);
	diff_watch_done(&watch);
	assert_int_equal(side.n_runs, 3);
	assert_string_equal(side.runs[0].path, "a, web-1");
	assert_int_equal(side.runs[0].models->n, 2 * PER_ROW);
	assert_string_equal(side.runs[2].path, "b, web-2");
	arena_done(&arena);
}

TEST(machines_of_one_name_are_told_apart_by_their_ids)
{
	static const char *const boots[] = { "1", "2", "3" }, *const ids[] = { "", ",\"machine\":\"a\"",
									       ",\"machine\":\"b\"" };
	struct arena arena = { 0 };
	struct diff_side side;
	struct made made;

	/* the first two are one that was started again, and had no id in its first rows */
	begin(&made);
	for (int i = 0; i < 3; i++)
		fprintf(
		    made.out,
		    "{\"kind\":\"series\",\"host\":\"web\",\"boot\":\"%s\"%s,\"begin_ns\":%d,\"end_ns\":%d,\"model\":"
		    "\"m\",\"inferences\":100}\n",
		    boots[i], ids[i], i + 1, i + 2);
	side = side_of(&made, &arena);
	assert_int_equal(side.n_runs, 2);
	assert_string_equal(side.runs[0].machine, "web (a)");
	assert_string_equal(side.runs[1].machine, "web (b)");
	assert_int_equal(side.runs[0].models->n, 200);
	assert_int_equal(side.runs[1].models->n, 100);
	arena_done(&arena);
}

TEST(more_machines_than_runs_share_them)
{
	struct arena arena = { 0 };
	struct diff_side side = fleet_of(1000, 1, &arena);
	uint64_t n = 0;

	assert_int_equal(side.n_runs, DIFF_MAX_RUNS);
	assert_string_equal(side.runs->path, "rows.json, web-0 and others");
	assert_null(side.runs->machine);
	for (uint32_t i = 0; i < side.n_runs; i++) {
		assert_int_equal(side.runs[i].n_models, 1);
		assert_float_equal(side.runs[i].models->figure[DIFF_RATE], 10, 0.001); /* of one machine */
		n += side.runs[i].models->n;
	}
	assert_int_equal(n, 1000 * ROWS * PER_ROW);
	arena_done(&arena);
}

/* web-0, the first of both sides, does not run it. */
TEST(a_model_of_other_machines_is_compared_too)
{
	struct arena arena = { 0 };
	struct diff_side side[2];
	struct diff diff;

	for (int i = 0; i < 2; i++) {
		struct made made;

		begin(&made);
		for (int k = 0; k < ROWS; k++) {
			put_line(&made, "web-0", "resnet", k + 1, 1);
			put_line(&made, "web-1", "bert", k + 1, 1);
			put_line(&made, "web-2", i ? "new" : "old", k + 1, 1);
		}
		side[i] = side_of(&made, &arena);
	}
	diff = compare(&side[0], &side[1], &arena);
	assert_int_equal(diff.n_pairs, 2);
	assert_int_equal(diff.pairs[0].n_base, ROWS * PER_ROW);
	assert_int_equal(diff.n_only_base, 1);
	assert_string_equal(diff.only_base[0]->name, "old of shop");
	assert_int_equal(diff.n_only_fresh, 1);
	assert_string_equal(diff.only_fresh[0]->name, "new of shop");
	arena_done(&arena);
}

/* Of new, rows of CUDA come first. */
TEST(a_model_is_compared_on_the_same_provider)
{
	static const char *const providers[] = { "CPU", "CUDA", "CPU" };
	struct arena arena = { 0 };
	struct diff_side side[3];
	struct diff diff;

	/* CPU and CUDA, CUDA and CPU, CUDA */
	for (int i = 0; i < 3; i++) {
		struct made made;

		begin(&made);
		for (int row = 0; row < ROWS; row++)
			for (int k = i ? 1 : 0; k < (i == 2 ? 2 : i + 2); k++)
				put_line_on(&made, "web-0", providers[k], "resnet", row + 1, k % 2 ? 1 : 8);
		side[i] = side_of(&made, &arena);
	}
	diff = compare(&side[0], &side[1], &arena);
	assert_int_equal(diff.n_pairs, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_string_equal(diff.pairs[i].base->provider, diff.pairs[i].fresh->provider);
	assert_int_equal(diff.says, DIFF_SAME);
	assert_non_null(strstr(diff_verdict(&diff, true).s, "resnet of shop on CPU is the same"));
	diff = compare(&side[0], &side[2], &arena);
	assert_non_null(strstr(diff_verdict(&diff, true).s, "resnet of shop is the same"));
	assert_int_equal(diff.n_pairs, 1);
	assert_string_equal(diff.pairs->base->provider, "CUDA");
	assert_int_equal(diff.n_only_base, 1);
	assert_string_equal(diff.only_base[0]->provider, "CPU");
	arena_done(&arena);
}

/* A watcher that starts again knows no provider of sessions that are older than itself. */
TEST(a_provider_that_was_not_known_at_first_is_the_only_known_one)
{
	static const char *const others[] = { "CUDA", "CPU" };
	struct arena arena = { 0 };
	struct diff_side side[2];
	struct made made;

	for (int i = 0; i < 2; i++) {
		begin(&made);
		for (int row = 0; row < ROWS; row++) {
			put_line_on(&made, "web-0", row < ROWS / 2 ? "" : "CPU", "resnet", row + 1, 1);
			put_line_on(&made, "web-0", others[i], "resnet", row + 1, 1);
		}
		side[i] = side_of(&made, &arena);
	}
	/* with CUDA beside it, it may be either */
	assert_int_equal(side[0].runs->n_models, 3);
	assert_int_equal(side[1].runs->n_models, 1);
	assert_int_equal(side[1].runs->models->n, (ROWS + ROWS / 2 + ROWS / 2) * PER_ROW);
	assert_string_equal(side[1].runs->models->provider, "CPU");
	arena_done(&arena);
}

/* Each machine has one; web-0 and web-1 have the CPU, then all have CUDA. */
TEST(machines_of_another_provider_are_another_model_until_all_change)
{
	static const char *const hosts[] = { "web-0", "web-1", "web-2", "web-3" };
	struct arena arena = { 0 };
	struct diff_side side[2];
	struct diff diff;

	for (int i = 0; i < 2; i++) {
		struct made made;

		begin(&made);
		for (int k = 0; k < 4; k++)
			put_line_on(&made, hosts[k], k < 2 && !i ? "CPU" : "CUDA", "resnet", 1, k < 2 && !i ? 8 : 1);
		side[i] = side_of(&made, &arena);
	}
	diff = compare(&side[0], &side[1], &arena);
	assert_int_equal(diff.n_pairs, 1);
	assert_string_equal(diff.pairs->base->provider, "CUDA");
	assert_int_equal(diff.pairs->n_base, 2 * PER_ROW);
	assert_int_equal(diff.n_only_base, 1);
	side[0].n_runs = 2;
	diff = compare(&side[0], &side[1], &arena);
	assert_int_equal(diff.n_pairs, 1);
	assert_string_equal(diff.pairs->base->provider, "CPU");
	assert_string_equal(diff.pairs->fresh->provider, "CUDA");
	assert_int_equal(diff.n_only_base + diff.n_only_fresh, 0);
	arena_done(&arena);
}

TEST(services_are_named_in_one_order)
{
	static const char *const names[] = { "e", "b", "d", "a", "c" };
	struct arena arena = { 0 };

	for (size_t first = 0; first < 5; first++)
		for (size_t n = 2; n <= 5; n += 3) {
			struct diff_side side;
			struct made made;

			begin(&made);
			for (size_t i = 0; i < 2 * n; i++)
				fprintf(made.out,
					"{\"kind\":\"series\",\"host\":\"w\",\"end_ns\":1,\"service\":\"%s\",\"model\":"
					"\"m\"}\n",
					names[(first + i) % n]);
			side = side_of(&made, &arena);
			assert_string_equal(side.runs->fact[DIFF_SERVICE], n == 2 ? "b, e" : "a, b, c and others");
		}
	arena_done(&arena);
}

TEST(memory_is_that_of_a_process_and_losses_are_told)
{
	static const char rows[] =
	    "{\"ts\":\"2026-11-29 "
	    "12:00:00.000\",\"interval_ms\":10000,\"host\":\"w\",\"service\":\"shop\",\"model\":\"\","
	    "\"processes\":4,\"resident_bytes\":\"4000\",\"bucket_first\":0,\"bucket_n\":[]}\n"
	    "{\"ts\":\"2026-11-29 "
	    "12:00:10.000\",\"interval_ms\":10000,\"host\":\"w\",\"service\":\"shop\",\"model\":\"\","
	    "\"processes\":2,\"resident_bytes\":\"6000\",\"bucket_first\":0,\"bucket_n\":[]}\n"
	    "{\"ts\":\"2026-11-29 "
	    "12:00:10.000\",\"interval_ms\":10000,\"host\":\"w\",\"service\":\"inftrace\",\"model\":\"\","
	    "\"processes\":2,\"resident_bytes\":\"9\",\"lost\":\"3\",\"bucket_first\":0,\"bucket_n\":[]}\n";
	struct arena arena = { 0 };
	struct diff_watch watch = { .arena = &arena };
	struct diff_side side = { 0 };

	assert_true(diff_watch_is(rows, sizeof rows - 1));
	assert_int_equal(diff_watch_add(&watch, "rows", rows, sizeof rows - 1, NULL), 0);
	assert_int_equal(diff_watch_take(&watch, &side, NULL), 0);
	diff_watch_done(&watch);
	assert_int_equal(side.runs->n_models, 0);
	assert_int_equal(side.runs->n_resources, 1);
	assert_string_equal(side.runs->resources->scope, "shop");
	assert_float_equal(side.runs->resources->max, 3000, 0.1);
	assert_float_equal(side.runs->resources->mean, 2000, 0.1);
	assert_int_equal(side.runs->n_notes, 1);
	assert_string_equal(side.runs->notes[0], "3 events of w lost: inferences may be missing");
	arena_done(&arena);
}

/* web-0, the first, runs another one; of new, web-2 has none. */
TEST(memory_of_a_service_is_that_of_the_machines_that_run_it)
{
	struct arena arena = { 0 };
	struct diff_side side[2];
	struct diff diff;

	for (int i = 0; i < 2; i++) {
		struct made made;

		begin(&made);
		for (int k = 0; k < 3; k++)
			fprintf(
			    made.out,
			    "{\"ts\":\"1\",\"interval_ms\":1,\"host\":\"web-%d\",\"service\":\"%s\",\"processes\":%d,"
			    "\"resident_bytes\":%d,\"bucket_n\":[]}\n",
			    k, k ? "shop" : "ads", i && k == 2 ? 0 : 1,
			    i	     ? 2000
			    : k == 2 ? 9000
				     : 1000);
		side[i] = side_of(&made, &arena);
	}
	diff = compare(&side[0], &side[1], &arena);
	assert_true(diff.is_paired);
	assert_int_equal(diff.n_resources, 2);
	assert_string_equal(diff.resources[1].scope, "shop");
	assert_int_equal(diff.resources[1].max.n_base, 1);
	assert_float_equal(diff.resources[1].max.base, 1000, 0.1);
	assert_float_equal(diff.resources[1].max.fresh, 2000, 0.1);
	arena_done(&arena);
}

/* ClickHouse has all at one scale: a row of inferences from 1 us to 1 s has more buckets than a histogram. */
TEST(a_row_may_be_wider_than_a_histogram)
{
	struct arena arena = { 0 };
	struct diff_side side;
	struct made made;

	begin(&made);
	fprintf(made.out, "{\"ts\":\"1\",\"interval_ms\":1,\"host\":\"w\",\"model\":\"m\",\"n\":100,\"sum_ns\":\"1\","
			  "\"bucket_first\":-640,\"bucket_n\":[10");
	for (int i = 0; i < 639; i++)
		fputs(i == 318 ? ",80" : ",0", made.out);
	fputs(",10]}\n", made.out);
	side = side_of(&made, &arena);
	/* 1 ms times 1.024 */
	assert_float_equal(side.runs->models->figure[DIFF_MEDIAN], 1e9 * exp2(-10), 0.05e6);
	arena_done(&arena);
}

/* Without them, rows of several machines could not be told from those of one, nor whether they are in order. */
TEST(a_row_has_a_host_and_a_time)
{
	static const char *const rows[][2] = {
		{ "{\"kind\":\"series\",\"end_ns\":1,\"model\":\"m\"}\n", "host" },
		{ "{\"ts\":\"1\",\"host\":\"\",\"model\":\"m\",\"bucket_n\":[1]}\n", "host" },
		{ "{\"host\":\"w\",\"model\":\"m\",\"bucket_n\":[1]}\n", "time" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diff_watch watch = { .arena = &arena };
		struct err err = { 0 };
		char says[80];

		snprintf(says, sizeof says, "cannot compare rows: line 1: it has no %s; ", rows[i][1]);
		assert_int_equal(diff_watch_add(&watch, "rows", rows[i][0], strlen(rows[i][0]), &err), -EBADMSG);
		assert_non_null(strstr(err.msg, says));
		diff_watch_done(&watch);
	}
	arena_done(&arena);
}

/* Of a file that is being written; elsewhere a broken line is an error that names it. */
TEST(only_the_last_line_may_be_cut_off)
{
	static const char *const broken[] = {
		"{\"kind\":\"series\",\"host\":",
		"[1]",
		"{\"kind\":\"series\",\"host\":\"w\",\"end_ns\":1} x",
		"{\"host\":\"w\",\"ts\":\"1\",\"durations\":{\"first\":99999,\"buckets\":[1]}}",
		"{\"host\":\"w\",\"ts\":\"1\",\"durations\":{\"scale\":6,\"buckets\":[1]}}",
		"{\"host\":\"w\",\"ts\":\"1\",\"durations\":{\"buckets\":[-1]}}",
		"{\"host\":\"w\",\"ts\":\"1\",\"bucket_n\":[{}]}"
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		for (int is_last = 0; is_last < 2; is_last++) {
			struct diff_watch watch = { .arena = &arena };
			struct diff_side side = { 0 };
			struct err err = { 0 };
			struct made made;
			int code;

			begin(&made);
			put_line(&made, "web-1", "resnet", 1, 1);
			fprintf(made.out, is_last ? "%s" : "%s\n", broken[i]);
			code = add(&watch, &made, "rows", &err);
			assert_int_equal(code, is_last ? 0 : -EBADMSG);
			if (!is_last)
				assert_non_null(strstr(err.msg, "cannot compare rows: line 2: "));
			assert_int_equal(diff_watch_take(&watch, &side, &err), 0);
			assert_int_equal(side.runs->models->n, PER_ROW);
			diff_watch_done(&watch);
		}
	arena_done(&arena);
}
