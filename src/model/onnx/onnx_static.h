/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's file says without running it, for `inftrace model`: read, and written as a page or as JSON. */
#ifndef MODEL_ONNX_ONNX_STATIC_H
#define MODEL_ONNX_ONNX_STATIC_H

#include "base/json.h"
#include "base/opt.h"
#include "model/onnx/onnx_cost.h"
#include "model/onnx/onnx_external.h"
#include "model/onnx/onnx_repeat.h"

/* Weights of one element type, as the file holds them. */
struct model_weights {
	uint32_t n;	 /* initializers, in all graphs */
	double elements; /* NAN: not known */
	double bytes;
};

struct model_static {
	struct onnx_model model;
	struct onnx_externals externals;
	struct onnx_repeats repeats;
	struct shape_model shapes;		      /* with the dims that were given */
	struct shape_model sized;		      /* with sizes for the others, too: what is counted */
	struct cost_model costs;		      /* of sized */
	struct shape_dim dims[OPT_LIST_MAX];	      /* those given with --dim */
	struct shape_dim *sizes;		      /* that are counted with */
	uint32_t n_dims, n_sizes, n_all_nodes;	      /* nodes of all graphs and functions */
	struct model_weights weights[TENSOR_N_TYPES]; /* by element type; 0: those of no known type */
};

/* "batch=4"; fills to->dims. 0, or -EINVAL and err. The list's texts are cut at the "=" and must stay. */
int model_static_dims(struct model_static *to, const struct opt_list *list, struct err *err);
/* Everything but the dims, which come before, and the costs. 0, or -errno and err; model_static_done undoes it, also
 * after a failure. */
int model_static_read(struct model_static *to, const char *path, struct err *err);
/* A free dimension of an input of the graph. */
struct model_free_dim {
	const char *input, *name; /* name NULL: it has none */
	uint32_t axis;
	int64_t given, counted; /* with --dim; in the costs. -1: not */
};

/*
 * Counts the costs, with the size that size_of says for each free dimension; -1: it stays free, and what hangs on it is
 * not known. May be called again, for other sizes. 0, or -errno and err.
 */
typedef int64_t model_static_size_fn(void *ctx, const struct model_free_dim *dim);
int model_static_count(struct model_static *to, model_static_size_fn *size_of, void *ctx, struct err *err);
void model_static_done(struct model_static *analysis);

/* Calls for each of them, in order. */
void model_static_free_dims(const struct model_static *analysis,
			    void (*each)(void *ctx, const struct model_free_dim *dim), void *ctx);

#endif
