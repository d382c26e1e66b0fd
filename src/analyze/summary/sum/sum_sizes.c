// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences by the size of their inputs (shapes_size). Inputs whose numbers of elements are alike take alike long,
 * whatever their shapes are, so what is usual of a size is usual of an inference whose shape is new. The first
 * MAX_SIZES of a model are kept; later ones count where inputs have as many elements in all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_drift.h"
#include "analyze/store/shapes.h"
#include "analyze/summary/sum_slow.h"

enum { SIZE_LIMIT = 1 << 10, LEAST_OF_FIRST = 2, LEAST_OF_SIZE = 3 };

static void limit(struct size *size)
{
	sum_usual_limit(&size->usual, SIZE_LIMIT);
	size->elements.limit = size->subnormal.limit = size->normal.limit = SIZE_LIMIT;
}

/* NULL: there is none. */
static struct size *find(struct bucket *bucket, uint32_t key)
{
	for (uint32_t i = 0; i < bucket->n_sizes; i++)
		if (bucket->size[i].key == key)
			return &bucket->size[i];
	for (uint32_t i = 0; bucket->n_sizes == MAX_SIZES && i < MAX_SIZES; i++)
		if (shapes_alike(bucket->size[i].key, key))
			return &bucket->size[i];
	return NULL;
}

static struct size *add(struct summary_maker *maker, struct bucket *bucket, uint32_t key, uint32_t text)
{
	struct size *size;

	if (!bucket->size && !(bucket->size = calloc(MAX_SIZES, sizeof *bucket->size)))
		return NULL;
	size = &bucket->size[bucket->n_sizes++];
	*size = (struct size){ .key = key, .text = names_is_passing(text) ? names_keep(maker->names, text) : text };
	limit(size);
	return size;
}

/* The tally of its shapes, as far as one has them; NULL: none has. */
static const struct summary_tally *tally_of(const struct summary_maker *maker, const struct run *run, uint32_t text)
{
	uint32_t index =
	    names_is_passing(text) ? NONE : keys_find(&maker->tally_keys, keys_pair(run->bucket, KEY_SHAPES), text);

	return index == NONE ? NULL : (const struct summary_tally *)maker->tallies.data + index;
}

void sum_sizes_measure(const struct summary_maker *maker, struct run *run)
{
	uint32_t text = fact_text(&run->facts, FACT_SHAPES);
	const struct summary_tally *alike = text ? tally_of(maker, run, text) : NULL;

	if (alike) {
		run->size = alike->size;
		run->elements = alike->elements_of_one;
		return;
	}
	run->size = text ? shapes_size(names_text(maker->names, text), &run->elements) : 0;
}

int sum_sizes_add(struct summary_maker *maker, struct run *run, bool is_first)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	bool is_subnormal = fact_int(&run->facts, FACT_SUBNORMAL, 0) == 1;
	struct size *size;
	int rc;

	if (!run->size)
		return 0;
	if (is_first) {
		bucket->first_key = bucket->first_key ? bucket->first_key : run->size;
		return 0;
	}
	size = find(bucket, run->size);
	if (!size && bucket->n_sizes == MAX_SIZES)
		return 0;
	if (!size && !(size = add(maker, bucket, run->size, fact_text(&run->facts, FACT_SHAPES))))
		return -ENOMEM;
	size->wall_ns = stats_sum(size->wall_ns, run->end_ns - run->begin_ns);
	if (is_subnormal) {
		size->n_subnormal++;
		size->subnormal_wall_ns = stats_sum(size->subnormal_wall_ns, run->end_ns - run->begin_ns);
	}
	rc = stats_add(is_subnormal ? &size->subnormal : &size->normal, run_worked_ns(run));
	rc = rc ? rc : stats_add(&size->elements, run->elements);
	rc = rc ? rc : stats_add(&size->usual.duration, run->end_ns - run->begin_ns);
	return rc ? rc : sum_usual_add_to(&size->usual, run);
}

int sum_sizes_merge(struct bucket *to, struct bucket *from)
{
	int rc = 0;

	to->first_key = to->first_key ? to->first_key : from->first_key;
	for (uint32_t i = 0; !rc && i < from->n_sizes; i++) {
		struct size *own = &from->size[i], *size = find(to, own->key);

		if (!size && to->n_sizes == MAX_SIZES)
			continue;
		if (!size && !to->size && !(to->size = calloc(MAX_SIZES, sizeof *to->size)))
			return -ENOMEM;
		if (!size) {
			size = &to->size[to->n_sizes++];
			*size = (struct size){ .key = own->key, .text = own->text };
			limit(size);
		}
		size->wall_ns = stats_sum(size->wall_ns, own->wall_ns);
		size->n_subnormal += own->n_subnormal;
		size->subnormal_wall_ns = stats_sum(size->subnormal_wall_ns, own->subnormal_wall_ns);
		rc = stats_merge(&size->elements, &own->elements);
		rc = rc ? rc : stats_merge(&size->subnormal, &own->subnormal);
		rc = rc ? rc : stats_merge(&size->normal, &own->normal);
		rc = rc ? rc : stats_merge(&size->usual.duration, &own->usual.duration);
		rc = rc ? rc : sum_usual_merge_into(&size->usual, &own->usual);
	}
	return rc;
}

struct usual *sum_sizes_usual(struct bucket *joined, uint32_t key)
{
	struct size *size = key ? find(joined, key) : NULL;

	return size && joined->n_sizes > 1 && size->usual.duration.n >= LEAST_OF_SIZE ? &size->usual : NULL;
}

/* The same within each size, all sizes together; NAN: of less than half. */
static double drift_of(const struct bucket *bucket, uint64_t n_all)
{
	struct stats_within drift = { 0 };

	for (uint32_t i = 0; i < bucket->n_sizes; i++)
		stats_drift_add(&drift, &bucket->size[i].usual.duration, &bucket->size[i].elements);
	return stats_drift_ratio(&drift, n_all);
}

static int by_elements(const void *a_, const void *b_)
{
	const struct summary_size *a = a_, *b = b_;

	return (a->elements > b->elements) - (a->elements < b->elements);
}

int sum_sizes_put(struct bucket *bucket, uint32_t model, struct array *sizes, struct summary_model *to)
{
	struct size *first = bucket->first_key ? find(bucket, bucket->first_key) : NULL;
	uint32_t begin = (uint32_t)sizes->n;

	to->runs.size_drift = NAN;
	to->sizes = (struct summary_range){ begin, bucket->n_sizes };
	if (!bucket->n_sizes)
		return 0;
	to->runs.size_drift = drift_of(bucket, bucket->latency.n);
	to->runs.is_first_alone = bucket->first_key && !first;
	if (first && first->usual.duration.n >= LEAST_OF_FIRST)
		to->runs.first_usual_ns = stats_percentile(&first->usual.duration, 0.5);
	for (uint32_t i = 0; i < bucket->n_sizes; i++) {
		struct size *size = &bucket->size[i];
		struct stats *stats = &size->usual.duration;
		struct summary_size *row = array_add(sizes, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = (struct summary_size){ .model = model,
					      .shapes = size->text,
					      .size = size->key,
					      .elements = (uint64_t)stats_mean(&size->elements),
					      .n = stats->n,
					      .wall_ns = size->wall_ns,
					      .least_ns = stats->n ? stats->min : 0,
					      .n_subnormal = size->n_subnormal,
					      .subnormal_p50_ns = stats_percentile(&size->subnormal, 0.5),
					      .normal_p50_ns = stats_percentile(&size->normal, 0.5),
					      .subnormal_wall_ns = size->subnormal_wall_ns,
					      .p50_ns = stats_percentile(stats, 0.5),
					      .p90_ns = stats_percentile(stats, 0.9),
					      .p99_ns = stats_percentile(stats, 0.99) };
	}
	qsort((struct summary_size *)sizes->data + begin, bucket->n_sizes, sizeof(struct summary_size), by_elements);
	return 0;
}

void sum_sizes_done(struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_sizes; i++) {
		sum_usual_free(&bucket->size[i].usual);
		stats_done(&bucket->size[i].elements);
		stats_done(&bucket->size[i].subnormal);
		stats_done(&bucket->size[i].normal);
	}
	free(bucket->size);
}
