// SPDX-License-Identifier: Apache-2.0
/* What a store holds, for those who read it. Changes nothing. */
#include <string.h>

#include "analyze/store/store_in.h"

uint32_t store_n_tracks(const struct store *store)
{
	return store->n_tracks;
}

const struct store_track *store_track(const struct store *store, uint32_t id)
{
	const struct track *track = store_in_track(store, id);

	return track ? &track->view : NULL;
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

uint32_t store_thread_track(const struct store *store, const struct store_thread *thread)
{
	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct store_track *track = store_track(store, id);

		if (track && track->def.type == TRACK_THREAD && track->def.tid == thread->tid &&
		    store_process_of(store, id) == thread->process)
			return id;
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

const struct store_thinned *store_thinned(const struct store *store)
{
	return &store->thinned;
}

uint64_t store_kept_from(const struct store *store)
{
	return store->kept_from_ns;
}

uint64_t store_version(const struct store *store)
{
	return store->version;
}

uint64_t store_used_bytes(const struct store *store)
{
	const struct args *args = &store->args;
	uint64_t bytes = store->instants.n * sizeof(struct store_instant) + args->pool.n * sizeof(struct arg) +
			 args->list.n * sizeof(struct args_list);

	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct track *track = store_in_track(store, id);

		if (track)
			bytes += sizeof *track + track->view.slices.n * (track->view.slices.own_args ? 35 : 31) +
				 track->view.samples.n * 16;
	}
	return bytes;
}
