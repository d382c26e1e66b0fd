/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An earlier report of `inftrace model` beside the runs of this one: the same answer as that of `inftrace diff` for the
 * JSON of both, because it is made from these.
 */
#ifndef EXPERIMENT_MODEL_BASELINE_H
#define EXPERIMENT_MODEL_BASELINE_H

#include "analyze/diff/diff.h"
#include "analyze/result/model/model_analysis.h"

struct model_baseline {
	struct diff_side before; /* one run */
	struct diff_run now;
	struct diff diff;
};

/* path: of the JSON, or of a folder with report.json; borrowed. Texts are in the arena. 0; or -errno and err. */
int model_baseline_read(struct model_baseline *to, const char *path, struct arena *arena, struct err *err);

/* The analysed runs as new. threshold: as in struct diff_opts. Fills to->diff. 0; or -errno and err. */
int model_baseline_compare(struct model_baseline *to, const struct model_analysis *analysis, double threshold,
			   struct arena *arena, struct err *err);

#endif
