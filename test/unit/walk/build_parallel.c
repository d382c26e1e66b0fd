// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences whose operators ran on several threads, or extend beyond the inference. Every moment of the
 * inference is divided among the innermost operators that run then, one per thread, in equal parts:
 *
 *	thread 1   [ Conv                  ]        Conv 1/1, then 1/2 while MatMul runs,
 *	thread 2           [ MatMul ]               Loop only where Add does not
 *	thread 3   [ Loop    [ Add ]       ]
 *
 * Setup covers time without an operator; the rest is unattributed. So no share exceeds the whole.
 */
#include <errno.h>
#include <stdlib.h>

#include "walk.h"

#define SETUP UINT32_MAX /* the group of a setup slice */

/* The begin or end of a stretch in which an operator is the innermost on its thread. */
struct boundary {
	uint64_t time_ns;
	uint32_t group;
	bool is_begin;
};

struct sweep {
	struct build *build;
	struct run *run;
	struct array boundaries; /* struct boundary */
	struct array active;	 /* uint32_t: groups */
	uint32_t n_setup;
};

static struct group *group_at(const struct sweep *sweep, uint32_t index)
{
	return (struct group *)sweep->build->groups.data + index;
}

/* Adds a stretch, cut to the inference. */
static int add_stretch(struct sweep *sweep, uint64_t begin_ns, uint64_t end_ns, uint32_t group)
{
	struct boundary *boundary;

	if (begin_ns < sweep->run->begin_ns)
		begin_ns = sweep->run->begin_ns;
	if (end_ns > sweep->run->end_ns)
		end_ns = sweep->run->end_ns;
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
static int add_track(struct sweep *sweep, const struct swept *swept, size_t n)
{
	const struct store_slices *slices = &store_track(sweep->build->store, swept->track)->slices;
	struct {
		uint64_t end_ns;
		uint32_t group;
	} level[STORE_MAX_DEPTH];
	uint32_t n_levels = 0;
	uint64_t now = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i <= n; i++) {
		uint64_t begin_ns = i < n ? slices->begin_ns[swept[i].row] : UINT64_MAX;

		for (; !rc && n_levels && level[n_levels - 1].end_ns <= begin_ns; n_levels--) {
			rc = add_stretch(sweep, now, level[n_levels - 1].end_ns, level[n_levels - 1].group);
			now = level[n_levels - 1].end_ns;
		}
		if (!rc && n_levels)
			rc = add_stretch(sweep, now, begin_ns, level[n_levels - 1].group);
		if (i == n)
			break;
		now = begin_ns;
		level[n_levels].end_ns = slices->end_ns[swept[i].row];
		level[n_levels++].group = swept[i].group;
	}
	return rc;
}

static int add_setup(struct sweep *sweep)
{
	const struct store_slices *slices = &store_track(sweep->build->store, sweep->run->track)->slices;
	uint64_t until = 0;
	int rc = 0;

	if (!sweep->run->setup_end_ns)
		return 0;
	for (size_t row = sweep->run->row + 1; !rc && row < slices->n; row++) {
		if (slices->depth[row] <= slices->depth[sweep->run->row])
			break;
		if (slices->kind[row] != KIND_SETUP || slices->end_ns[row] == STORE_OPEN ||
		    slices->begin_ns[row] < until)
			continue;
		rc = add_stretch(sweep, slices->begin_ns[row], slices->end_ns[row], SETUP);
		until = slices->end_ns[row];
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

/* The remainder of the division goes to the first, so that the sum is exact. */
static void divide(struct sweep *sweep, uint64_t ns)
{
	const uint32_t *active = sweep->active.data;
	size_t n = sweep->active.n;

	if (n) {
		sweep->run->operators_ns += ns;
		for (size_t i = 0; i < n; i++)
			group_at(sweep, active[i])->facts.share_ns += ns / n + (i ? 0 : ns % n);
	} else if (sweep->n_setup) {
		sweep->run->setup_ns += ns;
	}
}

static int sweep_run(struct sweep *sweep, const struct swept *swept, size_t n)
{
	const struct boundary *boundary;
	uint64_t now = 0;
	int rc = 0;

	sweep->boundaries.n = sweep->active.n = 0;
	sweep->n_setup = 0;
	sweep->run->operators_ns = sweep->run->setup_ns = 0;
	for (size_t i = 0, first = 0; !rc && i < n; i++) {
		if (i + 1 < n && swept[i + 1].track == swept[first].track)
			continue;
		rc = add_track(sweep, swept + first, i + 1 - first);
		first = i + 1;
	}
	if (!rc)
		rc = add_setup(sweep);
	boundary = sweep->boundaries.data;
	if (!rc && sweep->boundaries.n)
		qsort(sweep->boundaries.data, sweep->boundaries.n, sizeof *boundary, compare_boundaries);
	for (size_t i = 0; !rc && i < sweep->boundaries.n; i++) {
		if (i)
			divide(sweep, boundary[i].time_ns - now);
		now = boundary[i].time_ns;
		rc = cross(sweep, &boundary[i]);
	}
	return rc;
}

static int compare_swept(const void *a_, const void *b_)
{
	const struct swept *a = a_, *b = b_;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int sweep_all(struct build *build)
{
	struct swept *swept = build->swept.data;
	struct sweep sweep = { .build = build };
	int rc = 0;

	if (build->swept.n)
		qsort(swept, build->swept.n, sizeof *swept, compare_swept);
	for (size_t i = 0, first = 0; !rc && i < build->swept.n; i++) {
		if (i + 1 < build->swept.n && swept[i + 1].run == swept[first].run)
			continue;
		sweep.run = build_run(build, swept[first].run);
		rc = sweep_run(&sweep, swept + first, i + 1 - first);
		first = i + 1;
	}
	array_done(&sweep.boundaries, sizeof(struct boundary));
	array_done(&sweep.active, sizeof(uint32_t));
	return rc;
}

static int cover_model(struct build *build, uint32_t index)
{
	struct summary_coverage *to = &((struct summary_model *)build->models.data)[index].coverage;
	struct stats operators = { 0 };
	int rc = 0;

	for (uint32_t i = build->first_run[index]; !rc && i < build->first_run[index + 1]; i++) {
		const struct run *run = build_run(build, build->runs_by_model[i]);
		uint64_t wall_ns = run->end_ns - run->begin_ns;

		to->n_without += build_is_typical(run) && !run->operator_track;
		if (!run->is_covered)
			continue;
		to->n++;
		to->n_parallel += run->is_parallel;
		to->wall_ns += wall_ns;
		to->operators_ns += run->operators_ns;
		to->setup_ns += run->setup_ns;
		to->unattributed_ns += wall_ns - run->operators_ns - run->setup_ns;
		rc = stats_add(&operators, run->operators_ns);
	}
	if (!to->n)
		to->n_without = 0;
	to->operators_p50_ns = stats_percentile(&operators, 0.5);
	stats_done(&operators);
	return rc;
}

int build_parallel(struct build *build)
{
	int rc = sweep_all(build);

	for (uint32_t i = 0; !rc && i < build->models.n; i++)
		rc = cover_model(build, i);
	return rc;
}
