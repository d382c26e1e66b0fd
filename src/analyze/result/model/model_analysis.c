// SPDX-License-Identifier: Apache-2.0
/* Each run by itself, then beside the others. What is worth trying, analyze/insight finds. */
#include "analyze/result/model/model_analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/provider.h"

enum series_when {
	FROM_START,
	FROM_QUEUE, /* those alone that had to start at a time */
	FROM_DUE    /* from when they had to start, or did */
};

struct series_of {
	const struct model_latency *latency;
	uint32_t n, shape; /* MODEL_NONE: all */
	enum series_when when;
};

/* Those that did not fail. A part is a process. */
static int add_latencies(struct stats *to, const struct series_of *of)
{
	uint32_t round = 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < of->n; i++) {
		const struct model_latency *one = &of->latency[i];
		bool from_queue = of->when != FROM_START && one->queued_ns >= 0;
		uint64_t waited_ns = 0;

		if (one->status || (of->shape != MODEL_NONE && one->shape != of->shape) ||
		    (of->when == FROM_QUEUE && !from_queue))
			continue;
		if (from_queue && one->start_ns > (uint64_t)one->queued_ns)
			waited_ns = one->start_ns - (uint64_t)one->queued_ns;
		if (one->round != round)
			code = stats_begin_part(to);
		round = one->round;
		code = code ? code : stats_add(to, one->duration_ns + waited_ns);
	}
	return code;
}

static int find_series_of(struct stats_series *series, const struct series_of *of)
{
	struct stats stats = { .limit = UINT32_MAX };
	int code = add_latencies(&stats, of);

	code = code ? code : stats_series_of(series, &stats);
	stats_done(&stats);
	return code;
}

static int find_groups(struct model_run *run, struct series_of all, struct series_of first)
{
	uint32_t n_groups = run->result->n_shapes > 1 || run->result->n_tokens ? run->result->n_shapes : 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < n_groups; i++) {
		all.shape = first.shape = i;
		run->groups[i].shape = run->result->shapes[i];
		code = find_series_of(&run->groups[i].latency, &all);
		code = code ? code : find_series_of(&run->groups[i].first_token, &first);
		run->n_groups += !code;
	}
	return code;
}

static int find_series(struct model_run *run, struct arena *arena)
{
	const struct model_result *result = run->result;
	struct series_of all = { result->latencies, result->n_latencies, MODEL_NONE, FROM_START }, queued = all,
			 first = { result->first_tokens, result->n_first_tokens, MODEL_NONE, FROM_DUE };
	int code;

	queued.when = FROM_QUEUE;
	if (result->runs && !result->n_latencies) {
		run->latency = result->runs->series;
		run->response.n = 0;
		return 0;
	}
	run->groups = arena_alloc(arena, (result->n_shapes + 1) * sizeof *run->groups);
	if (!run->groups)
		return -ENOMEM;
	code = find_series_of(&run->latency, &all);
	code = code ? code : find_series_of(&run->response, &queued);
	code = code ? code : find_series_of(&run->first_token, &first);
	return code ? code : find_groups(run, all, first);
}

static size_t most_rounds(const struct model_result *result)
{
	size_t n = 1;

	for (uint32_t i = 1; i < result->n_latencies; i++)
		n += result->latencies[i].round != result->latencies[i - 1].round;
	return n;
}

/* Processes that ran the same, those with an inference that did not fail. */
struct rounds {
	double *sum_ns;
	size_t *n_of, n;
};

static void widen(struct model_run *run, const struct rounds *rounds)
{
	run->n_rounds = (uint32_t)rounds->n;
	run->round_low_ns = run->round_high_ns = NAN;
	for (size_t i = 0; i < rounds->n; i++) {
		double mean_ns = rounds->sum_ns[i] / (double)rounds->n_of[i];

		run->round_low_ns = fmin(run->round_low_ns, mean_ns);
		run->round_high_ns = fmax(run->round_high_ns, mean_ns);
	}
	if (rounds->n < 2)
		return;
	run->latency.is_short = false; /* by processes, it is what it says */
	run->latency.interval_ns =
	    fmax(run->latency.interval_ns, stats_interval_of_rounds(rounds->sum_ns, rounds->n_of, rounds->n));
}

/* One process, of which the i-th to the end-th latency are. */
static double add_round(struct model_run *run, struct rounds *to, uint32_t i, uint32_t end)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	double sum_ns = 0;
	size_t n = 0;

	for (; i < end; i++) {
		const struct model_latency *one = &run->result->latencies[i];
		uint64_t own_end_ns = stats_sum(one->start_ns, one->duration_ns);

		begin_ns = one->start_ns < begin_ns ? one->start_ns : begin_ns;
		end_ns = own_end_ns > end_ns ? own_end_ns : end_ns;
		n += !one->status;
		sum_ns += one->status ? 0 : (double)one->duration_ns;
		run->n_failed += one->status != 0;
	}
	if (!n)
		return 0;
	to->sum_ns[to->n] = sum_ns;
	to->n_of[to->n++] = n;
	return (double)(end_ns - begin_ns);
}

static int find_rates(struct model_run *run)
{
	const struct model_result *result = run->result;
	size_t most = most_rounds(result);
	struct rounds rounds = { calloc(most, sizeof *rounds.sum_ns), calloc(most, sizeof *rounds.n_of), 0 };
	double wall_ns = 0;
	int code = rounds.sum_ns && rounds.n_of ? 0 : -ENOMEM;

	for (uint32_t i = 0, end; !code && i < result->n_latencies; i = end) {
		for (end = i + 1;
		     end < result->n_latencies && result->latencies[end].round == result->latencies[i].round;)
			end++;
		wall_ns += add_round(run, &rounds, i, end);
	}
	if (!code)
		widen(run, &rounds);
	if (result->runs && !result->n_latencies) {
		run->n_failed = result->runs->n_failed;
		run->rate_per_s = result->runs->rate;
		run->n_rounds = run->latency.n ? 1 : 0;
		run->round_low_ns = run->round_high_ns = run->latency.mean_ns;
	} else
		run->rate_per_s = run->latency.n > 1 && wall_ns > 0 ? (double)run->latency.n * 1e9 / wall_ns : NAN;
	free(rounds.sum_ns);
	free(rounds.n_of);
	return code;
}

/* How many steps ran at a time, on average: threads may have had no request. */
static double steps_at_a_time(const struct model_run *run)
{
	double steps = run->latency.total_ns / (double)run->result->steady_ns;

	if (run->result->concurrency <= 1 || !(steps > 1))
		return 1;
	return fmin(steps, (double)run->result->concurrency);
}

/* All tokens, the first ones too, while any request was served. */
static void find_token_rates(struct model_run *run, const struct model_facts *model, const struct machine_peak *peak)
{
	const struct model_result *result = run->result;
	double steps_per_s = 1e9 / run->latency.mean_ns;

	run->weights_per_s = run->weights_share = NAN;
	if (!result->n_tokens || !run->latency.n)
		return;
	run->rate_per_s = result->steady_ns > 0
			      ? (double)(run->latency.n + run->first_token.n) * 1e9 / (double)result->steady_ns
			      : NAN;
	if (model->read_bytes <= 0)
		return;
	run->weights_per_s = (double)model->read_bytes * steps_per_s * steps_at_a_time(run);
	if (peak->n_cpus > 0 && result->device && !strcasecmp(result->device, "cpu"))
		run->weights_share = run->weights_per_s / peak->bytes.high;
}

double model_energy_each(const struct model_run *run, double joules)
{
	uint64_t n = (uint64_t)run->latency.n + run->first_token.n;

	return n ? joules / (double)n : NAN;
}

static void find_usage(struct model_run *run)
{
	const struct model_result *result = run->result;

	run->cores = NAN;
	if (result->cpu_user_ns >= 0 && result->cpu_system_ns >= 0 && result->steady_ns > 0)
		run->cores = ((double)result->cpu_user_ns + (double)result->cpu_system_ns) / (double)result->steady_ns;
	else if (result->recorded)
		run->cores = result->recorded->cores;
	run->waited = NAN;
	if (result->runs && result->runs->waits_wall_ns)
		run->waited = summary_waited(result->runs);
	else if (result->run_queue_ns >= 0 && run->cores > 0)
		run->waited = (double)result->run_queue_ns /
			      ((double)result->run_queue_ns + run->cores * (double)result->steady_ns);
	run->others_cores = result->recorded	    ? result->recorded->others_cores
			    : result->steady_ns > 0 ? result->others_cpu_ns / (double)result->steady_ns
						    : NAN;
	run->energy_joules = model_energy_each(run, result->energy_joules);
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
	return provider_is("cpu", op->provider) || (result->device && !strcasecmp(result->device, "cpu"));
}

/* Their peak is not that of float32, which is what was measured: processors do several times as many. */
static bool counts_integers(const struct model_operator *op)
{
	static const char *const beginnings[] = { "QLinear", "QGemm", "QAttention", "DynamicQuantize", "MatMulNBits" };
	static const char *const ends[] = { "Integer", "IntegerToFloat" };
	size_t len = op->op_type ? strlen(op->op_type) : 0;

	for (size_t i = 0; len && i < sizeof beginnings / sizeof *beginnings; i++)
		if (!strncmp(op->op_type, beginnings[i], strlen(beginnings[i])))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (len >= strlen(ends[i]) && !strcmp(op->op_type + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
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
	const struct model_facts *model = model_facts_of(report, r);

	*work = arena_alloc(arena, (result->n_operators + 1) * sizeof **work);
	if (!*work)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->n_operators; i++) {
		uint32_t node = comparison->node_of[r][i];

		(*work)[i].flops = comparison->n_nodes_of[r][i] ? 0 : -1;
		(*work)[i].bytes = node == MODEL_NONE ? -1 : model->nodes[node].bytes;
	}
	for (uint32_t i = 0; i < model->n_listed; i++) {
		const struct model_join *join = &comparison->join[r][i];

		if (join->how != MODEL_NOT_RUN)
			(*work)[join->at].flops = plus((*work)[join->at].flops, model->nodes[i].flops);
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
	run->bounds = arena_alloc(analysis->arena, (result->n_operators + 1) * sizeof *run->bounds);
	if (!run->bounds || find_work(analysis, r, &work, analysis->arena))
		return -ENOMEM;
	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_operator *op = &result->operators[i];
		int64_t flops = op->flops >= 0 ? op->flops : work[i].flops;
		int64_t bytes = op->bytes >= 0 ? op->bytes : work[i].bytes;

		run->bounds[i] = model_bound_of(flops, bytes, provider_is_deferred(op->provider) ? NAN : op->mean_ns,
						/* of a generation the mean is that of prompts and tokens together */
						is_on_cpu(result, op) && !counts_integers(op) && !result->n_tokens
						    ? &analysis->report->machine.peak
						    : &unknown,
						result->n_threads);
		model_bound_add(&run->bound_sums, &run->bounds[i], op->share_ns);
	}
	return 0;
}

static bool is_apart(const struct model_run *a, const struct model_run *b)
{
	return a->n_rounds >= STATS_RANKED_ROUNDS && b->n_rounds >= STATS_RANKED_ROUNDS &&
	       (a->round_low_ns / a->items > b->round_high_ns / b->items ||
		b->round_low_ns / b->items > a->round_high_ns / a->items);
}

static double typical_speed_of(const struct model_run *a, const struct model_run *b)
{
	return a->latency.percentile[0].ns / a->items / (b->latency.percentile[0].ns / b->items);
}

struct stats_ratio model_speed_of(const struct model_run *a, const struct model_run *b)
{
	struct stats_ratio speed = stats_ratio(a->latency.mean_ns / a->items, a->latency.interval_ns / a->items,
					       b->latency.mean_ns / b->items, b->latency.interval_ns / b->items);

	if (a->n_rounds < 2 || b->n_rounds < 2)
		speed = stats_ratio_of_single(speed, typical_speed_of(a, b));
	speed.is_different |= is_apart(a, b);
	return speed;
}

/* Different batch sizes: an inference of the one is not one of the other. */
static void find_items(struct model_analysis *analysis)
{
	const struct model_report *report = analysis->report;

	for (uint32_t r = 1; r < report->n_results; r++)
		analysis->is_per_item |= report->results[r].n_items != report->results[0].n_items;
	for (uint32_t r = 0; r < report->n_results; r++) {
		int64_t n_items = report->results[r].n_items;

		analysis->runs[r].items = analysis->is_per_item && n_items > 0 ? (double)n_items : 1;
	}
}

static void find_speed(struct model_analysis *analysis, uint32_t r)
{
	struct model_run *run = &analysis->runs[r];

	run->speed = model_speed_of(&analysis->runs[0], run);
	run->typical_speed = typical_speed_of(&analysis->runs[0], run);
	run->is_apart = is_apart(&analysis->runs[0], run);
	run->items_per_s = run->result->n_items > 0 ? run->rate_per_s * (double)run->result->n_items : NAN;
}

uint32_t model_rival(const struct model_analysis *analysis, uint32_t a)
{
	uint32_t rival = MODEL_NONE;
	double least_ns = NAN;

	for (uint32_t r = 0; r < analysis->report->n_results; r++) {
		const struct model_run *run = &analysis->runs[r];
		struct stats_ratio speed = model_speed_of(run, &analysis->runs[a]);
		double own_ns = run->latency.mean_ns / run->items;

		if (r == a || run->result->error || !run->latency.n || own_ns >= least_ns ||
		    (speed.is_known && speed.is_different && speed.value > 1))
			continue;
		rival = r;
		least_ns = own_ns;
	}
	return rival;
}

int model_analysis_init(struct model_analysis *analysis, const struct model_report *report, struct arena *arena)
{
	int code;

	*analysis = (struct model_analysis){ .report = report, .arena = arena };
	analysis->runs = arena_alloc(arena, (report->n_results + 1) * sizeof *analysis->runs);
	code = analysis->runs ? model_compare(&analysis->comparison, report, arena) : -ENOMEM;
	if (!code)
		find_items(analysis);
	for (uint32_t r = 0; !code && r < report->n_results; r++) {
		struct model_run *run = &analysis->runs[r];

		run->result = &report->results[r];
		code = find_series(run, arena);
		code = code ? code : find_rates(run);
		code = code ? code : find_bounds(analysis, r);
		if (code)
			break;
		find_token_rates(run, model_facts_of(report, r), &report->machine.peak);
		find_usage(run);
		find_creation_rest(run);
		find_speed(analysis, r);
	}
	return code;
}

struct model_analysis *model_analysis_new(const struct model_report *report, struct err *err)
{
	struct model_analysis *analysis = calloc(1, sizeof *analysis);
	struct arena arena = { 0 };

	if (analysis && !model_analysis_init(analysis, report, &arena)) {
		analysis->own = arena;
		analysis->arena = &analysis->own;
		return analysis;
	}
	err_no_memory(err, "cannot analyse the runs of the model");
	arena_done(&arena);
	free(analysis);
	return NULL;
}

void model_analysis_free(struct model_analysis *analysis)
{
	if (!analysis)
		return;
	arena_done(&analysis->own);
	free(analysis);
}
