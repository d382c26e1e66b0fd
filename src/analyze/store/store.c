// SPDX-License-Identifier: Apache-2.0
/*
 * Takes events into columns. The events of a track come in order, so nothing is sorted here; an event that
 * breaks the order is counted and left out. A slice that is left out still takes its END with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store_in.h"
#include "base/array.h"

enum { MAX_TRACKS = 1 << 24 };

struct event_args {
	struct arg shared[STORE_MAX_ARGS], own[STORE_MAX_ARGS];
	uint32_t n_shared, n_own, inference;
};

/* Numbers that differ from slice to slice: not worth sharing. */
static bool is_own_key(unsigned key)
{
	return key == KEY_ID || key == KEY_THREAD_CPU_NS || key == KEY_RUN_QUEUE_NS || key == KEY_FAULTS ||
	       key == KEY_SWITCHES || key == KEY_USAGE_OF_SLOW;
}

/* Appends, or replaces the argument of the same key; padding is zero afterwards. Its text stays. */
static bool add_arg(const struct store *store, struct arg *list, uint32_t *n, const struct arg *arg)
{
	uint32_t at = 0;

	while (at < *n && list[at].key != arg->key)
		at++;
	if (at == STORE_MAX_ARGS)
		return false;
	memset(&list[at], 0, sizeof *list);
	list[at].key = arg->key;
	list[at].type = arg->type;
	if (arg->type == ARG_NAME)
		list[at].name = names_keep(store->sink.names, arg->name);
	else
		list[at].integer = arg->integer; /* the bits of a real number, too */
	*n += at == *n;
	return true;
}

static void split_args(struct store *store, const struct event *event, struct event_args *to)
{
	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		bool is_kept;

		if (arg->key == KEY_INFERENCE && arg->type == ARG_INT) {
			to->inference = arg->integer > 0 && arg->integer <= UINT32_MAX ? (uint32_t)arg->integer : 0;
			continue;
		}
		is_kept = is_own_key(arg->key) ? add_arg(store, to->own, &to->n_own, arg)
					       : add_arg(store, to->shared, &to->n_shared, arg);
		store->counts.n_args_cut += !is_kept;
	}
}

static uint32_t *last_list_of(struct store *store, uint32_t name)
{
	while (store->last_list.n <= name)
		if (!array_add(&store->last_list, sizeof(uint32_t)))
			return NULL;
	return (uint32_t *)store->last_list.data + name;
}

/* The number of a shared list; slices of one name mostly have the same one again and again. */
static int share(struct store *store, uint32_t name, const struct event_args *from, uint32_t *number)
{
	uint32_t n_last, *last;
	const struct arg *list;
	int rc;

	*number = 0;
	if (!from->n_shared)
		return 0;
	if (name > names_count(store->sink.names))
		name = 0;
	last = last_list_of(store, name);
	if (!last)
		return -ENOMEM;
	list = args_get(&store->args, *last, &n_last);
	if (n_last == from->n_shared && !memcmp(list, from->shared, n_last * sizeof *list)) {
		*number = *last;
		return 0;
	}
	rc = args_share(&store->args, from->shared, from->n_shared, number);
	if (!rc)
		*last = *number;
	return rc;
}

/* Room for a track of this number; blocks in which none is defined are not there. */
static struct track *make_track(struct store *store, uint32_t id)
{
	struct track **block, *made;

	while (store->blocks.n <= id / TRACKS_IN_BLOCK) {
		if (!array_add(&store->blocks, sizeof *block))
			return NULL;
	}
	block = (struct track **)store->blocks.data + id / TRACKS_IN_BLOCK;
	if (!*block) {
		made = calloc(TRACKS_IN_BLOCK, sizeof *made);
		if (!made)
			return NULL;
		*block = made;
	}
	if (id > store->n_tracks)
		store->n_tracks = id;
	return *block + id % TRACKS_IN_BLOCK;
}

static int put_track(struct store *store, const struct event *event)
{
	struct track *track;

	if (!event->track || event->track > *store->sink.last_track || event->track >= MAX_TRACKS || !event->def) {
		store->counts.n_untracked++;
		return 0;
	}
	track = make_track(store, event->track);
	if (!track)
		return -ENOMEM;
	track->view.id = event->track;
	track->view.def = *event->def;
	track->is_defined = true;
	return 0;
}

/* NULL: never defined, and counted. */
static struct track *find_track(struct store *store, uint32_t id)
{
	struct track *track = store_in_track(store, id);

	if (track)
		return track;
	store->counts.n_untracked++;
	return NULL;
}

/* False: before the last event of the track, and counted. */
static bool is_in_order(struct store *store, struct track *track, uint64_t time_ns)
{
	if (time_ns < track->last_ns) {
		store->counts.n_disordered++;
		return false;
	}
	track->last_ns = time_ns;
	if (time_ns < store->counts.first_ns)
		store->counts.first_ns = time_ns;
	if (time_ns > store->counts.last_ns)
		store->counts.last_ns = time_ns;
	return true;
}

/* The columns' only writers. */
static void set64(const uint64_t *column, size_t row, uint64_t value)
{
	((uint64_t *)column)[row] = value;
}

static void set32(const uint32_t *column, size_t row, uint32_t value)
{
	((uint32_t *)column)[row] = value;
}

static bool grow_column(const void *column_, size_t size, size_t old_n, size_t n)
{
	void *column, *grown;

	memcpy(&column, column_, sizeof column);
	grown = array_resize(column, old_n * size, n * size);
	if (!grown)
		return false;
	memcpy((void *)column_, &grown, sizeof grown);
	return true;
}

static int grow_slices(struct track *track)
{
	struct store_slices *to = &track->view.slices;
	size_t old_n = track->slices_capacity, n = old_n ? old_n * 2 : 16;

	if (n > NO_ROW)
		return -ENOMEM;
	if (!grow_column(&to->begin_ns, 8, old_n, n) || !grow_column(&to->end_ns, 8, old_n, n) ||
	    !grow_column(&to->name, 4, old_n, n) || !grow_column(&to->args, 4, old_n, n) ||
	    !grow_column(&to->inference, 4, old_n, n) || !grow_column(&to->depth, 2, old_n, n) ||
	    !grow_column(&to->kind, 1, old_n, n) || (to->own_args && !grow_column(&to->own_args, 4, old_n, n)))
		return -ENOMEM;
	track->slices_capacity = n;
	return 0;
}

/* Adds the column of own arguments to a track; the rows so far have none. */
static int add_own_column(struct track *track)
{
	struct store_slices *to = &track->view.slices;

	if (!grow_column(&to->own_args, 4, 0, track->slices_capacity))
		return -ENOMEM;
	memset((void *)to->own_args, 0, to->n * 4);
	return 0;
}

static int set_own(struct store *store, struct track *track, size_t row, const struct event_args *from)
{
	uint32_t number;
	int rc = args_keep(&store->args, from->own, from->n_own, &number);

	if (!rc && number && !track->view.slices.own_args)
		rc = add_own_column(track);
	if (!rc && track->view.slices.own_args)
		set32(track->view.slices.own_args, row, number);
	return rc;
}

static int push_open(struct track *track, uint32_t row)
{
	if (!ARRAY_ROOM(track->open, track->open_capacity, track->n_open + 1))
		return -ENOMEM;
	track->open[track->n_open++] = row;
	return 0;
}

/* A slice that is not kept, and whose END will not be either. */
static int skip_slice(struct track *track)
{
	if (track->n_open >= STORE_MAX_DEPTH) {
		track->n_not_kept++;
		return 0;
	}
	return push_open(track, NO_ROW);
}

static int put_begin(struct store *store, const struct event *event)
{
	struct track *track = find_track(store, event->track);
	struct event_args args;
	struct store_slices *to;
	uint32_t list;
	int rc;

	if (!track)
		return 0;
	if (track->n_open >= STORE_MAX_DEPTH || track->n_not_kept) {
		store->counts.n_too_deep++;
		return skip_slice(track);
	}
	if (!is_in_order(store, track, event->time_ns))
		return skip_slice(track);
	to = &track->view.slices;
	if (to->n == track->slices_capacity && (rc = grow_slices(track)))
		return rc;
	args.n_shared = args.n_own = args.inference = 0;
	split_args(store, event, &args);
	rc = share(store, event->name, &args, &list);
	if (!rc && (args.n_own || to->own_args))
		rc = set_own(store, track, to->n, &args);
	if (!rc)
		rc = push_open(track, (uint32_t)to->n);
	if (rc)
		return rc;
	set64(to->begin_ns, to->n, event->time_ns);
	set64(to->end_ns, to->n, STORE_OPEN);
	set32(to->name, to->n, names_keep(store->sink.names, event->name));
	set32(to->args, to->n, list);
	set32(to->inference, to->n, args.inference);
	((uint16_t *)to->depth)[to->n] = (uint16_t)(track->n_open - 1);
	((uint8_t *)to->kind)[to->n] = event->kind < N_KINDS ? (uint8_t)event->kind : KIND_NONE;
	to->n++;
	store->counts.n_slices++;
	store->counts.n_open++;
	return 0;
}

static void load_args(struct store *store, uint32_t list, struct arg *to, uint32_t *n)
{
	const struct arg *from = args_get(&store->args, list, n);

	if (*n)
		memcpy(to, from, *n * sizeof *to);
}

/* What an END knows is added to its slice. */
static int add_args(struct store *store, struct track *track, size_t row, const struct event *event)
{
	struct store_slices *to = &track->view.slices;
	struct event_args args;
	uint32_t list;
	bool has_own = false;
	int rc;

	load_args(store, to->args[row], args.shared, &args.n_shared);
	load_args(store, to->own_args ? to->own_args[row] : 0, args.own, &args.n_own);
	args.inference = to->inference[row];
	split_args(store, event, &args);
	for (size_t i = 0; i < event->n_args; i++)
		has_own |= is_own_key(event->args[i].key);
	rc = args_share(&store->args, args.shared, args.n_shared, &list);
	if (rc)
		return rc;
	set32(to->args, row, list);
	set32(to->inference, row, args.inference);
	return has_own ? set_own(store, track, row, &args) : 0;
}

static int put_end(struct store *store, const struct event *event)
{
	struct track *track = find_track(store, event->track);
	uint32_t row;

	if (!track)
		return 0;
	if (track->n_not_kept) {
		track->n_not_kept--;
		return 0;
	}
	if (!track->n_open) {
		store->counts.n_unmatched++;
		return 0;
	}
	row = track->open[--track->n_open];
	/* an end that cannot be believed leaves its slice without one */
	if (row == NO_ROW || !is_in_order(store, track, event->time_ns))
		return 0;
	set64(track->view.slices.end_ns, row, event->time_ns);
	store->counts.n_open--;
	return event->n_args ? add_args(store, track, row, event) : 0;
}

static int put_instant(struct store *store, const struct event *event)
{
	struct track *track = find_track(store, event->track);
	struct store_instant *instant;
	struct event_args args = { .inference = 0 };
	int rc;

	if (!track || !is_in_order(store, track, event->time_ns))
		return 0;
	for (size_t i = 0; i < event->n_args; i++)
		store->counts.n_args_cut += !add_arg(store, args.shared, &args.n_shared, &event->args[i]);
	instant = array_add(&store->instants, sizeof *instant);
	if (!instant)
		return -ENOMEM;
	*instant = (struct store_instant){ event->time_ns, event->track, names_keep(store->sink.names, event->name), 0,
					   event->kind };
	rc = args_share(&store->args, args.shared, args.n_shared, &instant->args);
	store->counts.n_instants++;
	return rc;
}

static int put_counter(struct store *store, const struct event *event)
{
	struct track *track = find_track(store, event->track);
	struct store_samples *to;

	if (!track || !is_in_order(store, track, event->time_ns))
		return 0;
	to = &track->view.samples;
	if (to->n == track->samples_capacity) {
		size_t old_n = track->samples_capacity, n = old_n ? old_n * 2 : 16;

		if (!grow_column(&to->time_ns, 8, old_n, n) || !grow_column(&to->value, 8, old_n, n))
			return -ENOMEM;
		track->samples_capacity = n;
	}
	set64(to->time_ns, to->n, event->time_ns);
	((double *)to->value)[to->n++] = event->value;
	store->counts.n_samples++;
	return 0;
}

static int store_put(struct sink *sink, const struct event *event, struct err *err)
{
	static int (*const put[])(struct store *, const struct event *) = {
		[EVENT_TRACK] = put_track,     [EVENT_BEGIN] = put_begin,     [EVENT_END] = put_end,
		[EVENT_INSTANT] = put_instant, [EVENT_COUNTER] = put_counter, [EVENT_SAMPLE] = store_in_put_sample,
	};

	struct store *store = (struct store *)sink;
	int rc = event->type < sizeof put / sizeof *put && put[event->type] ? put[event->type](store, event) : 0;

	if (!rc && store->window_ns &&
	    store->counts.last_ns - store->kept_from_ns > store->window_ns + store->window_ns / 2 &&
	    store->counts.last_ns >= store->counts.first_ns)
		rc = store_forget(store, store->counts.last_ns - store->window_ns);
	if (rc)
		return err_set(err, ENOMEM,
			       "cannot keep the recording in memory: out of memory; close other programs, or "
			       "record a shorter time");
	return 0;
}

struct store *store_new(struct names *names, uint32_t *last_track)
{
	struct store *store = calloc(1, sizeof *store);

	if (!store)
		return NULL;
	store->sink = (struct sink){ store_put, names, last_track };
	store->counts.first_ns = UINT64_MAX;
	return store;
}

void store_free(struct store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->blocks.n; i++) {
		struct track *block = ((struct track **)store->blocks.data)[i];

		for (uint32_t k = 0; block && k < TRACKS_IN_BLOCK; k++)
			store_in_free_track(&block[k]);
		free(block);
	}
	array_done(&store->blocks, sizeof(struct track *));
	store_in_free_samples(store);
	array_done(&store->instants, sizeof(struct store_instant));
	array_done(&store->last_list, sizeof(uint32_t));
	args_done(&store->args);
	free(store);
}

void store_set_window(struct store *store, uint64_t window_ns)
{
	store->window_ns = window_ns;
}

struct sink *store_sink(struct store *store)
{
	return &store->sink;
}

const struct names *store_names(const struct store *store)
{
	return store->sink.names;
}

const struct store_counts *store_counts(const struct store *store)
{
	return &store->counts;
}
