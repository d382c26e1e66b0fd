/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the report of `inftrace model` goes: standard output in the format of --format, and every file of --report in
 * that of its suffix. Files are made before anything is measured, so that nothing is measured in vain.
 */
#ifndef EXPERIMENT_MODEL_PAGES_H
#define EXPERIMENT_MODEL_PAGES_H

#include "analyze/result/model/model_analysis.h"
#include "base/output.h"
#include "experiment/model_options.h"
#include "show/words/export.h"

struct model_pages {
	const struct model_opts *opts;
	struct output_stream *file; /* as opts->report */
	size_t n;
};

/* Makes the files, which have no names yet. 0, or -errno and err: one is there already, or cannot be made. */
int model_pages_open(struct model_pages *pages, const struct model_opts *opts, struct err *err);
/*
 * Prints and writes, and names the files. terminal: how a text page looks on standard output. 0, or -errno and err: a
 * file cannot be written.
 */
int model_pages_write(struct model_pages *pages, const struct model_analysis *analysis,
		      const struct report_look *terminal, struct err *err);
/* Writes report.html and report.json into a folder. 0, or -errno and err. */
int model_pages_into(const char *folder, const struct model_analysis *analysis, struct err *err);
/* Files that were not written are removed again. */
void model_pages_close(struct model_pages *pages);

#endif
