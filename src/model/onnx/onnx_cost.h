/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model's operators have to do, by their shapes alone: floating-point (or integer) operations, a multiply-add
 * being two; bytes moved at least, each input, weight and output once; parameters. What is not known is NAN, and
 * `why` says why. Not what a machine will do: providers fuse, fold, pad and choose algorithms.
 */
#ifndef MODEL_ONNX_ONNX_COST_H
#define MODEL_ONNX_ONNX_COST_H

#include <math.h>

#include "model/onnx/onnx_shape.h"

struct cost {
	double flops;	     /* NAN: not known */
	double bytes;	     /* inputs, weights and outputs; NAN: not known */
	double weight_bytes; /* of the constants among its inputs (part of bytes); NAN: not known */
	double parameters;   /* elements of these, without whole numbers of 64 bits, truth values and texts, which are
				shapes and tables */
};

struct cost_node {
	const char *name; /* of the node, "": none */
	const char *op_type, *domain;
	const struct shape_node *node;
	const struct shape_scope *scope;
	uint32_t depth;	  /* 0: the model's graph; bodies and calls are deeper */
	bool is_constant; /* made of constants alone: computed once, when the session is made; its cost is 0 */
	double times;	  /* runs per inference: 1 in the graph, turns in loops; NAN: not known */
	struct cost cost; /* of one run; of an operator with bodies: without them */
	const char *rule; /* how flops are counted, for people; NULL: there is no rule */
	const char *why;  /* flops, bytes or times are not known because ...; NULL: all are known */
	const char *dim;  /* the free dimension that it is for; NULL: another reason */
};

struct cost_type {
	const char *op_type, *domain;
	uint32_t n, n_unknown; /* nodes; those whose flops or bytes are not known */
	struct cost cost;      /* sums of what is known, per inference */
};

/*
 * Of an If, the branch that costs most counts: the nodes of the other have times 0. An operator that calls a function
 * costs nothing itself, its nodes do.
 */
struct cost_model {
	struct arena arena;
	uint32_t n_nodes, n_types;
	struct cost_node *nodes; /* in the order of the file, bodies behind their operator */
	struct cost_type *types; /* most flops first, then most bytes */
	struct cost total;   /* sums of what is known, per inference; weight_bytes and parameters: each constant once */
	uint32_t n_unknown;  /* nodes whose flops or bytes are not in the total */
	uint32_t n_constant; /* nodes that are computed once */
};

/* shapes must outlive the result. 0, or -ENOMEM. onnx_cost_done undoes it, also after a failure. */
int onnx_cost_count(struct cost_model *to, const struct shape_model *shapes, struct err *err);
void onnx_cost_done(struct cost_model *costs);

/*
 * Operations of one run of a node, for onnx_cost.c: NAN: not known. *rule: how they are counted, NULL: no rule.
 * *moves: which bytes it moves.
 */
enum cost_moves {
	COST_ALL,     /* every input and output */
	COST_NOTHING, /* the same bytes get another shape */
	COST_OUTPUTS, /* outputs alone: the inputs' shapes matter, not their data */
	COST_PICKED,  /* outputs twice; not the first input nor constants, of which only that much is read */
};
double onnx_cost_flops(const struct shape_scope *scope, const struct shape_node *node, const char **rule,
		       enum cost_moves *moves);

#endif
