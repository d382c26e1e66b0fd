/* SPDX-License-Identifier: Apache-2.0 */
/* The static analysis of a model's file, for `inftrace model`. Does not run the model. */
#ifndef MODEL_ONNX_ONNX_STATIC_H
#define MODEL_ONNX_ONNX_STATIC_H

#include "base/opt.h"
#include "base/text/json.h"
#include "model/onnx/onnx_cost.h"
#include "model/onnx/onnx_external.h"
#include "model/onnx/onnx_in.h"

/* Weights of one element type, as stored in the file. */
struct model_weights {
	uint32_t n;	 /* initializers, in all graphs */
	double elements; /* NAN: unknown */
	double bytes;
};

struct model_static {
	struct onnx_model model;
	struct onnx_externals externals;
	struct onnx_repeats repeats;
	struct shape_model shapes;		      /* with the given dims */
	struct shape_model sized;		      /* with sizes for the other dims as well: the basis of the
						       * costs */
	struct cost_model costs;		      /* of sized */
	struct shape_dim dims[OPT_LIST_MAX];	      /* those given with --dim */
	struct shape_dim *sizes;		      /* used for the costs */
	uint32_t n_dims, n_sizes, n_all_nodes;	      /* nodes of all graphs and functions */
	struct model_weights weights[TENSOR_N_TYPES]; /* by element type; 0: unknown types */
	const char *graph_missing;		      /* why only path and size of the file are known; NULL: all is */
};

/* Parses "batch=4" into to->dims. 0, or -EINVAL and err. The list's texts are cut at the "=" and must stay. */
int model_static_dims(struct model_static *to, const struct opt_list *list, struct err *err);
/*
 * Reads everything except the costs; call model_static_dims before. 0, or -errno and err. Call model_static_done after
 * a failure, too.
 */
int model_static_read(struct model_static *to, const char *path, struct err *err);
/* For a model that only its runtime can read: its path and size. Instead of the two calls that read and count. */
int model_static_close(struct model_static *to, const char *path, const char *why, struct err *err);
/* A free dimension of an input of the graph. */
struct model_free_dim {
	const char *input, *name; /* name NULL: it has none */
	uint32_t axis;
	int64_t given, counted; /* by --dim; in the costs. -1: none */
};

/*
 * Counts the costs. size_of returns the size of each free dimension; -1: it stays free, and costs that depend on it are
 * unknown. May be called again with other sizes. 0, or -errno and err.
 */
typedef int64_t model_static_size_fn(void *ctx, const struct model_free_dim *dim);
int model_static_count(struct model_static *to, model_static_size_fn *size_of, void *ctx, struct err *err);
void model_static_done(struct model_static *analysis);

/* Calls each() for every free dimension, in order. */
void model_static_free_dims(const struct model_static *analysis,
			    void (*each)(void *ctx, const struct model_free_dim *dim), void *ctx);

#endif
