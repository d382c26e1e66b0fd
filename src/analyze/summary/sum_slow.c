// SPDX-License-Identifier: Apache-2.0
/* The slowest inferences of a model so far: their facts, and the longest call of each of their nodes. */
#include "analyze/summary/sum_slow.h"

#include <errno.h>
#include <stdlib.h>

static bool is_node(const struct run *run, const struct op *op)
{
	return !(op->track & (OP_SETUP | OP_HALTED)) && op->end_ns != STORE_OPEN && op->begin_ns >= run->begin_ns &&
	       op->begin_ns < run->end_ns;
}

static int add_node(struct operators *operators, struct keys *keys, const struct op *op, struct array *nodes)
{
	uint32_t name = ((struct op_kind *)operators->kinds.data)[op->kind].name, n = keys->n;
	bool is_leaf = op->track & OP_LEAF;
	uint32_t index = keys_number(keys, name, is_leaf);
	struct slow_node *node;

	if (index == NONE || (index == n && !array_add(nodes, sizeof *node)))
		return -ENOMEM;
	node = (struct slow_node *)nodes->data + index;
	if (index == n || op->end_ns - op->begin_ns > node->ns)
		*node =
		    (struct slow_node){ name, op->track & OP_TRACK, op->begin_ns, op->end_ns - op->begin_ns, is_leaf };
	return 0;
}

static int add_nodes(struct operators *operators, const struct run *run, struct slow *to)
{
	struct keys keys = { 0 };
	int rc = 0;

	to->nodes.n = 0;
	for (uint32_t number = run->ops.first; !rc && number; number = block_at(operators, number)->next) {
		const struct ops_block *block = block_at(operators, number);

		for (const struct op *op = block->op; !rc && op < block->op + block->n; op++)
			if (is_node(run, op))
				rc = add_node(operators, &keys, op, &to->nodes);
	}
	keys_done(&keys);
	return rc;
}

static void fill_row(struct summary_maker *maker, const struct run *run, int64_t operators_ns, struct summary_slow *to)
{
	const struct summary_tally *tally =
	    run->tally ? (struct summary_tally *)maker->tallies.data + run->tally - 1 : NULL;
	const struct session *beside = run->most_ns ? session_at(maker, run->beside) : NULL;

	*to = (struct summary_slow){ .session = session_at(maker, run->session)->row.number,
				     .id = fact_int(&run->facts, FACT_ID, -1),
				     .number = run->number ? (int64_t)run->number : -1,
				     .tid = fact_int(&run->facts, FACT_TID, -1),
				     .begin_ns = run->begin_ns,
				     .duration_ns = run->end_ns - run->begin_ns,
				     .run_queue_ns = fact_int(&run->facts, FACT_RUN_QUEUE, -1),
				     .thread_cpu_ns = fact_int(&run->facts, FACT_THREAD_CPU, -1),
				     .faults = fact_int(&run->facts, FACT_FAULTS, -1),
				     .switches = fact_int(&run->facts, FACT_SWITCHES, -1),
				     .major_faults = fact_int(&run->facts, FACT_MAJOR_FAULTS, -1),
				     .read_bytes = fact_int(&run->facts, FACT_READ_BYTES, -1),
				     .pool_queue_ns = fact_int(&run->facts, FACT_POOL_QUEUE, -1),
				     .turn_ns = run->turn_ns,
				     .compile_ns = run->compile_ns,
				     .operators_ns = operators_ns,
				     .shapes = tally ? tally->text : 0,
				     .elements = run->elements,
				     .size = run->size,
				     .n_shapes = bucket_at(maker, run->bucket)->n_tallies[TALLIED_SHAPES],
				     .is_new_shape = run->is_new_shape,
				     .other_model = beside ? beside->row.name : 0,
				     .other_session = beside ? beside->row.number : -1,
				     .other_process = beside ? beside->process : 0,
				     .overlap_ns = run->overlap_ns,
				     .kernels_ns = run->device.sum.n_kernels ? (int64_t)run->device.sum.kernels_ns : -1,
				     .n_concurrent = (uint32_t)run->n_concurrent };
}

/* The slowest of a model, longest first. What one had that leaves is used again. */
int sum_slowest_add(struct summary_maker *maker, const struct run *run, int64_t operators_ns)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	uint64_t duration_ns = run->end_ns - run->begin_ns;
	struct slow *slowest = bucket->slowest, slow;
	uint32_t at = bucket->n_slowest;

	if (maker->opts.slow_at_ns && run->begin_ns != maker->opts.slow_at_ns)
		return 0;
	if (at == maker->max_slowest && slowest[at - 1].row.duration_ns >= duration_ns)
		return 0;
	if (!slowest)
		slowest = bucket->slowest = calloc(maker->max_slowest, sizeof *slowest);
	if (!slowest)
		return -ENOMEM;
	if (at < maker->max_slowest)
		bucket->n_slowest++;
	else
		at--;
	slow = slowest[at];
	for (; at && slowest[at - 1].row.duration_ns < duration_ns; at--)
		slowest[at] = slowest[at - 1];
	fill_row(maker, run, operators_ns, &slow.row);
	slow.process = run->process;
	slow.tally = run->tally;
	slowest[at] = slow;
	if (sum_why_gather(maker, run, &slowest[at]))
		return -ENOMEM;
	return add_nodes(&maker->operators, run, &slowest[at]);
}

void sum_slowest_done(struct summary_maker *maker, struct bucket *bucket)
{
	for (uint32_t i = 0; bucket->slowest && i < maker->max_slowest; i++)
		array_done(&bucket->slowest[i].nodes, sizeof(struct slow_node));
	free(bucket->slowest);
	sum_usual_done(bucket);
	sum_pauses_done(&bucket->pauses);
	sum_sizes_done(bucket);
}
