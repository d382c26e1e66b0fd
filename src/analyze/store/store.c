// SPDX-License-Identifier: Apache-2.0
/*
 * Takes events into columns. The events of a track come in order, so nothing is sorted here; an event that
 * breaks the order is counted and left out. A slice that is left out still takes its END with it.
 */
#include "analyze/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/args.h"

/* Row of an open slice that was not kept. */
#define NO_ROW UINT32_MAX
enum { MAX_TRACKS = 1 << 24 };

struct track {
	struct store_track view;
	bool is_defined;
	uint64_t last_ns;
	size_t slices_capacity, samples_capacity;
	uint32_t *open; /* rows of the open slices, outermost first */
	uint32_t n_open, open_capacity, n_not_kept;
};

struct store {
	struct sink sink;
	struct store_counts counts;
	struct track *tracks; /* index: id; entry 0 unused */
	uint32_t n_tracks, tracks_capacity;
	struct array instants; /* struct store_instant */
	struct args args;
	struct array last_list; /* uint32_t by name: the list that a slice of this name had last */
};

struct event_args {
	struct arg shared[STORE_MAX_ARGS], own[STORE_MAX_ARGS];
	uint32_t n_shared, n_own, inference;
};

/* Numbers that differ from slice to slice: not worth sharing. */
static bool is_own_key(unsigned key)
{
	return key == KEY_ID || key == KEY_THREAD_CPU_NS || key == KEY_RUN_QUEUE_NS || key == KEY_FAULTS ||
	       key == KEY_SWITCHES;
}

/* Appends, or replaces the argument of the same key; padding is zero afterwards. */
static bool add_arg(struct arg *list, uint32_t *n, const struct arg *arg)
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
		list[at].name = arg->name;
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
		is_kept =
		    is_own_key(arg->key) ? add_arg(to->own, &to->n_own, arg) : add_arg(to->shared, &to->n_shared, arg);
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

static int grow_tracks(struct store *store, uint32_t id)
{
	uint32_t capacity = store->tracks_capacity ? store->tracks_capacity : 64;
	struct track *tracks;

	while (capacity <= id)
		capacity *= 2;
	if (capacity > store->tracks_capacity) {
		tracks = realloc(store->tracks, capacity * sizeof *tracks);
		if (!tracks)
			return -ENOMEM;
		memset(tracks + store->tracks_capacity, 0, (capacity - store->tracks_capacity) * sizeof *tracks);
		store->tracks = tracks;
		store->tracks_capacity = capacity;
	}
	store->n_tracks = id;
	return 0;
}

static int put_track(struct store *store, const struct event *event)
{
	int rc;

	if (!event->track || event->track > *store->sink.last_track || event->track >= MAX_TRACKS || !event->def) {
		store->counts.n_untracked++;
		return 0;
	}
	if (event->track > store->n_tracks && (rc = grow_tracks(store, event->track)))
		return rc;
	store->tracks[event->track].view.id = event->track;
	store->tracks[event->track].view.def = *event->def;
	store->tracks[event->track].is_defined = true;
	return 0;
}

/* NULL: never defined, and counted. */
static struct track *find_track(struct store *store, uint32_t id)
{
	if (id && id <= store->n_tracks && store->tracks[id].is_defined)
		return &store->tracks[id];
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
	if (track->n_open == track->open_capacity) {
		uint32_t capacity = track->open_capacity ? track->open_capacity * 2 : 8;
		uint32_t *open = realloc(track->open, capacity * sizeof *open);

		if (!open)
			return -ENOMEM;
		track->open = open;
		track->open_capacity = capacity;
	}
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
	set32(to->name, to->n, event->name);
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
		store->counts.n_args_cut += !add_arg(args.shared, &args.n_shared, &event->args[i]);
	instant = array_add(&store->instants, sizeof *instant);
	if (!instant)
		return -ENOMEM;
	*instant = (struct store_instant){ event->time_ns, event->track, event->name, 0, event->kind };
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
		[EVENT_INSTANT] = put_instant, [EVENT_COUNTER] = put_counter,
	};

	if (event->type < sizeof put / sizeof *put && put[event->type]((struct store *)sink, event))
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

static void free_track(struct track *track)
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
}

void store_free(struct store *store)
{
	if (!store)
		return;
	for (uint32_t id = 1; id <= store->n_tracks; id++)
		free_track(&store->tracks[id]);
	free(store->tracks);
	array_done(&store->instants, sizeof(struct store_instant));
	array_done(&store->last_list, sizeof(uint32_t));
	args_done(&store->args);
	free(store);
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

uint32_t store_n_tracks(const struct store *store)
{
	return store->n_tracks;
}

const struct store_track *store_track(const struct store *store, uint32_t id)
{
	return id && id <= store->n_tracks && store->tracks[id].is_defined ? &store->tracks[id].view : NULL;
}

bool store_has_kind(const struct store_track *track, enum event_kind kind)
{
	return track && track->slices.n && memchr(track->slices.kind, (int)kind, track->slices.n);
}

size_t store_first_from(const uint64_t *times_ns, size_t n, uint64_t time_ns)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times_ns[middle] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t store_process_of(const struct store *store, uint32_t id)
{
	const struct store_track *track = store_track(store, id);

	/* parents may form a circle in a broken file */
	for (int hops = 0; track && hops < 64; hops++) {
		if (track->def.type == TRACK_PROCESS)
			return track->id;
		track = store_track(store, track->def.parent);
	}
	return 0;
}

const struct store_instant *store_instants(const struct store *store, size_t *n)
{
	*n = store->instants.n;
	return store->instants.data;
}

const struct arg *store_args(const struct store *store, uint32_t list, uint32_t *n)
{
	return args_get(&store->args, list, n);
}

uint32_t store_n_lists(const struct store *store)
{
	return (uint32_t)store->args.list.n;
}

const struct arg *store_arg(const struct store *store, uint32_t list, enum event_key key)
{
	uint32_t n;
	const struct arg *arg = args_get(&store->args, list, &n);

	for (uint32_t i = 0; i < n; i++)
		if (arg[i].key == key)
			return &arg[i];
	return NULL;
}

const struct arg *store_slice_arg(const struct store *store, const struct store_track *track, size_t row,
				  enum event_key key)
{
	const struct arg *arg = store_arg(store, track->slices.args[row], key);

	if (!arg && track->slices.own_args)
		arg = store_arg(store, track->slices.own_args[row], key);
	return arg;
}
