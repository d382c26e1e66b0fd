// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences by the size of their inputs (shapes_size). Inputs whose numbers of elements are alike take alike long,
 * whatever their shapes are, so what is usual of a size is usual of an inference whose shape is new.
 *
 * A model whose inputs vary apart from each other has any number of sizes. Beyond MAX_SIZES, the elements of all inputs
 * alone make a size (shapes_coarse), of the inferences before as well: what a size is must not depend on the order in
 * which inferences come, or two recordings of one program could not be compared.
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

static uint32_t key_in(const struct bucket *bucket, uint32_t key)
{
	return bucket->is_coarse ? shapes_coarse(key) : key;
}

/* NULL: there is none. */
static struct size *find(const struct bucket *bucket, uint32_t key)
{
	for (uint32_t i = 0; i < bucket->n_sizes; i++)
		if (bucket->size[i].key == key_in(bucket, key))
			return &bucket->size[i];
	return NULL;
}

static void size_done(struct size *size)
{
	sum_usual_free(&size->usual);
	stats_done(&size->elements);
	stats_done(&size->subnormal);
	stats_done(&size->normal);
}

static int size_merge(struct size *to, const struct size *from)
{
	int rc = stats_merge(&to->elements, &from->elements);

	to->wall_ns = stats_sum(to->wall_ns, from->wall_ns);
	to->n_subnormal += from->n_subnormal;
	to->subnormal_wall_ns = stats_sum(to->subnormal_wall_ns, from->subnormal_wall_ns);
	rc = rc ? rc : stats_merge(&to->subnormal, &from->subnormal);
	rc = rc ? rc : stats_merge(&to->normal, &from->normal);
	rc = rc ? rc : stats_merge(&to->usual.duration, &from->usual.duration);
	return rc ? rc : sum_usual_merge_into(&to->usual, &from->usual);
}

static int make_coarse(struct bucket *bucket)
{
	struct size *size = realloc(bucket->size, SHAPES_COARSE * sizeof *size);
	uint32_t n = bucket->n_sizes;
	int rc = 0;

	if (!size)
		return -ENOMEM;
	bucket->size = size;
	bucket->is_coarse = true;
	bucket->n_sizes = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct size own = size[i], *to = find(bucket, own.key);

		bucket->is_mixed |= own.key != shapes_coarse(own.key);
		own.key = shapes_coarse(own.key);
		if (!to) {
			size[bucket->n_sizes++] = own;
			continue;
		}
		rc = rc ? rc : size_merge(to, &own);
		size_done(&own);
	}
	return rc;
}

/* The size of that key, which may be a new one. */
static int take(struct bucket *bucket, uint32_t key, struct size **to)
{
	int rc = 0;

	*to = find(bucket, key);
	if (!*to && !bucket->is_coarse && bucket->n_sizes == MAX_SIZES) {
		rc = make_coarse(bucket);
		*to = find(bucket, key);
	}
	bucket->is_mixed |= key != key_in(bucket, key);
	if (rc || *to)
		return rc;
	if (!bucket->size &&
	    !(bucket->size = calloc(bucket->is_coarse ? SHAPES_COARSE : MAX_SIZES, sizeof *bucket->size)))
		return -ENOMEM;
	*to = &bucket->size[bucket->n_sizes++];
	**to = (struct size){ .key = key_in(bucket, key) };
	limit(*to);
	return 0;
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

static uint32_t text_of(const struct summary_maker *maker, const struct run *run)
{
	uint32_t text = fact_text(&run->facts, FACT_SHAPES);

	return names_is_passing(text) ? names_keep(maker->names, text) : text;
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
	rc = take(bucket, run->size, &size);
	if (rc)
		return rc;
	if (!size->text)
		size->text = text_of(maker, run);
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

int sum_sizes_merge(struct bucket *to, const struct bucket *from)
{
	int rc = from->is_coarse && !to->is_coarse ? make_coarse(to) : 0;

	to->first_key = to->first_key ? to->first_key : from->first_key;
	to->is_mixed |= from->is_mixed;
	for (uint32_t i = 0; !rc && i < from->n_sizes; i++) {
		struct size *own = &from->size[i], *size;

		rc = take(to, own->key, &size);
		if (rc)
			return rc;
		size->text = size->text ? size->text : own->text;
		rc = size_merge(size, own);
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

static struct summary_size row_of(struct size *size, uint32_t model)
{
	struct stats *stats = &size->usual.duration;

	return (struct summary_size){ .model = model,
				      .shapes = size->text,
				      .size = size->key,
				      .axis = -1,
				      .axis_length = -1,
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

static int put_rows(struct bucket *bucket, uint32_t model, struct array *rows, struct summary_range *range)
{
	*range = (struct summary_range){ (uint32_t)rows->n, bucket->n_sizes };
	for (uint32_t i = 0; i < bucket->n_sizes; i++) {
		struct summary_size *row = array_add(rows, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = row_of(&bucket->size[i], model);
	}
	if (range->n)
		qsort((struct summary_size *)rows->data + range->first, range->n, sizeof(struct summary_size),
		      by_elements);
	return 0;
}

/* Whether the share of each input tells none of them apart, as of one input. */
static bool are_coarse(const struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_sizes; i++)
		if (bucket->size[i].key != shapes_coarse(bucket->size[i].key))
			return false;
	return true;
}

/* For a comparison with a recording whose sizes are coarse. */
static int put_coarse(const struct bucket *bucket, uint32_t model, struct array *rows, struct summary_range *range)
{
	struct bucket coarse = { .is_coarse = true };
	int rc;

	if (are_coarse(bucket))
		return 0;
	rc = sum_sizes_merge(&coarse, bucket);
	if (!rc)
		rc = put_rows(&coarse, model, rows, range);
	sum_sizes_done(&coarse);
	return rc;
}

int sum_sizes_put(const struct names *names, struct bucket *bucket, uint32_t model, struct end *end,
		  struct summary_model *to)
{
	struct size *first = bucket->first_key ? find(bucket, bucket->first_key) : NULL;
	int rc;

	to->runs.size_drift = NAN;
	to->are_sizes_mixed = bucket->is_mixed;
	if (!bucket->n_sizes)
		return 0;
	if (!bucket->is_mixed) /* what was merged is not in the order of time */
		to->runs.size_drift = drift_of(bucket, bucket->latency.n);
	to->runs.is_first_alone = bucket->first_key && !first;
	if (first && first->usual.duration.n >= LEAST_OF_FIRST)
		to->runs.first_usual_ns = stats_percentile(&first->usual.duration, 0.5);
	rc = put_rows(bucket, model, &end->sizes, &to->sizes);
	if (!rc && !bucket->is_mixed) /* what is mixed has any inputs */
		sum_sizes_axis(names, (struct summary_size *)end->sizes.data + to->sizes.first, to->sizes.n);
	return rc ? rc : put_coarse(bucket, model, &end->coarse_sizes, &to->coarse_sizes);
}

void sum_sizes_done(struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_sizes; i++)
		size_done(&bucket->size[i]);
	free(bucket->size);
}
