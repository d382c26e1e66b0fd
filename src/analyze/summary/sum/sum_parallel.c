// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences whose operators ran on several threads, or reach over the inference's ends. Every moment of the
 * inference is divided among the innermost operators that run then, one per thread, in equal parts:
 *
 *	thread 1   [ Conv                  ]        Conv 1/1, then 1/2 while MatMul runs,
 *	thread 2           [ MatMul ]               Loop only where Add does not
 *	thread 3   [ Loop    [ Add ]       ]
 *
 * What is halted takes part, and its part is nobody's. What no operator covers, setup may; the rest is unattributed. So
 * no share exceeds the whole. What was summed up before, of an inference with more operators than can wait, is over:
 * time until then is not divided again.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_in.h"

#define SETUP UINT32_MAX	/* the group of a setup slice */
#define HALTED (UINT32_MAX - 1) /* of an operator or setup slice whose process was halted */

/* Where one thread begins or ends to run one operator and nothing inside it. */
struct boundary {
	uint64_t time_ns;
	uint32_t group;
	bool is_begin;
};

/* One operator, or setup slice. */
struct part {
	uint64_t begin_ns, end_ns;
	uint32_t track, group, order;
};

struct sweep {
	struct operators *operators;
	uint64_t begin_ns, end_ns;
	struct array boundaries; /* struct boundary */
	struct array parts;	 /* struct part */
	struct array open;	 /* struct part: of one track */
	struct array active;	 /* uint32_t: groups */
	uint32_t n_setup;
	uint32_t weight; /* inferences that this one stands for */
	uint64_t *operators_ns, *setup_ns, *halted_ns;
};

/* Adds a stretch, cut to the inference. */
static int add_stretch(struct sweep *sweep, uint64_t begin_ns, uint64_t end_ns, uint32_t group)
{
	struct boundary *boundary;

	if (begin_ns < sweep->begin_ns)
		begin_ns = sweep->begin_ns;
	if (end_ns > sweep->end_ns)
		end_ns = sweep->end_ns;
	if (begin_ns >= end_ns)
		return 0;
	for (int i = 0; i < 2; i++) {
		boundary = array_add(&sweep->boundaries, sizeof *boundary);
		if (!boundary)
			return -ENOMEM;
		*boundary = (struct boundary){ i ? end_ns : begin_ns, group, !i };
	}
	return 0;
}

/* The operators of one track, outermost first: where each is the innermost. */
static int add_track(struct sweep *sweep, const struct part *part, size_t n)
{
	uint64_t now = 0;
	int rc = 0;

	sweep->open.n = 0;
	for (size_t i = 0; !rc && i <= n; i++) {
		uint64_t begin_ns = i < n ? part[i].begin_ns : UINT64_MAX;
		struct part *open = sweep->open.data, *copy;

		for (; !rc && sweep->open.n && open[sweep->open.n - 1].end_ns <= begin_ns; sweep->open.n--) {
			rc = add_stretch(sweep, now, open[sweep->open.n - 1].end_ns, open[sweep->open.n - 1].group);
			now = open[sweep->open.n - 1].end_ns;
		}
		if (!rc && sweep->open.n)
			rc = add_stretch(sweep, now, begin_ns, open[sweep->open.n - 1].group);
		if (rc || i == n)
			break;
		now = begin_ns;
		copy = array_add(&sweep->open, sizeof *copy);
		if (!copy)
			return -ENOMEM;
		*copy = part[i];
	}
	return rc;
}

static int compare_boundaries(const void *a_, const void *b_)
{
	const struct boundary *a = a_, *b = b_;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->is_begin - b->is_begin;
}

/* By track, those around others before them: they end at the same time or later, and were put later. */
static int compare_parts(const void *a_, const void *b_)
{
	const struct part *a = a_, *b = b_;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return (a->order < b->order) - (a->order > b->order);
}

static int cross(struct sweep *sweep, const struct boundary *boundary)
{
	uint32_t *active = sweep->active.data, *slot;
	size_t at = 0;

	if (boundary->group == SETUP) {
		sweep->n_setup += boundary->is_begin ? 1 : -1u;
		return 0;
	}
	if (boundary->is_begin) {
		slot = array_add(&sweep->active, sizeof *slot);
		if (!slot)
			return -ENOMEM;
		*slot = boundary->group;
		return 0;
	}
	while (active[at] != boundary->group)
		at++;
	active[at] = active[--sweep->active.n];
	return 0;
}

/* What is left of the division goes to the first, so that the sum is exact. */
static void divide(struct sweep *sweep, uint64_t ns)
{
	const uint32_t *active = sweep->active.data;
	size_t n = sweep->active.n;

	if (n) {
		for (size_t i = 0; i < n; i++) {
			uint64_t part_ns = ns / n + (i ? 0 : ns % n);

			*(active[i] == HALTED ? sweep->halted_ns : sweep->operators_ns) += part_ns;
			if (active[i] != HALTED)
				group_at(sweep->operators, active[i])->facts.share_ns +=
				    sum_scaled(part_ns, sweep->weight);
		}
	} else if (sweep->n_setup) {
		*sweep->setup_ns += ns;
	}
}

/* The operators that have ended, and setup, each kind under a track of its own. */
static int find_parts(struct sweep *sweep, const struct run *run, uint32_t place)
{
	const struct operators *operators = sweep->operators;
	uint32_t order = 0;

	for (uint32_t number = run->ops.first; number; number = block_at(operators, number)->next) {
		const struct ops_block *block = block_at(operators, number);

		for (const struct op *op = block->op; op < block->op + block->n; op++) {
			bool is_setup = op->track & OP_SETUP, is_halted = op->track & OP_HALTED;
			struct part *part = op->end_ns == STORE_OPEN ? NULL : array_add(&sweep->parts, sizeof *part);

			if (!part && op->end_ns != STORE_OPEN)
				return -ENOMEM;
			if (part)
				*part = (struct part){ op->begin_ns, op->end_ns, is_setup ? 0 : op->track & OP_TRACK,
						       is_halted  ? HALTED
						       : is_setup ? SETUP
								  : keys_find(&operators->group_keys, place, op->kind),
						       order++ };
		}
	}
	if (sweep->parts.n)
		qsort(sweep->parts.data, sweep->parts.n, sizeof(struct part), compare_parts);
	return 0;
}

static int find_boundaries(struct sweep *sweep)
{
	const struct part *part = sweep->parts.data;
	size_t n = sweep->parts.n;
	int rc = 0;

	for (size_t i = 0, first = 0; !rc && i < n; i++) {
		if (i + 1 < n && part[i + 1].track == part[first].track)
			continue;
		rc = add_track(sweep, part + first, i + 1 - first);
		first = i + 1;
	}
	if (sweep->boundaries.n)
		qsort(sweep->boundaries.data, sweep->boundaries.n, sizeof(struct boundary), compare_boundaries);
	return rc;
}

int sum_parallel_divide(struct operators *operators, struct run *run, uint32_t place, uint64_t *operators_ns,
			uint64_t *setup_ns)
{
	struct sweep sweep = { .operators = operators,
			       .begin_ns = run->begin_ns > run->summed_until_ns ? run->begin_ns : run->summed_until_ns,
			       .end_ns = run->end_ns,
			       .weight = run->weight,
			       .operators_ns = operators_ns,
			       .setup_ns = setup_ns,
			       .halted_ns = &run->halted_ns };
	const struct boundary *boundary;
	uint64_t now = 0;
	int rc = find_parts(&sweep, run, place);

	if (!rc)
		rc = find_boundaries(&sweep);
	boundary = sweep.boundaries.data;
	for (size_t i = 0; !rc && i < sweep.boundaries.n; i++) {
		if (i)
			divide(&sweep, boundary[i].time_ns - now);
		now = boundary[i].time_ns;
		rc = cross(&sweep, &boundary[i]);
	}
	array_done(&sweep.boundaries, sizeof(struct boundary));
	array_done(&sweep.parts, sizeof(struct part));
	array_done(&sweep.open, sizeof(struct part));
	array_done(&sweep.active, sizeof(uint32_t));
	return rc;
}
