// SPDX-License-Identifier: Apache-2.0
/* The mean of a counter over a span, each sample as long as it is of. */
#include "analyze/result/model/model_busy.h"

#include <math.h>
#include <string.h>

static const struct store_samples *samples_of_machine(const struct store *store)
{
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		if (track && track->def.type == TRACK_COUNTER && track->samples.n && !store_process_of(store, id) &&
		    !strcmp(names_text(store_names(store), track->def.name), "cpu") &&
		    !strcmp(names_text(store_names(store), track->def.unit), "%"))
			return &track->samples;
	}
	return NULL;
}

double model_busy_find(const struct store *store, uint64_t start_ns, uint64_t end_ns)
{
	const struct store_samples *samples = samples_of_machine(store);
	double busy_ns = 0, seen_ns = 0;

	for (size_t i = 1; samples && i < samples->n; i++) {
		uint64_t begin_ns = samples->time_ns[i - 1], own_end_ns = samples->time_ns[i];

		begin_ns = begin_ns < start_ns ? start_ns : begin_ns;
		own_end_ns = own_end_ns > end_ns ? end_ns : own_end_ns;
		if (begin_ns >= own_end_ns)
			continue;
		seen_ns += (double)(own_end_ns - begin_ns);
		busy_ns += (double)(own_end_ns - begin_ns) * samples->value[i] / 100;
	}
	return start_ns < end_ns && seen_ns >= 0.5 * (double)(end_ns - start_ns) ? busy_ns / seen_ns : NAN;
}
