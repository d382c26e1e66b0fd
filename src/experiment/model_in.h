/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of one experiment hand on to each other. */
#ifndef EXPERIMENT_MODEL_IN_H
#define EXPERIMENT_MODEL_IN_H

#include <limits.h>

#include "analyze/result/model/model_result.h"
#include "analyze/summary/recording.h"
#include "base/arena.h"
#include "experiment/model_options.h"
#include "experiment/model_pass.h"
#include "experiment/model_run.h"
#include "model/onnx/onnx_static.h"
#include "model/run/run_result.h"
#include "trace/import/device_profile.h"

/*
 * From what was read back to the facts of a report: the runner's result and the recordings of the passes of one run,
 * and the model's file. Texts and arrays lie in an arena that the caller frees when the report is done.
 */
/*
 * What a timing pass told; result was set up by model_result_init and knows what was asked for (label, provider,
 * policy, options). round: which of several processes that did the same, from 0 on, in order; later ones add their
 * latencies and sums. The pass is not needed afterwards. 0, or -ENOMEM and err.
 */
int model_fill_timing(struct model_result *result, const struct model_pass *pass, uint32_t round, struct arena *arena,
		      struct err *err);
/* What the pass for the operators told. */
int model_fill_operators(struct model_result *result, const struct model_pass *pass, struct arena *arena,
			 struct err *err);

/* The GPUs and NPUs that its steady phase used; part of model_fill_timing. 0 or -ENOMEM. */
int model_fill_devices(struct model_result *result, const struct model_pass *pass, uint32_t round, struct arena *arena);

/* Where the outputs of two runs lie. */
struct model_folders {
	const char *to, *from;	     /* of the run itself, and of the one beside it */
	const char *label;	     /* of the one beside it */
	const struct run_opts *opts; /* has the tolerances */
};

/* Compares the outputs of result, which run names, with those of the run beside it. */
int model_fill_outputs(struct model_result *result, const struct run_record *run, const struct model_folders *folders,
		       struct arena *arena, struct err *err);
/* The same beside the values that test data expect, which the runner has compared. */
int model_fill_expected(struct model_result *result, const struct run_record *run, struct arena *arena,
			struct err *err);

/* The analysis is borrowed for the report's life. */
int model_fill_facts(struct model_facts *facts, const struct model_static *analysis, struct arena *arena,
		     struct err *err);

/* What to do when a provider cannot be used. */
/* The way to an ONNX Runtime that has the provider built in. NULL: none is known. */
const char *model_advice(const char *provider);

/*
 * What the provider's own profiler says of the operator pass: its files are read, added to the recording and summed up.
 */
/*
 * Fills the result's kernels, or says why there are none. What is wrong with the profiler's files is said there; 0, or
 * -errno and err: out of memory, or the recording could not be written.
 */
int model_inside(struct model_result *result, const struct model_pass *pass, struct arena *arena, struct err *err);

/*
 * On which kind of device a provider ran: from its options, from the devices that its session was given, or because the
 * machine has no other. Reads the result of a run and sysfs, computes nothing.
 */
/* "CPU", "GPU", "NPU"; NULL: not known. sysroot: "" in life. */
const char *model_device_of(const struct run_result *run, const char *sysroot);

/*
 * Adds what a provider's profiler saw to the recording of the same run: a slice for each row, inside the slice of the
 * operator that it ran in, on lanes of their own below the process.
 */
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

/*
 * Where runs put the outputs of their first inference: in a folder each, below --outputs, or below a temporary folder
 * if they are only compared.
 */
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

/* What a report says of the circumstances of its runs: the machine, the settings, the time. */

/* measures_peak: takes half a second of all CPUs. Without memory parts are left out. */
void model_describe(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways,
		    bool measures_peak);

#endif
