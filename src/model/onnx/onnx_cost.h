/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a model's operators, computed from their shapes alone: floating-point (or integer) operations, where a
 * multiply-add counts as two; the least number of bytes moved, each input, weight and output once; parameters. Unknown
 * values are NAN, and `why` gives the reason. Does not predict what a machine does: providers fuse, fold, pad and
 * choose algorithms.
 */
#ifndef MODEL_ONNX_ONNX_COST_H
#define MODEL_ONNX_ONNX_COST_H

#include <math.h>

#include "model/onnx/onnx_shape.h"

struct cost {
	double flops;	     /* NAN: unknown */
	double bytes;	     /* inputs, weights and outputs; NAN: unknown */
	double weight_bytes; /* of the constants among its inputs (part of bytes); NAN: unknown */
	double parameters;   /* elements of these constants, without 64-bit integers, booleans and texts, which are
			      * shapes and tables */
};

struct cost_node {
	const char *name; /* of the node, "": none */
	const char *op_type, *domain;
	const struct shape_node *node;
	const struct shape_scope *scope;
	uint32_t depth;	  /* 0: the model's graph; bodies and calls are deeper */
	bool is_constant; /* computed from constants alone, once, when the session is created; its cost is 0 */
	double times;	  /* runs per inference: 1 in the graph, iterations in loops; NAN: unknown */
	struct cost cost; /* of one run; of an operator with bodies: without them */
	const char *rule; /* how flops are counted, for people; NULL: there is no rule */
	const char *why;  /* why flops, bytes or times are unknown; NULL: all are known */
	const char *dim;  /* the free dimension that causes it; NULL: another reason */
};

struct cost_type {
	const char *op_type, *domain;
	uint32_t n, n_unknown; /* nodes; those with unknown flops or bytes */
	struct cost cost;      /* sums of the known values, per inference */
};

/*
 * Of an If, the most expensive branch counts: the nodes of the other have times 0. An operator that calls a function
 * costs nothing itself; the function's nodes do.
 */
struct cost_model {
	struct arena arena;
	uint32_t n_nodes, n_types;
	struct cost_node *nodes; /* in the order of the file, bodies behind their operator */
	struct cost_type *types; /* most flops first, then most bytes */
	struct cost total;	 /* sums of the known values, per inference; weight_bytes and parameters: each constant
				  * once */
	uint32_t n_unknown;	 /* nodes whose flops or bytes are not in the total */
	uint32_t n_constant;	 /* nodes computed once */
};

/* Counts the costs. shapes must outlive the result. 0, or -ENOMEM. Call onnx_cost_done after a failure, too. */
int onnx_cost_count(struct cost_model *to, const struct shape_model *shapes, struct err *err);
void onnx_cost_done(struct cost_model *costs);

/*
 * Operations of one run of a node, for onnx_cost.c; NAN: unknown. *rule: how they are counted, NULL: no rule. *moves:
 * which bytes it moves.
 */
enum cost_moves {
	COST_ALL,     /* every input and output */
	COST_NOTHING, /* the same bytes get another shape */
	COST_OUTPUTS, /* outputs alone: the inputs' shapes matter, not their data */
	COST_PICKED,  /* outputs twice; not the first input nor constants, of which only that part is read */
};
double onnx_cost_flops(const struct shape_scope *scope, const struct shape_node *node, const char **rule,
		       enum cost_moves *moves);

#endif
