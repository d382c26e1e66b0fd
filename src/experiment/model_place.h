/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds what a provider's profiler saw to the recording of the same run: a slice for each row, inside the slice of the
 * operator that it ran in, on lanes of their own below the process.
 */
#ifndef EXPERIMENT_MODEL_PLACE_H
#define EXPERIMENT_MODEL_PLACE_H

#include "analyze/summary/recording.h"
#include "trace/import/device_profile.h"

struct model_placed {
	size_t n_slices;
	char why_not[300]; /* not all rows have one; "": they have */
};

/*
 * path: the recording's file, to which slices are added; recording: what was read from it, with the names that the
 * profile uses. Executions of which the profile does not name the operator are those of operators of provider. Rows of
 * which it is not known in which execution they ran are left out. 0; or -errno and err: the file could not be written.
 */
int model_place(const struct recording *recording, const char *path, const struct device_profile *profile,
		const char *provider, struct model_placed *placed, struct err *err);

#endif
