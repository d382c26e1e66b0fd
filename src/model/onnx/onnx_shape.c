// SPDX-License-Identifier: Apache-2.0
/*
 * Shape inference: applies each operator's rule (onnx_shape_rules.c) and merges the result with the types in the file.
 * onnx_shape_order.c orders the nodes. The rule wins over the file: it uses the dimensions given by the user, and the
 * file was written without them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* Limit of items in bodies and called functions: a small file can describe more than can be processed. */
enum { MAX_INNER = 1000000, MAX_DEPTH = 96 };

void *shape_alloc(struct shape_engine *engine, size_t n, size_t size)
{
	void *to = n <= SIZE_MAX / size ? arena_alloc(&engine->model->arena, n ? n * size : 1) : NULL;

	engine->is_out_of_memory |= !to;
	return to;
}

void shape_conflict(struct shape_engine *engine, const struct onnx_node *node, const char *fmt, ...)
{
	struct shape_model *model = engine->model;
	char text[300], *copy;
	va_list args;
	int used = 0;

	if (model->n_conflicts++)
		return;
	if (node)
		used = snprintf(text, sizeof text, "%.40s \"%.80s\": ", node->op_type, node->name);
	va_start(args, fmt);
	vsnprintf(text + used, sizeof text - (size_t)used, fmt, args);
	va_end(args);
	copy = shape_alloc(engine, strlen(text) + 1, 1);
	if (copy)
		model->conflict = strcpy(copy, text);
}

struct shape_value *onnx_shape_find(const struct shape_scope *scope, const char *name)
{
	struct shape_value *value = NULL;

	for (; scope && !value; scope = scope->outer)
		value = onnx_map_get(&scope->values, name);
	return value;
}

struct shape_value *shape_value_new(struct shape_engine *engine, struct shape_scope *scope, const char *name)
{
	struct shape_value *value = shape_alloc(engine, 1, sizeof *value);

	if (!value)
		return NULL;
	value->name = name;
	/* The first definition of a name counts. */
	if (!onnx_map_get(&scope->values, name) && onnx_map_put(&scope->values, name, value))
		engine->is_out_of_memory = true;
	return value;
}

/* The number given for a dimension, or -1. */
static int64_t given_dim(struct shape_engine *engine, const char *name)
{
	for (uint32_t i = 0; i < engine->n_dims; i++) {
		if (!strcmp(engine->dims[i].name, name)) {
			engine->dims[i].is_used = true;
			return engine->dims[i].value;
		}
	}
	return -1;
}

static struct onnx_dim resolve_dim(struct shape_engine *engine, const char *value_name, uint32_t axis,
				   struct onnx_dim dim)
{
	char by_place[256];
	int64_t given = -1;

	if (dim.value >= 0 || !engine->n_dims)
		return dim;
	if (dim.name)
		given = given_dim(engine, dim.name);
	if (given < 0 && value_name &&
	    snprintf(by_place, sizeof by_place, "%s:%u", value_name, axis) < (int)sizeof by_place)
		given = given_dim(engine, by_place);
	return given < 0 ? dim : (struct onnx_dim){ .value = given };
}

struct onnx_type shape_resolve(struct shape_engine *engine, const struct onnx_type *said, const char *value_name)
{
	struct onnx_type type = *said;
	struct onnx_dim *dims;

	if (type.n_dims > SHAPE_MAX_RANK) {
		type.has_shape = false;
		type.n_dims = 0;
	}
	if (type.inner) {
		struct onnx_type inner = shape_resolve(engine, type.inner, NULL),
				 *copy = shape_alloc(engine, 1, sizeof *copy);

		if (copy)
			*copy = inner;
		type.inner = copy;
	}
	if (!type.has_shape || !engine->n_dims)
		return type;
	dims = shape_alloc(engine, type.n_dims, sizeof *dims);
	for (uint32_t i = 0; dims && i < type.n_dims; i++)
		dims[i] = resolve_dim(engine, value_name, i, type.dims[i]);
	type.has_shape = dims != NULL;
	type.dims = dims;
	return type;
}

/* Adds to `to` what only `said` knows. false: they contradict each other. */
static bool merge(struct shape_engine *engine, struct onnx_type *to, const struct onnx_type *said)
{
	bool differ = false;
	struct onnx_dim *dims;

	if (to->kind == ONNX_UNKNOWN || said->kind == ONNX_UNKNOWN) {
		if (to->kind == ONNX_UNKNOWN)
			*to = *said;
		return true;
	}
	if (to->kind != said->kind || (to->elem && said->elem && to->elem != said->elem))
		return false;
	to->elem = to->elem ? to->elem : said->elem;
	if (to->inner && said->inner) {
		struct onnx_type inner = *to->inner, *copy = shape_alloc(engine, 1, sizeof *copy);

		if (!copy || !merge(engine, &inner, said->inner))
			return !copy;
		*copy = inner;
		to->inner = copy;
		return true;
	}
	to->inner = to->inner ? to->inner : said->inner;
	if (!to->has_shape || !said->has_shape) {
		if (said->has_shape) {
			to->has_shape = true;
			to->n_dims = said->n_dims;
			to->dims = said->dims;
		}
		return true;
	}
	if (to->n_dims != said->n_dims)
		return false;
	dims = shape_alloc(engine, to->n_dims, sizeof *dims);
	for (uint32_t i = 0; dims && i < to->n_dims; i++)
		dims[i] = shape_dim_merge(to->dims[i], said->dims[i], &differ);
	if (dims)
		to->dims = dims;
	return !differ;
}

const struct shape_elem *shape_tensor_elems(struct shape_engine *engine, const struct onnx_tensor *tensor)
{
	int64_t values[SHAPE_MAX_ELEMS], n;
	double floats[SHAPE_MAX_ELEMS];
	struct shape_elem *elems;
	bool is_float;

	if (tensor->n_elements > SHAPE_MAX_ELEMS)
		return NULL;
	n = onnx_tensor_ints(tensor, values, SHAPE_MAX_ELEMS);
	is_float = n < 0;
	if (is_float)
		n = onnx_tensor_floats(tensor, floats, SHAPE_MAX_ELEMS);
	if (n < 0 || (engine->n_elems += (uint64_t)n) > SHAPE_MAX_ELEMS_IN_ALL)
		return NULL;
	for (int64_t i = 0; is_float && i < n; i++) {
		if (!(floats[i] > -1e6 && floats[i] < 1e6) || floats[i] != (double)(int64_t)floats[i])
			return NULL;
		values[i] = (int64_t)floats[i];
	}
	elems = shape_alloc(engine, (size_t)n, sizeof *elems);
	for (int64_t i = 0; elems && i < n; i++)
		elems[i] = shape_elem(values[i]);
	return elems;
}

static void put_dims(struct shape_engine *engine, struct onnx_type *type, const int64_t *from, uint32_t n)
{
	struct onnx_dim *dims = n <= SHAPE_MAX_RANK ? shape_alloc(engine, n, sizeof *dims) : NULL;

	for (uint32_t i = 0; dims && i < n; i++)
		dims[i] = shape_dim(from[i]);
	type->has_shape = dims != NULL;
	type->n_dims = dims ? n : 0;
	type->dims = dims;
}

static void put_initializers(struct shape_engine *engine, struct shape_scope *scope)
{
	const struct onnx_graph *graph = scope->graph;

	for (uint32_t i = 0; i < graph->n_initializers; i++) {
		const struct onnx_tensor *tensor = &graph->initializers[i];
		struct shape_value *value = shape_value_new(engine, scope, tensor->name);

		if (!value)
			return;
		value->type = (struct onnx_type){ .kind = ONNX_TENSOR, .elem = tensor->elem };
		put_dims(engine, &value->type, tensor->dims, tensor->n_dims);
		value->elems = shape_tensor_elems(engine, tensor);
		value->n_elems = value->elems ? (uint32_t)tensor->n_elements : 0;
		value->tensor = tensor;
		value->is_initializer = value->is_constant = true;
	}
	for (uint32_t i = 0; i < graph->n_sparse; i++) {
		struct shape_value *value = shape_value_new(engine, scope, graph->sparse[i].values.name);

		if (!value)
			return;
		value->type = (struct onnx_type){ .kind = ONNX_TENSOR, .elem = graph->sparse[i].values.elem };
		put_dims(engine, &value->type, graph->sparse[i].dims, graph->sparse[i].n_dims);
		value->sparse = &graph->sparse[i];
		value->is_initializer = value->is_constant = true;
	}
}

/* Whether n more items of a body may be processed. */
static bool look_inside(struct shape_engine *engine, uint64_t n)
{
	engine->n_inner += n;
	engine->model->is_cut |= engine->n_inner > MAX_INNER;
	return engine->n_inner <= MAX_INNER;
}

static uint64_t count_things(const struct onnx_graph *graph, const struct onnx_function *function)
{
	if (!graph)
		return 1 + (uint64_t)function->n_nodes + function->n_inputs + function->n_outputs;
	return 1 + (uint64_t)graph->n_nodes + graph->n_initializers + graph->n_sparse + graph->n_inputs +
	       graph->n_outputs + graph->n_values;
}

struct shape_scope *shape_scope_new(struct shape_engine *engine, const struct onnx_graph *graph,
				    const struct onnx_function *function, const struct shape_scope *outer,
				    uint32_t depth)
{
	struct shape_scope *scope;

	if (depth > MAX_DEPTH || (depth && !look_inside(engine, count_things(graph, function)))) {
		engine->model->is_cut = true;
		return NULL;
	}
	scope = shape_alloc(engine, 1, sizeof *scope);
	if (!scope)
		return NULL;
	*scope = (struct shape_scope){ .graph = graph,
				       .function = function,
				       .outer = outer,
				       .depth = depth,
				       .n_nodes = graph ? graph->n_nodes : function->n_nodes,
				       .values = { .arena = &engine->model->arena } };
	scope->nodes = shape_alloc(engine, scope->n_nodes, sizeof *scope->nodes);
	if (!scope->nodes)
		return NULL;
	for (uint32_t i = 0; i < scope->n_nodes; i++)
		scope->nodes[i] =
		    (struct shape_node){ .node = graph ? &graph->nodes[i] : &function->nodes[i], .n_turns = 1 };
	if (graph)
		put_initializers(engine, scope);
	return scope;
}

struct shape_value *shape_scope_input(struct shape_engine *engine, struct shape_scope *scope, const char *name,
				      const struct onnx_type *declared, const struct onnx_type *given)
{
	struct shape_value *value = onnx_map_get(&scope->values, name);
	struct onnx_type said =
	    declared ? shape_resolve(engine, declared, scope->depth ? NULL : name) : (struct onnx_type){ 0 };

	/*
	 * An initializer of the same name is its default. Old files list all initializers so; in newer files it means
	 * that callers may give another value.
	 */
	if (value && value->is_initializer) {
		if (engine->model->model->ir_version >= 4) {
			value->elems = NULL;
			value->n_elems = 0;
			value->is_constant = false;
		}
		return value;
	}
	value = shape_value_new(engine, scope, name);
	if (!value)
		return NULL;
	if (given)
		value->type = *given;
	if (!merge(engine, &value->type, &said))
		shape_conflict(engine, NULL, "input %.80s does not have the type that the file declares", name);
	return value;
}

static int64_t opset_of(struct shape_engine *engine, const struct shape_scope *scope, const char *domain)
{
	for (; scope; scope = scope->outer) {
		for (uint32_t i = 0; scope->function && i < scope->function->n_opsets; i++) {
			if (!strcmp(scope->function->opsets[i].domain, domain))
				return scope->function->opsets[i].version;
		}
	}
	return onnx_opset_version(engine->model->model, domain);
}

static struct shape_value *dangling(struct shape_engine *engine, struct shape_scope *scope,
				    const struct onnx_node *node, const char *name)
{
	if (!engine->model->is_cut)
		shape_conflict(engine, node, "nothing in the model defines its input %.80s", name);
	return shape_value_new(engine, scope, name);
}

static bool find_inputs(struct shape_engine *engine, struct shape_scope *scope, struct shape_node *at)
{
	const struct onnx_node *node = at->node;

	if (scope->depth && !look_inside(engine, (uint64_t)node->n_inputs + node->n_outputs))
		return false;
	at->inputs = shape_alloc(engine, node->n_inputs, sizeof *at->inputs);
	at->outputs = shape_alloc(engine, node->n_outputs, sizeof *at->outputs);
	if (!at->inputs || !at->outputs)
		return false;
	for (uint32_t i = 0; i < node->n_inputs; i++) {
		if (!*node->inputs[i])
			continue;
		at->inputs[i] = onnx_shape_find(scope, node->inputs[i]);
		if (at->inputs[i] && at->inputs[i]->is_absent)
			at->inputs[i] = NULL;
		else if (!at->inputs[i])
			at->inputs[i] = dangling(engine, scope, node, node->inputs[i]);
	}
	for (uint32_t i = 0; i < node->n_outputs; i++) {
		if (!*node->outputs[i])
			continue;
		if (onnx_map_get(&scope->values, node->outputs[i]))
			shape_conflict(engine, node, "its output %.80s is defined twice", node->outputs[i]);
		at->outputs[i] = shape_value_new(engine, scope, node->outputs[i]);
		if (!at->outputs[i])
			return false;
	}
	return true;
}

/*
 * An operator on constants gives a constant, except for random numbers, and for dequantised weights, which runtimes
 * keep small until they are used.
 */
static bool is_constant(const struct shape_node *at)
{
	static const char *const never[] = { "DequantizeLinear",  "RandomNormal", "RandomUniform", "RandomNormalLike",
					     "RandomUniformLike", "Multinomial",  "Bernoulli" };
	const struct onnx_node *node = at->node;

	if (at->n_bodies || !at->is_handled)
		return false;
	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		if (!strcmp(node->op_type, never[i]))
			return false;
	}
	for (uint32_t i = 0; i < node->n_inputs; i++) {
		if (at->inputs[i] && !at->inputs[i]->is_constant)
			return false;
	}
	return node->n_inputs || !strcmp(node->op_type, "Constant");
}

void shape_node_infer(struct shape_engine *engine, struct shape_scope *scope, struct shape_node *at,
		      const struct onnx_map *declared)
{
	const struct onnx_node *node = at->node;
	struct shape_run run = { .model = engine->model, .scope = scope, .at = at, .node = node, .engine = engine };
	shape_rule *rule;
	int arg = 0;

	if (!find_inputs(engine, scope, at))
		return;
	run.opset = opset_of(engine, scope, node->domain);
	at->function = shape_function_of(engine, node);
	rule = onnx_shape_rule(node->domain, node->op_type, &arg);
	at->is_handled = rule || at->function;
	if (at->function)
		shape_call(&run, at->function);
	else if (rule)
		rule(&run, arg);
	if (is_constant(at)) {
		for (uint32_t i = 0; i < node->n_outputs; i++) {
			if (at->outputs[i])
				at->outputs[i]->is_constant = true;
		}
	}
	for (uint32_t i = 0; i < node->n_outputs; i++) {
		struct onnx_type *said = at->outputs[i] ? onnx_map_get(declared, node->outputs[i]) : NULL, type;

		if (!said)
			continue;
		type = shape_resolve(engine, said, NULL);
		if (!merge(engine, &at->outputs[i]->type, &type))
			shape_conflict(
			    engine, node,
			    "the file declares its output %.80s with another type or shape than its inputs imply",
			    node->outputs[i]);
	}
}

static void infer_main(struct shape_engine *engine)
{
	const struct onnx_graph *graph = &engine->model->model->graph;
	struct shape_scope *scope = shape_scope_new(engine, graph, NULL, NULL, 0);

	if (!scope)
		return;
	scope->n_inputs = graph->n_inputs;
	scope->inputs = shape_alloc(engine, graph->n_inputs, sizeof *scope->inputs);
	for (uint32_t i = 0; scope->inputs && i < graph->n_inputs; i++)
		scope->inputs[i] =
		    shape_scope_input(engine, scope, graph->inputs[i].name, &graph->inputs[i].type, NULL);
	engine->model->main = scope;
	if (!engine->is_out_of_memory)
		shape_scope_infer(engine, scope);
}

int onnx_shape_infer(struct shape_model *to, const struct onnx_model *model, struct shape_dim *dims, uint32_t n_dims,
		     struct err *err)
{
	struct err unused;
	struct shape_engine engine = { .model = to, .dims = dims, .n_dims = n_dims, .err = err ? err : &unused };

	*to = (struct shape_model){ .model = model };
	shape_find_functions(&engine);
	infer_main(&engine);
	if (engine.is_out_of_memory)
		return err_no_memory(err, "cannot find the shapes");
	return engine.is_circle ? -EINVAL : 0;
}

void onnx_shape_done(struct shape_model *shapes)
{
	arena_done(&shapes->arena);
	*shapes = (struct shape_model){ 0 };
}

int64_t onnx_shape_elements(const struct onnx_type *type)
{
	int64_t n = 1;

	if (type->kind != ONNX_TENSOR || !type->has_shape)
		return -1;
	for (uint32_t i = 0; i < type->n_dims; i++) {
		if (!type->dims[i].value)
			return 0;
	}
	for (uint32_t i = 0; i < type->n_dims; i++) {
		if (type->dims[i].value < 0 || __builtin_mul_overflow(n, type->dims[i].value, &n))
			return -1;
	}
	return n;
}

int64_t onnx_shape_bytes(const struct onnx_type *type)
{
	int64_t n = onnx_shape_elements(type), bits = onnx_elem_bits(type->elem);

	if (n < 0 || !bits || __builtin_mul_overflow(n, bits, &n))
		return -1;
	return (n + 7) / 8;
}
