// SPDX-License-Identifier: Apache-2.0
/*
 * Orders nodes so that each comes after the nodes it uses. Most files are ordered already, but need not be. Finds
 * cycles. Recursion only into nested graphs, whose depth the reader bounds.
 */
#include <errno.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* The node that makes each value of this scope, and the state of each node. */
struct order {
	struct onnx_map makers; /* struct order_node */
	struct order_node {
		uint32_t state; /* 0: not visited, 1: waits for others, 2: done */
		uint32_t n_needs, next;
		struct order_node **needs, *below; /* below: the node that waits for it */
	} *nodes;
	struct order_node **found;
	uint32_t n_found, n_room;
	bool is_inner; /* of a body, which may be inferred many times */
};

static void need(struct shape_engine *engine, struct order *order, const char *name)
{
	struct order_node *maker = *name ? onnx_map_get(&order->makers, name) : NULL;

	if (!maker || maker->state == 2)
		return;
	if (order->n_found == order->n_room) {
		uint32_t n_room = order->n_room ? 2 * order->n_room : 16;
		struct order_node **found = shape_alloc(engine, n_room, sizeof *found);

		if (!found)
			return;
		if (order->n_found)
			memcpy(found, order->found, order->n_found * sizeof *found);
		order->found = found;
		order->n_room = n_room;
	}
	order->found[order->n_found++] = maker;
}

/*
 * Lists the values that a node uses, including those that graphs inside it use of this scope. Recursion is as deep as
 * the reader allows.
 */
static void need_all(struct shape_engine *engine, struct order *order, const struct onnx_node *node)
{
	for (uint32_t i = 0; i < node->n_inputs; i++)
		need(engine, order, node->inputs[i]);
	for (uint32_t a = 0; a < node->n_attrs; a++) {
		for (uint32_t g = 0; node->attrs[a].graphs && g < node->attrs[a].n; g++) {
			const struct onnx_graph *graph = &node->attrs[a].graphs[g];

			if (order->is_inner)
				engine->n_inner += (uint64_t)graph->n_nodes + graph->n_outputs;
			for (uint32_t i = 0; i < graph->n_nodes; i++)
				need_all(engine, order, &graph->nodes[i]);
			for (uint32_t i = 0; i < graph->n_outputs; i++)
				need(engine, order, graph->outputs[i].name);
		}
	}
}

/* Finds the nodes that must come before this one and have not yet: usually none, because files are ordered. */
static void meet(struct shape_engine *engine, struct order *order, const struct onnx_node *node, struct order_node *to)
{
	order->n_found = 0;
	need_all(engine, order, node);
	to->state = 1;
	to->n_needs = order->n_found;
	to->needs = order->n_found ? shape_alloc(engine, order->n_found, sizeof *to->needs) : NULL;
	if (to->needs)
		memcpy(to->needs, order->found, order->n_found * sizeof *to->needs);
	else
		to->n_needs = 0;
}

static void infer_in_order(struct shape_engine *engine, struct shape_scope *scope, struct order *order,
			   const struct onnx_map *declared, uint32_t first)
{
	struct order_node *top = &order->nodes[first];

	meet(engine, order, scope->nodes[first].node, top);
	while (top && !engine->is_circle && !engine->is_out_of_memory) {
		uint32_t index = (uint32_t)(top - order->nodes);
		struct order_node *needed = top->next < top->n_needs ? top->needs[top->next++] : NULL;

		if (!needed) {
			shape_node_infer(engine, scope, &scope->nodes[index], declared);
			top->state = 2;
			top = top->below;
		} else if (needed->state == 1) {
			engine->is_circle = true;
			err_set(engine->err, EINVAL,
				"the graph has a cycle: node \"%.100s\" (%.60s) needs its own output",
				scope->nodes[index].node->name, scope->nodes[index].node->op_type);
		} else if (!needed->state) {
			needed->below = top;
			meet(engine, order, scope->nodes[needed - order->nodes].node, needed);
			top = needed;
		}
	}
}

static void find_outputs(struct shape_engine *engine, struct shape_scope *scope)
{
	const struct onnx_graph *graph = scope->graph;

	scope->n_outputs = graph ? graph->n_outputs : scope->function->n_outputs;
	scope->outputs = shape_alloc(engine, scope->n_outputs, sizeof *scope->outputs);
	for (uint32_t i = 0; scope->outputs && i < scope->n_outputs; i++) {
		const char *name = graph ? graph->outputs[i].name : scope->function->outputs[i];

		scope->outputs[i] = onnx_shape_find(scope, name);
		if (scope->outputs[i])
			continue;
		shape_conflict(engine, NULL, "nothing in the model defines the output %.80s", name);
		scope->outputs[i] = shape_value_new(engine, scope, name);
		if (scope->outputs[i] && graph)
			scope->outputs[i]->type = shape_resolve(engine, &graph->outputs[i].type, NULL);
	}
}

void shape_scope_infer(struct shape_engine *engine, struct shape_scope *scope)
{
	struct order order = { .makers = { .arena = &engine->model->arena }, .is_inner = scope->depth };
	struct onnx_map declared = { .arena = &engine->model->arena };
	const struct onnx_graph *graph = scope->graph;
	int code = 0;

	order.nodes = shape_alloc(engine, scope->n_nodes, sizeof *order.nodes);
	if (!order.nodes)
		return;
	for (uint32_t i = 0; i < scope->n_nodes; i++) {
		const struct onnx_node *node = scope->nodes[i].node;

		for (uint32_t o = 0; o < node->n_outputs; o++) {
			if (*node->outputs[o] && !onnx_map_get(&order.makers, node->outputs[o]))
				code |= onnx_map_put(&order.makers, node->outputs[o], &order.nodes[i]);
		}
	}
	for (uint32_t i = 0; graph && i < graph->n_values; i++)
		code |= onnx_map_put(&declared, graph->values[i].name, (void *)&graph->values[i].type);
	for (uint32_t i = 0; graph && i < graph->n_outputs; i++)
		code |= onnx_map_put(&declared, graph->outputs[i].name, (void *)&graph->outputs[i].type);
	engine->is_out_of_memory |= code != 0;
	for (uint32_t i = 0; i < scope->n_nodes && !engine->is_circle && !engine->is_out_of_memory; i++) {
		if (order.nodes[i].state != 2)
			infer_in_order(engine, scope, &order, &declared, i);
	}
	find_outputs(engine, scope);
}
