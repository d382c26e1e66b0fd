// SPDX-License-Identifier: Apache-2.0
/* Each run by itself, then beside the others. The rules of what is worth trying are in model_insight.c. */
#include "analyze/model_analysis.h"
#include "analyze/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Durations of those that did not fail, of one shape group (or all), by start; from when they should have started. */
static size_t select_latencies(const struct model_result *result, uint32_t shape, bool from_queue, uint64_t *to)
{
	size_t n = 0;

	for (uint32_t i = 0; i < result->n_latencies; i++) {
		const struct model_latency *one = &result->latencies[i];
		uint64_t waited_ns = 0;

		if (one->status || (shape != MODEL_NONE && one->shape != shape) || (from_queue && one->queued_ns < 0))
			continue;
		if (from_queue && one->start_ns > (uint64_t)one->queued_ns)
			waited_ns = one->start_ns - (uint64_t)one->queued_ns;
		to[n++] = one->duration_ns + waited_ns;
	}
	return n;
}

static int find_series(struct model_run *run, struct arena *arena)
{
	const struct model_result *result = run->result;
	uint64_t *value = malloc((result->n_latencies + 1) * sizeof *value);
	uint32_t n_groups = result->n_shapes > 1 ? result->n_shapes : 0;
	int code = value ? 0 : -ENOMEM;

	run->groups = arena_alloc(arena, (n_groups + 1) * sizeof *run->groups);
	if (!run->groups)
		code = -ENOMEM;
	if (!code)
		code = model_series_of(&run->latency, value, select_latencies(result, MODEL_NONE, false, value), arena);
	if (!code)
		code = model_series_of(&run->response, value, select_latencies(result, MODEL_NONE, true, value), arena);
	for (uint32_t i = 0; !code && i < n_groups; i++) {
		run->groups[i].shape = result->shapes[i];
		code =
		    model_series_of(&run->groups[i].latency, value, select_latencies(result, i, false, value), arena);
		run->n_groups += !code;
	}
	free(value);
	return code;
}

struct round {
	uint64_t begin_ns, end_ns, n;
	double sum_ns;
};

/* Rounds come one after the other; those without an inference that did not fail do not count. */
static uint32_t find_rounds(struct model_run *run, struct round *round)
{
	const struct model_result *result = run->result;
	uint32_t n = 0;

	for (uint32_t i = 0; i < result->n_latencies; i++) {
		const struct model_latency *one = &result->latencies[i];
		uint64_t end_ns = stats_sum(one->start_ns, one->duration_ns);

		run->n_failed += one->status != 0;
		if (i && one->round != result->latencies[i - 1].round && round[n].n)
			round[++n] = (struct round){ 0 };
		if (!round[n].n || one->start_ns < round[n].begin_ns)
			round[n].begin_ns = one->start_ns;
		round[n].end_ns = end_ns > round[n].end_ns ? end_ns : round[n].end_ns;
		round[n].n += !one->status;
		round[n].sum_ns += one->status ? 0 : (double)one->duration_ns;
	}
	return n + (round[n].n > 0);
}

static size_t most_rounds(const struct model_result *result)
{
	size_t n = 1;

	for (uint32_t i = 1; i < result->n_latencies; i++)
		n += result->latencies[i].round != result->latencies[i - 1].round;
	return n;
}

static int find_rates(struct model_run *run)
{
	size_t most = most_rounds(run->result);
	struct round *round = calloc(most, sizeof *round);
	double *mean = calloc(most, sizeof *mean), wall_ns = 0;

	if (!round || !mean) {
		free(round);
		free(mean);
		return -ENOMEM;
	}
	run->n_rounds = find_rounds(run, round);
	run->round_low_ns = run->round_high_ns = NAN;
	for (uint32_t i = 0; i < run->n_rounds; i++) {
		mean[i] = round[i].sum_ns / (double)round[i].n;
		wall_ns += (double)(round[i].end_ns - round[i].begin_ns);
		run->round_low_ns = fmin(run->round_low_ns, mean[i]);
		run->round_high_ns = fmax(run->round_high_ns, mean[i]);
	}
	run->rate_per_s = run->latency.n > 1 && wall_ns > 0 ? (double)run->latency.n * 1e9 / wall_ns : NAN;
	if (run->n_rounds > 1)
		run->latency.interval_ns =
		    fmax(run->latency.interval_ns, model_interval_of_rounds(mean, run->n_rounds));
	free(round);
	free(mean);
	return 0;
}

static void find_usage(struct model_run *run)
{
	const struct model_result *result = run->result;

	run->cores = NAN;
	if (result->cpu_user_ns >= 0 && result->cpu_system_ns >= 0 && result->steady_ns > 0)
		run->cores = ((double)result->cpu_user_ns + (double)result->cpu_system_ns) / (double)result->steady_ns;
	run->energy_joules = result->energy_joules / (double)(run->latency.n ? run->latency.n : 1);
	if (!run->latency.n || result->n_unkept > 0)
		run->energy_joules = NAN;
}

static void find_creation_rest(struct model_run *run)
{
	const struct model_result *result = run->result;
	int64_t rest_ns = result->creation_ns;

	for (uint32_t i = 0; i < result->n_phases && rest_ns >= 0; i++)
		rest_ns -= result->phases[i].ns > 0 ? result->phases[i].ns : 0;
	run->creation_rest_ns = result->n_phases && rest_ns >= 0 ? rest_ns : -1;
}

static bool is_on_cpu(const struct model_result *result, const struct model_operator *op)
{
	return model_is_provider("cpu", op->provider) || (result->device && !strcasecmp(result->device, "cpu"));
}

struct work {
	int64_t flops, bytes;
};

static int64_t plus(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || a > INT64_MAX - b ? -1 : a + b;
}

/*
 * Of every operator: the FLOPs of all nodes that it is, and the bytes of the node that names it, since what passes
 * between fused nodes is not moved. The bytes of a subgraph are not known.
 */
static int find_work(const struct model_analysis *analysis, uint32_t r, struct work **work, struct arena *arena)
{
	const struct model_report *report = analysis->report;
	const struct model_comparison *comparison = &analysis->comparison;
	const struct model_result *result = &report->results[r];

	*work = arena_alloc(arena, (result->n_operators + 1) * sizeof **work);
	if (!*work)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->n_operators; i++) {
		uint32_t node = comparison->node_of[r][i];

		(*work)[i].flops = comparison->n_nodes_of[r][i] ? 0 : -1;
		(*work)[i].bytes = node == MODEL_NONE ? -1 : report->model.nodes[node].bytes;
	}
	for (uint32_t i = 0; i < comparison->n_rows; i++) {
		const struct model_row *row = &comparison->rows[i];
		const struct model_join *join = &row->join[r];

		if (row->node != MODEL_NONE && join->how != MODEL_NOT_RUN)
			(*work)[join->at].flops = plus((*work)[join->at].flops, report->model.nodes[row->node].flops);
	}
	return 0;
}

static int find_bounds(struct model_analysis *analysis, uint32_t r)
{
	struct model_run *run = &analysis->runs[r];
	const struct model_result *result = run->result;
	struct machine_peak unknown;
	struct work *work;

	machine_peak_init(&unknown);
	run->bounds = arena_alloc(&analysis->arena, (result->n_operators + 1) * sizeof *run->bounds);
	if (!run->bounds || find_work(analysis, r, &work, &analysis->arena))
		return -ENOMEM;
	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_operator *op = &result->operators[i];
		int64_t flops = op->flops >= 0 ? op->flops : work[i].flops;
		int64_t bytes = op->bytes >= 0 ? op->bytes : work[i].bytes;

		run->bounds[i] = model_bound_of(flops, bytes, op->mean_ns,
						is_on_cpu(result, op) ? &analysis->report->machine.peak : &unknown,
						result->n_threads);
		model_bound_add(&run->bound_sums, &run->bounds[i], op->share_ns);
	}
	return 0;
}

static void find_speed(struct model_analysis *analysis, uint32_t r)
{
	struct model_run *run = &analysis->runs[r];
	const struct model_series *base = &analysis->runs[0].latency, *own = &run->latency;
	double explained = run->bound_sums.total_ns;

	run->speed = model_ratio(base->mean_ns, base->interval_ns, own->mean_ns, own->interval_ns);
	run->typical_speed = base->percentile[0].ns / own->percentile[0].ns;
	if (analysis->runs[0].n_rounds < 2 || run->n_rounds < 2)
		run->speed = model_ratio_of_single(run->speed, run->typical_speed);
	run->operators_share = NAN;
	if (run->result->n_operators && run->result->operators_wall_ns > 0)
		run->operators_share = explained / run->result->operators_wall_ns;
}

struct model_analysis *model_analysis_new(const struct model_report *report, struct err *err)
{
	struct model_analysis *analysis = calloc(1, sizeof *analysis);
	int code = analysis ? 0 : -ENOMEM;

	if (!code) {
		analysis->report = report;
		analysis->runs = arena_alloc(&analysis->arena, (report->n_results + 1) * sizeof *analysis->runs);
		code = analysis->runs ? model_compare(&analysis->comparison, report, &analysis->arena) : -ENOMEM;
	}
	for (uint32_t r = 0; !code && r < report->n_results; r++) {
		struct model_run *run = &analysis->runs[r];

		run->result = &report->results[r];
		code = find_series(run, &analysis->arena);
		code = code ? code : find_rates(run);
		code = code ? code : find_bounds(analysis, r);
		if (code)
			break;
		find_usage(run);
		find_creation_rest(run);
		find_speed(analysis, r);
	}
	code = code ? code : model_insights_find(analysis);
	if (!code)
		return analysis;
	err_set(err, ENOMEM, "cannot analyse the runs of the model: out of memory");
	model_analysis_free(analysis);
	return NULL;
}

void model_analysis_free(struct model_analysis *analysis)
{
	if (!analysis)
		return;
	arena_done(&analysis->arena);
	free(analysis);
}
