/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model files of all runs, analysed for the shapes that each runs with. Two runs of one model with different batch
 * sizes have two analyses of the same file.
 */
#ifndef EXPERIMENT_MODEL_FILES_H
#define EXPERIMENT_MODEL_FILES_H

#include "experiment/model_run.h"
#include "model/onnx/onnx_static.h"

struct model_files {
	struct model_static item[MODEL_MAX_WAYS];
	int of[MODEL_MAX_WAYS];	 /* of each run: its analysis */
	int way[MODEL_MAX_WAYS]; /* of each analysis: the first run with it */
	int n;
	struct arena arena;
};

/*
 * Reads them, and counts operations for the shapes that are expected. A batch size that a model cannot have is an
 * error. 0; or -errno and err. model_files_done undoes it, also after a failure; all borrowed until then.
 */
int model_files_read(struct model_files *files, const struct model_opts *opts, const struct model_ways *ways,
		     struct err *err);
/* Is all external data of each there? 0; or -errno and err. */
int model_files_check(const struct model_files *files, struct err *err);
/* Fills report.model, and the facts of the runs, for the shapes that ran. 0; or -errno and err. */
int model_files_describe(struct model_files *files, struct model_runs *runs, struct err *err);
void model_files_done(struct model_files *files);

#endif
