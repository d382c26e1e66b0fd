// SPDX-License-Identifier: Apache-2.0
/* Rules, each with a threshold from which a figure is worth a row. None says anything that this report's numbers do
 * not. */
#include "analyze/result/model_insight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/model_analysis.h"

enum { MOST_PER_RUN = N_MODEL_INSIGHTS + 2 };

static const double tiny_ns = 5000;

struct finder {
	struct model_analysis *analysis;
	const struct model_run *run;
	uint32_t result, n;
	struct model_insight *to;
};

static struct model_insight *add(struct finder *finder, enum model_insight_kind kind, double value)
{
	struct model_insight *to = &finder->to[finder->n++];

	*to = (struct model_insight){ .kind = kind, .result = finder->result, .a = -1, .b = -1, .value = value };
	to->low = to->high = to->gain_ns = NAN;
	return to;
}

static struct model_insight *add_counts(struct finder *finder, enum model_insight_kind kind, double value, int64_t a,
					int64_t b)
{
	struct model_insight *to = add(finder, kind, value);

	to->a = a;
	to->b = b;
	return to;
}

static void find_outputs(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const char *problem = NULL;
	int64_t n_different = 0, n_unknown = 0;
	double most = NAN;

	for (uint32_t i = 0; i < result->n_outputs; i++) {
		const struct model_output *output = &result->outputs[i];

		if (output->problem) {
			problem = problem ? problem : output->problem;
			n_unknown++;
		} else if (!output->is_equal) {
			most = fmax(most, output->max_abs);
			n_different++;
		}
	}
	if (n_different)
		add_counts(finder, MODEL_OUTPUTS_DIFFER, most, n_different, result->n_outputs);
	if (n_unknown)
		add_counts(finder, MODEL_OUTPUTS_UNKNOWN, NAN, n_unknown, result->n_outputs)->text = problem;
}

static void find_failures(struct finder *finder)
{
	const struct model_result *result = finder->run->result;

	if (result->error)
		add(finder, MODEL_RUN_FAILED, NAN)->text = result->error;
	if (result->n_lost > 0)
		add_counts(finder, MODEL_LOST_EVENTS, NAN, result->n_lost, -1);
}

/* Not for the CPU, on which everything may run. */
static void find_placement(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	const struct model_reach *reach = &finder->analysis->comparison.reach[finder->result];
	uint32_t own = reach->n_own_nodes, all = own + reach->n_other_nodes;
	double per_run = result->n_operator_runs > 0 ? (double)result->n_operator_runs : NAN;

	/* without the model's own nodes, those of the graph as it ran */
	for (uint32_t i = 0; !all && i < result->n_operators; i++)
		own += model_is_provider(result->provider, result->operators[i].provider);
	all = all ? all : result->n_operators;
	if (!result->n_operators || !result->provider || model_is_provider("cpu", result->provider))
		return;
	if (!reach->own_provider)
		add_counts(finder, MODEL_NOTHING_TAKEN, NAN, 0, all)->text = result->operators[0].provider;
	else if (reach->other_ns > 0 && own < all)
		add_counts(finder, MODEL_PARTLY_TAKEN, reach->other_ns / result->operators_wall_ns, own, all)->gain_ns =
		    reach->other_ns / per_run;
}

static void find_latency(struct finder *finder)
{
	const struct model_run *run = finder->run;
	const struct model_series *series = &run->latency;
	double p50_ns = series->percentile[0].ns, first_ns = (double)run->result->first_ns;
	double width = series->interval_ns / series->mean_ns;

	if (series->n_outliers && series->outlier_share >= 0.1)
		add_counts(finder, MODEL_UNEVEN, series->outlier_share, (int64_t)series->n_outliers, (int64_t)series->n)
		    ->gain_ns = series->mean_ns - p50_ns;
	if (series->drift == MODEL_SLOWING || series->drift == MODEL_QUICKENING)
		add(finder, MODEL_DRIFTS, series->drift_ratio);
	if (series->n && isfinite(width) && (series->is_short || width > 0.05))
		add_counts(finder, MODEL_FEW_VALUES, width, (int64_t)series->n_effective, (int64_t)series->n);
	if (first_ns > 5 * p50_ns && first_ns - p50_ns > 1e6)
		add(finder, MODEL_SLOW_FIRST, first_ns / p50_ns)->low = first_ns;
}

/* The largest transformer if it makes up most of its phase's share; else the largest phase. */
static void find_creation(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double whole_ns = (double)result->creation_ns, most_ns = -1;
	const char *text = NULL;
	struct model_insight *to;

	for (uint32_t i = 0; i < result->n_phases; i++) {
		if ((double)result->phases[i].ns > most_ns) {
			most_ns = (double)result->phases[i].ns;
			text = result->phases[i].name;
		}
	}
	for (uint32_t i = 0; i < result->n_transformers; i++) {
		double ns = (double)result->transformers[i].ns;

		if (ns > 0.3 * whole_ns && ns > 0.67 * most_ns) {
			most_ns = ns;
			text = result->transformers[i].name;
		}
	}
	if (whole_ns < 10e6 || most_ns < 0.3 * whole_ns)
		return;
	to = add(finder, MODEL_SLOW_PHASE, most_ns / whole_ns);
	to->text = text;
	to->low = most_ns;
}

static void find_bound(struct finder *finder)
{
	static const struct {
		enum model_bound_by by;
		enum model_insight_kind kind;
		double least;
	} rules[] = { { MODEL_BOUND_MEMORY, MODEL_MEMORY_BOUND, 0.5 },
		      { MODEL_BOUND_COMPUTE, MODEL_COMPUTE_BOUND, 0.5 },
		      { MODEL_BOUND_OVERHEAD, MODEL_OVERHEAD_BOUND, 0.2 } };
	const struct model_bound_sums *sums = &finder->run->bound_sums;

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		double ns = sums->ns[rules[i].by], share = sums->total_ns > 0 ? ns / sums->total_ns : 0;
		double reached = ns > 0 ? sums->possible_ns[rules[i].by] / ns : 0;

		/* what is far from its bound is not held up by it */
		if (share >= rules[i].least && (rules[i].by == MODEL_BOUND_OVERHEAD || reached >= 0.5))
			add_counts(finder, rules[i].kind, share, sums->n[rules[i].by], finder->run->result->n_operators)
			    ->low = reached;
	}
}

/* What such an operator costs is starting what is inside of it, which no roof bounds. */
static bool has_graphs_inside(const char *type)
{
	static const char *const types[] = { "If", "Loop", "Scan", "SequenceMap" };

	for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

static void find_slow_operator(struct finder *finder)
{
	const struct model_run *run = finder->run;
	const struct model_result *result = run->result;
	uint32_t best = MODEL_NONE;
	double most_ns = 0;
	struct model_insight *to;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_bound *bound = &run->bounds[i];
		double gain_ns = result->operators[i].share_ns * (1 - bound->share);

		if (bound->by == MODEL_BOUND_UNKNOWN || !(bound->share < 0.5) || !(gain_ns > most_ns) ||
		    result->operators[i].share_ns < 0.05 * run->bound_sums.total_ns ||
		    has_graphs_inside(result->operators[i].op_type))
			continue;
		most_ns = gain_ns;
		best = i;
	}
	if (best == MODEL_NONE || result->n_operator_runs < 1)
		return;
	to = add(finder, MODEL_SLOW_OPERATOR, run->bounds[best].share);
	to->text = model_operator_name(finder->analysis, finder->result, best);
	to->gain_ns = most_ns / (double)result->n_operator_runs;
}

static bool only_moves(const char *type)
{
	static const char *const types[] = { "ReorderInput",   "ReorderOutput",	   "Transpose",	     "Cast",
					     "QuantizeLinear", "DequantizeLinear", "MemcpyFromHost", "MemcpyToHost" };

	for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

static void find_small_ones(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double outside = result->unattributed_ns / result->operators_wall_ns, moved_ns = 0;
	double per_run = result->n_operator_runs > 0 ? (double)result->n_operator_runs : NAN;
	int64_t n_tiny = 0, n_moves = 0, n = result->n_operators;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		bool moves = only_moves(result->operators[i].op_type);

		n_tiny += result->operators[i].mean_ns < tiny_ns;
		n_moves += moves;
		moved_ns += moves ? result->operators[i].share_ns : 0;
	}
	if (n >= 10 && n_tiny * 2 > n && outside >= 0.15 &&
	    !model_is_deferred(finder->run->result->operators[0].provider))
		add_counts(finder, MODEL_TINY_OPERATORS, outside, n_tiny, n)->gain_ns =
		    result->unattributed_ns / per_run;
	if (moved_ns >= 0.1 * finder->run->bound_sums.total_ns && n_moves)
		add_counts(finder, MODEL_MOVES_LAYOUT, moved_ns / finder->run->bound_sums.total_ns, n_moves, n)
		    ->gain_ns = moved_ns / per_run;
}

/* Others take what this run could have used, or so much that caches and clocks are not its own either. */
static bool is_disturbed(const struct finder *finder)
{
	double all = (double)finder->analysis->report->machine.n_all_cpus, others = finder->run->others_cores;

	return all >= 1 && others > 0.1 * all && (others > 0.25 * all || others + finder->run->cores > 0.8 * all);
}

/* More threads than CPUs wait for each other. */
static bool has_waited_for_others(const struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	int64_t cpus = finder->analysis->report->machine.n_cpus;
	int64_t at_a_time = result->concurrency > 0 ? result->concurrency : 1;
	int64_t threads = result->n_threads > 0 ? result->n_threads : 1;

	return finder->run->waited >= 0.05 && at_a_time <= cpus && threads <= cpus / at_a_time;
}

static void find_others(struct finder *finder)
{
	if (is_disturbed(finder) || has_waited_for_others(finder))
		add_counts(finder, MODEL_BUSY_MACHINE, finder->run->others_cores, -1,
			   finder->analysis->report->machine.n_all_cpus)
		    ->low = finder->run->waited;
}

static void find_cores(struct finder *finder)
{
	const struct model_run *run = finder->run;
	const struct model_result *result = run->result;
	int64_t cpus = finder->analysis->report->machine.n_cpus;
	int64_t at_a_time = result->concurrency > 0 ? result->concurrency : 1;

	if (cpus < 1)
		return;
	if (result->n_threads > 0 && result->n_threads <= INT64_MAX / at_a_time && result->n_threads * at_a_time > cpus)
		add_counts(finder, MODEL_MANY_THREADS, NAN, result->n_threads * at_a_time, cpus);
	if (run->cores < 0.6 * (double)cpus && !is_disturbed(finder) && !has_waited_for_others(finder))
		add_counts(finder, MODEL_IDLE_CORES, run->cores, -1, cpus);
}

static bool is_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Beside the same run with less concurrency. */
static void find_scaling(struct finder *finder)
{
	const struct model_report *report = finder->analysis->report;
	const struct model_result *own = finder->run->result, *base;
	const struct model_run *found = NULL;

	for (uint32_t i = 0; i < report->n_results; i++) {
		base = &report->results[i];
		if (is_text(own->provider, base->provider) && is_text(own->device, base->device) &&
		    is_text(own->policy, base->policy) && is_text(own->options, base->options) &&
		    own->n_threads == base->n_threads && base->concurrency > 0 &&
		    base->concurrency < own->concurrency && (!found || base->concurrency < found->result->concurrency))
			found = &finder->analysis->runs[i];
	}
	if (found && finder->run->rate_per_s / found->rate_per_s <
			 0.7 * (double)own->concurrency / (double)found->result->concurrency)
		add_counts(finder, MODEL_NO_SCALING, finder->run->rate_per_s / found->rate_per_s, own->concurrency,
			   found->result->concurrency);
}

static void find_queue(struct finder *finder)
{
	const struct model_series *response = &finder->run->response;
	double waiting = 1 - finder->run->latency.mean_ns / response->mean_ns, rate = finder->run->result->rate_per_s;

	if (response->n && waiting >= 0.1)
		add_counts(finder, MODEL_QUEUES, waiting, rate > 0 && rate < 1e15 ? (int64_t)rate : -1, -1)->gain_ns =
		    response->mean_ns * waiting;
}

/* The fastest of all, when it is no accident that it is faster than the first. */
static void find_fastest(struct finder *finder)
{
	uint32_t best = 0;
	struct model_insight *to;
	const struct model_run *runs = finder->analysis->runs;

	for (uint32_t r = 1; r < finder->analysis->report->n_results; r++)
		if (runs[r].speed.is_different && runs[r].speed.value > (best ? runs[best].speed.value : 1))
			best = r;
	if (!best)
		return;
	finder->result = best;
	to = add(finder, MODEL_FASTER, runs[best].speed.value);
	to->low = runs[best].speed.low;
	to->high = runs[best].speed.high;
	to->gain_ns = runs[0].latency.mean_ns - runs[best].latency.mean_ns;
}

/* A failure, or what puts the figures in doubt. */
static bool is_failure(const struct model_insight *insight)
{
	return insight->kind <= MODEL_BUSY_MACHINE || insight->kind == MODEL_LOST_EVENTS;
}

/* What is wrong first, then by what there is to win. */
static int compare_insights(const void *a, const void *b)
{
	const struct model_insight *x = a, *y = b;
	double gain_x = isnan(x->gain_ns) ? 0 : x->gain_ns, gain_y = isnan(y->gain_ns) ? 0 : y->gain_ns;
	int order = is_failure(y) - is_failure(x);

	order = order ? order : (gain_x < gain_y) - (gain_x > gain_y);
	order = order ? order : (x->kind > y->kind) - (x->kind < y->kind);
	return order ? order : (x->result > y->result) - (x->result < y->result);
}

int model_insights_find(struct model_analysis *analysis)
{
	static void (*const rules[])(struct finder *finder) = {
		find_failures, find_outputs,	   find_others,	    find_placement, find_latency, find_creation,
		find_bound,    find_slow_operator, find_small_ones, find_cores,	    find_scaling, find_queue,
	};
	struct finder finder = { .analysis = analysis };

	finder.to =
	    arena_alloc(&analysis->arena, ((size_t)analysis->report->n_results * MOST_PER_RUN + 1) * sizeof *finder.to);
	if (!finder.to)
		return -ENOMEM;
	for (uint32_t r = 0; r < analysis->report->n_results; r++) {
		finder.run = &analysis->runs[r];
		finder.result = r;
		for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
			rules[i](&finder);
	}
	find_fastest(&finder);
	qsort(finder.to, finder.n, sizeof *finder.to, compare_insights);
	analysis->insights = finder.to;
	analysis->n_insights = finder.n;
	return 0;
}
