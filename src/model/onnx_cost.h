/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model's operators have to do, by their shapes alone: floating-point (or integer) operations, a multiply-add
 * being two; bytes moved at least, each input, weight and output once; parameters. What is not known is NAN, and
 * `why` says why. Not what a machine will do: providers fuse, fold, pad and choose algorithms.
 */
#ifndef MODEL_ONNX_COST_H
#define MODEL_ONNX_COST_H

#include "model/onnx_shape.h"

#include <math.h>

struct cost {
	double flops;	     /* NAN: not known */
	double bytes;	     /* inputs + outputs + weights; NAN: not known */
	double weight_bytes; /* of the initializers among its inputs (part of bytes); NAN: not known */
	double parameters;   /* elements of these */
};

struct cost_node {
	const char *name;	  /* of the node, "": none */
	const char *op_type, *domain;
	const struct shape_node *node;
	const struct shape_scope *scope;
	uint32_t depth;		  /* 0: the model's graph; bodies and calls are deeper */
	double times;		  /* runs per inference: 1 in the graph, turns in loops; NAN: not known */
	struct cost cost;	  /* of one run; of an operator with bodies: without them */
	const char *rule;	  /* how flops are counted, for people */
	const char *why;	  /* cost.flops or cost.bytes is not known because ...; NULL: both are known */
};

struct cost_type {
	const char *op_type, *domain;
	uint32_t n, n_unknown; /* nodes; those whose flops or bytes are not known */
	struct cost cost;      /* sums of what is known, per inference */
};

/*
 * A branch of an If counts when it costs most: the other one's nodes have times 0. An operator that calls a function
 * costs nothing itself, its nodes do.
 */
struct cost_model {
	struct arena arena;
	uint32_t n_nodes, n_types;
	struct cost_node *nodes; /* in the order of the file, bodies after their operator */
	struct cost_type *types; /* most flops first, then most bytes */
	struct cost total;	 /* sums of what is known; parameters and weight_bytes: of distinct initializers */
	uint32_t n_unknown;	 /* nodes whose flops or bytes are not in the total */
};

/* shapes must outlive the result. 0, or -ENOMEM. onnx_cost_done undoes it, also after a failure. */
int onnx_cost_count(struct cost_model *to, const struct shape_model *shapes, struct err *err);
void onnx_cost_done(struct cost_model *costs);

/* The node of that name in the model's graph (else in a body); NULL: none, or the name is empty. */
const struct cost_node *onnx_cost_find(const struct cost_model *costs, const char *name);

#endif
