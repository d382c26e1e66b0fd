// SPDX-License-Identifier: Apache-2.0
/*
 * Walks the nodes of a model, including bodies and calls, and sums up their cost. The rules are in onnx_cost_rules.c.
 */
#include "model/onnx/onnx_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counter {
	struct cost_model *to;
	uint32_t n_room;
	const struct shape_value **weights; /* constants that nodes use, with repetitions */
	uint32_t n_weights, n_weights_room;
	bool is_out_of_memory;
};

/* Appends a zeroed element to an array in the arena. */
static void *add(struct counter *counter, void *array, uint32_t *n, uint32_t *n_room, size_t size)
{
	char **data = array;

	if (*n == *n_room) {
		uint32_t more = *n_room ? 2 * *n_room : 64;
		char *grown = arena_grow(&counter->to->arena, *data, *n * size, more * size);

		if (!grown) {
			counter->is_out_of_memory = true;
			return NULL;
		}
		*data = grown;
		*n_room = more;
	}
	return memset(*data + (*n)++ * size, 0, size);
}

static bool is_parameter(uint32_t elem)
{
	return elem && elem != TENSOR_INT64 && elem != TENSOR_BOOL && elem != TENSOR_STRING;
}

static double known(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}

/* Why a value's size is unknown. */
static void explain(struct counter *counter, struct cost_node *node, const struct shape_value *value)
{
	const struct onnx_type *type = &value->type;
	char text[240], *copy;
	const char *free_dim = NULL;

	for (uint32_t i = 0; type->has_shape && i < type->n_dims && !free_dim; i++)
		free_dim = type->dims[i].value < 0 ? type->dims[i].name : NULL;
	if (type->kind != ONNX_TENSOR && type->kind != ONNX_UNKNOWN)
		snprintf(text, sizeof text, "%.100s is not a tensor", value->name);
	else if (!type->has_shape)
		snprintf(text, sizeof text, "the shape of %.100s is not known", value->name);
	else if (free_dim)
		snprintf(text, sizeof text, "%.100s depends on the free dimension %.60s", value->name, free_dim);
	else if (onnx_shape_elements(type) < 0)
		snprintf(text, sizeof text, "a dimension of %.100s is not known", value->name);
	else if (type->elem == TENSOR_STRING)
		snprintf(text, sizeof text, "%.100s holds texts, which have no fixed size", value->name);
	else
		snprintf(text, sizeof text, "the element type of %.100s is not known", value->name);
	copy = arena_alloc(&counter->to->arena, strlen(text) + 1);
	counter->is_out_of_memory |= !copy;
	node->why = copy ? strcpy(copy, text) : "out of memory";
	node->dim = free_dim;
}

static double bytes_of(struct counter *counter, struct cost_node *node, const struct shape_value *value)
{
	int64_t bytes = onnx_shape_bytes(&value->type);

	if (bytes < 0 && !node->why)
		explain(counter, node, value);
	return known(bytes);
}

static bool is_repeated(const struct shape_node *node, uint32_t input)
{
	for (uint32_t i = 0; i < input; i++) {
		if (node->inputs[i] == node->inputs[input])
			return true;
	}
	return false;
}

enum { MAX_COMPARED = 256 }; /* inputs of one node that are compared with each other */

static void count_inputs(struct counter *counter, struct cost_node *node, enum cost_moves moves)
{
	const struct shape_node *at = node->node;
	struct cost *cost = &node->cost;

	for (uint32_t i = 0; i < at->node->n_inputs; i++) {
		const struct shape_value *value = at->inputs[i], **weight;

		if (!value || (i < MAX_COMPARED && is_repeated(at, i)) ||
		    (moves == COST_PICKED && !i && !value->is_constant))
			continue;
		if (value->is_constant) {
			weight = (const struct shape_value **)add(counter, &counter->weights, &counter->n_weights,
								  &counter->n_weights_room, sizeof *weight);
			if (weight)
				*weight = value;
			if (is_parameter(value->type.elem))
				cost->parameters += known(onnx_shape_elements(&value->type));
			/* Only the picked part of a table is read. */
			if (moves == COST_ALL)
				cost->weight_bytes += bytes_of(counter, node, value);
		}
		if (moves == COST_ALL || (moves == COST_PICKED && !value->is_constant))
			cost->bytes += bytes_of(counter, node, value);
	}
}

static void count_node(struct counter *counter, struct cost_node *node)
{
	const struct shape_node *at = node->node;
	enum cost_moves moves;

	node->cost.flops = onnx_cost_flops(node->scope, at, &node->rule, &moves);
	if (!node->rule) {
		node->cost.bytes = NAN;
		node->why = at->is_handled ? "there is no cost rule for this operator" : "this operator is not known";
	}
	count_inputs(counter, node, moves);
	for (uint32_t o = 0; o < at->node->n_outputs && moves != COST_NOTHING; o++) {
		double bytes = at->outputs[o] ? bytes_of(counter, node, at->outputs[o]) : 0;

		node->cost.bytes += moves == COST_PICKED ? 2 * bytes : bytes;
	}
	for (uint32_t i = 0; isnan(node->cost.flops) && !node->why && i < at->node->n_inputs; i++) {
		if (at->inputs[i] && onnx_shape_elements(&at->inputs[i]->type) < 0)
			explain(counter, node, at->inputs[i]);
	}
	if (isnan(node->cost.flops) && !node->why)
		node->why = "its cost depends on more than shapes";
}

/* Computed from constants alone: such nodes run once, when the session is created. */
static bool is_constant(const struct shape_node *node)
{
	bool is_any = false;

	for (uint32_t o = 0; o < node->node->n_outputs; o++) {
		if (node->outputs && node->outputs[o]) {
			is_any = true;
			if (!node->outputs[o]->is_constant)
				return false;
		}
	}
	return is_any;
}

static void count_scope(struct counter *counter, const struct shape_scope *scope, double times);

static double sum_flops(const struct counter *counter, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct cost_node *node = &counter->to->nodes[i];
		double flops = node->cost.flops * node->times;

		/* Bytes break a tie. */
		sum += (isnan(flops) ? 0 : flops) + (isnan(node->cost.bytes) ? 0 : node->cost.bytes * 1e-6);
	}
	return sum;
}

/* Counts each body; of an If only the most expensive one. */
static void count_bodies(struct counter *counter, const struct shape_node *node, double times)
{
	bool is_if = !strcmp(node->node->op_type, "If") && !*node->node->domain;
	double most = -1, turns = node->n_turns < 0 ? NAN : (double)node->n_turns;
	uint32_t begin = 0, end = 0;

	for (uint32_t b = 0; b < node->n_bodies; b++) {
		uint32_t from = counter->to->n_nodes, to;
		double flops;

		count_scope(counter, node->bodies[b], times * turns);
		to = counter->to->n_nodes;
		flops = sum_flops(counter, from, to);
		if (is_if && b) {
			bool is_new_most = flops > most;

			for (uint32_t i = is_new_most ? begin : from; i < (is_new_most ? end : to); i++)
				counter->to->nodes[i].times = 0;
		}
		if (flops > most) {
			most = flops;
			begin = from;
			end = to;
		}
	}
}

static void count_scope(struct counter *counter, const struct shape_scope *scope, double times)
{
	for (uint32_t i = 0; i < scope->n_nodes && !counter->is_out_of_memory; i++) {
		const struct shape_node *node = &scope->nodes[i];
		struct cost_node *to;

		/* Not reached: inference was cut short. */
		if (!node->inputs || !node->outputs)
			continue;
		to = add(counter, &counter->to->nodes, &counter->to->n_nodes, &counter->n_room, sizeof *to);
		if (!to)
			return;
		*to = (struct cost_node){ .name = node->node->name,
					  .op_type = node->node->op_type,
					  .domain = node->node->domain,
					  .node = node,
					  .scope = scope,
					  .depth = scope->depth,
					  .times = times };
		to->is_constant = is_constant(node);
		if (to->is_constant)
			to->rule = "none: computed from constants once, when the session is created";
		else
			count_node(counter, to);
		if (isnan(times) && !to->why)
			to->why = "the number of iterations of the loop around it is unknown";
		if (node->n_bodies)
			count_bodies(counter, node, times);
	}
}

static void add_cost(struct cost *to, const struct cost_node *node)
{
	const struct cost *cost = &node->cost;
	double flops = cost->flops * node->times, bytes = cost->bytes * node->times;

	to->flops += isnan(flops) ? 0 : flops;
	to->bytes += isnan(bytes) ? 0 : bytes;
	to->weight_bytes += isnan(cost->weight_bytes) ? 0 : cost->weight_bytes;
	to->parameters += isnan(cost->parameters) ? 0 : cost->parameters;
}

static bool is_unknown(const struct cost_node *node)
{
	return node->times != 0 && (isnan(node->times) || isnan(node->cost.flops) || isnan(node->cost.bytes));
}

static int by_cost(const void *a, const void *b)
{
	const struct cost_type *x = a, *y = b;

	if (x->cost.flops != y->cost.flops)
		return x->cost.flops < y->cost.flops ? 1 : -1;
	if (x->cost.bytes != y->cost.bytes)
		return x->cost.bytes < y->cost.bytes ? 1 : -1;
	return strcmp(x->op_type, y->op_type);
}

static struct cost_type *type_of(struct counter *counter, struct onnx_map *types, const struct cost_node *node,
				 uint32_t *n_room)
{
	size_t size = strlen(node->domain) + strlen(node->op_type) + 2;
	char *key = arena_alloc(&counter->to->arena, size);
	struct cost_type *type;
	void *found;

	if (!key)
		return NULL;
	snprintf(key, size, "%s:%s", node->domain, node->op_type);
	found = onnx_map_get(types, key);
	if (found)
		return &counter->to->types[(uintptr_t)found - 1];
	type = add(counter, &counter->to->types, &counter->to->n_types, n_room, sizeof *type);
	if (!type || onnx_map_put(types, key, (void *)(uintptr_t)counter->to->n_types))
		return NULL;
	type->op_type = node->op_type;
	type->domain = node->domain;
	return type;
}

static void sum_up(struct counter *counter)
{
	struct cost_model *to = counter->to;
	struct onnx_map types = { .arena = &to->arena };
	uint32_t n_room = 0;

	for (uint32_t i = 0; i < to->n_nodes; i++) {
		struct cost_node *node = &to->nodes[i];
		struct cost_type *type = type_of(counter, &types, node, &n_room);

		if (!type) {
			counter->is_out_of_memory = true;
			return;
		}
		type->n++;
		type->n_unknown += is_unknown(node);
		to->n_unknown += is_unknown(node);
		to->n_constant += node->is_constant;
		add_cost(&type->cost, node);
		add_cost(&to->total, node);
	}
	if (to->n_types)
		qsort(to->types, to->n_types, sizeof *to->types, by_cost);
}

/* The same tensor under other names is the same weight. */
static const void *identity(const struct shape_value *value)
{
	return value->tensor ? (const void *)value->tensor : value;
}

static int by_identity(const void *a, const void *b)
{
	const void *x = identity(*(const struct shape_value *const *)a),
		   *y = identity(*(const struct shape_value *const *)b);

	return x < y ? -1 : x > y;
}

static void sum_weights(struct counter *counter)
{
	struct cost *total = &counter->to->total;

	total->weight_bytes = total->parameters = 0;
	if (counter->n_weights)
		qsort(counter->weights, counter->n_weights, sizeof *counter->weights, by_identity);
	for (uint32_t i = 0; i < counter->n_weights; i++) {
		const struct onnx_type *type = &counter->weights[i]->type;
		int64_t n = onnx_shape_elements(type), bytes = onnx_shape_bytes(type);

		if (i && identity(counter->weights[i]) == identity(counter->weights[i - 1]))
			continue;
		total->weight_bytes += bytes < 0 ? 0 : (double)bytes;
		total->parameters += n < 0 || !is_parameter(type->elem) ? 0 : (double)n;
	}
}

int onnx_cost_count(struct cost_model *to, const struct shape_model *shapes, struct err *err)
{
	struct counter counter = { .to = to };

	*to = (struct cost_model){ 0 };
	count_scope(&counter, shapes->main, 1);
	if (!counter.is_out_of_memory)
		sum_up(&counter);
	sum_weights(&counter);
	return counter.is_out_of_memory ? err_no_memory(err, "cannot count the model's operations") : 0;
}

void onnx_cost_done(struct cost_model *costs)
{
	arena_done(&costs->arena);
	*costs = (struct cost_model){ 0 };
}
