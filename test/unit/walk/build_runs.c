// SPDX-License-Identifier: Apache-2.0
/* Inferences, and which session each belongs to. Their times are looked at later. */
#include <errno.h>

#include "walk.h"

struct walk {
	struct build *build;
	const struct store_track *track;
	uint32_t process;
	uint32_t depth, run; /* the inference around the row at hand: its depth + 1 (0: none), its index */
	/* of the arguments `list`, which the next inference mostly has, too */
	uint32_t list, session;
	bool is_failed, is_first, is_partial;
};

static int read_list(struct walk *walk, size_t row)
{
	const struct store *store = walk->build->store;
	uint32_t list = walk->track->slices.args[row];
	uint32_t model = store_text(store_arg(store, list, KEY_MODEL));
	struct summary_session *session;

	if (!model)
		model = walk->track->slices.name[row];
	session = build_session(walk->build, walk->process, store_int(store_arg(store, list, KEY_SESSION), -1), model);
	if (!session)
		return -ENOMEM;
	if (!session->name)
		session->name = model;
	walk->session = (uint32_t)(session - (struct summary_session *)walk->build->sessions.data);
	walk->is_failed = build_is_failure(walk->build, store_text(store_arg(store, list, KEY_STATUS)));
	walk->is_first = store_int(store_arg(store, list, KEY_FIRST), 0) == 1;
	walk->is_partial = store_int(store_arg(store, list, KEY_PARTIAL), 0) == 1;
	walk->list = list;
	return 0;
}

static int add_run(struct walk *walk, size_t row)
{
	const struct store_slices *slices = &walk->track->slices;
	struct array *runs = &walk->build->runs;
	uint32_t number = slices->inference[row], index = (uint32_t)runs->n;
	struct run *run;

	if ((slices->args[row] != walk->list || walk->session == SUMMARY_NONE) && read_list(walk, row))
		return -ENOMEM;
	/* numbers of runs are those of their keys; the few without a number of their own get one nobody has */
	if (keys_number(&walk->build->run_keys, walk->process, number) != index &&
	    keys_number(&walk->build->run_keys, walk->process, (uint64_t)1 << 32 | index) != index)
		return -ENOMEM;
	run = array_add(runs, sizeof *run);
	if (!run)
		return -ENOMEM;
	*run = (struct run){ .begin_ns = slices->begin_ns[row],
			     .end_ns = slices->end_ns[row],
			     .session = walk->session,
			     .number = number,
			     .track = walk->track->id,
			     .row = (uint32_t)row,
			     .list = walk->list,
			     .is_failed = walk->is_failed,
			     .is_first = walk->is_first,
			     .is_partial = walk->is_partial };
	walk->depth = slices->depth[row] + 1u;
	walk->run = index;
	return 0;
}

static void add_setup(struct walk *walk, size_t row)
{
	const struct store_slices *slices = &walk->track->slices;
	struct run *run = build_run(walk->build, walk->run);

	/* one inside another, or one that was cut off, adds nothing */
	if (slices->end_ns[row] == STORE_OPEN || slices->begin_ns[row] < run->setup_end_ns)
		return;
	run->setup_ns += slices->end_ns[row] - slices->begin_ns[row];
	run->setup_end_ns = slices->end_ns[row];
}

static int walk_track(struct walk *walk)
{
	const struct store_slices *slices = &walk->track->slices;
	int rc = 0;

	walk->process = walk->build->process_of[walk->track->id];
	walk->depth = 0;
	walk->session = SUMMARY_NONE;
	for (size_t row = 0; !rc && row < slices->n; row++) {
		if (walk->depth && slices->depth[row] < walk->depth)
			walk->depth = 0;
		if (slices->kind[row] == KIND_INFERENCE && !walk->depth)
			rc = add_run(walk, row);
		else if (slices->kind[row] == KIND_SETUP && walk->depth)
			add_setup(walk, row);
	}
	return rc;
}

int build_runs(struct build *build)
{
	struct walk walk = { .build = build };
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= store_n_tracks(build->store); id++) {
		walk.track = store_track(build->store, id);
		if (store_has_kind(walk.track, KIND_INFERENCE))
			rc = walk_track(&walk);
	}
	return rc;
}
