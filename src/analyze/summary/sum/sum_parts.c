// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences with more operators than can wait: these are summed up while the inference runs, in groups that it has to
 * itself. Whether it is the first of its session, fails or never ends is known later: at its end these groups become
 * those of where it belongs.
 */
#include <errno.h>

#include "analyze/summary/sum_in.h"

static struct place place_of(const struct summary_maker *maker, const struct run *run)
{
	return (struct place){ run->process, (uint32_t)(run - (const struct run *)maker->window.runs.data),
			       WHERE_PARTS };
}

int sum_parts_add(struct summary_maker *maker, struct run *run)
{
	uint64_t operators_ns = 0, setup_ns = 0;
	int rc;

	run->weight = 1;
	rc = sum_operators_add(maker, run, place_of(maker, run), &operators_ns, &setup_ns);
	run->summed_until_ns += !run->summed_until_ns;
	run->operators_ns += operators_ns;
	run->summed_setup_ns += setup_ns;
	for (uint32_t number = run->ops.first; number; number = block_at(&maker->operators, number)->next)
		for (uint32_t i = 0; i < block_at(&maker->operators, number)->n; i++) {
			const struct op *op = &block_at(&maker->operators, number)->op[i];

			if (op->end_ns == STORE_OPEN || op->end_ns <= run->summed_until_ns)
				continue;
			run->summed_until_ns = op->end_ns;
			if (!(op->track & OP_SETUP))
				run->summed_last = ((struct op_kind *)maker->operators.kinds.data)[op->kind].name;
		}
	sum_operators_drop(&maker->operators, &run->ops);
	return rc;
}

/* They were measured together with what is there. */
static int add_durations(struct stats *to, const struct stats *from)
{
	int rc = 0;

	if (!stats_is_exact(from))
		return stats_merge(to, from);
	for (uint64_t i = 0; !rc && i < from->n; i++)
		rc = stats_add(to, from->value[i]);
	return rc;
}

static int move(struct operators *operators, uint32_t index, uint32_t kind, uint32_t at)
{
	struct group *from = group_at(operators, index), *to;
	struct op op = { .kind = kind, .shapes = from->facts.shapes };
	uint32_t found;
	int rc;

	if (sum_operators_group(operators, at, &op, &found))
		return -ENOMEM;
	from = group_at(operators, index);
	to = group_at(operators, found);
	if (from->track < to->track || (from->track == to->track && from->first_ns < to->first_ns)) {
		to->track = from->track;
		to->first_ns = from->first_ns;
	}
	sum_operators_merge(to, from);
	rc = add_durations(&to->durations, &from->durations);
	stats_done(&from->durations);
	/* the next inference in this place of the window begins anew */
	from->durations = (struct stats){ .limit = from->durations.limit };
	from->track = UINT32_MAX;
	from->facts = (struct summary_operator){ .process = from->facts.process,
						 .model = from->facts.model,
						 .where = from->facts.where,
						 .name = from->facts.name,
						 .op_type = from->facts.op_type,
						 .provider = from->facts.provider,
						 .bytes = -1,
						 .allocated = -1 };
	return rc;
}

int sum_parts_settle(struct summary_maker *maker, const struct run *run, const struct place *place)
{
	struct operators *operators = &maker->operators;
	struct place own = place_of(maker, run);
	uint32_t from = sum_operators_place(operators, &own), at = sum_operators_place(operators, place);
	int rc = from == NONE || at == NONE ? -ENOMEM : 0;

	for (uint32_t kind = 0; !rc && kind < operators->kinds.n; kind++) {
		uint32_t index = keys_find(&operators->group_keys, from, kind);

		if (index != NONE && group_at(operators, index)->track != UINT32_MAX)
			rc = move(operators, index, kind, at);
	}
	return rc;
}
