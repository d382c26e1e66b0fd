// SPDX-License-Identifier: Apache-2.0
/* Inferences model by model at the end: spreads, rates, coverage; what they say about themselves. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

static void add_runs(struct summary_runs *to, const struct summary_runs *from)
{
	to->n += from->n;
	to->n_failed += from->n_failed;
	to->n_open += from->n_open;
	to->n_partial += from->n_partial;
	to->n_first += from->n_first;
	to->n_with_traits += from->n_with_traits;
	to->n_gradients += from->n_gradients;
	to->n_training_mode += from->n_training_mode;
	to->n_timed += from->n_timed;
	to->n_subnormal += from->n_subnormal;
	to->subnormal_wall_ns = stats_sum(to->subnormal_wall_ns, from->subnormal_wall_ns);
	to->inner_ns = stats_sum(to->inner_ns, from->inner_ns);
	to->first_inner_ns = stats_sum(to->first_inner_ns, from->first_inner_ns);
	to->typical_inner_ns = stats_sum(to->typical_inner_ns, from->typical_inner_ns);
	to->n_without_status += from->n_without_status;
	to->begin_ns = from->begin_ns < to->begin_ns ? from->begin_ns : to->begin_ns;
	to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
	to->max_concurrent = from->max_concurrent > to->max_concurrent ? from->max_concurrent : to->max_concurrent;
	to->n_usage += from->n_usage;
	to->usage_wall_ns = stats_sum(to->usage_wall_ns, from->usage_wall_ns);
	to->n_waits += from->n_waits;
	to->waits_wall_ns = stats_sum(to->waits_wall_ns, from->waits_wall_ns);
	to->run_queue_ns = stats_sum(to->run_queue_ns, from->run_queue_ns);
	to->longest_wait_ns = from->longest_wait_ns > to->longest_wait_ns ? from->longest_wait_ns : to->longest_wait_ns;
	to->first_wait_ns = stats_sum(to->first_wait_ns, from->first_wait_ns);
	to->n_first_waits += from->n_first_waits;
	to->thread_cpu_ns = stats_sum(to->thread_cpu_ns, from->thread_cpu_ns);
	to->faults = stats_sum(to->faults, from->faults);
	sum_device_add(&to->device, &from->device);
	sum_device_add(&to->first_device, &from->first_device);
	to->switches = stats_sum(to->switches, from->switches);
	to->reads.n += from->reads.n;
	to->reads.bytes = stats_sum(to->reads.bytes, from->reads.bytes);
	to->reads.wall_ns = stats_sum(to->reads.wall_ns, from->reads.wall_ns);
	to->reads.blocked_ns = stats_sum(to->reads.blocked_ns, from->reads.blocked_ns);
	to->n_halted += from->n_halted;
	to->n_first_halted += from->n_first_halted;
	to->halted_ns = stats_sum(to->halted_ns, from->halted_ns);
	to->n_pooled += from->n_pooled;
	to->n_behind += from->n_behind;
	to->turns.n += from->turns.n;
	to->turns.between_ns = stats_sum(to->turns.between_ns, from->turns.between_ns);
	to->turns.filled_ns = stats_sum(to->turns.filled_ns, from->turns.filled_ns);
	to->turns.n_beside += from->turns.n_beside;
}

static int add_cover(struct cover *to, struct cover *from)
{
	to->sum.n += from->sum.n;
	to->sum.n_parallel += from->sum.n_parallel;
	to->sum.wall_ns += from->sum.wall_ns;
	to->sum.operators_ns += from->sum.operators_ns;
	to->sum.setup_ns += from->sum.setup_ns;
	to->sum.unattributed_ns += from->sum.unattributed_ns;
	to->sum.turn_ns += from->sum.turn_ns;
	to->sum.behind_ns += from->sum.behind_ns;
	to->sum.halted_ns += from->sum.halted_ns;
	return stats_merge(&to->operators, &from->operators);
}

/* All buckets of a model in the first one, which is returned; NULL: out of memory, or there is none. */
static struct bucket *join_buckets(struct summary_maker *maker, uint32_t model, int *rc)
{
	struct bucket *first = NULL;

	for (uint32_t i = 0; !*rc && i < maker->buckets.n; i++) {
		struct bucket *bucket = bucket_at(maker, i);

		if (bucket->model != model)
			continue;
		if (!first) {
			first = bucket;
			continue;
		}
		add_runs(&first->runs, &bucket->runs);
		*rc = stats_merge(&first->latency, &bucket->latency);
		*rc = *rc ? *rc : stats_merge(&first->first, &bucket->first);
		*rc = *rc ? *rc : stats_merge(&first->queue, &bucket->queue);
		*rc = *rc ? *rc : sum_usual_merge(first, bucket);
		*rc = *rc ? *rc : sum_pauses_merge(&first->pauses, &bucket->pauses);
		*rc = *rc ? *rc : sum_sizes_merge(first, bucket);
		if (first->course && bucket->course)
			course_merge(first->course, bucket->course);
		*rc = *rc ? *rc : add_cover(&first->typical, &bucket->typical);
		*rc = *rc ? *rc : add_cover(&first->apart, &bucket->apart);
	}
	return first;
}

static int take_model(struct summary_maker *maker, struct summary_model *model, struct bucket *bucket, bool *is_apart)
{
	struct summary_runs *to = &model->runs;
	uint64_t wall_ns = to->wall_ns, n_finished;
	struct cover *cover;

	*to = bucket->runs;
	to->wall_ns = wall_ns;
	n_finished = to->n - to->n_open;
	to->rate = n_finished > 1 && to->end_ns > to->begin_ns && !maker->to->recording.has_no_begins
		       ? (double)n_finished * 1e9 / (double)(to->end_ns - to->begin_ns)
		       : NAN;
	stats_buckets(&bucket->latency, SUMMARY_BUCKETS, to->bucket);
	if (stats_series_of(&to->series, &bucket->latency))
		return -ENOMEM;
	if (maker->opts.with_typical && stats_typical_of(&to->typical, &bucket->latency))
		return -ENOMEM;
	to->latency = sum_spread(&bucket->latency);
	to->first = sum_spread(&bucket->first);
	to->queue = sum_spread(&bucket->queue);
	sum_pauses_put(&bucket->pauses, to);
	to->faults_p50 = stats_percentile(&bucket->usual.faults, 0.5);
	*is_apart = !bucket->typical.sum.n;
	cover = *is_apart ? &bucket->apart : &bucket->typical;
	model->coverage = cover->sum;
	model->coverage.operators_p50_ns = stats_percentile(&cover->operators, 0.5);
	if (cover->sum.n && to->latency.n > bucket->typical.sum.n)
		model->coverage.n_without = to->latency.n - bucket->typical.sum.n;
	return 0;
}

/* A model whose sessions ran nothing. */
static void take_none(struct summary_model *model)
{
	struct stats none = { 0 };

	model->runs.begin_ns = UINT64_MAX;
	model->runs.rate = model->runs.size_drift = NAN;
	model->runs.latency = model->runs.first = model->runs.queue = sum_spread(&none);
	stats_series_of(&model->runs.series, &none);
}

static int compare_tallies(const void *a_, const void *b_)
{
	const struct summary_tally *a = a_, *b = b_;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
}

/* Threads are only counted. */
static void count_tallies(struct end *end)
{
	struct summary_tally *tally = end->tallies.data;
	size_t n = 0;

	for (size_t i = 0; i < end->tallies.n; i++) {
		if (tally[i].key == KEY_TID)
			model_at(end, tally[i].model)->runs.n_threads++;
		else
			tally[n++] = tally[i];
	}
	end->tallies.n = n;
	if (n)
		qsort(tally, n, sizeof *tally, compare_tallies);
	for (size_t i = 0; i < n; i++) {
		struct summary_range *range = &model_at(end, tally[i].model)->tallies;

		range->first = range->n++ ? range->first : (uint32_t)i;
	}
}

static void join_turns(struct summary_turn *to, const struct summary_turn *from)
{
	for (int i = 0; i < N_SUMMARY_PAUSES; i++) {
		to[i].n += from[i].n;
		to[i].worked_ns = stats_sum(to[i].worked_ns, from[i].worked_ns);
		to[i].cpu_ns = stats_sum(to[i].cpu_ns, from[i].cpu_ns);
	}
}

static int join_tallies(struct summary_maker *maker, struct end *end)
{
	const struct summary_tally *from = maker->tallies.data;
	struct keys keys = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < maker->tallies.n; i++) {
		uint32_t model = bucket_at(maker, from[i].model)->model;
		uint64_t value = from[i].text ? from[i].text : (uint64_t)from[i].number;
		uint32_t n = keys.n, index = keys_number(&keys, keys_pair(model, from[i].key), value);
		struct summary_tally *to;

		if (index == NONE || (index == n && !array_add(&end->tallies, sizeof *to))) {
			rc = -ENOMEM;
			break;
		}
		to = (struct summary_tally *)end->tallies.data + index;
		if (index == n) {
			*to = from[i];
			to->model = model;
			continue;
		}
		to->n += from[i].n;
		if (from[i].n_typical && (!to->n_typical || from[i].least_ns < to->least_ns))
			to->least_ns = from[i].least_ns;
		to->n_typical += from[i].n_typical;
		join_turns(to->first, from[i].first);
		join_turns(to->later, from[i].later);
		to->n_sized += from[i].n_sized;
		to->elements = stats_sum(to->elements, from[i].elements);
		to->wall_ns = stats_sum(to->wall_ns, from[i].wall_ns);
		to->first_ns = from[i].first_ns < to->first_ns ? from[i].first_ns : to->first_ns;
	}
	keys_done(&keys);
	if (!rc)
		count_tallies(end);
	return rc;
}

int sum_latencies_make(struct summary_maker *maker, struct end *end)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < end->models.n; i++) {
		struct bucket *bucket = join_buckets(maker, i, &rc);
		bool *is_apart = array_add(&end->is_apart, sizeof *is_apart);

		if (!is_apart)
			return -ENOMEM;
		if (bucket && !rc)
			rc = take_model(maker, model_at(end, i), bucket, is_apart);
		if (bucket && !rc)
			rc = sum_sizes_put(maker->names, bucket, i, end, model_at(end, i));
		if (bucket && !rc)
			rc = sum_courses_put(&end->courses, bucket->course, &model_at(end, i)->course);
		if (!bucket)
			take_none(model_at(end, i));
	}
	return rc ? rc : join_tallies(maker, end);
}
