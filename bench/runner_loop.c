// SPDX-License-Identifier: Apache-2.0
/*
 * runner_loop CPU LIBRARY MODEL N ROUNDS: the loop of inftrace-run beside the barest loop that calls the same session,
 * in turns of N inferences. Prints a line "BARE OURS FLOOR" for each round: nanoseconds of an inference in either loop,
 * and of two clocks and two stores.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/run/run.h"
#include "player.h"

enum { OUTPUTS = 64, CHUNK = 8 };

static void must(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "runner_loop: %s\n", err->msg);
	exit(3);
}

static struct run_result *make_result(void)
{
	struct run_result *result;
	struct err err = { 0 };
	char path[64];
	int fd = run_result_make(RUN_LATENCIES, &err);

	must(fd < 0, &err);
	run_result_name(fd, path, sizeof path);
	result = run_result_map(path, &err);
	must(!result, &err);
	strcpy(result->asked[0].name, "CPUExecutionProvider");
	result->n_asked = 1;
	return result;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* The time from the start of one inference to the next: the median over chunks, because the machine is never quiet. */
static double median_of_chunks(uint64_t *chunk_ns, int n)
{
	qsort(chunk_ns, (size_t)n, sizeof *chunk_ns, by_value);
	return (double)chunk_ns[n / 2] / CHUNK;
}

/* One clock per chunk, included in the time of the bare loop. */
static double play_bare(struct run *run, int n)
{
	static struct err failed = { .msg = "Run failed" };
	struct ort_value *output[OUTPUTS] = { 0 };
	uint64_t *chunk_ns = malloc((size_t)n / CHUNK * sizeof *chunk_ns), last_ns = clock_ns(), now_ns;
	double median;

	for (int i = 0; i < n / CHUNK; i++) {
		for (int k = 0; k < CHUNK; k++) {
			must(run->api.run(run->session, NULL, run->input_name,
					  (const struct ort_value *const *)run->shapes[0].set[0].value, run->n_inputs,
					  run->output_name, run->n_outputs, output) != NULL,
			     &failed);
			for (size_t o = 0; o < run->n_outputs; o++) {
				run->api.release_value(output[o]);
				output[o] = NULL;
			}
		}
		now_ns = clock_ns();
		chunk_ns[i] = now_ns - last_ns;
		last_ns = now_ns;
	}
	median = median_of_chunks(chunk_ns, n / CHUNK);
	free(chunk_ns);
	return median;
}

static double play_ours(struct run *run)
{
	struct run_result *result = run->result;
	const struct run_latency *latency = run_result_latencies(result);
	struct err err = { 0 };
	uint64_t *chunk_ns;
	double median;
	int n;

	result->n_latencies = result->n_tensors = result->n_steady = 0;
	must(run_load(run, &err), &err);
	latency += result->n_latencies - result->n_steady;
	n = (int)(result->n_steady - 1) / CHUNK;
	chunk_ns = malloc((size_t)n * sizeof *chunk_ns);
	for (int i = 0; i < n; i++)
		chunk_ns[i] = latency[(i + 1) * CHUNK].start_ns - latency[i * CHUNK].start_ns;
	median = median_of_chunks(chunk_ns, n);
	free(chunk_ns);
	return median;
}

static double floor_ns(struct run_latency *latency, int n)
{
	uint64_t start_ns = clock_ns();

	for (int i = 0; i < n; i++) {
		latency[i].start_ns = clock_ns();
		latency[i].duration_ns = clock_ns() - latency[i].start_ns;
	}
	return (double)(clock_ns() - start_ns) / n;
}

int main(int argc, char **argv)
{
	static struct run_opts opts;
	static struct run run = { .opts = &opts };
	char *args[] = {
		argv[argc > 3 ? 3 : 0], "--runtime", argv[argc > 2 ? 2 : 0], "-x", "1", "--warm-up-max", "0", "-r",
		argv[argc > 4 ? 4 : 0]
	};
	struct err err = { 0 };
	int n;

	if (argc != 6) {
		fprintf(stderr, "usage: runner_loop CPU LIBRARY MODEL N ROUNDS\n");
		return 2;
	}
	must(run_opts_parse(&opts, sizeof args / sizeof *args, args, &err), &err);
	run.result = make_result();
	n = opts.iterations;
	must(run_ort_load(&run, &err), &err);
	must(run_ort_environment(&run, &err), &err);
	must(run_ort_session(&run, &err), &err);
	must(run_inputs_make(&run, &err), &err);
	must(run.n_outputs > OUTPUTS, &(struct err){ .msg = "too many outputs" });
	player_pin(atoi(argv[1]));
	for (int i = 0; i < atoi(argv[5]); i++) {
		double bare, ours;

		if (i % 2) {
			bare = play_bare(&run, n);
			ours = play_ours(&run);
		} else {
			ours = play_ours(&run);
			bare = play_bare(&run, n);
		}
		printf("%.1f %.1f %.1f\n", bare, ours, floor_ns(run_result_latencies(run.result), n));
	}
	return 0;
}
