// SPDX-License-Identifier: Apache-2.0
/*
 * Reads what a subgraph executes. It is asked for by the runtime's own virtual functions (InterpreterInfo), which
 * return addresses; what lies there is checked before it is believed: each registration has an operator's number, a
 * name where the number demands one, and functions.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/litert/litert_in.h"
#include "runtime/find/peek.h"

enum { MOST_NODES = 1 << 20, FIELDS = 128, MOST_SUBGRAPHS = 4096 };

static struct litert_info infos[MAX_COPIES];
static struct map graphs; /* by planner */
struct map litert_nodes;
static struct map subgraphs;
static struct litert_graph *free_graphs;

void litert_graph_found(const struct copy *copy, struct rtti *rtti)
{
	infos[copy->number] = litert_find_info(rtti);
}

struct litert_node_at *litert_node_at(word node)
{
	return map_get(&litert_nodes, node);
}

static word call(word info, unsigned slot, word argument)
{
	return ((word (*)(word, word))(*(word **)info)[slot])(info, argument);
}

const struct litert_context *litert_context_of(word subgraph)
{
	static unsigned place; /* the same in all of them */
	word fields[FIELDS], at = __atomic_load_n(&place, __ATOMIC_RELAXED);

	if (at && peek_word(subgraph + at + 24) == subgraph)
		return (const struct litert_context *)(subgraph + at);
	if (!peek_read(subgraph, fields, sizeof fields))
		return NULL;
	for (unsigned i = 4; i < FIELDS; i++)
		if (fields[i] == subgraph && fields[i - 3] < LITERT_MANY) {
			__atomic_store_n(&place, (i - 3) * 8, __ATOMIC_RELAXED);
			return (const struct litert_context *)(subgraph + (i - 3) * 8);
		}
	return NULL;
}

/* Whether a std::vector<std::unique_ptr<Subgraph>> with this one lies there. */
static bool is_list(word at, word subgraph)
{
	word vector[3], one;

	if (at < 4096 || at & 7 || !peek_read(at, vector, sizeof vector) || vector[0] & 7 || vector[1] <= vector[0] ||
	    vector[1] - vector[0] > MOST_SUBGRAPHS * 8 || vector[2] < vector[1])
		return false;
	for (word i = vector[0]; i < vector[1]; i += 8)
		if (!peek_read(i, &one, sizeof one))
			return false;
		else if (one == subgraph)
			return true;
	return false;
}

word litert_interpreter_of(word subgraph)
{
	static unsigned place;
	word fields[FIELDS], at = __atomic_load_n(&place, __ATOMIC_RELAXED), list = at ? peek_word(subgraph + at) : 0;

	if (list && is_list(list, subgraph))
		return list;
	if (!peek_read(subgraph, fields, sizeof fields))
		return subgraph;
	for (unsigned i = 1; i < FIELDS; i++)
		if (is_list(fields[i], subgraph)) {
			__atomic_store_n(&place, i * 8, __ATOMIC_RELAXED);
			return fields[i];
		}
	return subgraph;
}

/* The field of a planner that points at an InterpreterInfo. */
static word info_of(const struct litert_info *known, word planner)
{
	enum { FEW = 8 };
	word fields[FEW];

	if (!peek_read(planner, fields, sizeof fields))
		return 0;
	for (int i = 1; i < FEW; i++)
		if (fields[i] > 4096 && !(fields[i] & 7) && peek_word(fields[i]) == known->table)
			return fields[i];
	return 0;
}

static const struct litert_registration *registration_of(word node)
{
	return (const struct litert_registration *)(node + sizeof(struct litert_node));
}

static bool has_name(const struct litert_registration *registration)
{
	return registration->code == LITERT_CUSTOM || registration->code == LITERT_DELEGATED;
}

static bool is_list_of_ints(const struct litert_ints *list)
{
	struct litert_ints copy;

	return !list || (peek_read((uint64_t)list, &copy, sizeof copy) && copy.n >= 0 && copy.n < LITERT_MANY);
}

/* Whether a node and its registration lie there. */
static bool is_node(word at)
{
	enum { MOST_VERSION = 1000 };
	struct {
		struct litert_node node;
		struct litert_registration registration;
	} copy;
	char name[2];

	if (at & 7 || !peek_read(at, &copy, sizeof copy) || copy.registration.code < 0 ||
	    copy.registration.code >= LITERT_MANY || copy.registration.version < 0 ||
	    copy.registration.version > MOST_VERSION || copy.registration.invoke < 4096)
		return false;
	if (has_name(&copy.registration) && copy.registration.custom &&
	    !peek_read((uint64_t)copy.registration.custom, name, 1))
		return false;
	return is_list_of_ints(copy.node.inputs) && is_list_of_ints(copy.node.outputs);
}

static size_t read_text(const char *from, char *to, size_t size)
{
	size_t n = 0;

	while (from && n < size - 1 && peek_read((uint64_t)from + n, to + n, 1) && to[n])
		n++;
	to[n] = 0;
	return n;
}

static size_t put_number(char *to, uint64_t number)
{
	char digits[24];
	size_t n = 0, len = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		to[len++] = digits[--n];
	return len;
}

/* An operator is called as the first tensor that it makes. */
static uint32_t name_of(const struct litert_context *context, const struct litert_node *node, uint64_t number)
{
	char text[256] = "node ";
	size_t len = 0;
	int32_t output = node->outputs && node->outputs->n > 0 ? node->outputs->at[0] : -1;

	if (output >= 0 && (uint64_t)output < context->n_tensors)
		len = read_text(context->tensors[output].name, text, sizeof text);
	if (!len) {
		memcpy(text, "node ", 5);
		len = 5 + put_number(text + 5, number);
	}
	return dict_text(text, len);
}

/* "TfLiteXNNPackDelegate" is XNNPACK's. */
static uint32_t device_of(const struct litert_node *node, const char *type, size_t len)
{
	enum { BEFORE = 6, BEHIND = 8 };

	if (!node->delegate)
		return dict_text("CPU", 3);
	if (!strcmp(type, "TfLiteXNNPackDelegate"))
		return dict_text("XNNPACK", 7);
	if (len > BEFORE + BEHIND && !strncmp(type, "TfLite", BEFORE) && !strcmp(type + len - BEHIND, "Delegate"))
		return dict_text(type + BEFORE, len - BEFORE - BEHIND);
	return dict_text(type, len);
}

static uint32_t describe(const struct litert_context *context, word at, uint64_t number)
{
	const struct litert_node *node = (const struct litert_node *)at;
	const struct litert_registration *registration = registration_of(at);
	const char *name = litert_operator_name(registration->code);
	char type[64];
	size_t len = has_name(registration) ? read_text(registration->custom, type, sizeof type) : 0;

	if (!len) {
		name = name ? name : "?";
		len = strlen(name);
		memcpy(type, name, len + 1);
	}
	return dict_node(name_of(context, node, number), dict_text(type, len), device_of(node, type, len));
}

static void forget_nodes(struct litert_graph *graph)
{
	agent_lock();
	for (uint64_t i = 0; i < graph->n_nodes; i++)
		if (graph->nodes[i].at && map_get(&litert_nodes, graph->nodes[i].at) == &graph->nodes[i]) {
			map_put(&litert_nodes, graph->nodes[i].at, NULL);
			graph->nodes[i].at = 0;
		}
	graph->n_nodes = 0;
	agent_unlock();
}

/* Room for the nodes; entries stay where they are, because hooks may be reading them. */
static bool has_room(struct litert_graph *graph, uint64_t n)
{
	uint64_t capacity = 16;

	if (n <= graph->capacity)
		return true;
	while (capacity < n)
		capacity *= 2;
	agent_lock();
	graph->nodes = arena_alloc(&agent.arena, capacity * sizeof *graph->nodes);
	agent_unlock();
	graph->capacity = graph->nodes ? capacity : 0;
	return graph->nodes != NULL;
}

static bool learn_node(struct litert_graph *graph, uint64_t i, word at)
{
	struct litert_node_at *node = &graph->nodes[i];
	word *invoke = (word *)&registration_of(at)->invoke;
	word stand_in = litert_original(*invoke) ? *invoke : litert_stand_in(*invoke);
	bool is_put;

	if (!stand_in)
		return true; /* it is not recorded */
	*node =
	    (struct litert_node_at){ at, graph, describe(graph->context, at, i), hot->generation, i + 1 == graph->n };
	agent_lock();
	is_put = map_put(&litert_nodes, at, node);
	agent_unlock();
	if (is_put)
		__atomic_store_n(invoke, stand_in, __ATOMIC_RELEASE);
	return is_put;
}

static bool are_nodes(const struct litert_graph *graph, const struct litert_info *known)
{
	for (uint64_t i = 0; i < graph->n; i++)
		if (!is_node(call(graph->info, known->node, i)))
			return false;
	return true;
}

/* A std::vector of numbers. */
static void read_inputs(struct litert_graph *graph, const struct litert_info *known)
{
	word vector[2];

	graph->n_inputs = 0;
	if (!peek_read(call(graph->info, known->inputs, 0), vector, sizeof vector) || vector[1] < vector[0] ||
	    vector[1] - vector[0] > LITERT_MANY)
		return;
	graph->inputs = (const int32_t *)vector[0];
	graph->n_inputs = (vector[1] - vector[0]) / sizeof *graph->inputs;
}

static void learn(struct litert_graph *graph, const struct litert_info *known)
{
	forget_nodes(graph);
	graph->n = call(graph->info, known->n_nodes, 0);
	graph->first = graph->n ? call(graph->info, known->node, 0) : 0;
	graph->last = graph->n ? call(graph->info, known->node, graph->n - 1) : 0;
	graph->generation = hot->generation;
	read_inputs(graph, known);
	if (!graph->n || graph->n > MOST_NODES || !are_nodes(graph, known) || !has_room(graph, graph->n))
		return;
	graph->n_nodes = graph->n;
	memset(graph->nodes, 0, graph->n * sizeof *graph->nodes);
	for (uint64_t i = 0; i < graph->n; i++)
		if (!learn_node(graph, i, call(graph->info, known->node, i)))
			break;
	graph->first_invoke = registration_of(graph->first)->invoke;
	graph->last_invoke = registration_of(graph->last)->invoke;
}

/* A delegate may have changed what it executes. */
static bool is_known(const struct litert_graph *graph, const struct litert_info *known)
{
	if (graph->generation != hot->generation || call(graph->info, known->n_nodes, 0) != graph->n)
		return false;
	if (graph->n && (call(graph->info, known->node, 0) != graph->first ||
			 call(graph->info, known->node, graph->n - 1) != graph->last))
		return false;
	return !graph->n_nodes || (registration_of(graph->first)->invoke == graph->first_invoke &&
				   registration_of(graph->last)->invoke == graph->last_invoke);
}

static void forget(struct litert_graph *graph)
{
	forget_nodes(graph);
	agent_lock();
	if (map_get(&subgraphs, graph->subgraph) == graph)
		map_put(&subgraphs, graph->subgraph, NULL);
	if (map_get(&graphs, graph->planner) == graph)
		map_put(&graphs, graph->planner, NULL);
	graph->subgraph = graph->generation = 0;
	graph->next_free = free_graphs;
	free_graphs = graph;
	agent_unlock();
}

static struct litert_graph *new_graph(word planner, word info)
{
	word subgraph = peek_word(info + 8);
	const struct litert_context *context = subgraph ? litert_context_of(subgraph) : NULL;
	struct litert_graph *graph = map_get(&graphs, planner), *before = map_get(&subgraphs, subgraph);

	if (graph)
		forget(graph);
	if (before && before != graph)
		forget(before);
	if (!context)
		return NULL;
	agent_lock();
	if ((graph = free_graphs))
		free_graphs = graph->next_free;
	else if ((graph = arena_alloc(&agent.arena, sizeof *graph)))
		memset(graph, 0, sizeof *graph);
	if (graph && (!map_put(&graphs, planner, graph) || !map_put(&subgraphs, subgraph, graph)))
		graph = NULL;
	agent_unlock();
	if (!graph)
		return NULL;
	graph->planner = planner;
	graph->subgraph = subgraph;
	graph->context = context;
	graph->info = info;
	graph->interpreter = litert_interpreter_of(subgraph);
	return graph;
}

struct litert_graph *litert_graph_of(const struct copy *copy, word planner)
{
	const struct litert_info *known = &infos[copy->number];
	struct litert_graph *graph = map_get(&graphs, planner);
	int saved = errno;
	word info;

	if (graph && *(word *)graph->info == known->table && is_known(graph, known))
		return graph;
	info = info_of(known, planner);
	if (!info)
		return NULL;
	if (!graph || graph->info != info || peek_word(info + 8) != graph->subgraph)
		graph = new_graph(planner, info);
	if (graph)
		learn(graph, known);
	errno = saved;
	return graph;
}

void litert_graph_gone(word subgraph)
{
	struct litert_graph *graph = map_get(&subgraphs, subgraph);

	if (graph)
		forget(graph);
}

void litert_graph_forget_all(void)
{
	for (uint64_t i = 0; graphs.table && i <= graphs.table->mask; i++) {
		struct litert_graph *graph = graphs.table->entry[i].value;
		if (graph)
			forget(graph);
	}
}

static void read_shape(const struct litert_context *context, int32_t tensor, struct shape *to)
{
	const struct litert_tensor *from;

	*to = (struct shape){ 0 };
	if (tensor < 0 || (uint64_t)tensor >= context->n_tensors)
		return; /* an optional one that is not given */
	from = &context->tensors[tensor];
	if (!from->dims || from->dims->n > SHAPE_DIMS)
		return;
	to->type = litert_element_type(from->type);
	to->n_dims = (uint32_t)from->dims->n;
	for (uint32_t d = 0; d < to->n_dims; d++)
		to->dim[d] = from->dims->at[d];
}

uint32_t litert_shapes(const struct litert_context *context, const int32_t *tensor, uint64_t n, uint64_t *batch)
{
	struct shapes shapes;

	shapes_init(&shapes);
	for (uint64_t i = 0; i < n; i++) {
		struct shape shape;
		read_shape(context, tensor[i], &shape);
		shapes_add(&shapes, &shape);
	}
	if (batch)
		*batch = shapes_batch(&shapes);
	return shapes_text(&shapes);
}

uint32_t litert_inputs(const struct litert_graph *graph, uint64_t *batch)
{
	return litert_shapes(graph->context, graph->inputs, graph->n_inputs, batch);
}

struct session *litert_session_of(const struct litert_graph *graph)
{
	struct session *session = session_of_object(graph->interpreter);

	if (session || !(session = session_new(&runtime_litert)))
		return session;
	session_bind(session, graph->interpreter);
	litert_name(session, graph->context);
	return session;
}
