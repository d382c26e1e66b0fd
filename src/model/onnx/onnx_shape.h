/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shape inference: everything known of each value of a model before it runs: kind, element type, shape, and the
 * elements of small integer tensors (which are shapes, axes, sizes). Unknown stays unknown: nothing is guessed.
 *
 * A scope is one graph with its values: the model's graph, the bodies of Loop, If and Scan inside their nodes, and the
 * body of a function once for each call.
 */
#ifndef MODEL_ONNX_ONNX_SHAPE_H
#define MODEL_ONNX_ONNX_SHAPE_H

#include "model/onnx/onnx.h"
#include "model/onnx/onnx_in.h"

/* An element of a small tensor of integers, or of floating-point numbers that are integers. */
struct shape_elem {
	bool is_known;
	int64_t value;
	const char *name; /* unknown, but equal to the free dimension of this name; NULL: none */
};

struct shape_value {
	const char *name;
	struct onnx_type type;
	const struct shape_elem *elems; /* NULL: no element is known; else all n_elems of them */
	uint32_t n_elems;
	const struct onnx_tensor *tensor; /* the initializer or constant; NULL: another kind of value */
	const struct onnx_sparse *sparse; /* the same */
	bool is_constant;		  /* computed from initializers and constants alone */
	bool is_absent;			  /* in a function: the call omits this input */
	bool is_initializer;		  /* of a graph: a weight, not a Constant */
};

struct shape_node {
	const struct onnx_node *node;
	struct shape_value **inputs, **outputs; /* NULL: omitted */
	const struct onnx_function *function;	/* the function that it calls; NULL: none */
	uint32_t n_bodies;			/* the graphs among its attributes, in their order; or the one of a
						 * function */
	struct shape_scope **bodies;
	int64_t n_turns; /* iterations of a Loop or Scan, -1: unknown; else 1 */
	bool is_handled; /* there is a rule for this operator */
};

struct shape_scope {
	const struct onnx_graph *graph; /* NULL for a function */
	const struct onnx_function *function;
	const struct shape_scope *outer;  /* its values are visible here; NULL: none */
	const struct shape_scope *caller; /* of a function: where it is called, and by which node */
	const struct onnx_node *call;
	uint32_t n_nodes, n_inputs, n_outputs, depth; /* depth: 0 is the model's graph */
	struct shape_node *nodes;		      /* in the order of the file */
	struct shape_value **inputs, **outputs;	      /* of a body: as many as the graph has */
	struct onnx_map values;			      /* by name, struct shape_value */
};

/* A free dimension that the user gave a size. */
struct shape_dim {
	const char *name; /* name of the dimension; or INPUT:AXIS, for a dimension without a name */
	int64_t value;
	bool is_used; /* set by onnx_shape_infer: the model has it */
};

struct shape_model {
	struct arena arena;
	const struct onnx_model *model;
	struct shape_scope *main;
	const char *conflict; /* the first contradiction in the file, as a sentence; NULL: none */
	uint32_t n_conflicts;
	bool is_cut; /* calls are nested too deeply: the rest is unknown */
};

/*
 * Infers all shapes. The model must outlive the result. 0, or -errno and err: out of memory, or a graph with a cycle.
 * Call onnx_shape_done after a failure, too.
 */
int onnx_shape_infer(struct shape_model *to, const struct onnx_model *model, struct shape_dim *dims, uint32_t n_dims,
		     struct err *err);
void onnx_shape_done(struct shape_model *shapes);

/*
 * An attribute of a node. If a function's body refers to an attribute of the call: the call's, or its default. NULL:
 * none.
 */
const struct onnx_attr *onnx_shape_attr(const struct shape_scope *scope, const struct onnx_node *node,
					const char *name);

/* A value visible in this scope, or NULL. */
struct shape_value *onnx_shape_find(const struct shape_scope *scope, const char *name);

/* Number of elements of a tensor; -1: unknown, or more than INT64_MAX. */
int64_t onnx_shape_elements(const struct onnx_type *type);
/* Bytes of a tensor; -1: unknown. */
int64_t onnx_shape_bytes(const struct onnx_type *type);

#endif
