/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where runs put the outputs of their first inference: in a folder each, below --outputs, or below a temporary folder
 * if they are only compared.
 */
#ifndef EXPERIMENT_MODEL_OUT_FOLDERS_H
#define EXPERIMENT_MODEL_OUT_FOLDERS_H

#include <limits.h>

#include "experiment/model_options.h"

struct model_out_folders {
	char path[PATH_MAX]; /* "": there is none */
	const struct model_ways *ways;
	bool is_temporary;
	bool is_new, is_way_new[MODEL_MAX_WAYS]; /* were not there before */
};

/* ways: borrowed. 0; or -errno and err: then there is nothing to close. */
int model_out_folders_open(struct model_out_folders *folders, const struct model_opts *opts,
			   const struct model_ways *ways, struct err *err);
/* The folder of a run, made if it is not there; its name is in the arena. NULL: there is none. */
const char *model_out_folders_of(struct model_out_folders *folders, struct arena *arena, int way);
/* Removes what is temporary, and new folders of runs that failed. A zeroed one may be closed. */
void model_out_folders_close(struct model_out_folders *folders, bool (*has_failed)(const void *ctx, int way),
			     const void *ctx);

#endif
