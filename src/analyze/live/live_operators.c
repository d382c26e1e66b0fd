// SPDX-License-Identifier: Apache-2.0
/*
 * Operators: they name an inference, whose model is looked up. One that comes before its inference waits a little;
 * those whose inference never comes are counted. A model's nodes and types are found by their texts' ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

enum { MOST_AGE = 3, MOST_TYPES = 512 };

/* The set of places in which an inference is, if it is known. */
static struct live_place *set_of(struct live *live, uint64_t process, uint64_t number)
{
	uint64_t hash = (process * 0xbf58476d1ce4e5b9u ^ number) * 0x9e3779b97f4a7c15u;

	return &live->place[(hash >> 32) % (LIVE_PLACES / LIVE_WAYS) * LIVE_WAYS];
}

/* NULL: it has not come, or is forgotten. */
static const struct live_place *find_place(struct live *live, uint64_t process, uint64_t number)
{
	const struct live_place *set = set_of(live, process, number);

	for (uint32_t i = 0; i < LIVE_WAYS; i++)
		if (set[i].process == process && set[i].number == number)
			return &set[i];
	return NULL;
}

/* The newest of a set first; the oldest is forgotten. */
void live_place_put(struct live *live, uint64_t process, uint64_t number, uint64_t row)
{
	struct live_place *set = set_of(live, process, number);

	memmove(&set[1], &set[0], (LIVE_WAYS - 1) * sizeof *set);
	set[0] = (struct live_place){ process, number, row };
}

/* Texts of rows stay: a passing one is kept, if there is room for a row. */
static uint32_t staying(struct live *live, uint32_t name)
{
	if (!names_is_passing(name))
		return name;
	return live->n_nodes < LIVE_OPERATORS ? names_keep(live->sink.names, name) : 0;
}

static struct live_op_sum *type_of(struct live_row *row, const struct live_op_sum *node, const struct live_waiting *op)
{
	return node->type ? (struct live_op_sum *)row->types.sums.data + node->type - 1
			  : live_ops_sum(&row->types, op, 0, row->types.known.n < MOST_TYPES);
}

static int add_to(struct live *live, struct live_row *row, const struct live_waiting *from)
{
	struct live_waiting op = *from;
	size_t n_nodes = row->nodes.known.n;
	struct live_op_sum *node, *type;

	op.type = staying(live, op.type);
	op.provider = staying(live, op.provider);
	node = live_ops_sum(&row->nodes, &op, staying(live, op.name), live->n_nodes < LIVE_OPERATORS);
	type = node ? type_of(row, node, &op) : NULL;
	if (!type)
		return -ENOMEM;
	if (node != &row->nodes.other && type != &row->types.other)
		node->type = (uint32_t)(type - (struct live_op_sum *)row->types.sums.data) + 1;
	live->n_nodes += (uint32_t)(row->nodes.known.n - n_nodes);
	live_ops_add(live, node, op.ns);
	live_ops_add(live, type, op.ns);
	return 0;
}

static int wait_for_run(struct live *live, const struct live_waiting *op)
{
	struct live_waiting *waiting;

	if (live->waiting.n >= LIVE_WAITING)
		live_operators_settle(live, false);
	if (live->waiting.n >= LIVE_WAITING) {
		live->sums.n_unplaced++;
		return 0;
	}
	waiting = array_add(&live->waiting, sizeof *waiting);
	if (!waiting)
		return -ENOMEM;
	*waiting = *op;
	return 0;
}

int live_operator(struct live *live, struct live_track *track, const struct live_slice *slice, uint64_t self_ns)
{
	const struct live_waiting op = { track->process_id, slice->number,   self_ns, slice->name,
					 slice->type,	    slice->provider, 0 };
	const struct live_place *place;

	if (!slice->number) {
		live->sums.n_outside++;
		return 0;
	}
	if (slice->number != track->last_number || track->n_freed != live->n_freed) {
		place = find_place(live, op.process, op.number);
		if (!place)
			return wait_for_run(live, &op);
		track->last_number = op.number;
		track->last_row = live_row_of(live, place->row);
		track->n_freed = live->n_freed;
	}
	if (!track->last_row)
		live->sums.n_unplaced++;
	return track->last_row ? add_to(live, track->last_row, &op) : 0;
}

void live_operators_settle(struct live *live, bool is_roll)
{
	struct live_waiting *waiting = live->waiting.data;
	const struct live_place *place;
	struct live_row *row;
	size_t n = 0;

	for (size_t i = 0; i < live->waiting.n; i++) {
		place = find_place(live, waiting[i].process, waiting[i].number);
		if (place) {
			row = live_row_of(live, place->row);
			if (!row || add_to(live, row, &waiting[i]))
				live->sums.n_unplaced++;
			continue;
		}
		waiting[i].age += is_roll;
		if (waiting[i].age >= MOST_AGE)
			live->sums.n_unplaced++;
		else
			waiting[n++] = waiting[i];
	}
	live->waiting.n = n;
}
