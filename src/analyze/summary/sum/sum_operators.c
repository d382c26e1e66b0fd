// SPDX-License-Identifier: Apache-2.0
/*
 * Operators: they wait with their inference in blocks of memory that are used again and again, and then add to the
 * group of their name, type, provider and place. Most inferences have all operators on one thread and inside it: each
 * one's own time (less what runs inside it) is its share. The others take the way of sum_parallel.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/matrix_bytes.h"
#include "analyze/summary/sum_in.h"

enum { MAX_OUTSIDE = 1 << 14 };

static struct op_kind *kind_at(const struct operators *operators, uint32_t index)
{
	return (struct op_kind *)operators->kinds.data + index;
}

int sum_operators_kind(struct operators *to, uint32_t name, const struct facts *facts, uint32_t *kind)
{
	uint32_t op_type = fact_text(facts, FACT_OP_TYPE), provider = fact_text(facts, FACT_PROVIDER), n;
	struct op_memo *memo;

	while (to->memo.n <= name)
		if (!array_add(&to->memo, sizeof *memo))
			return -ENOMEM;
	memo = (struct op_memo *)to->memo.data + name;
	if (!memo->kind || memo->op_type != op_type || memo->provider != provider) {
		n = to->kind_keys.n;
		*kind = keys_number(&to->kind_keys, name, keys_pair(op_type, provider));
		if (*kind == NONE || (*kind == n && !array_add(&to->kinds, sizeof(struct op_kind))))
			return -ENOMEM;
		if (*kind == n)
			*kind_at(to, n) = (struct op_kind){ name, op_type, provider, NONE, NONE };
		*memo = (struct op_memo){ op_type, provider, *kind + 1 };
	}
	*kind = memo->kind - 1;
	return 0;
}

int sum_operators_put(struct operators *to, struct ops *ops, const struct op *op)
{
	struct ops_block *block = ops->last ? block_at(to, ops->last) : NULL;

	if (!block || block->n == OPS_IN_BLOCK) {
		uint32_t number = to->free;

		if (number) {
			to->free = block_at(to, number)->next;
		} else {
			if (!array_add(&to->blocks, sizeof *block))
				return -ENOMEM;
			number = (uint32_t)to->blocks.n;
		}
		if (ops->last)
			block_at(to, ops->last)->next = number;
		else
			ops->first = number;
		ops->last = number;
		block = block_at(to, number);
		block->n = block->next = 0;
	}
	block->op[block->n++] = *op;
	ops->n++;
	to->n++;
	return 0;
}

void sum_operators_drop(struct operators *to, struct ops *ops)
{
	if (ops->first) {
		block_at(to, ops->last)->next = to->free;
		to->free = ops->first;
		to->n -= ops->n;
	}
	*ops = (struct ops){ 0 };
}

bool sum_operators_has(const struct operators *operators, const struct ops *ops)
{
	for (uint32_t number = ops->first; number; number = block_at(operators, number)->next)
		for (uint32_t i = 0; i < block_at(operators, number)->n; i++)
			if (!(block_at(operators, number)->op[i].track & OP_SETUP))
				return true;
	return false;
}

uint32_t sum_operators_place(struct operators *to, const struct place *place)
{
	uint32_t n = to->place_keys.n;
	uint32_t index = keys_number(&to->place_keys, keys_pair(place->process, place->bucket), place->where);

	if (index == n) {
		struct place *copy = array_add(&to->places, sizeof *copy);

		if (!copy)
			return NONE;
		*copy = *place;
	}
	return index;
}

int sum_operators_group(struct operators *to, uint32_t at, const struct op *op, uint32_t *index)
{
	const struct place *place = (const struct place *)to->places.data + at;
	struct op_kind *kind = kind_at(to, op->kind);
	uint32_t n = to->group_keys.n;
	struct group *group;

	if (kind->place == at) {
		*index = kind->group;
		return 0;
	}
	*index = keys_number(&to->group_keys, at, op->kind);
	if (*index == NONE || (*index == n && !array_add(&to->groups, sizeof *group)))
		return -ENOMEM;
	group = group_at(to, *index);
	if (*index == n) { /* texts of groups stay */
		group->track = UINT32_MAX;
		group->durations.limit = to->keeps_all ? STATS_LIMIT : *index < MANY_NODES ? NODE_LIMIT : MANY_LIMIT;
		group->facts = (struct summary_operator){ .process = place->process,
							  .model = place->bucket,
							  .where = place->where,
							  .name = kind->name,
							  .op_type = kind->op_type,
							  .provider = kind->provider,
							  .shapes = names_keep(to->names, op->shapes),
							  .bytes = -1,
							  .allocated = -1 };
	}
	kind->place = at;
	kind->group = *index;
	return 0;
}

/* Is it simple? If so, shares are known at once. */
static bool look_over(const struct operators *operators, struct run *run)
{
	bool is_simple = !run->is_divided;

	for (uint32_t number = run->ops.first; number; number = block_at(operators, number)->next) {
		const struct ops_block *block = block_at(operators, number);

		for (const struct op *op = block->op; op < block->op + block->n; op++) {
			if (op->track & OP_SETUP) {
				if (op->track & OP_HALTED)
					is_simple = false;
				if (op->end_ns > run->setup_end_ns)
					run->setup_end_ns = op->end_ns;
				continue;
			}
			if (run->operator_track && (op->track & OP_TRACK) != run->operator_track)
				run->is_parallel = true;
			run->operator_track = op->track & OP_TRACK;
			if (op->begin_ns < run->begin_ns || (op->end_ns > run->end_ns && op->end_ns != STORE_OPEN))
				is_simple = false;
			if (op->begin_ns < run->first_ns)
				run->first_ns = op->begin_ns;
		}
	}
	return is_simple && !run->is_parallel && run->first_ns >= run->setup_end_ns;
}

/* Those of a passing text may be equal. */
static bool is_other_shape(const struct operators *operators, uint32_t kept, uint32_t shapes)
{
	return kept != shapes && (!names_is_passing(shapes) || strcmp(names_text(operators->names, kept),
								      names_text(operators->names, shapes)) != 0);
}

static void add_matrix(struct operators *to, struct group *group, const struct op *op, uint32_t weight)
{
	struct matrix *known = &to->matrix;
	bool is_passing = names_is_passing(op->shapes);

	if (is_passing || !op->shapes || known->shapes != op->shapes || known->op_type != group->facts.op_type)
		*known = (struct matrix){ is_passing ? 0 : op->shapes, group->facts.op_type,
					  matrix_bytes(names_text(to->names, group->facts.op_type),
						       names_text(to->names, op->shapes)) };
	if (known->bytes < 0)
		group->facts.lacks_matrix = true;
	else
		group->facts.matrix_bytes =
		    stats_sum(group->facts.matrix_bytes, sum_scaled((uint64_t)known->bytes, weight));
}

/* What the operators of an inference come to. */
struct took {
	uint32_t weight; /* inferences that it stands for */
	uint64_t own_ns, halted_ns;
};

/* Its own time goes to took once; to the group as often as there were such inferences. */
static int add_one(struct operators *to, uint32_t place, const struct op *op, bool has_share, struct took *took)
{
	uint64_t whole_ns = op->end_ns - op->begin_ns, self_ns = whole_ns - op->inside_ns;
	uint32_t index, track = op->track & OP_TRACK, weight = took->weight;
	struct group *group;
	int rc = 0;

	if (sum_operators_group(to, place, op, &index))
		return -ENOMEM;
	group = group_at(to, index);
	to->n_seen += weight;
	if (track < group->track || (track == group->track && op->begin_ns < group->first_ns)) {
		group->track = track;
		group->first_ns = op->begin_ns;
	}
	group->facts.n_failed += (op->track & OP_FAILED) != 0;
	group->facts.has_children |= (op->track & OP_PARENT) != 0;
	group->facts.has_more_shapes |= is_other_shape(to, group->facts.shapes, op->shapes);
	if (op->bytes >= 0)
		group->facts.bytes = sum_bytes(group->facts.bytes, sum_scaled_bytes(op->bytes, weight));
	if (op->allocated >= 0)
		group->facts.allocated = sum_bytes(group->facts.allocated, sum_scaled_bytes(op->allocated, weight));
	if (op->end_ns == STORE_OPEN) {
		group->facts.n_open++;
		return 0;
	}
	if (op->track & OP_HALTED) {
		group->facts.n_halted += weight;
		group->facts.halted_ns = stats_sum(group->facts.halted_ns, sum_scaled(self_ns, weight));
		took->halted_ns += has_share ? self_ns : 0;
		return 0;
	}
	group->facts.self_ns = stats_sum(group->facts.self_ns, sum_scaled(self_ns, weight));
	add_matrix(to, group, op, weight);
	if (has_share) {
		group->facts.share_ns = stats_sum(group->facts.share_ns, sum_scaled(self_ns, weight));
		took->own_ns += self_ns;
	}
	for (uint32_t i = 0; !rc && i < weight; i++)
		rc = stats_add(&group->durations, whole_ns);
	return rc;
}

int sum_operators_add(struct summary_maker *maker, struct run *run, struct place place, uint64_t *operators_ns,
		      uint64_t *setup_ns)
{
	struct operators *to = &maker->operators;
	bool has_shares = place.where == WHERE_INFERENCE || place.where == WHERE_APART || place.where == WHERE_PARTS;
	bool is_simple = has_shares && look_over(to, run);
	struct took took = { run->weight, 0, 0 };
	uint32_t at = sum_operators_place(to, &place);
	int rc = at == NONE ? -ENOMEM : 0;

	*setup_ns = is_simple ? run->setup_ns - run->summed_setup_ns : 0;
	for (uint32_t number = run->ops.first; !rc && number; number = block_at(to, number)->next) {
		const struct ops_block *block = block_at(to, number);

		for (uint32_t i = 0; !rc && i < block->n; i++) {
			const struct op *op = &block->op[i];

			if (op->track & OP_SETUP)
				continue;
			rc = add_one(to, at, op, is_simple, &took);
			if (op->end_ns != STORE_OPEN && op->end_ns > run->operators_end_ns)
				run->operators_end_ns = op->end_ns;
		}
	}
	*operators_ns = took.own_ns;
	run->halted_ns += took.halted_ns;
	if (rc || !has_shares || is_simple)
		return rc;
	run->is_divided = true;
	return sum_parallel_divide(to, run, at, operators_ns, setup_ns);
}

void sum_operators_merge(struct group *to, const struct group *from)
{
	const struct summary_operator *facts = &from->facts;

	to->facts.n_open += facts->n_open;
	to->facts.n_failed += facts->n_failed;
	to->facts.n_halted += facts->n_halted;
	to->facts.halted_ns = stats_sum(to->facts.halted_ns, facts->halted_ns);
	to->facts.self_ns = stats_sum(to->facts.self_ns, facts->self_ns);
	to->facts.share_ns = stats_sum(to->facts.share_ns, facts->share_ns);
	to->facts.n_kernels += facts->n_kernels;
	to->facts.device_ns = stats_sum(to->facts.device_ns, facts->device_ns);
	to->facts.has_children |= facts->has_children;
	to->facts.lacks_matrix |= facts->lacks_matrix;
	to->facts.matrix_bytes = stats_sum(to->facts.matrix_bytes, facts->matrix_bytes);
	to->facts.has_more_shapes |= facts->has_more_shapes || to->facts.shapes != facts->shapes;
	if (facts->bytes >= 0)
		to->facts.bytes = sum_bytes(to->facts.bytes, facts->bytes);
	if (facts->allocated >= 0)
		to->facts.allocated = sum_bytes(to->facts.allocated, facts->allocated);
}

static int add_outside(struct summary_maker *maker, const struct outside *outside)
{
	struct place place = { sum_group_of(maker, outside->process), NONE, WHERE_OUTSIDE };
	struct took ignored = { 1, 0, 0 };
	uint32_t at;

	if (place.process == NONE)
		return -ENOMEM;
	if (sum_creations_is_at(&process_at(maker, outside->process)->creations, outside->op.begin_ns))
		place.where = WHERE_CREATION;
	at = sum_operators_place(&maker->operators, &place);
	return at == NONE ? -ENOMEM : add_one(&maker->operators, at, &outside->op, false, &ignored);
}

int sum_operators_outside(struct summary_maker *maker, uint32_t process, const struct op *op)
{
	struct operators *to = &maker->operators;
	struct outside *outside;
	int rc = 0;

	/* whether a session was being created then may become known a little later */
	if (to->outside.n < MAX_OUTSIDE) {
		outside = array_add(&to->outside, sizeof *outside);
		if (!outside)
			return -ENOMEM;
	} else {
		outside = (struct outside *)to->outside.data + to->outside_at++ % MAX_OUTSIDE;
		rc = add_outside(maker, outside);
	}
	*outside = (struct outside){ *op, process };
	return rc;
}

int sum_operators_finish(struct summary_maker *maker)
{
	struct operators *to = &maker->operators;
	int rc = 0;

	for (size_t i = 0; !rc && i < to->outside.n; i++)
		rc = add_outside(maker, (struct outside *)to->outside.data + (to->outside_at + i) % to->outside.n);
	to->outside.n = 0;
	return rc;
}

void sum_operators_done(struct operators *operators)
{
	for (size_t i = 0; i < operators->groups.n; i++)
		stats_done(&group_at(operators, (uint32_t)i)->durations);
	array_done(&operators->blocks, sizeof(struct ops_block));
	array_done(&operators->kinds, sizeof(struct op_kind));
	array_done(&operators->memo, sizeof(struct op_memo));
	array_done(&operators->places, sizeof(struct place));
	array_done(&operators->groups, sizeof(struct group));
	array_done(&operators->outside, sizeof(struct outside));
	keys_done(&operators->kind_keys);
	keys_done(&operators->place_keys);
	keys_done(&operators->group_keys);
}
