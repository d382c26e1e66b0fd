// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the nodes of the model behind the operators of one run: by name, by a name without decorations, by the value
 * that they compute; then along the edges of the graph what was fused with them; then by elimination.
 */
#include "analyze/model_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A fused operator of ONNX Runtime stands for a few nodes in a row. */
enum { MOST_FUSED = 6, MOST_NAME = 512 };

struct model_index {
	const char *text;
	uint32_t node;
};

static int compare_index(const void *a, const void *b)
{
	const struct model_index *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* The first entry of that text, or NULL. */
static const struct model_index *find(const struct model_index *index, uint32_t n, const char *text)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(index[middle].text, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && *text && !strcmp(index[low].text, text) ? &index[low] : NULL;
}

static void add_values(struct model_index *index, uint32_t *n, const char *const *values, uint32_t n_values,
		       uint32_t node)
{
	for (uint32_t i = 0; i < n_values; i++)
		if (values[i] && *values[i])
			index[(*n)++] = (struct model_index){ values[i], node };
}

static uint32_t producer(const struct model_graph *graph, const char *value)
{
	const struct model_index *found = value ? find(graph->by_output, graph->n_by_output, value) : NULL;

	return found ? found->node : MODEL_NONE;
}

/* Nodes come after those that they read. Without inputs of the model nothing is known. */
static void find_constants(struct model_graph *graph, const struct model_facts *facts, const struct model_index *inputs)
{
	for (uint32_t i = 0; i < graph->n_nodes && facts->n_inputs; i++) {
		const struct model_node *node = &graph->nodes[i];
		bool is_constant = true;

		for (uint32_t k = 0; k < node->n_inputs && is_constant; k++) {
			uint32_t before = producer(graph, node->inputs[k]);

			is_constant = before == MODEL_NONE
					  ? !find(inputs, facts->n_inputs, node->inputs[k] ? node->inputs[k] : "")
					  : before < i && graph->is_constant[before];
		}
		graph->is_constant[i] = is_constant;
	}
}

int model_graph_of(struct model_graph *graph, const struct model_facts *facts, struct arena *arena)
{
	size_t n_inputs = 0, n_outputs = 0;
	struct model_index *inputs;

	*graph = (struct model_graph){ .nodes = facts->nodes, .n_nodes = facts->n_listed };
	for (uint32_t i = 0; i < facts->n_listed; i++) {
		n_inputs += facts->nodes[i].n_inputs;
		n_outputs += facts->nodes[i].n_outputs;
	}
	graph->by_name = arena_alloc(arena, (facts->n_listed + 1) * sizeof *graph->by_name);
	graph->by_input = arena_alloc(arena, (n_inputs + 1) * sizeof *graph->by_input);
	graph->by_output = arena_alloc(arena, (n_outputs + 1) * sizeof *graph->by_output);
	graph->is_constant = arena_alloc(arena, (facts->n_listed + 1) * sizeof *graph->is_constant);
	inputs = arena_alloc(arena, (facts->n_inputs + 1) * sizeof *inputs);
	if (!graph->by_name || !graph->by_input || !graph->by_output || !graph->is_constant || !inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < facts->n_listed; i++) {
		const struct model_node *node = &facts->nodes[i];

		add_values(graph->by_name, &graph->n_by_name, &node->name, 1, i);
		add_values(graph->by_input, &graph->n_by_input, node->inputs, node->n_inputs, i);
		add_values(graph->by_output, &graph->n_by_output, node->outputs, node->n_outputs, i);
	}
	qsort(graph->by_name, graph->n_by_name, sizeof *graph->by_name, compare_index);
	qsort(graph->by_input, graph->n_by_input, sizeof *graph->by_input, compare_index);
	qsort(graph->by_output, graph->n_by_output, sizeof *graph->by_output, compare_index);
	for (uint32_t i = 0; i < facts->n_inputs; i++)
		inputs[i] = (struct model_index){ facts->inputs[i].name ? facts->inputs[i].name : "", i };
	qsort(inputs, facts->n_inputs, sizeof *inputs, compare_index);
	find_constants(graph, facts, inputs);
	return 0;
}

/* What is being joined. */
struct joiner {
	const struct model_graph *graph;
	const struct model_result *result;
	struct model_join *join;
	uint32_t *node_of, *n_nodes_of;
};

static void take(struct joiner *joiner, uint32_t at, uint32_t node, enum model_join_how how)
{
	joiner->join[node] = (struct model_join){ how, at };
	joiner->n_nodes_of[at]++;
	if (how != MODEL_FUSED)
		joiner->node_of[at] = node;
}

static bool is_free(const struct joiner *joiner, uint32_t node)
{
	return joiner->join[node].how == MODEL_NOT_RUN;
}

/* Takes one decoration off; false: there is none. */
static bool undecorate(char *name)
{
	static const char *const suffixes[] = { "_nchwc", "_nhwc", "/MatMulAddFusion" };
	static const char fused[] = "fused ", token[] = "_token_";
	size_t len = strlen(name), digits = len;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < len && digits > sizeof token - 1 &&
	    !memcmp(name + digits - (sizeof token - 1), token, sizeof token - 1)) {
		name[digits - (sizeof token - 1)] = 0;
		return true;
	}
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t tail = strlen(suffixes[i]);

		if (len > tail && !strcmp(name + len - tail, suffixes[i])) {
			name[len - tail] = 0;
			return true;
		}
	}
	if (strncmp(name, fused, sizeof fused - 1))
		return false;
	memmove(name, name + sizeof fused - 1, len - (sizeof fused - 1) + 1);
	return true;
}

/* The only reader of a node's first output; MODEL_NONE: it has none or several. */
static uint32_t only_consumer(const struct model_graph *graph, uint32_t node)
{
	const struct model_node *own = &graph->nodes[node];
	const struct model_index *found, *end = graph->by_input + graph->n_by_input;

	if (!own->n_outputs || !own->outputs[0])
		return MODEL_NONE;
	found = find(graph->by_input, graph->n_by_input, own->outputs[0]);
	if (!found || (found + 1 < end && !strcmp(found[1].text, found->text)))
		return MODEL_NONE;
	return found->node;
}

static bool is_type(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Named after the value that it computes: back to the node of its type; those on the way were fused with it. */
static bool take_by_value(struct joiner *joiner, uint32_t at, uint32_t last)
{
	const struct model_graph *graph = joiner->graph;
	uint32_t path[MOST_FUSED], n = 0, node = last;

	while (n < MOST_FUSED && node != MODEL_NONE && is_free(joiner, node)) {
		const struct model_node *own = &graph->nodes[node];

		path[n++] = node;
		if (is_type(own->op_type, joiner->result->operators[at].op_type)) {
			take(joiner, at, node, MODEL_RENAMED);
			while (--n)
				take(joiner, at, path[n - 1], MODEL_FUSED);
			return true;
		}
		node = own->n_inputs ? producer(graph, own->inputs[0]) : MODEL_NONE;
	}
	if (!is_free(joiner, last))
		return false;
	take(joiner, at, last, MODEL_RENAMED);
	return true;
}

static void join_by_name(struct joiner *joiner, uint32_t at)
{
	const struct model_graph *graph = joiner->graph;
	const char *name = joiner->result->operators[at].name;
	const struct model_index *found = name ? find(graph->by_name, graph->n_by_name, name) : NULL;

	if (found && is_free(joiner, found->node))
		take(joiner, at, found->node, MODEL_SAME);
}

static void join_by_decorated_name(struct joiner *joiner, uint32_t at)
{
	const struct model_graph *graph = joiner->graph;
	const char *own = joiner->result->operators[at].name;
	char name[MOST_NAME];

	if (!own || strlen(own) >= sizeof name)
		return;
	strcpy(name, own);
	while (!joiner->n_nodes_of[at] && undecorate(name)) {
		const struct model_index *found = find(graph->by_name, graph->n_by_name, name);
		uint32_t last = producer(graph, name);

		if (found && is_free(joiner, found->node))
			take(joiner, at, found->node, MODEL_RENAMED);
		else if (!found && last != MODEL_NONE && take_by_value(joiner, at, last))
			return;
	}
}

/* FusedConv, QLinearConv: the nodes after it that ran nowhere else, and the ones that turned its inputs into reals. */
static void take_neighbours(struct joiner *joiner, uint32_t at)
{
	const struct model_graph *graph = joiner->graph;
	uint32_t anchor = joiner->node_of[at], node = anchor;
	const struct model_node *own = &graph->nodes[anchor];

	if (is_type(own->op_type, joiner->result->operators[at].op_type))
		return;
	for (uint32_t i = 0; i < own->n_inputs; i++) {
		uint32_t before = producer(graph, own->inputs[i]);

		if (before != MODEL_NONE && is_free(joiner, before) &&
		    is_type(graph->nodes[before].op_type, "DequantizeLinear"))
			take(joiner, at, before, MODEL_FUSED);
	}
	for (int i = 1; i < MOST_FUSED; i++) {
		node = only_consumer(graph, node);
		if (node == MODEL_NONE || !is_free(joiner, node) ||
		    is_type(graph->nodes[node].op_type, "DequantizeLinear"))
			return;
		take(joiner, at, node, MODEL_FUSED);
	}
}

/* A subgraph that a provider has taken as a whole: ONNX Runtime calls it after the provider. */
static bool is_subgraph(const struct model_operator *op)
{
	size_t len = op->provider ? strlen(op->provider) : 0;

	return (len && op->name && !strncmp(op->name, op->provider, len) && op->name[len] == '_') ||
	       (op->op_type && strcasestr(op->op_type, "subgraph")) || (op->name && strcasestr(op->name, "subgraph"));
}

static void take_by_elimination(struct joiner *joiner)
{
	uint32_t subgraph = MODEL_NONE, n = 0;

	for (uint32_t i = 0; i < joiner->result->n_operators; i++) {
		if (!joiner->n_nodes_of[i] && is_subgraph(&joiner->result->operators[i])) {
			subgraph = i;
			n++;
		}
	}
	for (uint32_t i = 0; n == 1 && i < joiner->graph->n_nodes; i++) {
		if (!is_free(joiner, i) || joiner->graph->is_constant[i])
			continue;
		joiner->join[i] = (struct model_join){ MODEL_INSIDE, subgraph };
		joiner->n_nodes_of[subgraph]++;
	}
}

void model_join_result(const struct model_graph *graph, const struct model_result *result, struct model_join *join,
		       uint32_t *node_of, uint32_t *n_nodes_of)
{
	struct joiner joiner = { graph, result, join, node_of, n_nodes_of };

	for (uint32_t i = 0; i < graph->n_nodes; i++)
		join[i] = (struct model_join){ MODEL_NOT_RUN, MODEL_NONE };
	for (uint32_t i = 0; i < result->n_operators; i++) {
		node_of[i] = MODEL_NONE;
		join_by_name(&joiner, i);
	}
	for (uint32_t i = 0; i < result->n_operators; i++)
		if (!n_nodes_of[i])
			join_by_decorated_name(&joiner, i);
	for (uint32_t i = 0; i < result->n_operators; i++)
		if (node_of[i] != MODEL_NONE)
			take_neighbours(&joiner, i);
	take_by_elimination(&joiner);
}
