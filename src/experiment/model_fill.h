/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what was read back to the facts of a report: the runner's result and the recordings of the passes of one run,
 * and the model's file. Texts and arrays lie in an arena that the caller frees when the report is done.
 */
#ifndef EXPERIMENT_MODEL_FILL_H
#define EXPERIMENT_MODEL_FILL_H

#include "analyze/result/model/model_result.h"
#include "base/arena.h"
#include "experiment/model_pass.h"
#include "model/onnx/onnx_static.h"

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

#endif
