// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the nodes of the model behind the operators of one run: by name, by a name without decorations, by the value
 * that they compute; then along the edges of the graph what was fused with them; then by elimination.
 */
#include "analyze/result/model/model_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A fused operator of ONNX Runtime stands for a few nodes in a row, or for some close to each other in the file. */
enum { MOST_FUSED = 6, MOST_FOLLOWERS = 4, MOST_SOURCES = 64, MOST_NAME = 512 };

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

static bool is_type(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static uint32_t producer(const struct model_graph *graph, const char *value)
{
	const struct model_index *found = value ? find(graph->by_output, graph->n_by_output, value) : NULL;

	return found ? found->node : MODEL_NONE;
}

/* Nodes come after those that they read. Without inputs of the model nothing is known. */
static void find_constants(struct model_graph *graph, const struct model_facts *facts, bool with_shapes, bool *to)
{
	for (uint32_t i = 0; i < graph->n_nodes && facts->n_inputs; i++) {
		const struct model_node *node = &graph->nodes[i];
		bool is_shape = with_shapes && (is_type(node->op_type, "Shape") || is_type(node->op_type, "Size"));

		to[i] = true;
		for (uint32_t k = 0; k < node->n_inputs && to[i] && !is_shape; k++) {
			const char *input = node->inputs[k] ? node->inputs[k] : "";
			uint32_t before = producer(graph, input);

			to[i] = before == MODEL_NONE ? !find(graph->inputs, graph->n_inputs, input)
						     : before < i && to[before];
		}
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
	graph->is_fixed = arena_alloc(arena, (facts->n_listed + 1) * sizeof *graph->is_fixed);
	inputs = arena_alloc(arena, (facts->n_inputs + 1) * sizeof *inputs);
	if (!graph->by_name || !graph->by_input || !graph->by_output || !graph->is_constant || !graph->is_fixed ||
	    !inputs)
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
	graph->inputs = inputs;
	graph->n_inputs = facts->n_inputs;
	find_constants(graph, facts, false, graph->is_constant);
	find_constants(graph, facts, true, graph->is_fixed);
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

/* "_token_12": made unique by the runtime. */
static bool cut_number(char *name, size_t len)
{
	static const char token[] = "_token_";
	size_t digits = len, tail = sizeof token - 1;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits == len || digits <= tail || memcmp(name + digits - tail, token, tail))
		return false;
	name[digits - tail] = 0;
	return true;
}

/* "/MatMulAddFusion", "/QuickGeluFusion/": what the runtime made of the node and its neighbours. */
static bool cut_fusion(char *name, size_t len)
{
	static const char fusion[] = "Fusion";
	size_t tail = sizeof fusion - 1, end = len && name[len - 1] == '/' ? len - 1 : len, slash;

	if (end <= tail || memcmp(name + end - tail, fusion, tail))
		return false;
	for (slash = end - tail; slash && name[slash] != '/';)
		slash--;
	name[slash] = 0;
	return slash > 0;
}

/* Takes one decoration off; false: there is none. */
static bool undecorate(char *name)
{
	static const char *const suffixes[] = { "_nchwc", "_nhwc" };
	static const char fused[] = "fused ";
	size_t len = strlen(name);

	if (cut_number(name, len) || cut_fusion(name, len))
		return true;
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

bool model_join_undecorate(char *name)
{
	bool has_any = false;

	while (undecorate(name))
		has_any = true;
	return has_any;
}

uint32_t model_join_name(const struct model_graph *graph, const char *name)
{
	const struct model_index *found = name ? find(graph->by_name, graph->n_by_name, name) : NULL;
	char plain[MOST_NAME];

	if (!found && name && strlen(name) < sizeof plain) {
		strcpy(plain, name);
		while (!found && undecorate(plain))
			found = find(graph->by_name, graph->n_by_name, plain);
	}
	return found ? found->node : MODEL_NONE;
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

/* Does it, beside the value of a node, read nothing but weights? */
static bool reads_weights_only(const struct model_graph *graph, uint32_t node, const char *value)
{
	const struct model_node *own = &graph->nodes[node];

	for (uint32_t i = 0; i < own->n_inputs; i++) {
		const char *input = own->inputs[i];

		if (!input || !*input || !strcmp(input, value))
			continue;
		if (producer(graph, input) != MODEL_NONE || find(graph->inputs, graph->n_inputs, input))
			return false;
	}
	return true;
}

/* What kernels do to their own result before they write it. */
static bool is_epilogue(const struct model_graph *graph, uint32_t node, const char *value)
{
	static const char *const alone[] = { "Relu", "Clip", "Sigmoid",	  "Tanh",     "LeakyRelu",     "HardSigmoid",
					     "Elu",  "Gelu", "HardSwish", "Softplus", "QuantizeLinear" };
	static const char *const with_weights[] = { "Add", "Sub", "Mul", "Div", "BatchNormalization" };
	const char *type = graph->nodes[node].op_type;

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (is_type(type, alone[i]))
			return true;
	for (size_t i = 0; i < sizeof with_weights / sizeof *with_weights; i++)
		if (is_type(type, with_weights[i]))
			return reads_weights_only(graph, node, value);
	return false;
}

static void take_followers(struct joiner *joiner, uint32_t at, bool only_add)
{
	const struct model_graph *graph = joiner->graph;
	uint32_t node = joiner->node_of[at], next;

	for (int i = 1; i < MOST_FOLLOWERS; i++, node = next) {
		next = only_consumer(graph, node);
		if (next == MODEL_NONE || !is_free(joiner, next) ||
		    !is_epilogue(graph, next, graph->nodes[node].outputs[0]) ||
		    (only_add && !is_type(graph->nodes[next].op_type, "Add")))
			return;
		take(joiner, at, next, MODEL_FUSED);
		if (only_add)
			return;
	}
}

/* Is every reader of its outputs in that operator? */
static bool is_for(const struct joiner *joiner, uint32_t at, uint32_t node)
{
	const struct model_graph *graph = joiner->graph;
	const struct model_index *end = graph->by_input + graph->n_by_input;
	const struct model_node *own = &graph->nodes[node];
	bool has_reader = false;

	for (uint32_t i = 0; i < own->n_outputs; i++) {
		const char *output = own->outputs[i] ? own->outputs[i] : "";
		const struct model_index *found = find(graph->by_input, graph->n_by_input, output);

		for (; found && found < end && !strcmp(found->text, output); found++) {
			has_reader = true;
			if (joiner->join[found->node].how == MODEL_NOT_RUN || joiner->join[found->node].at != at)
				return false;
		}
	}
	return has_reader;
}

/* Fusions that bear the name of their last node, and of which other nodes they are made. */
static const struct fusion {
	const char *name;
	uint32_t n_others;
	const char *types[8];
} fusions[] = {
	{ "QuickGeluFusion", 2, { "Sigmoid", "Mul" } },
	{ "GeluFusion", 4, { "Erf", "Div", "Mul", "Add" } },
	{ "LayerNormFusion", 9, { "ReduceMean", "Sub", "Pow", "Mul", "Add", "Sqrt", "Div", "Cast" } },
};

static const struct fusion *fusion_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof fusions / sizeof *fusions; i++)
		if (strstr(name, fusions[i].name))
			return &fusions[i];
	return NULL;
}

static bool is_part(const struct fusion *fusion, const char *type)
{
	for (size_t i = 0; i < sizeof fusion->types / sizeof *fusion->types; i++)
		if (is_type(fusion->types[i], type))
			return true;
	return false;
}

/* What ran nowhere and computes nothing but what the operator reads; nodes come after those that they read. */
static void take_sources(struct joiner *joiner, uint32_t at, const struct fusion *fusion)
{
	uint32_t last = joiner->node_of[at], least = last > MOST_SOURCES ? last - MOST_SOURCES : 0, n = 0;

	for (uint32_t i = last; i-- > least && n < fusion->n_others;) {
		if (!is_free(joiner, i) || !is_part(fusion, joiner->graph->nodes[i].op_type) || !is_for(joiner, at, i))
			continue;
		take(joiner, at, i, MODEL_FUSED);
		n++;
	}
}

/* FusedConv, QLinearConv, fusions: the nodes after it that ran nowhere else, and those before it. */
static void take_neighbours(struct joiner *joiner, uint32_t at)
{
	const struct model_graph *graph = joiner->graph;
	const struct model_operator *op = &joiner->result->operators[at];
	const struct model_node *own = &graph->nodes[joiner->node_of[at]];
	const struct fusion *fusion = fusion_of(op->name);
	bool is_add = op->name && strstr(op->name, "MatMulAddFusion");

	if (is_type(own->op_type, op->op_type))
		return;
	for (uint32_t i = 0; i < own->n_inputs; i++) {
		uint32_t before = producer(graph, own->inputs[i]);

		if (before != MODEL_NONE && is_free(joiner, before) &&
		    is_type(graph->nodes[before].op_type, "DequantizeLinear"))
			take(joiner, at, before, MODEL_FUSED);
	}
	if (fusion)
		take_sources(joiner, at, fusion);
	else
		take_followers(joiner, at, is_add);
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
