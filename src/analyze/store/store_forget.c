// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a store smaller: what is over leaves its columns. Columns are moved together and given back
 * in part when most of them is free, so forgetting costs what remains, not what is dropped. Lists of arguments that
 * nobody has any more go with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store_in.h"

enum { LEAST_ROWS = 16 };

static void move(const void *column, size_t size, size_t to, size_t from)
{
	if (column)
		memcpy((char *)column + to * size, (const char *)column + from * size, size);
}

static void move_slice(struct store_slices *slices, size_t to, size_t from)
{
	move(slices->begin_ns, 8, to, from);
	move(slices->end_ns, 8, to, from);
	move(slices->name, 4, to, from);
	move(slices->args, 4, to, from);
	move(slices->own_args, 4, to, from);
	move(slices->inference, 4, to, from);
	move(slices->depth, 2, to, from);
	move(slices->kind, 1, to, from);
}

static size_t capacity_for(size_t n, size_t capacity)
{
	if (!n)
		return 0;
	while (capacity > LEAST_ROWS && n < capacity / 4)
		capacity /= 2;
	return capacity;
}

struct column {
	const void *at; /* of the pointer to it */
	size_t size;
};

/* All columns, or none: new ones first, then the old ones are given back. */
static void shrink(const struct column *columns, size_t n_columns, size_t *capacity, size_t n)
{
	size_t smaller = capacity_for(n, *capacity);
	void *old[8], *copy[8] = { NULL };
	bool is_made = true;

	if (smaller == *capacity)
		return;
	for (size_t i = 0; i < n_columns; i++) {
		memcpy(&old[i], columns[i].at, sizeof old[i]);
		if (old[i] && smaller && is_made)
			is_made = (copy[i] = array_resize(NULL, 0, smaller * columns[i].size)) != NULL;
	}
	for (size_t i = 0; i < n_columns; i++) {
		if (!is_made) {
			array_free(copy[i], smaller * columns[i].size);
			continue;
		}
		if (copy[i])
			memcpy(copy[i], old[i], n * columns[i].size);
		array_free(old[i], *capacity * columns[i].size);
		memcpy((void *)columns[i].at, &copy[i], sizeof copy[i]);
	}
	if (is_made)
		*capacity = smaller;
}

static void shrink_slices(struct track *track)
{
	struct store_slices *to = &track->view.slices;
	const struct column columns[] = { { &to->begin_ns, 8 }, { &to->end_ns, 8 },   { &to->name, 4 },
					  { &to->args, 4 },	{ &to->own_args, 4 }, { &to->inference, 4 },
					  { &to->depth, 2 },	{ &to->kind, 1 } };

	shrink(columns, sizeof columns / sizeof *columns, &track->slices_capacity, to->n);
}

/* Untouched again, the end of a column takes no memory. */
static void trim_slices(const struct track *track)
{
	const struct store_slices *slices = &track->view.slices;
	size_t all = track->slices_capacity, n = slices->n;

	array_trim((void *)slices->begin_ns, all * 8, n * 8);
	array_trim((void *)slices->end_ns, all * 8, n * 8);
	array_trim((void *)slices->name, all * 4, n * 4);
	array_trim((void *)slices->args, all * 4, n * 4);
	array_trim((void *)slices->own_args, all * 4, n * 4);
	array_trim((void *)slices->inference, all * 4, n * 4);
	array_trim((void *)slices->depth, all * 2, n * 2);
	array_trim((void *)slices->kind, all, n);
}

void store_in_drop_slices(struct store *store, struct track *track, const struct store_choice *choice)
{
	struct store_slices *slices = &track->view.slices;
	uint32_t open = 0;
	size_t n = 0;

	for (size_t row = 0; row < slices->n; row++) {
		bool is_open;

		while (open < track->n_open && track->open[open] == NO_ROW)
			open++;
		is_open = open < track->n_open && track->open[open] == row;
		if (!is_open && !choice->keeps_slice(choice, track, row)) {
			store->counts.n_forgotten++;
			store->counts.n_open -= slices->end_ns[row] == STORE_OPEN;
			continue;
		}
		if (is_open)
			track->open[open++] = (uint32_t)n;
		if (n < row)
			move_slice(slices, n, row);
		n++;
	}
	slices->n = n;
	shrink_slices(track);
	trim_slices(track);
}

static void forget_samples(struct store *store, struct track *track, uint64_t before_ns, bool is_all)
{
	struct store_samples *samples = &track->view.samples;
	size_t first = store_first_from(samples->time_ns, samples->n, before_ns), n;
	const struct column columns[] = { { &samples->time_ns, 8 }, { &samples->value, 8 } };

	first -= first && !is_all;
	if (!first)
		return;
	store->counts.n_forgotten += first;
	n = samples->n - first;
	memmove((void *)samples->time_ns, samples->time_ns + first, n * 8);
	memmove((void *)samples->value, samples->value + first, n * 8);
	samples->n = n;
	shrink(columns, 2, &track->samples_capacity, n);
}

/* Which processes and sessions are over. */
struct over {
	struct keys processes;	     /* (track, 0) */
	struct keys pids, live_pids; /* (pid, 0): of these, of others */
	struct keys sessions;	     /* (track of the process, number) */
};

static bool is_topic(const struct store *store, const struct store_instant *instant, const char *topic)
{
	return instant->kind == KIND_NOTE && !strcmp(names_text(store->sink.names, instant->name), topic);
}

/* A later process of the same number lives. */
static void mark_process(const struct store *store, int64_t pid, uint64_t time_ns)
{
	for (uint32_t id = 1; pid > 0 && id <= store->n_tracks; id++) {
		struct track *track = store_in_track(store, id);

		if (track && track->view.def.type == TRACK_PROCESS && track->view.def.pid == pid &&
		    track->view.def.start_ns <= time_ns)
			track->is_over = true;
	}
}

static int find_processes(const struct store *store, struct over *over)
{
	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct track *track = store_in_track(store, id);
		struct keys *pids;

		if (!track || track->view.def.type != TRACK_PROCESS)
			continue;
		pids = track->is_over ? &over->pids : &over->live_pids;
		if (keys_number(pids, (uint64_t)track->view.def.pid, 0) == KEYS_NONE ||
		    (track->is_over && keys_number(&over->processes, id, 0) == KEYS_NONE))
			return -ENOMEM;
	}
	return 0;
}

static int find_over(const struct store *store, struct over *over, uint64_t before_ns)
{
	const struct store_instant *instant = store->instants.data;

	for (size_t i = 0; i < store->instants.n; i++) {
		int64_t number = store_int(store_arg(store, instant[i].args, KEY_SESSION), 0);

		if (instant[i].time_ns >= before_ns)
			continue;
		if (is_topic(store, &instant[i], EVENT_NOTE_EXIT))
			mark_process(store, store_int(store_arg(store, instant[i].args, KEY_PID), 0),
				     instant[i].time_ns);
		if (is_topic(store, &instant[i], EVENT_NOTE_RELEASED) && number > 0 &&
		    keys_number(&over->sessions, store_process_of(store, instant[i].track), (uint64_t)number) ==
			KEYS_NONE)
			return -ENOMEM;
	}
	return find_processes(store, over);
}

/* Notes stay as long as what they are about. */
static bool is_kept(const struct store *store, const struct over *over, const struct store_instant *instant,
		    uint64_t before_ns)
{
	uint32_t process = store_process_of(store, instant->track);
	int64_t number = store_int(store_arg(store, instant->args, KEY_SESSION), 0);
	int64_t pid = store_int(store_arg(store, instant->args, KEY_PID), 0);

	if (instant->time_ns >= before_ns)
		return true;
	/* notes of memory come again */
	if (instant->kind != KIND_NOTE || is_topic(store, instant, EVENT_NOTE_EXIT) ||
	    is_topic(store, instant, EVENT_NOTE_MEMORY) || is_topic(store, instant, EVENT_NOTE_AT_PEAK) ||
	    keys_find(&over->processes, process, 0) != KEYS_NONE)
		return false;
	if (pid > 0 && keys_find(&over->pids, (uint64_t)pid, 0) != KEYS_NONE &&
	    keys_find(&over->live_pids, (uint64_t)pid, 0) == KEYS_NONE)
		return false;
	return number <= 0 || keys_find(&over->sessions, process, (uint64_t)number) == KEYS_NONE;
}

/* What did not end before a time. */
struct since {
	struct store_choice choice; /* must be first */
	const struct store *store;
	const struct over *over;
	uint64_t before_ns;
};

static bool is_since(const struct store_choice *choice, const struct track *track, size_t row)
{
	const struct store_slices *slices = &track->view.slices;
	uint64_t before_ns = ((const struct since *)choice)->before_ns;

	return slices->begin_ns[row] >= before_ns ||
	       (slices->end_ns[row] != STORE_OPEN && slices->end_ns[row] >= before_ns);
}

static bool is_kept_since(const struct store_choice *choice, const struct store_instant *instant)
{
	const struct since *since = (const struct since *)choice;

	return is_kept(since->store, since->over, instant, since->before_ns);
}

void store_in_drop_instants(struct store *store, const struct store_choice *choice)
{
	struct store_instant *instant = store->instants.data;
	size_t n = 0, capacity = store->instants.capacity;
	const struct column column = { &store->instants.data, sizeof *instant };

	for (size_t i = 0; i < store->instants.n; i++) {
		if (choice->keeps_instant(choice, &instant[i]))
			instant[n++] = instant[i];
		else
			store->counts.n_forgotten++;
	}
	store->instants.n = n;
	shrink(&column, 1, &capacity, n);
	store->instants.capacity = capacity;
}

/* A process with anything left on one of its tracks, or below it, is not over yet. */
static int find_left(const struct store *store, struct keys *left)
{
	const struct store_instant *instant = store->instants.data;

	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct track *track = store_in_track(store, id);

		if (track && (track->view.slices.n || track->view.samples.n || track->n_open) &&
		    keys_number(left, store_process_of(store, id), 0) == KEYS_NONE)
			return -ENOMEM;
	}
	for (size_t i = 0; i < store->instants.n; i++)
		if (keys_number(left, store_process_of(store, instant[i].track), 0) == KEYS_NONE)
			return -ENOMEM;
	return 0;
}

static void drop_track(struct store *store, uint32_t id)
{
	struct track **block = (struct track **)store->blocks.data + id / TRACKS_IN_BLOCK;
	bool has_any = false;

	store_in_free_track(store_in_track(store, id));
	for (uint32_t i = 0; i < TRACKS_IN_BLOCK; i++)
		has_any |= (*block)[i].is_defined;
	if (has_any)
		return;
	free(*block);
	*block = NULL;
}

/* The tracks of processes that have ended, once nothing is left on them. */
static int drop_dead(struct store *store, const struct over *over)
{
	struct keys dead = { 0 }, left = { 0 };
	int rc = 0;

	if (!over->processes.n)
		return 0;
	rc = find_left(store, &left);
	for (uint32_t id = 1; !rc && id <= store->n_tracks; id++) {
		uint32_t process = store_process_of(store, id);

		if (store_in_track(store, id) && keys_find(&over->processes, process, 0) != KEYS_NONE &&
		    keys_find(&left, process, 0) == KEYS_NONE && keys_number(&dead, id, 0) == KEYS_NONE)
			rc = -ENOMEM;
	}
	for (uint32_t id = 1; !rc && dead.n && id <= store->n_tracks; id++)
		if (keys_find(&dead, id, 0) != KEYS_NONE)
			drop_track(store, id);
	keys_done(&dead);
	keys_done(&left);
	return rc;
}

/* The number of a list in the new pool. */
static int copy_list(const struct store *store, struct args *to, uint32_t *numbers, uint32_t old, bool is_shared,
		     uint32_t *number)
{
	uint32_t n;
	const struct arg *list = store_args(store, old, &n);
	int rc = 0;

	if (old && !numbers[old])
		rc = is_shared ? args_share(to, list, n, &numbers[old]) : args_keep(to, list, n, &numbers[old]);
	*number = old ? numbers[old] : 0;
	return rc;
}

static int copy_lists(struct store *store, struct args *to, uint32_t *numbers)
{
	struct store_instant *instant = store->instants.data;
	uint32_t ignored;
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= store->n_tracks; id++) {
		const struct track *track = store_in_track(store, id);
		const struct store_slices *slices = track ? &track->view.slices : NULL;

		for (size_t row = 0; slices && !rc && row < slices->n; row++) {
			rc = copy_list(store, to, numbers, slices->args[row], true, &ignored);
			if (!rc && slices->own_args)
				rc = copy_list(store, to, numbers, slices->own_args[row], false, &ignored);
		}
	}
	for (size_t i = 0; !rc && i < store->instants.n; i++)
		rc = copy_list(store, to, numbers, instant[i].args, true, &ignored);
	return rc;
}

static void renumber(struct store *store, const uint32_t *numbers)
{
	struct store_instant *instant = store->instants.data;

	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct track *track = store_in_track(store, id);
		const struct store_slices *slices = track ? &track->view.slices : NULL;

		for (size_t row = 0; slices && row < slices->n; row++) {
			((uint32_t *)slices->args)[row] = numbers[slices->args[row]];
			if (slices->own_args)
				((uint32_t *)slices->own_args)[row] = numbers[slices->own_args[row]];
		}
	}
	for (size_t i = 0; i < store->instants.n; i++)
		instant[i].args = numbers[instant[i].args];
	/* the next slice of a name looks for its list anew */
	array_done(&store->last_list, sizeof(uint32_t));
}

int store_in_drop_lists(struct store *store)
{
	uint32_t *numbers = calloc(store->args.list.n + 1, sizeof *numbers);
	struct args args = { 0 };
	int rc = numbers ? copy_lists(store, &args, numbers) : -ENOMEM;

	if (!rc) {
		renumber(store, numbers);
		args_done(&store->args);
		store->args = args;
	} else {
		args_done(&args);
	}
	free(numbers);
	return rc;
}

int store_forget(struct store *store, uint64_t before_ns)
{
	struct over over = { 0 };
	const struct since since = { { is_since, is_kept_since }, store, &over, before_ns };
	int rc = find_over(store, &over, before_ns);

	store->version++;
	if (before_ns > store->kept_from_ns)
		store->kept_from_ns = before_ns;
	for (uint32_t id = 1; !rc && id <= store->n_tracks; id++) {
		struct track *track = store_in_track(store, id);
		bool is_over = track && keys_find(&over.processes, store_process_of(store, id), 0) != KEYS_NONE;

		if (!track)
			continue;
		store_in_drop_slices(store, track, &since.choice);
		forget_samples(store, track, before_ns, is_over);
	}
	store_in_drop_samples(store, before_ns);
	if (!rc)
		store_in_drop_instants(store, &since.choice);
	if (!rc)
		rc = drop_dead(store, &over);
	if (!rc)
		rc = store_in_drop_lists(store);
	keys_done(&over.processes);
	keys_done(&over.pids);
	keys_done(&over.live_pids);
	keys_done(&over.sessions);
	return rc;
}

void store_in_free_track(struct track *track)
{
	struct store_slices *slices = &track->view.slices;
	size_t n = track->slices_capacity;

	array_free((void *)slices->begin_ns, n * 8);
	array_free((void *)slices->end_ns, n * 8);
	array_free((void *)slices->name, n * 4);
	array_free((void *)slices->args, n * 4);
	array_free((void *)slices->own_args, n * 4);
	array_free((void *)slices->inference, n * 4);
	array_free((void *)slices->depth, n * 2);
	array_free((void *)slices->kind, n);
	array_free((void *)track->view.samples.time_ns, track->samples_capacity * 8);
	array_free((void *)track->view.samples.value, track->samples_capacity * 8);
	free(track->open);
	*track = (struct track){ 0 };
}
