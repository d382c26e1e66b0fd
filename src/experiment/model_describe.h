/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of the circumstances of its runs: the machine, the settings, the time. */
#ifndef EXPERIMENT_MODEL_DESCRIBE_H
#define EXPERIMENT_MODEL_DESCRIBE_H

#include "experiment/model_run.h"

/* measures_peak: takes half a second of all CPUs. Without memory parts are left out. */
void model_describe(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways,
		    bool measures_peak);

#endif
