// SPDX-License-Identifier: Apache-2.0
/*
 * Which model and which operator of one run is which of another. Operators: by name and type; then by the node of the
 * model that the name comes from, for graphs that were optimised differently; then, for a type of which both sides have
 * equally many left, in the order in which they run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_in.h"

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_keys(const struct diff_operator *a, const struct diff_operator *b, enum diff_join by)
{
	int order = by == DIFF_BY_NAME	 ? compare_texts(a->name, b->name)
		    : by == DIFF_BY_NODE ? compare_texts(a->node, b->node)
					 : 0;

	return order || by == DIFF_BY_NODE ? order : compare_texts(a->op_type, b->op_type);
}

struct candidate {
	const struct diff_operator *op;
	uint32_t at;
	enum diff_join by;
};

static int compare_candidates(const void *a_, const void *b_)
{
	const struct candidate *a = a_, *b = b_;
	int order = compare_keys(a->op, b->op, a->by);

	order = order ? order : (a->op->order > b->op->order) - (a->op->order < b->op->order);
	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static uint32_t gather(struct candidate *to, const struct diff_model *from, const bool *is_taken, enum diff_join by)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < from->n_operators; i++)
		if (!is_taken[i])
			to[n++] = (struct candidate){ &from->operators[i], i, by };
	qsort(to, n, sizeof *to, compare_candidates);
	return n;
}

static uint32_t same_from(const struct candidate *all, uint32_t n, uint32_t at)
{
	uint32_t end = at + 1;

	while (end < n && !compare_keys(all[at].op, all[end].op, all[at].by))
		end++;
	return end - at;
}

struct join_work {
	struct candidate *a, *b;
	bool *is_taken_a, *is_taken_b;
	uint32_t *to;
	enum diff_join *how;
};

/* Equal keys of both, as many as both have; by order alone only equally many. */
static void join_by(struct join_work *work, const struct diff_model *a, const struct diff_model *b, enum diff_join by)
{
	uint32_t n_a = gather(work->a, a, work->is_taken_a, by), n_b = gather(work->b, b, work->is_taken_b, by);

	for (uint32_t i = 0, k = 0; i < n_a && k < n_b;) {
		int order = compare_keys(work->a[i].op, work->b[k].op, by);
		uint32_t same_a = same_from(work->a, n_a, i), same_b = same_from(work->b, n_b, k);
		uint32_t n = same_a < same_b ? same_a : same_b;

		if (by == DIFF_BY_ORDER && same_a != same_b)
			n = 0;
		for (uint32_t j = 0; !order && j < n; j++) {
			uint32_t at = work->a[i + j].at;

			work->to[at] = work->b[k + j].at;
			work->how[at] = by;
			work->is_taken_a[at] = work->is_taken_b[work->b[k + j].at] = true;
		}
		i += order <= 0 ? same_a : 0;
		k += order >= 0 ? same_b : 0;
	}
}

int diff_join_operators(const struct diff_model *a, const struct diff_model *b, uint32_t *to, enum diff_join *how,
			struct arena *arena)
{
	struct join_work work = { .to = to, .how = how };

	work.a = arena_alloc(arena, (a->n_operators + 1) * sizeof *work.a);
	work.b = arena_alloc(arena, (b->n_operators + 1) * sizeof *work.b);
	work.is_taken_a = arena_alloc(arena, a->n_operators + 1);
	work.is_taken_b = arena_alloc(arena, b->n_operators + 1);
	if (!work.a || !work.b || !work.is_taken_a || !work.is_taken_b)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->n_operators; i++)
		to[i] = UINT32_MAX;
	join_by(&work, a, b, DIFF_BY_NAME);
	join_by(&work, a, b, DIFF_BY_NODE);
	join_by(&work, a, b, DIFF_BY_ORDER);
	return 0;
}

/* Runs of two results by their labels: their model may be another one. */
static bool is_same_name(const struct diff_model *a, const struct diff_model *b)
{
	return a->label && b->label ? !strcmp(a->label, b->label) : !strcmp(a->name, b->name);
}

/* One that is not known is every one. */
static bool is_like(const char *a, const char *b)
{
	return !a || !b || !strcmp(a, b);
}

static bool is_same(const struct diff_model *a, const struct diff_model *b)
{
	return is_same_name(a, b) && is_like(a->runtime, b->runtime) && is_like(a->provider, b->provider);
}

/*
 * Models found by their names: lists of those with the same hash, in order. A fleet has a thousand models on each of
 * hundreds of machines.
 */
struct by_name {
	uint32_t *first, *next; /* numbers from 1; 0: the last one. next: of each model */
	uint32_t mask;
	bool *is_placed; /* of each model: a pair has it */
};

struct join {
	struct diff *diff;
	struct diff_members *members;
	struct by_name base[DIFF_MAX_RUNS], fresh[DIFF_MAX_RUNS],
	    only;	 /* only: those without a counterpart, of a side */
	bool has_labels; /* names do not decide alone */
	struct arena *arena;
};

static uint32_t hash_of(const struct join *join, const struct diff_model *model)
{
	uint32_t hash = 2166136261u;

	for (const char *at = join->has_labels ? "" : model->name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	return hash;
}

static uint32_t first_like(const struct join *join, const struct by_name *names, const struct diff_model *like)
{
	return names->first[hash_of(join, like) & names->mask];
}

static int make_room(struct by_name *names, uint32_t n, struct arena *arena)
{
	uint32_t size = 1;

	while (size < n)
		size *= 2;
	*names =
	    (struct by_name){ arena_alloc(arena, size * sizeof *names->first),
			      arena_alloc(arena, (n + 1) * sizeof *names->next), size - 1, arena_alloc(arena, n + 1) };
	if (!names->first || !names->next || !names->is_placed)
		return -ENOMEM;
	memset(names->first, 0, size * sizeof *names->first);
	memset(names->is_placed, 0, n);
	return 0;
}

static void put_first(const struct join *join, struct by_name *names, const struct diff_model *model, uint32_t at)
{
	uint32_t *first = &names->first[hash_of(join, model) & names->mask];

	names->next[at] = *first;
	*first = at + 1;
}

static int index_side(struct join *join, const struct diff_side *side, struct by_name *names)
{
	for (uint32_t i = 0; i < side->n_runs; i++) {
		if (make_room(&names[i], side->runs[i].n_models, join->arena))
			return -ENOMEM;
		for (uint32_t k = side->runs[i].n_models; k-- > 0;)
			put_first(join, &names[i], &side->runs[i].models[k], k);
	}
	return 0;
}

static bool has_labels(const struct diff_side *side)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		for (uint32_t k = 0; k < side->runs[i].n_models; k++)
			if (side->runs[i].models[k].label)
				return true;
	return false;
}

static bool has(const struct join *join, bool is_base, const struct diff_model *like)
{
	const struct diff_side *side = is_base ? &join->diff->base : &join->diff->fresh;
	const struct by_name *names = is_base ? join->base : join->fresh;

	for (uint32_t i = 0; i < side->n_runs; i++)
		for (uint32_t at = first_like(join, &names[i], like); at; at = names[i].next[at - 1])
			if (is_same(&side->runs[i].models[at - 1], like))
				return true;
	return false;
}

/* The nth model like this one. is_other: on another runtime or provider, with which base does not have it. */
static const struct diff_model *find_model(const struct join *join, const struct diff_run *run,
					   const struct by_name *names, const struct diff_model *like, uint32_t n,
					   bool is_other)
{
	for (uint32_t at = first_like(join, names, like); at; at = names->next[at - 1]) {
		const struct diff_model *model = &run->models[at - 1];

		if ((is_same(model, like) || (is_other && is_same_name(model, like) && !has(join, true, model))) &&
		    !n--)
			return model;
	}
	return NULL;
}

static uint32_t number_of(const struct join *join, uint32_t run, uint32_t model)
{
	const struct diff_model *models = join->diff->base.runs[run].models;
	uint32_t n = 0;

	for (uint32_t at = first_like(join, &join->base[run], &models[model]); at && at <= model;
	     at = join->base[run].next[at - 1])
		n += is_same(&models[at - 1], &models[model]);
	return n;
}

static bool has_one(const struct diff_side *side)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		if (side->runs[i].n_models != 1 || !is_same(side->runs[i].models, side->runs->models))
			return false;
	return true;
}

/* A model of a run of base. Where a side has it on another runtime or provider alone, that is the one. */
static void fill(const struct diff_model **to, const struct join *join, bool is_base, uint32_t run, uint32_t model)
{
	const struct diff_side *side = is_base ? &join->diff->base : &join->diff->fresh;
	const struct diff_model *like = &join->diff->base.runs[run].models[model];
	const struct by_name *names = is_base ? join->base : join->fresh;
	uint32_t number = number_of(join, run, model);
	bool is_other = !has(join, is_base, like);

	for (uint32_t i = 0; i < side->n_runs; i++)
		to[i] = find_model(join, &side->runs[i], &names[i], like, number, is_other);
}

static void fill_any(const struct diff_model **to, const struct diff_side *side)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		to[i] = side->runs[i].models;
}

static void count(const struct diff_model *const *models, uint32_t n_runs, uint64_t *n, uint64_t *n_open)
{
	for (uint32_t i = 0; i < n_runs; i++) {
		*n += models[i] ? models[i]->n : 0;
		*n_open += models[i] ? models[i]->n_open : 0;
	}
}

static void mark(const struct diff_side *side, struct by_name *names, const struct diff_model *const *models)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		if (models[i])
			names[i].is_placed[models[i] - side->runs[i].models] = true;
}

static bool find_pair(struct join *join, uint32_t run, uint32_t model, bool any)
{
	struct diff *diff = join->diff;
	struct diff_members *members = &join->members[diff->n_pairs];
	const struct diff_model *like = &diff->base.runs[run].models[model];
	struct diff_pair *pair = &diff->pairs[diff->n_pairs];

	if (any) {
		fill_any(members->base, &diff->base);
		fill_any(members->fresh, &diff->fresh);
	} else {
		fill(members->base, join, true, run, model);
		fill(members->fresh, join, false, run, model);
	}
	*pair = (struct diff_pair){ .base = like, .waits_ns = NAN };
	for (uint32_t i = diff->fresh.n_runs; i-- > 0;)
		pair->fresh = members->fresh[i] ? members->fresh[i] : pair->fresh;
	if (!pair->fresh)
		return false;
	pair->is_renamed = strcmp(pair->base->name, pair->fresh->name) != 0;
	pair->does_other_work = compare_texts(pair->base->work, pair->fresh->work) != 0;
	count(members->base, diff->base.n_runs, &pair->n_base, &pair->n_open_base);
	count(members->fresh, diff->fresh.n_runs, &pair->n_fresh, &pair->n_open_fresh);
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		if (is_same_name(diff->pairs[i].base, like) && !is_same(diff->pairs[i].base, like))
			pair->has_namesake = diff->pairs[i].has_namesake = true;
	diff->n_pairs++;
	mark(&diff->base, join->base, members->base);
	mark(&diff->fresh, join->fresh, members->fresh);
	return true;
}

/* Whether a pair has it, or it is listed as one of its side alone, as a model of another run. */
static bool is_placed(const struct join *join, bool is_base, uint32_t run, uint32_t model)
{
	const struct diff_side *side = is_base ? &join->diff->base : &join->diff->fresh;
	const struct diff_model *const *only = is_base ? join->diff->only_base : join->diff->only_fresh;
	const struct diff_model *one = &side->runs[run].models[model];

	if ((is_base ? join->base : join->fresh)[run].is_placed[model])
		return true;
	for (uint32_t at = first_like(join, &join->only, one); at; at = join->only.next[at - 1])
		if (is_same(only[at - 1], one))
			return true;
	return false;
}

static uint32_t count_models(const struct diff_side *side)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->n_runs; i++)
		n += side->runs[i].n_models;
	return n;
}

static void list_alone(struct join *join, const struct diff_model **only, uint32_t *n, const struct diff_model *model)
{
	put_first(join, &join->only, model, *n);
	only[(*n)++] = model;
}

/* Models of the new side that no pair has. */
static void find_only_fresh(struct join *join)
{
	struct diff *diff = join->diff;

	for (uint32_t i = 0; i < diff->fresh.n_runs; i++)
		for (uint32_t k = 0; k < diff->fresh.runs[i].n_models; k++)
			if (!is_placed(join, false, i, k))
				list_alone(join, diff->only_fresh, &diff->n_only_fresh, &diff->fresh.runs[i].models[k]);
}

/* Those of the first run, then what only others have. */
static void find_pairs(struct join *join)
{
	struct diff *diff = join->diff;

	for (uint32_t i = 0; i < diff->base.n_runs; i++)
		for (uint32_t k = 0; k < diff->base.runs[i].n_models; k++)
			if (!is_placed(join, true, i, k) && !find_pair(join, i, k, false) &&
			    !(has_one(&diff->base) && has_one(&diff->fresh) && find_pair(join, i, k, true)))
				list_alone(join, diff->only_base, &diff->n_only_base, &diff->base.runs[i].models[k]);
}

int diff_join_models(struct diff *diff, struct diff_members **members, struct arena *arena)
{
	uint32_t n = count_models(&diff->base), n_fresh = count_models(&diff->fresh);
	struct join *join = arena_alloc(arena, sizeof *join);

	*members = arena_alloc(arena, (n + 1) * sizeof **members);
	diff->pairs = arena_alloc(arena, (n + 1) * sizeof *diff->pairs);
	diff->only_base = arena_alloc(arena, (n + 1) * sizeof *diff->only_base);
	diff->only_fresh = arena_alloc(arena, (n_fresh + 1) * sizeof *diff->only_fresh);
	if (!join || !*members || !diff->pairs || !diff->only_base || !diff->only_fresh)
		return -ENOMEM;
	*join = (struct join){ .diff = diff, .members = *members, .arena = arena };
	join->has_labels = has_labels(&diff->base) || has_labels(&diff->fresh);
	if (index_side(join, &diff->base, join->base) || index_side(join, &diff->fresh, join->fresh) ||
	    make_room(&join->only, n, arena))
		return -ENOMEM;
	find_pairs(join);
	if (make_room(&join->only, n_fresh, arena))
		return -ENOMEM;
	find_only_fresh(join);
	return 0;
}
