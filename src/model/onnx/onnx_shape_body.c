// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators with graphs inside (If, Loop, Scan, SequenceMap). */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

enum { MAX_ROUNDS = 4 }; /* rounds for a loop's values to settle their shapes */

static const struct onnx_type scalar_int = { .kind = ONNX_TENSOR, .elem = TENSOR_INT64, .has_shape = true };
static const struct onnx_type scalar_bool = { .kind = ONNX_TENSOR, .elem = TENSOR_BOOL, .has_shape = true };

static bool shape_type_is_same(const struct onnx_type *a, const struct onnx_type *b)
{
	if (a->kind != b->kind || a->elem != b->elem || a->has_shape != b->has_shape || a->n_dims != b->n_dims)
		return false;
	for (uint32_t i = 0; i < a->n_dims; i++) {
		if (a->dims[i].value != b->dims[i].value || !a->dims[i].name != !b->dims[i].name ||
		    (a->dims[i].name && strcmp(a->dims[i].name, b->dims[i].name)))
			return false;
	}
	if (!a->inner || !b->inner)
		return a->inner == b->inner;
	return shape_type_is_same(a->inner, b->inner);
}

struct onnx_type shape_type_common(const struct shape_run *run, const struct onnx_type *a, const struct onnx_type *b)
{
	struct onnx_type to = *a;
	struct onnx_dim *dims;

	if (a->kind != b->kind)
		return (struct onnx_type){ 0 };
	to.elem = a->elem == b->elem ? a->elem : 0;
	if (a->inner && b->inner) {
		struct onnx_type inner = shape_type_common(run, a->inner, b->inner);

		to.inner = shape_new_type(run, &inner);
		return to;
	}
	to.inner = NULL;
	to.has_shape = a->has_shape && b->has_shape && a->n_dims == b->n_dims;
	to.n_dims = to.has_shape ? a->n_dims : 0;
	dims = shape_alloc(run->engine, to.n_dims, sizeof *dims);
	for (uint32_t i = 0; dims && i < to.n_dims; i++)
		dims[i] = shape_dim_is_same(a->dims[i], b->dims[i]) ? a->dims[i] : shape_dim(-1);
	to.has_shape &= dims != NULL;
	to.dims = dims;
	return to;
}

/* Makes the scope of a body with its inputs; does not infer its nodes yet. */
static struct shape_scope *open_body(const struct shape_run *run, const struct onnx_graph *graph,
				     const struct onnx_type *const *inputs, uint32_t n_inputs)
{
	struct shape_scope *scope = shape_scope_new(run->engine, graph, NULL, run->scope, run->scope->depth + 1);

	if (!scope)
		return NULL;
	scope->n_inputs = graph->n_inputs;
	scope->inputs = shape_alloc(run->engine, graph->n_inputs, sizeof *scope->inputs);
	for (uint32_t i = 0; scope->inputs && i < graph->n_inputs; i++) {
		scope->inputs[i] = shape_scope_input(run->engine, scope, graph->inputs[i].name, &graph->inputs[i].type,
						     i < n_inputs ? inputs[i] : NULL);
		if (!scope->inputs[i])
			return NULL;
	}
	return scope->inputs ? scope : NULL;
}

static struct shape_scope *shape_body(const struct shape_run *run, const struct onnx_graph *graph,
				      const struct onnx_type *const *inputs, uint32_t n_inputs)
{
	struct shape_scope *scope = open_body(run, graph, inputs, n_inputs);

	if (scope)
		shape_scope_infer(run->engine, scope);
	return scope && scope->outputs ? scope : NULL;
}

static const struct onnx_graph *graph_attr(const struct shape_run *run, const char *name)
{
	const struct onnx_attr *attr = shape_attr(run, name);

	return attr && attr->type == ONNX_ATTR_GRAPH ? attr->graphs : NULL;
}

void shape_keep_bodies(const struct shape_run *run, struct shape_scope *first, struct shape_scope *second)
{
	struct shape_scope **bodies = shape_alloc(run->engine, 2, sizeof *bodies);

	if (!bodies)
		return;
	run->at->bodies = bodies;
	if (first)
		bodies[run->at->n_bodies++] = first;
	if (second)
		bodies[run->at->n_bodies++] = second;
}

void rule_if(struct shape_run *run, int arg)
{
	const struct onnx_graph *graphs[2] = { graph_attr(run, "then_branch"), graph_attr(run, "else_branch") };
	struct shape_scope *scopes[2];
	int64_t which = -1;

	for (int i = 0; i < 2; i++)
		scopes[i] = graphs[i] ? shape_body(run, graphs[i], NULL, 0) : NULL;
	shape_keep_bodies(run, scopes[0], scopes[1]);
	if (!scopes[0] || !scopes[1])
		return;
	if (!shape_in_int(run, 0, &which))
		which = -1;
	for (uint32_t i = 0; i < run->node->n_outputs && i < scopes[0]->n_outputs && i < scopes[1]->n_outputs; i++) {
		struct shape_value *then = scopes[0]->outputs[i], *other = scopes[1]->outputs[i];
		struct onnx_type type;

		if (!then || !other)
			continue;
		type = which >= 0 ? (which ? then : other)->type : shape_type_common(run, &then->type, &other->type);
		shape_out_type(run, i, &type);
	}
}

/* Types of the values that a loop carries from one iteration to the next, and the body inferred with them. */
struct carried {
	uint32_t n_before, n;		/* inputs of the body before them */
	const struct onnx_type **types; /* of all inputs of the body */
	struct shape_scope *scope;
};

/* Infers the body until its outputs have the types of its inputs; types that do not settle become unknown. */
static void settle(struct shape_run *run, const struct onnx_graph *body, struct carried *carried, uint32_t n_inputs,
		   uint32_t first_output, bool has_condition)
{
	static const struct shape_elem yes = { .is_known = true, .value = 1 };
	bool is_same = false;

	for (int round = 0; round < MAX_ROUNDS && !is_same; round++) {
		carried->scope = open_body(run, body, carried->types, n_inputs);
		if (!carried->scope)
			return;
		/* A body only runs while the condition holds. */
		if (has_condition && carried->scope->n_inputs > 1 &&
		    onnx_shape_elements(&carried->scope->inputs[1]->type) == 1) {
			carried->scope->inputs[1]->elems = &yes;
			carried->scope->inputs[1]->n_elems = 1;
		}
		shape_scope_infer(run->engine, carried->scope);
		is_same = true;
		for (uint32_t i = 0;
		     carried->scope->outputs && i < carried->n && first_output + i < carried->scope->n_outputs; i++) {
			const struct onnx_type **in = &carried->types[carried->n_before + i];
			struct onnx_type common =
			    shape_type_common(run, *in, &carried->scope->outputs[first_output + i]->type);

			if (shape_type_is_same(&common, *in))
				continue;
			if (round == MAX_ROUNDS - 2)
				common = (struct onnx_type){ .kind = common.kind,
							     .elem = common.elem,
							     .inner = common.inner };
			*in = shape_new_type(run, &common);
			is_same = false;
			if (!*in)
				return;
		}
	}
	if (!is_same || !carried->scope->outputs)
		carried->scope = NULL;
}

static const struct onnx_type *type_of(const struct shape_run *run, uint32_t i)
{
	static const struct onnx_type unknown = { 0 };

	return shape_in(run, i) ? &shape_in(run, i)->type : &unknown;
}

/* One dimension more than the output of one iteration. */
static void out_stacked(struct shape_run *run, uint32_t o, const struct onnx_type *each, int64_t n_turns, int64_t axis)
{
	struct shape_dims inner = shape_from(each), to = { .rank = 0 };

	axis = shape_axis(axis, inner.rank < 0 ? -1 : inner.rank + 1);
	for (int i = 0; axis >= 0 && i <= inner.rank; i++) {
		if (i == axis)
			shape_add(&to, shape_dim(n_turns));
		if (i < inner.rank)
			shape_add(&to, inner.dim[i]);
	}
	shape_out(run, o, each->kind == ONNX_TENSOR ? each->elem : 0, axis < 0 ? &shape_unknown : &to);
}

void rule_loop(struct shape_run *run, int arg)
{
	const struct onnx_graph *body = graph_attr(run, "body");
	struct carried carried = { .n_before = 2, .n = run->node->n_inputs > 2 ? run->node->n_inputs - 2 : 0 };
	int64_t n_turns = -1;

	run->at->n_turns = -1;
	carried.types = shape_alloc(run->engine, carried.n + 2, sizeof *carried.types);
	if (!body || !carried.types)
		return;
	carried.types[0] = &scalar_int;
	carried.types[1] = &scalar_bool;
	for (uint32_t i = 0; i < carried.n; i++)
		carried.types[2 + i] = type_of(run, 2 + i);
	settle(run, body, &carried, carried.n + 2, 1, true);
	shape_keep_bodies(run, carried.scope, NULL);
	if (!carried.scope)
		return;
	/* The number given, if nothing in the body ends the loop earlier. */
	if (shape_in_int(run, 0, &n_turns) && n_turns >= 0 && carried.scope->n_outputs) {
		const struct shape_value *condition = carried.scope->outputs[0];
		int64_t first = 1;

		if (shape_in(run, 1) && !shape_in_int(run, 1, &first))
			n_turns = -1;
		else if (!first)
			n_turns = 0;
		else if (!condition || !condition->elems || !condition->n_elems || !condition->elems[0].is_known ||
			 !condition->elems[0].value)
			n_turns = -1;
	} else {
		n_turns = -1;
	}
	run->at->n_turns = n_turns;
	for (uint32_t o = 0; o < run->node->n_outputs && o + 1 < carried.scope->n_outputs; o++) {
		if (o < carried.n)
			shape_out_type(run, o, carried.types[2 + o]);
		else
			out_stacked(run, o, &carried.scope->outputs[o + 1]->type, n_turns, 0);
	}
}

static int64_t axis_of(const struct shape_run *run, const char *name, uint32_t i)
{
	uint32_t n;
	const int64_t *axes = shape_attr_ints(run, name, &n);

	return axes && i < n ? axes[i] : 0;
}

/* One iteration sees a scanned input with one dimension less. */
static struct onnx_type sliced(struct shape_run *run, uint32_t input, int64_t axis, int64_t *n_turns)
{
	struct shape_dims from = shape_in_dims(run, input);
	struct onnx_type type = *type_of(run, input);
	struct onnx_dim *dims = from.rank > 0 ? shape_alloc(run->engine, (size_t)from.rank, sizeof *dims) : NULL;
	int place = shape_axis(axis, from.rank), next = 0;

	type.has_shape = dims && place >= 0;
	type.n_dims = type.has_shape ? (uint32_t)from.rank - 1 : 0;
	type.dims = dims;
	for (int i = 0; type.has_shape && i < from.rank; i++) {
		if (i != place)
			dims[next++] = from.dim[i];
		else if (from.dim[i].value >= 0)
			*n_turns = from.dim[i].value;
	}
	return type;
}

void rule_scan(struct shape_run *run, int arg)
{
	const struct onnx_graph *body = graph_attr(run, "body");
	int64_t n_scanned = shape_attr_int(run, "num_scan_inputs", 0), n_turns = -1;
	struct carried carried = { 0 };
	uint32_t n = run->node->n_inputs;

	run->at->n_turns = -1;
	/* Version 8 had batches, and one more input. */
	if (!body || n_scanned <= 0 || n_scanned > n || (run->opset && run->opset < 9))
		return;
	carried.n = n - (uint32_t)n_scanned;
	carried.types = shape_alloc(run->engine, n, sizeof *carried.types);
	for (uint32_t i = 0; carried.types && i < n; i++) {
		struct onnx_type type = *type_of(run, i);

		if (i >= carried.n)
			type = sliced(run, i, axis_of(run, "scan_input_axes", i - carried.n), &n_turns);
		carried.types[i] = shape_new_type(run, &type);
		if (!carried.types[i])
			return;
	}
	if (!carried.types)
		return;
	settle(run, body, &carried, n, 0, false);
	shape_keep_bodies(run, carried.scope, NULL);
	run->at->n_turns = n_turns;
	for (uint32_t o = 0; carried.scope && o < run->node->n_outputs && o < carried.scope->n_outputs; o++) {
		if (o < carried.n)
			shape_out_type(run, o, carried.types[o]);
		else
			out_stacked(run, o, &carried.scope->outputs[o]->type, n_turns,
				    axis_of(run, "scan_output_axes", o - carried.n));
	}
}

/*
 * Runs the body for each element of the first sequence. Other inputs are sequences of the same length, or values used
 * for every element.
 */
void rule_sequence_map(struct shape_run *run, int arg)
{
	const struct onnx_graph *body = graph_attr(run, "body");
	const struct onnx_type **types = shape_alloc(run->engine, run->node->n_inputs, sizeof *types);
	struct shape_scope *scope;

	run->at->n_turns = -1;
	if (!body || !types)
		return;
	for (uint32_t i = 0; i < run->node->n_inputs; i++) {
		const struct onnx_type *type = type_of(run, i);

		types[i] = type->kind == ONNX_SEQUENCE && type->inner ? type->inner : type;
	}
	scope = shape_body(run, body, types, run->node->n_inputs);
	shape_keep_bodies(run, scope, NULL);
	for (uint32_t o = 0; scope && o < run->node->n_outputs && o < scope->n_outputs; o++) {
		struct onnx_type type = { .kind = ONNX_SEQUENCE };

		if (!scope->outputs[o])
			continue;
		type.inner = shape_new_type(run, &scope->outputs[o]->type);
		shape_out_type(run, o, &type);
	}
}
