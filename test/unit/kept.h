/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_KEPT_H
#define TEST_UNIT_KEPT_H

#include "analyze/store/store.h"

/* What is kept and what was forgotten are all that came. */
static inline void assert_all_are_counted(const struct store *store)
{
	const struct store_counts *counts = store_counts(store);
	uint64_t n_kept = 0, n_open = 0;
	size_t n_instants;

	store_instants(store, &n_instants);
	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		n_kept += track ? track->slices.n + track->samples.n : 0;
		for (size_t row = 0; track && row < track->slices.n; row++)
			n_open += track->slices.end_ns[row] == STORE_OPEN;
	}
	assert_int_equal(n_open, counts->n_open);
	assert_int_equal(n_kept + n_instants + counts->n_forgotten,
			 counts->n_slices + counts->n_instants + counts->n_samples);
}

#endif
