// SPDX-License-Identifier: Apache-2.0
/*
 * What is usual: medians of duration, CPU time, waits, faults and overlap of a model's inferences, and of those with
 * the same input shapes: of its first MAX_SHAPES different ones.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_slow.h"

/* Of fewer inferences with the same shapes a median says nothing. */
enum { LEAST_OF_SHAPE = 5 };

int sum_usual_add_to(struct usual *to, const struct run *run)
{
	int rc = stats_add(&to->overlap, run->overlap_ns);

	if (!rc && run->device.sum.n_kernels)
		rc = stats_add(&to->kernels, run->device.sum.kernels_ns);
	if (facts_have(&run->facts, FACT_USAGE_OF_SLOW))
		return rc;
	if (!rc && facts_have(&run->facts, FACT_THREAD_CPU))
		rc = stats_add(&to->cpu, sum_at_least_0(run->facts.value[FACT_THREAD_CPU]));
	if (!rc && facts_have(&run->facts, FACT_FAULTS))
		rc = stats_add(&to->faults, sum_at_least_0(run->facts.value[FACT_FAULTS]));
	if (!rc && facts_have(&run->facts, FACT_RUN_QUEUE))
		rc = stats_add(&to->wait, sum_at_least_0(run->facts.value[FACT_RUN_QUEUE]));
	return rc;
}

void sum_usual_limit(struct usual *usual, uint32_t n)
{
	if (!usual->overlap.limit)
		usual->duration.limit = usual->cpu.limit = usual->wait.limit = usual->faults.limit =
		    usual->overlap.limit = usual->kernels.limit = n;
}

/* NULL: there is none. */
static struct usual *of_shape(struct bucket *bucket, uint32_t tally)
{
	for (uint32_t i = 0; tally && i < bucket->n_shape_usual; i++)
		if (bucket->shape_tally[i] == tally - 1)
			return &bucket->shape_usual[i];
	return NULL;
}

static int add_shape(struct bucket *bucket, const struct run *run)
{
	struct usual *to = of_shape(bucket, run->tally);
	int rc;

	if (!to && bucket->n_shape_usual == MAX_SHAPES)
		return 0;
	if (!bucket->shape_usual) {
		bucket->shape_usual = calloc(MAX_SHAPES, sizeof *bucket->shape_usual);
		bucket->shape_tally = calloc(MAX_SHAPES, sizeof *bucket->shape_tally);
	}
	if (!bucket->shape_usual || !bucket->shape_tally)
		return -ENOMEM;
	if (!to) {
		bucket->shape_tally[bucket->n_shape_usual] = run->tally - 1;
		to = &bucket->shape_usual[bucket->n_shape_usual++];
		sum_usual_limit(to, SHAPE_LIMIT);
	}
	rc = stats_add(&to->duration, run->end_ns - run->begin_ns);
	return rc ? rc : sum_usual_add_to(to, run);
}

int sum_usual_add(struct summary_maker *maker, const struct run *run)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	int rc;

	sum_usual_limit(&bucket->usual, NODE_LIMIT);
	rc = sum_usual_add_to(&bucket->usual, run);
	return !rc && run->tally ? add_shape(bucket, run) : rc;
}

int sum_usual_merge_into(struct usual *to, const struct usual *from)
{
	int rc = stats_merge(&to->cpu, &from->cpu);

	if (!rc)
		rc = stats_merge(&to->wait, &from->wait);
	if (!rc)
		rc = stats_merge(&to->faults, &from->faults);
	if (!rc)
		rc = stats_merge(&to->kernels, &from->kernels);
	return rc ? rc : stats_merge(&to->overlap, &from->overlap);
}

int sum_usual_merge(struct bucket *to, struct bucket *from)
{
	return sum_usual_merge_into(&to->usual, &from->usual);
}

static int64_t median(struct stats *stats)
{
	return stats->n ? (int64_t)stats_percentile(stats, 0.5) : -1;
}

static void put(struct usual *from, uint64_t n, uint64_t p50_ns, struct summary_usual *to)
{
	*to = (struct summary_usual){ .n = n,
				      .p50_ns = p50_ns,
				      .thread_cpu_ns = median(&from->cpu),
				      .run_queue_ns = median(&from->wait),
				      .faults = median(&from->faults),
				      .overlap_ns = median(&from->overlap),
				      .kernels_ns = median(&from->kernels) };
}

void sum_usual_put(struct bucket *bucket, struct bucket *joined, const struct slow *slow, struct usual *size,
		   const struct summary_spread *latency, struct summary_usual *to)
{
	struct usual *shape = of_shape(bucket, slow->tally);

	if (shape && shape->duration.n >= LEAST_OF_SHAPE) {
		put(shape, shape->duration.n, stats_percentile(&shape->duration, 0.5), to);
		to->is_of_shape = bucket->n_tallies[TALLIED_SHAPES] > 1;
	} else if (size) {
		put(size, size->duration.n, stats_percentile(&size->duration, 0.5), to);
		to->is_of_size = true;
	} else {
		put(&joined->usual, latency->n, latency->p50_ns, to);
	}
}

void sum_usual_free(struct usual *usual)
{
	stats_done(&usual->duration);
	stats_done(&usual->cpu);
	stats_done(&usual->wait);
	stats_done(&usual->faults);
	stats_done(&usual->overlap);
	stats_done(&usual->kernels);
}

void sum_usual_done(struct bucket *bucket)
{
	sum_usual_free(&bucket->usual);
	for (uint32_t i = 0; i < bucket->n_shape_usual; i++)
		sum_usual_free(&bucket->shape_usual[i]);
	free(bucket->shape_usual);
	free(bucket->shape_tally);
}
