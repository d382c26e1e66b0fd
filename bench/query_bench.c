// SPDX-License-Identifier: Apache-2.0
/*
 * The speed of `inftrace query` on one core: a made recording of four threads and 200 operators an inference is read
 * into memory, then queries run over it. Of each the best of three; the first run, which makes the index that a query
 * wants, is told apart. Floor: a loop over the same columns.
 *
 *	query_bench [--operators N] [--check] FILE	prints tab-separated: name, seconds, seconds of the first run,
 * rows of the answer. --check: exit 1 if a scan of 10 million operators takes more than 2 s
 */
#include "analyze/query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/summary/recording.h"
#include "made_recording.h"

enum { N_NODES = 200, N_TIMES = 3 };
static const double budget_s = 2, budget_operators = 10e6;

static const struct {
	const char *name, *sql;
	bool is_scan; /* with aggregation, of all operators */
} queries[] = {
	{ "sum", "SELECT count(*), sum(duration_ns) FROM operators", true },
	{ "by type", "SELECT op_type, count(*), sum(duration_ns), max(duration_ns) FROM operators GROUP BY op_type",
	  true },
	{ "by name", "SELECT name, count(*), sum(duration_ns) FROM operators GROUP BY name ORDER BY 3 DESC LIMIT 10",
	  true },
	{ "percentile", "SELECT op_type, percentile(duration_ns, 99) FROM operators GROUP BY op_type", false },
	{ "longest", "SELECT name, duration_ns FROM operators ORDER BY duration_ns DESC LIMIT 10", false },
	{ "one second",
	  "SELECT count(*), sum(duration_ns) FROM operators WHERE begin_ns >= (SELECT begin_ns FROM recording) + "
	  "1000000000 "
	  "AND begin_ns < (SELECT begin_ns FROM recording) + 2000000000",
	  false },
	{ "one name",
	  "SELECT count(*), avg(duration_ns) FROM operators WHERE name = (SELECT name FROM operator_stats LIMIT 1)",
	  false },
	{ "1000 inferences",
	  "SELECT i.id, count(*), sum(o.duration_ns) FROM (SELECT id FROM inferences LIMIT 1000) i "
	  "JOIN operators o ON o.inference_id = i.id GROUP BY i.id",
	  false },
	{ "unattributed", "SELECT sum(unattributed_ns), sum(duration_ns) FROM unattributed", false },
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(int code, const struct err *err)
{
	if (!code)
		return;
	fprintf(stderr, "query_bench: %s\n", err->msg);
	exit(3);
}

static int begin(void *ctx, const struct query_heading *columns, size_t n, struct err *err)
{
	*(uint64_t *)ctx = 0;
	return 0;
}

static int row(void *ctx, const struct query_value *values, size_t n, struct err *err)
{
	++*(uint64_t *)ctx;
	return 0;
}

/* The floor of a scan: nothing but the columns. */
static double walk(const struct store *store, uint64_t *n)
{
	double start = now();
	uint64_t sum_ns = 0;

	*n = 0;
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		for (size_t i = 0; track && i < track->slices.n; i++)
			if (track->slices.kind[i] == KIND_OPERATOR) {
				sum_ns += track->slices.end_ns[i] - track->slices.begin_ns[i];
				++*n;
			}
	}
	if (!sum_ns)
		fprintf(stderr, "query_bench: no operators\n");
	return now() - start;
}

static bool bench(struct query *query, uint64_t n_operators)
{
	bool is_good = true;

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		double best = 1e9, first = 0;
		uint64_t n_rows = 0;

		for (int k = 0; k < N_TIMES; k++) {
			const struct query_taker taker = { &n_rows, begin, row };
			struct query_place place;
			struct err err = { 0 };
			double start = now(), took;

			check(query_run(query, queries[i].sql, &taker, &place, &err), &err);
			took = now() - start;
			first = k ? first : took;
			best = took < best ? took : best;
		}
		printf("%s\t%.4f\t%.4f\t%llu\n", queries[i].name, best, first, (unsigned long long)n_rows);
		fflush(stdout);
		is_good &= !queries[i].is_scan || best <= budget_s * (double)n_operators / budget_operators;
	}
	return is_good;
}

int main(int argc, char **argv)
{
	const struct summary_opts looks = { .slowest = 20 };
	struct made_recording made = { MADE_OPERATORS, 0, N_NODES, true };
	uint64_t n_operators = 10000000, n;
	const char *path = NULL;
	bool is_check = false, is_good;
	struct recording recording;
	struct query *query;
	struct err err = { 0 };
	double start, read_s;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--check"))
			is_check = true;
		else if (!strcmp(argv[i], "--operators") && i + 1 < argc)
			n_operators = strtoull(argv[++i], NULL, 10);
		else
			path = argv[i];
	}
	if (!path) {
		fprintf(stderr, "usage: query_bench [--operators N] [--check] FILE\n");
		return 2;
	}
	made.n_inferences = n_operators / N_NODES;
	check(made_recording_write(&made, path, &err), &err);
	start = now();
	check(recording_open_with(&recording, path, &looks, &err), &err);
	read_s = now() - start;
	start = now();
	query = query_new(recording.summary, NULL, &err);
	check(query ? 0 : -1, &err);
	printf("reading\t%.4f\t%.4f\t0\n", read_s, read_s);
	printf("preparing\t%.4f\t%.4f\t0\n", now() - start, now() - start);
	start = walk(recording.store, &n);
	printf("floor\t%.4f\t%.4f\t%llu\n", start, start, (unsigned long long)n);
	is_good = bench(query, n_operators);
	query_free(query);
	recording_close(&recording);
	return is_check && !is_good;
}
