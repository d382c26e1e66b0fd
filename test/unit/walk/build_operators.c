// SPDX-License-Identifier: Apache-2.0
/*
 * Operators, in two passes over the threads' slices. The first finds out which inferences are simple: all
 * operators on one thread and inside the inference. The second gives each operator's own time (less what
 * runs inside it) to its group; in a simple inference that is its share, too. The others are noted for
 * build_parallel.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "walk.h"

/* Percentiles of one node from that many calls on come from a histogram. */
enum { GROUP_LIMIT = 1 << 14 };

/* A cache: the next operator of a name mostly belongs to the same group as the last one. */
struct memo {
	uint32_t list, place, group;
	bool is_failed;
	int64_t bytes, allocated;
};

struct place {
	uint32_t process, model;
	enum summary_where where;
};

struct level {
	size_t row;
	uint32_t group, run;
	uint64_t inside_ns;
	bool has_inside;
};

struct pass {
	struct build *build;
	const struct store_track *track;
	uint32_t process;
	uint32_t number, run; /* of the last operator: number and index of its inference */
	uint32_t place;
	struct keys place_keys, group_keys;
	struct array places;	/* struct place */
	struct memo *memo;	/* by name */
	struct times creations; /* of sessions, in the process at hand */
	struct level level[STORE_MAX_DEPTH];
	uint32_t n;
};

static struct group *group_at(const struct pass *pass, uint32_t index)
{
	return (struct group *)pass->build->groups.data + index;
}

/* The inference of a row; KEYS_NONE: outside any, or not in the file. */
static uint32_t run_of(struct pass *pass, size_t row)
{
	uint32_t number = pass->track->slices.inference[row];

	if (number != pass->number) {
		pass->number = number;
		pass->run = number ? keys_find(&pass->build->run_keys, pass->process, number) : KEYS_NONE;
	}
	return pass->run;
}

static void mark_track(struct pass *pass)
{
	const struct store_slices *slices = &pass->track->slices;

	for (size_t row = 0; row < slices->n; row++) {
		uint32_t index;
		struct run *run;

		if (slices->kind[row] != KIND_OPERATOR)
			continue;
		pass->build->to->n_operators++;
		index = run_of(pass, row);
		if (index == KEYS_NONE)
			continue;
		run = build_run(pass->build, index);
		if (!run->operator_track)
			run->operator_track = pass->track->id;
		run->is_parallel |= run->operator_track != pass->track->id;
		run->is_swept |= run->is_parallel || slices->begin_ns[row] < run->begin_ns ||
				 slices->begin_ns[row] < run->setup_end_ns ||
				 (slices->end_ns[row] > run->end_ns && slices->end_ns[row] != STORE_OPEN);
	}
}

/* The coverage is of the inferences that count for the latency; without any, of all finished ones. */
static int choose_runs(struct build *build)
{
	const struct summary_session *sessions = build->sessions.data;
	bool *has_typical = calloc(build->models.n + 1, sizeof *has_typical);

	if (!has_typical)
		return -ENOMEM;
	for (uint32_t i = 0; i < build->runs.n; i++) {
		const struct run *run = build_run(build, i);

		has_typical[sessions[run->session].model] |= run->operator_track && build_is_typical(run);
	}
	for (uint32_t i = 0; i < build->runs.n; i++) {
		struct run *run = build_run(build, i);

		run->is_covered = run->operator_track && build_is_finished(run) &&
				  (!has_typical[sessions[run->session].model] || build_is_typical(run));
	}
	free(has_typical);
	return 0;
}

static enum summary_where where_of(const struct pass *pass, size_t row, uint32_t run)
{
	const struct store_slices *slices = &pass->track->slices;

	if (run != KEYS_NONE && build_run(pass->build, run)->is_covered)
		return WHERE_INFERENCE;
	if (run != KEYS_NONE)
		return build_is_finished(build_run(pass->build, run)) ? WHERE_APART : WHERE_UNFINISHED;
	if (slices->inference[row])
		return WHERE_UNKNOWN;
	return walk_times_touch(&pass->creations, slices->begin_ns[row], slices->begin_ns[row]) ? WHERE_CREATION
												: WHERE_OUTSIDE;
}

static int find_place(struct pass *pass, size_t row, uint32_t run)
{
	enum summary_where where = where_of(pass, row, run);
	uint32_t model = SUMMARY_NONE, n = pass->place_keys.n;
	const struct summary_session *sessions = pass->build->sessions.data;
	struct place *place;

	if (run != KEYS_NONE)
		model = sessions[build_run(pass->build, run)->session].model;
	pass->place = keys_number(&pass->place_keys, keys_pair(pass->process, model), where);
	if (pass->place < n)
		return 0;
	place = pass->place == KEYS_NONE ? NULL : array_add(&pass->places, sizeof *place);
	if (!place)
		return -ENOMEM;
	*place = (struct place){ pass->process, model, where };
	return 0;
}

static int find_group(struct pass *pass, uint32_t name, uint32_t list, struct memo *memo)
{
	const struct store *store = pass->build->store;
	uint32_t op_type = store_text(store_arg(store, list, KEY_OP_TYPE));
	uint32_t provider = store_text(store_arg(store, list, KEY_PROVIDER));
	uint32_t shapes = store_text(store_arg(store, list, KEY_SHAPES)), n = pass->group_keys.n;
	const struct place *place = (struct place *)pass->places.data + pass->place;
	struct group *group;

	memo->list = list;
	memo->place = pass->place;
	memo->bytes = store_int(store_arg(store, list, KEY_BYTES), -1);
	memo->allocated = store_int(store_arg(store, list, KEY_ALLOCATED), -1);
	memo->is_failed = build_is_failure(pass->build, store_text(store_arg(store, list, KEY_STATUS)));
	memo->group = keys_number(&pass->group_keys, keys_pair(pass->place, name), keys_pair(op_type, provider));
	if (memo->group == n) {
		group = array_add(&pass->build->groups, sizeof *group);
		if (!group)
			return -ENOMEM;
		group->durations.limit = GROUP_LIMIT;
		group->facts = (struct summary_operator){ .process = place->process,
							  .model = place->model,
							  .where = place->where,
							  .name = name,
							  .op_type = op_type,
							  .provider = provider,
							  .shapes = shapes,
							  .bytes = -1,
							  .allocated = -1,
							  .read_rate = NAN };
	}
	if (memo->group == KEYS_NONE)
		return -ENOMEM;
	group = group_at(pass, memo->group);
	group->facts.has_more_shapes |= group->facts.shapes != shapes;
	return 0;
}

static int enter(struct pass *pass, size_t row)
{
	const struct store_slices *slices = &pass->track->slices;
	uint32_t old = pass->number, run = run_of(pass, row), name = slices->name[row];
	struct memo *memo = &pass->memo[name <= names_count(pass->build->names) ? name : 0];
	struct group *group;
	int rc;

	/* without an inference, where it is depends on the time */
	if ((old != pass->number || run == KEYS_NONE || pass->place == KEYS_NONE) && (rc = find_place(pass, row, run)))
		return rc;
	if ((memo->list != slices->args[row] || memo->place != pass->place) &&
	    (rc = find_group(pass, name, slices->args[row], memo)))
		return rc;
	group = group_at(pass, memo->group);
	group->facts.n_failed += memo->is_failed;
	if (memo->bytes >= 0)
		group->facts.bytes = (group->facts.bytes < 0 ? 0 : group->facts.bytes) + memo->bytes;
	if (memo->allocated >= 0)
		group->facts.allocated = (group->facts.allocated < 0 ? 0 : group->facts.allocated) + memo->allocated;
	pass->level[pass->n++] = (struct level){ .row = row, .group = memo->group, .run = run };
	return 0;
}

static int add_swept(struct pass *pass, const struct level *level)
{
	struct swept *swept = array_add(&pass->build->swept, sizeof *swept);

	if (!swept)
		return -ENOMEM;
	*swept = (struct swept){ level->run, level->group, pass->track->id, (uint32_t)level->row };
	return 0;
}

/* The innermost operator is complete. */
static int leave(struct pass *pass)
{
	const struct store_slices *slices = &pass->track->slices;
	struct level *level = &pass->level[--pass->n];
	struct group *group = group_at(pass, level->group);
	uint64_t end_ns = slices->end_ns[level->row], whole, self;

	group->facts.has_children |= level->has_inside;
	if (pass->n)
		level[-1].has_inside = true;
	if (end_ns == STORE_OPEN) {
		group->facts.n_open++;
		if (pass->n)
			level[-1].inside_ns += level->inside_ns;
		return 0;
	}
	whole = end_ns - slices->begin_ns[level->row];
	self = whole - level->inside_ns;
	if (pass->n)
		level[-1].inside_ns += whole;
	group->facts.self_ns = stats_sum(group->facts.self_ns, self);
	if (group->facts.where == WHERE_INFERENCE) {
		struct run *run = build_run(pass->build, level->run);

		if (run->is_swept && add_swept(pass, level))
			return -ENOMEM;
		if (!run->is_swept) {
			group->facts.share_ns = stats_sum(group->facts.share_ns, self);
			run->operators_ns += self;
		}
	}
	return stats_add(&group->durations, whole);
}

static int take_track(struct pass *pass)
{
	const struct store_slices *slices = &pass->track->slices;
	int rc = 0;

	pass->n = 0;
	for (size_t row = 0; !rc && row < slices->n; row++) {
		while (!rc && pass->n && slices->depth[pass->level[pass->n - 1].row] >= slices->depth[row])
			rc = leave(pass);
		if (!rc && slices->kind[row] == KIND_OPERATOR)
			rc = enter(pass, row);
	}
	while (!rc && pass->n)
		rc = leave(pass);
	return rc;
}

static int start_track(struct pass *pass, uint32_t id)
{
	uint32_t process = pass->build->process_of[id];
	bool is_new = process != pass->process || !pass->creations.at;

	pass->track = store_track(pass->build->store, id);
	pass->process = process;
	pass->number = 0;
	pass->run = pass->place = KEYS_NONE;
	if (!is_new)
		return 0;
	walk_times_done(&pass->creations);
	return build_creations(pass->build, process, &pass->creations);
}

int build_operators(struct build *build)
{
	uint32_t n_tracks = store_n_tracks(build->store), n_names = names_count(build->names);
	struct pass *pass = calloc(1, sizeof *pass);
	int rc;

	if (!pass)
		return -ENOMEM;
	pass->build = build;
	pass->memo = malloc(((size_t)n_names + 1) * sizeof *pass->memo);
	rc = pass->memo ? 0 : -ENOMEM;
	for (uint32_t name = 0; !rc && name <= n_names; name++)
		pass->memo[name].place = KEYS_NONE;
	for (int second = 0; second < 2; second++) {
		if (!rc && second)
			rc = choose_runs(build);
		for (uint32_t id = 1; !rc && id <= n_tracks; id++) {
			if (!store_has_kind(store_track(build->store, id), KIND_OPERATOR))
				continue;
			rc = start_track(pass, id);
			if (!rc && second)
				rc = take_track(pass);
			else if (!rc)
				mark_track(pass);
		}
	}
	keys_done(&pass->place_keys);
	keys_done(&pass->group_keys);
	array_done(&pass->places, sizeof(struct place));
	walk_times_done(&pass->creations);
	free(pass->memo);
	free(pass);
	return rc;
}
