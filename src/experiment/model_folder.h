/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the recordings of `inftrace model` go: into a folder of their own, which holds the reports as well. A run that
 * failed leaves nothing behind.
 *
 *	default             a temporary folder, which is removed
 *	--save              MODEL-2026-11-22, or MODEL-2026-11-22-2 ...; of several models 3-models-2026-11-22
 *	-o FOLDER           that folder, which must be new or empty (--force: need not)
 *	-o NAME.pftrace     files beside each other, without reports: NAME-cpu.pftrace ...
 */
#ifndef EXPERIMENT_MODEL_FOLDER_H
#define EXPERIMENT_MODEL_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "experiment/model_options.h"

struct model_folder_file;

struct model_folder {
	char path[PATH_MAX];  /* "": there is none, NAME.pftrace was asked for */
	const char *template; /* of recordings, "NAME.pftrace"; borrowed from the options */
	bool is_temporary, is_new, forces;
	struct model_folder_file *files; /* all recordings that were made */
};

/* 0; or -errno and err: then there is nothing to close. */
int model_folder_open(struct model_folder *folder, const struct model_opts *opts, const struct model_ways *ways,
		      struct err *err);
/*
 * Opens a new file for a recording of the run called label; pass: what tells it from others of the run, "-round2".
 * path, PATH_MAX bytes, gets its name. The descriptor, or -errno and err.
 */
int model_folder_recording(struct model_folder *folder, const char *label, const char *pass, char *path,
			   struct err *err);
/* Removes all recordings of the run called label; NULL: of all runs. */
void model_folder_forget(struct model_folder *folder, const char *label);
/* Removes what is not to be kept. A zeroed one may be closed. */
void model_folder_close(struct model_folder *folder, bool is_failed);

static inline bool model_folder_is_kept(const struct model_folder *folder)
{
	return !folder->is_temporary;
}

#endif
