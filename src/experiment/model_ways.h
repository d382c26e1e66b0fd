/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that the options ask for. Each option with several values, and several models, multiply them:
 *
 *	inftrace model fp32.onnx int8.onnx --intra-op-threads 1,4
 *
 * has four: "fp32.onnx, 1 thread", "fp32.onnx, 4 threads", "int8.onnx, 1 thread", "int8.onnx, 4 threads". A label names
 * only what differs. All values are checked here, before anything runs.
 */
#ifndef EXPERIMENT_MODEL_WAYS_H
#define EXPERIMENT_MODEL_WAYS_H

#include "analyze/result/model/model_result.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"

enum { MODEL_MAX_WAYS = 16 };

struct model_opts;

/* One run beside the others. */
struct model_way {
	const char *label;	  /* "cpu", "prefer-npu", "int8.onnx, 2 threads" */
	const char *slug;	  /* the label, fit for the name of a file, and as unique: "int8.onnx-2-threads" */
	const char *model;	  /* path */
	const char *provider;	  /* as the runner knows it; NULL: the runtime's choice */
	const char *policy;	  /* NULL: none */
	const char *runtime;	  /* path; NULL: the first one found */
	const char *optimization; /* NULL: default */
	int threads;		  /* 0: the runtime decides */
	int64_t batch;		  /* 0: not given */
	const char *differs[N_MODEL_AXES]; /* as in struct model_result */
};

struct model_ways {
	struct model_way way[MODEL_MAX_WAYS];
	int n;
	struct model_way shared;       /* what all have; the rest is NULL or 0 */
	const char *all[N_MODEL_AXES]; /* the values of what they differ in: "1,2,4"; NULL: they do not */
};

/* The runtimes of --runtime, which may be none: how many, or -errno and err. Texts lie in the arena, or are borrowed.
 */
int model_ways_runtimes(const struct model_opts *opts, const char *runtime[OPT_LIST_MAX], struct arena *arena,
			struct err *err);
/* models: borrowed, like the options. Texts lie in the arena. 0; or -errno and err. */
int model_ways_find(struct model_ways *ways, const struct model_opts *opts, char *const *models, int n_models,
		    struct arena *arena, struct err *err);

bool model_way_is_cpu(const struct model_way *way);

/* The provider that NAME:KEY=VALUE is of; false: it has no name. */
bool model_option_owner(const char *text, char *name, size_t size);

const char *model_axis_option(enum model_axis axis); /* "batch-size"; NULL: it is no option */

#endif
