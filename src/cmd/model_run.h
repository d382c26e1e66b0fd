/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model in the ways that the options ask for, one after the other, and gathers what they told into a report. */
#ifndef CMD_MODEL_RUN_H
#define CMD_MODEL_RUN_H

#include "analyze/model_result.h"
#include "cmd/model_options.h"

#include <stdbool.h>

enum { MODEL_MAX_WAYS = 16 };

struct model_runs {
	struct arena arena;		/* of all texts and arrays of the report */
	struct model_report report;
	uint32_t n_failed;		/* of report.n_results */
	bool is_interrupted;		/* the user ended it: what was measured until then is there */
};

/*
 * facts: of the model at path; borrowed. 0; or -errno and err: nothing could be run at all. A run that failed is a
 * result with an error. model_runs_done undoes it, also after a failure.
 */
int model_runs_do(struct model_runs *runs, const struct model_opts *opts, const char *path, const struct model_facts *facts,
		  struct err *err);
void model_runs_done(struct model_runs *runs);

#endif
