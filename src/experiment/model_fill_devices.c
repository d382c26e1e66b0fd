// SPDX-License-Identifier: Apache-2.0
/* GPUs and NPUs in the steady phase of a run: out of the recording of a round into the facts of all rounds so far. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/result/model/model_devices.h"
#include "experiment/model_in.h"

static const char *keep(struct arena *arena, const char *text, bool *is_out_of_memory)
{
	const char *kept = arena_keep(arena, text);

	*is_out_of_memory |= text && !kept;
	return kept;
}

static void *copy(struct arena *arena, const void *array, size_t size, bool *is_out_of_memory)
{
	void *kept = size ? arena_alloc(arena, size) : NULL;

	*is_out_of_memory |= size && !kept;
	return kept ? memcpy(kept, array, size) : NULL;
}

static int put(struct model_result *result, const struct model_devices *devices, struct arena *arena)
{
	uint32_t n_devices = devices->n_devices, n_counters = devices->n_counters;
	bool is_out = false;
	struct model_device *device = copy(arena, devices->device, n_devices * sizeof *device, &is_out);
	struct model_counter *counter = copy(arena, devices->counter, n_counters * sizeof *counter, &is_out);

	for (uint32_t i = 0; device && i < n_devices; i++) {
		device[i].name = keep(arena, device[i].name, &is_out);
		device[i].description = keep(arena, device[i].description, &is_out);
		device[i].busy_of = keep(arena, device[i].busy_of, &is_out);
	}
	for (uint32_t i = 0; counter && i < n_counters; i++) {
		counter[i].name = keep(arena, counter[i].name, &is_out);
		counter[i].unit = keep(arena, counter[i].unit, &is_out);
	}
	if (is_out)
		return -ENOMEM;
	result->devices = device;
	result->n_devices = n_devices;
	result->counters = counter;
	result->n_counters = n_counters;
	return 0;
}

/* A source of devices that ended before the run did has said why. */
static int put_missing(struct model_result *result, const struct summary *summary, struct arena *arena)
{
	const struct names *names = summary->names;
	bool is_out = false;

	for (uint32_t i = 0; i < summary->n_stops && !result->devices_missing; i++) {
		const char *source = names_text(names, summary->stops[i].source);

		if (!strncmp(source, "gpu", 3) || !strncmp(source, "npu", 3))
			result->devices_missing = keep(arena, names_text(names, summary->stops[i].reason), &is_out);
	}
	return is_out ? -ENOMEM : 0;
}

int model_fill_devices(struct model_result *result, const struct model_pass *pass, uint32_t round, struct arena *arena)
{
	const struct run_phase *steady = pass->run.head ? &pass->run.head->phases[RUN_STEADY] : NULL;
	const struct summary *summary = pass->recording.summary;
	struct model_devices *all, *found;
	int code = -ENOMEM;

	if (!steady || steady->state != RUN_ENDED || !summary)
		return 0;
	all = malloc(sizeof *all);
	found = malloc(sizeof *found);
	if (all && found) {
		model_devices_find(found, summary->store, steady->start_ns, steady->end_ns);
		all->n_devices = result->n_devices;
		all->n_counters = result->n_counters;
		for (uint32_t i = 0; i < all->n_devices; i++)
			all->device[i] = result->devices[i];
		for (uint32_t i = 0; i < all->n_counters; i++)
			all->counter[i] = result->counters[i];
		if (round)
			model_devices_add(all, found);
		code = put(result, round ? all : found, arena);
		code = code ? code : put_missing(result, summary, arena);
	}
	free(all);
	free(found);
	return code;
}
