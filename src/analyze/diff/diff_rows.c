// SPDX-License-Identifier: Apache-2.0
/* Operators on both sides: how each differs, beside the others of its type. The reasons are in diff.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_in.h"
#include "analyze/result/model/model_compare.h"
#include "base/text/provider.h"

/* Others of its type that it takes to know what moves all of them. */
enum { LEAST_PEERS = 4, PRIOR_DF = 4 };

/* What moves the others moves an operator a little more or less: by this share of it. */
#define PEERS_ERROR 0.2

/* A difference that matters takes this share of the inference, and so many times what recording an event costs. */
#define LEAST_SHARE 0.001
#define LEAST_EVENTS 2

/* The rows of a pair in the making: run by run the operator of each, base's runs first. */
struct rows {
	struct diff *diff;
	struct diff_pair *pair;
	uint32_t n_runs, n_base;
	const struct diff_operator **ops;		  /* [row * n_runs + run]; NULL: not in it */
	double *time, *beside, *scatter, *beside_scatter; /* the same way: logarithms; NAN: not known */
	uint32_t *leader, *n_of_type, *n_peers;		  /* by row: the first of its type, and others of it */
	double *peers; /* [(leader * n_runs + run) * (blocks + 1)]: first of the run, then of its blocks */
};

static const struct diff_operator *op_at(const struct rows *rows, uint32_t row, uint32_t run)
{
	return rows->ops[(size_t)row * rows->n_runs + run];
}

static double time_of(const struct diff_operator *op)
{
	return op ? op->typical_ns * op->calls : NAN;
}

static int allocate(struct rows *rows, uint32_t n_rows, struct arena *arena)
{
	size_t n = (size_t)n_rows * rows->n_runs + 1;

	rows->ops = arena_alloc(arena, n * sizeof *rows->ops);
	rows->time = arena_alloc(arena, n * sizeof *rows->time);
	rows->beside = arena_alloc(arena, n * sizeof *rows->beside);
	rows->scatter = arena_alloc(arena, n * sizeof *rows->scatter);
	rows->beside_scatter = arena_alloc(arena, n * sizeof *rows->beside_scatter);
	rows->n_peers = arena_alloc(arena, (n_rows + 1) * sizeof *rows->n_peers);
	rows->leader = arena_alloc(arena, (n_rows + 1) * sizeof *rows->leader);
	rows->n_of_type = arena_alloc(arena, (n_rows + 1) * sizeof *rows->n_of_type);
	rows->peers = arena_alloc(arena, n * (STATS_TYPICAL_BLOCKS + 1) * sizeof *rows->peers);
	rows->pair->rows = arena_alloc(arena, (n_rows + 1) * sizeof *rows->pair->rows);
	return rows->ops && rows->time && rows->beside && rows->scatter && rows->beside_scatter && rows->n_peers &&
		       rows->leader && rows->n_of_type && rows->peers && rows->pair->rows
		   ? 0
		   : -ENOMEM;
}

static const struct diff_model *model_at(const struct rows *rows, const struct diff_members *members, uint32_t run)
{
	return run < rows->n_base ? members->base[run] : members->fresh[run - rows->n_base];
}

/* The operators of every run by those of the pair's first one; all[i]: of operator i of base. */
static int join_runs(struct rows *rows, const struct diff_members *members, const struct diff_operator **all,
		     enum diff_join *join, struct arena *arena)
{
	const struct diff_model *base = rows->pair->base;
	uint32_t *to = arena_alloc(arena, (base->n_operators + 1) * sizeof *to);
	enum diff_join *how = arena_alloc(arena, (base->n_operators + 1) * sizeof *how);

	if (!to || !how)
		return -ENOMEM;
	for (uint32_t run = 0; run < rows->n_runs; run++) {
		const struct diff_model *model = model_at(rows, members, run);

		if (!model || !model->n_operators)
			continue;
		if (diff_join_operators(base, model, to, how, arena))
			return -ENOMEM;
		for (uint32_t i = 0; i < base->n_operators; i++) {
			if (to[i] == UINT32_MAX)
				continue;
			all[(size_t)i * rows->n_runs + run] = &model->operators[to[i]];
			join[i] = model == rows->pair->fresh ? how[i] : join[i];
		}
	}
	return 0;
}

static int take_only_fresh(struct rows *rows, struct arena *arena)
{
	struct diff_pair *pair = rows->pair;
	const struct diff_model *fresh = pair->fresh;
	bool *is_joined = arena_alloc(arena, fresh->n_operators + 1);

	pair->only_fresh = arena_alloc(arena, (fresh->n_operators + 1) * sizeof *pair->only_fresh);
	if (!is_joined || !pair->only_fresh)
		return -ENOMEM;
	for (uint32_t i = 0; i < pair->n_rows; i++)
		for (uint32_t run = rows->n_base; run < rows->n_runs; run++) {
			const struct diff_operator *op = op_at(rows, i, run);

			if (op && op >= fresh->operators && op < fresh->operators + fresh->n_operators)
				is_joined[op - fresh->operators] = true;
		}
	for (uint32_t i = 0; i < fresh->n_operators; i++)
		if (!is_joined[i])
			pair->only_fresh[pair->n_only_fresh++] = &fresh->operators[i];
	return 0;
}

static void add_row(struct rows *rows, const struct diff_operator *const *ops, enum diff_join join)
{
	struct diff_pair *pair = rows->pair;
	struct diff_row *row = &pair->rows[pair->n_rows];

	*row = (struct diff_row){ .join = join, .peers_change = NAN, .extra_ns = NAN };
	for (uint32_t run = rows->n_runs; run-- > 0;) {
		rows->ops[(size_t)pair->n_rows * rows->n_runs + run] = ops[run];
		if (ops[run])
			*(run < rows->n_base ? &row->base : &row->fresh) = ops[run];
	}
	pair->n_rows++;
}

static int take_rows(struct rows *rows, const struct diff_members *members, struct arena *arena)
{
	struct diff_pair *pair = rows->pair;
	uint32_t n = pair->base->n_operators;
	const struct diff_operator **all = arena_alloc(arena, ((size_t)n * rows->n_runs + 1) * sizeof *all);
	enum diff_join *join = arena_alloc(arena, (n + 1) * sizeof *join);

	pair->only_base = arena_alloc(arena, (n + 1) * sizeof *pair->only_base);
	if (!all || !join || !pair->only_base || join_runs(rows, members, all, join, arena))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct diff_operator *const *own = &all[(size_t)i * rows->n_runs];
		bool has_fresh = false;

		for (uint32_t run = rows->n_base; run < rows->n_runs; run++)
			has_fresh |= own[run] != NULL;
		if (has_fresh)
			add_row(rows, own, join[i]);
		else
			pair->only_base[pair->n_only_base++] = &pair->base->operators[i];
	}
	return take_only_fresh(rows, arena);
}

static bool is_peer(const struct rows *rows, uint32_t a, uint32_t b)
{
	const char *x = rows->pair->rows[a].base->op_type, *y = rows->pair->rows[b].base->op_type;

	return x && y && !strcmp(x, y);
}

/* The median over all rows of a type of what they take in a run, or in a block of it, beside their own typical time. */
static double middle_of_type(const struct rows *rows, uint32_t leader, uint32_t run, int block, double *room)
{
	size_t n = 0;

	for (uint32_t i = leader; i < rows->pair->n_rows; i++) {
		const struct diff_operator *op = rows->leader[i] == leader ? op_at(rows, i, run) : NULL;
		const struct diff_operator *first = op ? op_at(rows, i, 0) : NULL;

		if (!op || !first || (block >= 0 && (uint32_t)block >= op->blocks.n_blocks))
			continue;
		room[n++] = block < 0 ? log(time_of(op) / time_of(first))
				      : log((double)op->blocks.block_quartile_ns[block] / op->typical_ns);
	}
	return n <= LEAST_PEERS ? NAN : diff_median(room, n);
}

/* Of a row's type; block -1: of the run. */
static double *peers_at(const struct rows *rows, uint32_t row, uint32_t run, int block)
{
	size_t at = (size_t)rows->leader[row] * rows->n_runs + run;

	return &rows->peers[at * (STATS_TYPICAL_BLOCKS + 1) + (size_t)(block + 1)];
}

static void find_peers(struct rows *rows, double *room)
{
	uint32_t n = rows->pair->n_rows;

	for (uint32_t i = 0; i < n; i++) {
		rows->leader[i] = i;
		for (uint32_t k = 0; k < i && rows->leader[i] == i; k++)
			rows->leader[i] = rows->leader[k] == k && is_peer(rows, i, k) ? k : i;
		rows->n_of_type[rows->leader[i]]++;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_type = rows->n_of_type[rows->leader[i]];

		rows->n_peers[i] = n_type > LEAST_PEERS ? n_type - 1 : 0;
		for (uint32_t run = 0; rows->leader[i] == i && rows->n_peers[i] && run < rows->n_runs; run++)
			for (int block = -1; block < (diff_is_single(rows->diff) ? STATS_TYPICAL_BLOCKS : 0); block++)
				*peers_at(rows, i, run, block) = middle_of_type(rows, i, run, block, room);
	}
}

static void scatter_at(struct rows *rows, uint32_t row, uint32_t run)
{
	const struct diff_operator *op = op_at(rows, row, run);
	size_t at = (size_t)row * rows->n_runs + run;
	float beside[STATS_TYPICAL_BLOCKS];

	rows->scatter[at] = op ? op->scatter : NAN;
	rows->beside_scatter[at] = NAN;
	if (!op || !rows->n_peers[row] || !diff_is_single(rows->diff) || !op->blocks.n_blocks)
		return;
	for (uint32_t k = 0; k < op->blocks.n_blocks; k++)
		beside[k] = (float)(1e6 * (double)op->blocks.block_quartile_ns[k] / op->typical_ns /
				    exp(*peers_at(rows, row, run, (int)k)));
	rows->beside_scatter[at] = stats_typical_scatter(beside, op->blocks.n_blocks);
}

static int fill_times(struct rows *rows, struct arena *arena)
{
	uint32_t n_rows = rows->pair->n_rows;
	double *room = arena_alloc(arena, (n_rows + 1) * sizeof *room);

	if (!room)
		return -ENOMEM;
	find_peers(rows, room);
	for (uint32_t row = 0; row < n_rows; row++) {
		for (uint32_t run = 0; run < rows->n_runs; run++) {
			size_t at = (size_t)row * rows->n_runs + run;

			rows->time[at] = log(time_of(op_at(rows, row, run)));
			rows->beside[at] = rows->n_peers[row] ? rows->time[at] - *peers_at(rows, row, run, -1) : NAN;
			scatter_at(rows, row, run);
		}
	}
	return 0;
}

/* The known values of a row's runs, base's or new's; the arrays have room for all. */
static struct diff_sample sample(const struct rows *rows, uint32_t row, const double *value, const double *scatter,
				 bool is_base, double *room)
{
	struct diff_sample to = { room, room + rows->n_runs, 0 };
	size_t at = (size_t)row * rows->n_runs;

	for (uint32_t run = is_base ? 0 : rows->n_base; run < (is_base ? rows->n_base : rows->n_runs); run++)
		if (isfinite(value[at + run])) {
			to.scatter[to.n] = scatter[at + run];
			to.value[to.n++] = value[at + run];
		}
	return to;
}

struct pair_of_samples {
	struct diff_sample base, fresh;
};

static struct pair_of_samples samples(const struct rows *rows, uint32_t row, bool is_beside, double *room)
{
	const double *value = is_beside ? rows->beside : rows->time;
	const double *scatter = is_beside ? rows->beside_scatter : rows->scatter;

	return (struct pair_of_samples){ sample(rows, row, value, scatter, true, room),
					 sample(rows, row, value, scatter, false, room + 2 * (size_t)rows->n_runs) };
}

/* The middle of the variances of all rows, which a row of few runs is judged by as well; NAN: one run each. */
static double middle_variance(const struct rows *rows, bool is_beside, double *room, double *variances)
{
	size_t n = 0;

	for (uint32_t row = 0; row < rows->pair->n_rows; row++) {
		struct pair_of_samples own = samples(rows, row, is_beside, room);
		double variance = diff_variance(&own.base, &own.fresh);

		if (isfinite(variance))
			variances[n++] = variance;
	}
	return diff_median(variances, n);
}

static void set_means(struct diff_row *row, const struct rows *rows, uint32_t index, double *room)
{
	struct pair_of_samples own = samples(rows, index, false, room);
	double sum[2] = { 0, 0 };

	for (uint32_t i = 0; i < own.base.n; i++)
		sum[0] += own.base.value[i] / own.base.n;
	for (uint32_t i = 0; i < own.fresh.n; i++)
		sum[1] += own.fresh.value[i] / own.fresh.n;
	row->value.base = own.base.n ? exp(sum[0]) : NAN;
	row->value.fresh = own.fresh.n ? exp(sum[1]) : NAN;
	row->value.n_base = own.base.n;
	row->value.n_fresh = own.fresh.n;
}

/* With one run a side only blocks of both show how far it moves beside its peers. */
static bool knows_beside(const struct rows *rows, uint32_t row)
{
	size_t at = (size_t)row * rows->n_runs;

	if (!rows->n_peers[row] || !diff_is_single(rows->diff))
		return rows->n_peers[row] > 0;
	return isfinite(rows->beside_scatter[at]) && isfinite(rows->beside_scatter[at + 1]);
}

/* Beside its peers, unless all operators together have changed for sure. */
static void estimate_row(struct rows *rows, uint32_t index, bool is_beside, const struct diff_prior *prior,
			 double *room)
{
	struct diff_row *row = &rows->pair->rows[index];
	bool own_beside = is_beside && knows_beside(rows, index);
	struct diff_prior own_prior = prior[own_beside];
	struct pair_of_samples own;
	struct diff_estimate estimate;

	set_means(row, rows, index, room);
	own = samples(rows, index, own_beside, room);
	if (own_beside) {
		row->n_peers = rows->n_peers[index];
		row->peers_change =
		    row->value.fresh / row->value.base / exp(diff_mean(&own.fresh) - diff_mean(&own.base)) - 1;
		own_prior.between = hypot(own_prior.between, PEERS_ERROR * log1p(row->peers_change));
	}
	estimate = diff_estimate(&own.base, &own.fresh, &own_prior);
	diff_value_set(&row->value, &estimate);
	if (provider_is_deferred(row->base->provider) || provider_is_deferred(row->fresh->provider))
		row->value.p = NAN; /* it only starts what a device computes later */
	row->extra_ns = row->value.base * (own_beside ? 1 + row->peers_change : 1) * row->value.change;
}

static void make_priors(const struct rows *rows, struct diff_prior *prior, double *room, double *variances)
{
	bool is_busy = rows->diff->is_busy;

	/* nothing beside it shows what the machine did */
	prior[0].between = is_busy ? NAN : DIFF_BETWEEN;
	prior[1].between = is_busy ? DIFF_BETWEEN_BUSY_BESIDE : DIFF_BETWEEN_BESIDE;
	for (int is_beside = 0; is_beside < 2 && !diff_is_single(rows->diff); is_beside++) {
		double variance = middle_variance(rows, is_beside, room, variances);

		if (isfinite(variance)) {
			prior[is_beside].variance = variance;
			prior[is_beside].df = PRIOR_DF;
		}
	}
}

static int compare_rows(const void *a_, const void *b_)
{
	const struct diff_row *a = a_, *b = b_;
	double x = isnan(a->extra_ns) ? -1 : fabs(a->extra_ns), y = isnan(b->extra_ns) ? -1 : fabs(b->extra_ns);

	return (x < y) - (x > y);
}

int diff_make_rows(struct diff *diff, struct diff_pair *pair, const struct diff_members *members, struct arena *arena)
{
	enum diff_says says = pair->value[DIFF_OPERATORS].says;
	bool is_beside = says != DIFF_WORSE && says != DIFF_BETTER;
	struct rows rows = { .diff = diff,
			     .pair = pair,
			     .n_base = diff->base.n_runs,
			     .n_runs = diff->base.n_runs + diff->fresh.n_runs };
	struct diff_prior prior[2] = { { 0 } };
	double *room = arena_alloc(arena, (4 * (size_t)rows.n_runs + 1) * sizeof *room);
	double *variances = arena_alloc(arena, (pair->base->n_operators + 1) * sizeof *variances);

	if (!room || !variances || allocate(&rows, pair->base->n_operators, arena) ||
	    take_rows(&rows, members, arena) || fill_times(&rows, arena))
		return -ENOMEM;
	make_priors(&rows, prior, room, variances);
	for (uint32_t i = 0; i < pair->n_rows; i++)
		estimate_row(&rows, i, is_beside, prior, room);
	qsort(pair->rows, pair->n_rows, sizeof *pair->rows, compare_rows);
	return 0;
}

/* Does it matter to an inference, and is it more than the recording itself? */
static bool matters(const struct diff_pair *pair, const struct diff_row *row)
{
	double event_ns = fmax(fmax(pair->base->event_ns, pair->fresh->event_ns), 10);

	return fabs(row->extra_ns) >= LEAST_SHARE * pair->value[DIFF_OPERATORS].base &&
	       fabs(row->extra_ns) >= LEAST_EVENTS * event_ns * fmax(row->base->calls, 1);
}

int diff_judge_rows(struct diff *diff, struct arena *arena)
{
	size_t n = 0, at = 0;
	double *p;

	for (uint32_t i = 0; i < diff->n_pairs; i++)
		n += diff->pairs[i].n_rows;
	p = arena_alloc(arena, (n + 1) * sizeof *p);
	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (uint32_t k = 0; k < diff->pairs[i].n_rows; k++) {
			p[at++] = diff->pairs[i].rows[k].value.p;
			diff->n_tested += isfinite(p[at - 1]);
		}
	if (diff_holm(p, n))
		return -ENOMEM;
	at = 0;
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (uint32_t k = 0; k < diff->pairs[i].n_rows; k++) {
			struct diff_row *row = &diff->pairs[i].rows[k];

			row->value.p = p[at++];
			diff_value_judge(diff, &row->value, diff->opts.minimum, false);
			if ((row->value.says == DIFF_WORSE || row->value.says == DIFF_BETTER) &&
			    !matters(&diff->pairs[i], row))
				row->value.says = DIFF_OPEN;
		}
	return 0;
}
