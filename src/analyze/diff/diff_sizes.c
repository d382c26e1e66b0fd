// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences with inputs of several sizes. If one side has more of those that take long, its median, mean and operators
 * say nothing of the program. Then the sides are compared within sizes: by the geometric mean of the sizes' medians,
 * each with the time that base spends in it as its weight.
 *
 * The mix has changed if the mean latency of base would be 3 % longer or shorter with the mix of new, and if the
 * shares differ by four times of what chance makes of as many inferences.
 *
 * Where a run has so many sizes that they had to be those of the elements of all inputs alone, so are those of all
 * runs.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_in.h"

enum { LEAST_OF_SIZE = 5, LEAST = 32, BLOCKS = 16 };

static const double matters = 0.03;
/* More than DIFF_BETWEEN: how the machine changes during a run is not in scatter_of. */
static const double between = 0.03;

static struct diff_size_row *find(struct diff_pair *pair, const struct diff_size *size)
{
	for (uint32_t i = 0; i < pair->n_sizes; i++)
		if (pair->sizes[i].any->size == size->size)
			return &pair->sizes[i];
	return NULL;
}

/* model: NULL: the run has none. */
static struct diff_sizes sizes_of(const struct diff_pair *pair, const struct diff_model *model)
{
	if (!model)
		return (struct diff_sizes){ NULL, 0 };
	return pair->are_sizes_mixed && model->coarse_sizes.n ? model->coarse_sizes : model->sizes;
}

static const struct diff_size *find_in(const struct diff_pair *pair, const struct diff_model *model,
				       const struct diff_size_row *row)
{
	struct diff_sizes sizes = sizes_of(pair, model);

	for (uint32_t i = 0; i < sizes.n; i++)
		if (sizes.size[i].size == row->any->size)
			return &sizes.size[i];
	return NULL;
}

static void add(struct diff_pair *pair, const struct diff_model *const *models, uint32_t n_runs, bool is_base)
{
	for (uint32_t r = 0; r < n_runs; r++) {
		struct diff_sizes sizes = sizes_of(pair, models[r]);

		for (uint32_t i = 0; i < sizes.n; i++) {
			const struct diff_size *size = &sizes.size[i];
			struct diff_size_row *row = find(pair, size);

			if (!row) {
				row = &pair->sizes[pair->n_sizes++];
				*row = (struct diff_size_row){ .any = size };
			}
			row->wall_ns += size->wall_ns;
			*(is_base ? &row->n_base : &row->n_fresh) += size->n;
		}
	}
}

static double mean_p50(const struct diff_pair *pair, const struct diff_model *const *models, uint32_t n_runs,
		       const struct diff_size_row *row)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t r = 0; r < n_runs; r++) {
		const struct diff_size *size = find_in(pair, models[r], row);

		if (size && size->p50_ns > 0) {
			sum += log(size->p50_ns);
			n++;
		}
	}
	return n ? exp(sum / n) : NAN;
}

static int compare(const void *a_, const void *b_)
{
	const struct diff_size_row *a = a_, *b = b_;

	return (a->any->elements > b->any->elements) - (a->any->elements < b->any->elements);
}

/* How much of all inferences changed its size, and how much of that is chance. */
static void find_moved(struct diff_pair *pair)
{
	double n_base = 0, n_fresh = 0, moved = 0, chance = 0, most = 0, base_ns = 0, fresh_ns = 0;
	uint32_t found = 0;

	for (uint32_t i = 0; i < pair->n_sizes; i++) {
		n_base += (double)pair->sizes[i].n_base;
		n_fresh += (double)pair->sizes[i].n_fresh;
	}
	if (n_base < LEAST || n_fresh < LEAST)
		return;
	for (uint32_t i = 0; i < pair->n_sizes; i++) {
		const struct diff_size_row *row = &pair->sizes[i];
		double a = (double)row->n_base / n_base, b = (double)row->n_fresh / n_fresh;
		double p = (double)(row->n_base + row->n_fresh) / (n_base + n_fresh);
		double ns = isnan(row->base_p50_ns) ? row->fresh_p50_ns : row->base_p50_ns;

		base_ns += a * ns;
		fresh_ns += b * ns;
		moved += fabs(b - a) / 2;
		chance += sqrt(p * (1 - p) * (1 / n_base + 1 / n_fresh) / (2 * M_PI));
		if (fabs(b - a) * ns > most) {
			most = fabs(b - a) * ns;
			found = i + 1;
		}
	}
	if (fabs(fresh_ns / base_ns - 1) >= matters && moved > 4 * chance)
		pair->moved = found;
}

/* Of the median of a block: a block is one of BLOCKS parts of the run. */
static double scatter_of(const struct diff_size *size)
{
	double deviation = log(fmax(size->p90_ns / size->p50_ns, 1)) / 1.2816;

	return 1.2533 * deviation / sqrt(fmax((double)size->n / BLOCKS, 1));
}

static bool is_shared(const struct diff_size_row *row)
{
	return row->n_base >= LEAST_OF_SIZE && row->n_fresh >= LEAST_OF_SIZE;
}

static void take(struct diff_sample *to, const struct diff_pair *pair, const struct diff_model *model)
{
	double weights = 0, sum = 0, squares = 0;

	for (uint32_t i = 0; model && i < pair->n_sizes; i++) {
		const struct diff_size_row *row = &pair->sizes[i];
		const struct diff_size *size = is_shared(row) ? find_in(pair, model, row) : NULL;
		double weight = size ? (double)row->n_base * row->base_p50_ns : 0;

		if (!(weight > 0) || !(size->p50_ns > 0))
			continue;
		weights += weight;
		sum += weight * log(size->p50_ns);
		squares += pow(weight * scatter_of(size), 2);
	}
	if (!(weights > 0))
		return;
	to->scatter[to->n] = sqrt(squares) / weights;
	to->value[to->n++] = sum / weights;
}

static void compare_within(const struct diff *diff, struct diff_pair *pair, const struct diff_members *members)
{
	double room[4 * DIFF_MAX_RUNS];
	struct diff_sample base = { room, room + DIFF_MAX_RUNS, 0 },
			   fresh = { room + 2 * DIFF_MAX_RUNS, room + 3 * DIFF_MAX_RUNS, 0 };
	struct diff_prior prior = { .between = diff->is_busy ? NAN : between };
	struct diff_value *to = &pair->value[DIFF_WITHIN];
	struct diff_estimate estimate;

	for (uint32_t i = 0; i < diff->base.n_runs; i++)
		take(&base, pair, members->base[i]);
	for (uint32_t i = 0; i < diff->fresh.n_runs; i++)
		take(&fresh, pair, members->fresh[i]);
	to->n_base = base.n;
	to->n_fresh = fresh.n;
	to->base = exp(diff_mean(&base));
	to->fresh = exp(diff_mean(&fresh));
	estimate = diff_estimate(&base, &fresh, &prior);
	diff_value_set(to, &estimate);
	if (diff->no_verdict)
		to->p = NAN;
}

/* At most how many sizes the runs of a side have; notes whether some are mixed. */
static uint32_t look_at(struct diff_pair *pair, const struct diff_model *const *models, uint32_t n_runs)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < n_runs; r++) {
		n += models[r] ? models[r]->sizes.n : 0;
		pair->are_sizes_mixed |= models[r] && models[r]->are_sizes_mixed;
	}
	return n;
}

int diff_make_sizes(const struct diff *diff, struct diff_pair *pair, const struct diff_members *members,
		    struct arena *arena)
{
	static const enum diff_figure depends[] = { DIFF_MEDIAN, DIFF_OPERATORS, DIFF_P99, DIFF_MEAN, DIFF_FIRST };
	uint32_t n =
	    look_at(pair, members->base, diff->base.n_runs) + look_at(pair, members->fresh, diff->fresh.n_runs);

	pair->sizes = arena_alloc(arena, (n + 1) * sizeof *pair->sizes);
	if (!pair->sizes)
		return -ENOMEM;
	add(pair, members->base, diff->base.n_runs, true);
	add(pair, members->fresh, diff->fresh.n_runs, false);
	if (pair->n_sizes)
		qsort(pair->sizes, pair->n_sizes, sizeof *pair->sizes, compare);
	for (uint32_t i = 0; i < pair->n_sizes; i++) {
		pair->sizes[i].base_p50_ns = mean_p50(pair, members->base, diff->base.n_runs, &pair->sizes[i]);
		pair->sizes[i].fresh_p50_ns = mean_p50(pair, members->fresh, diff->fresh.n_runs, &pair->sizes[i]);
	}
	find_moved(pair);
	if (!pair->moved)
		return 0;
	compare_within(diff, pair, members);
	for (size_t i = 0; i < sizeof depends / sizeof *depends; i++)
		pair->value[depends[i]].p = NAN;
	return 0;
}
