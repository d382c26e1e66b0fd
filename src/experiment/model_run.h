/* SPDX-License-Identifier: Apache-2.0 */
/* Runs models in the ways that the options ask for, in turn, and gathers what they told into a report. */
#ifndef EXPERIMENT_MODEL_RUN_H
#define EXPERIMENT_MODEL_RUN_H

#include <stdbool.h>

#include "analyze/result/model/model_result.h"
#include "capture/recorder/say.h"
#include "experiment/model_folder.h"
#include "experiment/model_options.h"
#include "experiment/model_pass.h"
#include "model/onnx/onnx_static.h"
#include "model/run/run_result.h"

/* The inputs or outputs of a run; inputs of all groups of shapes. */
struct model_tensors {
	struct run_tensor *item; /* NULL: none came so far */
	uint32_t n;
};

struct model_runs {
	struct arena arena; /* of all texts and arrays of the report */
	struct model_report report;
	struct model_folder folder;
	uint32_t n_failed;	      /* of report.n_results */
	bool is_failed;		      /* nothing came of it: nothing is kept. The caller may set it, too */
	bool is_interrupted;	      /* the user ended it: what was measured until then is there */
	struct model_result *results; /* those of the report */
	struct model_tensors inputs[MODEL_MAX_WAYS], outputs[MODEL_MAX_WAYS];
};

/*
 * All but what the models' files say. say: gets what is being measured, and the recorder's messages. watch: sees the
 * events while they come; NULL: nobody does. 0; or -errno and err: nothing could be run at all. A run that failed is a
 * result with an error. model_runs_done undoes it, also after a failure.
 */
int model_runs_do(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways,
		  const struct say *say, const struct model_watch *watch, struct err *err);
/* For model_static_count, ctx a struct model_tensors: the size that a dimension had in the run; -1: not known, or not
 * always the same. */
int64_t model_runs_size(void *ctx, const struct model_free_dim *dim);
void model_runs_done(struct model_runs *runs);

#endif
