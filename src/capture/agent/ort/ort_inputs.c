// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of an inference's inputs where no API call shows them (Python, RunAsync, bindings).
 *
 * An operator's inputs have names. A name that no operator of the graph produces and that is not a constant is an input
 * of the graph. In a session's first run the agent reads the names of each operator of the main graph; when that run
 * ends the graph's inputs are known, and from then on it only reads the operators that use one. Constants are known
 * from pre-packing, which is offered every constant input of every operator, and from the API where pre-packing is off.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/ort/ort_in.h"

enum { MAX_CANDIDATES = 256, MAX_NAMES = 16384, MAX_INPUTS = 255, KERNEL_INPUTS = 32 /* of an operator */ };

/* An operator's input that may be an input of the graph. */
struct candidate {
	struct kernel *kernel;
	uint64_t name; /* hash */
	uint32_t input;
	struct shape shape; /* in the first run */
};

/* What is known of a session's graph during its first run. */
struct graph {
	struct learning learning; /* run: its first one */
	uint32_t n_candidates, n_produced;
	struct candidate candidate[MAX_CANDIDATES];
	uint64_t produced[MAX_NAMES]; /* hashes, open addressing, 0: free */
	bool has_more;		      /* inputs of the graph than there is room for */
	struct graph *next_free;
};
static struct graph *free_graphs;
/* Marks a graph that needs no more inspection. */
static void forget(struct session *session);
static struct learning known = { .forget = forget };

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash | 1;
}

/* Asks the API for a kernel's input or output; false when the runtime cannot answer. */
static bool ask(const struct ort_copy *copy, unsigned slot, word a, word b, word c, word d)
{
	void *const *api = (void *const *)copy->api;
	word status;

	if (!api || slot >= copy->n_api)
		return false;
	status = ((word (*)(word, word, word, word))api[slot])(a, b, c, d);
	if (status)
		((void (*)(word))api[ORT_API_RELEASE_STATUS])(status);
	return !status;
}

/* Hash of the name of an input or output, 0 when there is none. */
static uint64_t name_of(const struct ort_copy *copy, unsigned slot, word info, word index)
{
	char name[256];
	size_t size = sizeof name;

	return ask(copy, slot, info, index, (word)name, (word)&size) && *name ? hash_of(name) : 0;
}

static void add_produced(struct graph *graph, uint64_t name)
{
	uint64_t at = name % MAX_NAMES;

	if (!name || graph->n_produced > MAX_NAMES * 3 / 4)
		return;
	while (graph->produced[at] && graph->produced[at] != name)
		at = (at + 1) % MAX_NAMES;
	graph->n_produced += !graph->produced[at];
	graph->produced[at] = name;
}

static bool is_produced(const struct graph *graph, uint64_t name)
{
	uint64_t at = name % MAX_NAMES;

	while (graph->produced[at] && graph->produced[at] != name)
		at = (at + 1) % MAX_NAMES;
	return graph->produced[at] == name;
}

/* The inputs of a run are gathered from now on. */
static void begin(struct thread *thread, uint32_t run)
{
	thread->inputs_run = run;
	thread->inputs_seen = thread->rest_seen = thread->rest_end = 0;
	shapes_init(&thread->inputs);
}

static void take(struct thread *thread, unsigned ordinal, const struct shape *shape)
{
	if (ordinal < SHAPE_INPUTS) {
		thread->inputs.input[ordinal] = *shape;
		thread->inputs_seen |= 1u << ordinal;
		return;
	}
	shapes_add_rest(&thread->inputs, shape, 1);
	thread->rest_seen++;
	if (thread->rest_end <= ordinal - SHAPE_INPUTS)
		thread->rest_end = ordinal - SHAPE_INPUTS + 1;
}

/* The first run is over: candidates that no operator produced are the graph's inputs. */
static void settle(struct thread *thread, struct graph *graph)
{
	uint64_t names[MAX_INPUTS];
	unsigned n = 0;

	begin(thread, graph->learning.run);
	for (uint32_t i = 0; i < graph->n_candidates; i++) {
		struct candidate *candidate = &graph->candidate[i];
		bool is_new = !is_produced(graph, candidate->name);
		for (unsigned k = 0; k < n && is_new; k++)
			is_new = names[k] != candidate->name;
		graph->has_more |= is_new && n == MAX_INPUTS;
		if (!is_new || n == MAX_INPUTS)
			continue;
		names[n] = candidate->name;
		take(thread, n, &candidate->shape);
		candidate->kernel->ordinal[candidate->input] = (uint8_t)n++;
		candidate->kernel->graph_input |= 1u << candidate->input;
		if (candidate->name == hash_of(ORT_PROMPT_NAME))
			candidate->kernel->token_input |= 1u << candidate->input;
		candidate->kernel->look = LOOK_READ;
	}
}

static void first_run_ends(struct thread *thread, struct open_run *run)
{
	struct graph *graph = (struct graph *)run->session->learning;

	if (!run->message)
		settle(thread, graph);
	run->session->has_more_inputs = graph->has_more;
	agent_lock();
	graph->next_free = free_graphs;
	free_graphs = graph;
	__atomic_store_n(&run->session->learning, run->message ? NULL : &known, __ATOMIC_RELEASE);
	agent_unlock();
}

static void forget(struct session *session)
{
	struct graph *graph = (struct graph *)session->learning;

	session->learning = NULL;
	if (&graph->learning == &known)
		return;
	graph->next_free = free_graphs;
	free_graphs = graph;
}

/* The session's graph, made by the first run that needs it. NULL: it needs no more inspection, or out of memory. */
static struct graph *graph_of(struct session *session, uint32_t run)
{
	struct learning *learning = __atomic_load_n(&session->learning, __ATOMIC_ACQUIRE);
	struct graph *graph;

	if (learning)
		return learning == &known ? NULL : (struct graph *)learning;
	agent_lock();
	graph = free_graphs;
	if (session->learning)
		graph = session->learning == &known ? NULL : (struct graph *)session->learning;
	else if (graph)
		free_graphs = graph->next_free;
	else
		graph = arena_alloc(&agent.arena, sizeof *graph);
	if (graph && !session->learning) {
		memset(graph, 0, sizeof *graph);
		graph->learning = (struct learning){ run, first_run_ends, forget };
		__atomic_store_n(&session->learning, &graph->learning, __ATOMIC_RELEASE);
	}
	agent_unlock();
	return graph;
}

static bool is_constant(const struct kernel *kernel, word info, unsigned input)
{
	int is_constant = 0;
	word value = 0;

	if (input < KERNEL_INPUTS && kernel->constant >> input & 1)
		return true;
	return ask(kernel->copy, ORT_API_KERNEL_CONSTANT_INPUT, info, input, (word)&is_constant, (word)&value) &&
	       is_constant;
}

static void learn(struct thread *thread, const struct open_run *run, struct graph *graph, struct kernel *kernel,
		  uintptr_t context)
{
	word info = *(const word *)(kernel->self + ORT_KERNEL_INFO);
	size_t n_inputs = 0, n_outputs = 0;

	ask(kernel->copy, ORT_API_KERNEL_INPUT_COUNT, info, (word)&n_inputs, 0, 0);
	ask(kernel->copy, ORT_API_KERNEL_OUTPUT_COUNT, info, (word)&n_outputs, 0, 0);
	for (unsigned i = 0; i < n_outputs && i < 64; i++)
		add_produced(graph, name_of(kernel->copy, ORT_API_KERNEL_OUTPUT_NAME, info, i));
	for (unsigned i = 0; i < n_inputs && !graph->has_more; i++) {
		struct candidate *candidate = &graph->candidate[graph->n_candidates];
		uint64_t name = name_of(kernel->copy, ORT_API_KERNEL_INPUT_NAME, info, i);
		word value;

		if (!name || is_produced(graph, name) || is_constant(kernel, info, i))
			continue;
		if (i >= KERNEL_INPUTS || graph->n_candidates == MAX_CANDIDATES) {
			graph->has_more = true;
			continue;
		}
		*candidate = (struct candidate){ .kernel = kernel, .name = name, .input = i };
		value = ort_shape_of_input(kernel->copy, context, i, &candidate->shape);
		if (name == hash_of(ORT_PROMPT_NAME))
			ort_prompt_see(kernel->copy, thread, run, value, &candidate->shape);
		/* pre-packing of a session older than the agent was not seen: a constant that it took has no value */
		if (kernel->session->is_late && !candidate->shape.type &&
		    !ort_shape_has_value(kernel->copy, context, i))
			continue;
		graph->n_candidates++;
	}
}

static void read_inputs(struct thread *thread, struct kernel *kernel, uintptr_t context, const struct open_run *run)
{
	struct shape shape;
	word value;

	if (thread->inputs_run != run->run)
		begin(thread, run->run);
	for (uint32_t rest = kernel->graph_input; rest; rest &= rest - 1) {
		unsigned input = (unsigned)__builtin_ctz(rest);
		value = ort_shape_of_input(kernel->copy, context, input, &shape);
		if (kernel->token_input >> input & 1)
			ort_prompt_see(kernel->copy, thread, run, value, &shape);
		take(thread, kernel->ordinal[input], &shape);
	}
}

void ort_inputs_see(struct thread *thread, struct kernel *kernel, uintptr_t context)
{
	struct open_run *run = inference_top(thread);
	struct session *session = kernel->session;
	struct graph *graph;
	int saved = errno;

	/* operators of a body (Loop, If) use local names; a run with an API call has known inputs */
	if (!run || run->has_inputs || !session || thread->depth > run->depth)
		return;
	if (kernel->look == LOOK_READ) {
		read_inputs(thread, kernel, context, run);
	} else {
		graph = graph_of(session, run->run);
		if (graph && graph->learning.run == run->run)
			learn(thread, run, graph, kernel, context);
		/* the end of the first run may have made it LOOK_READ meanwhile */
		uint8_t look = LOOK_LEARN;
		if (!graph)
			__atomic_compare_exchange_n(&kernel->look, &look, LOOK_NOT, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	}
	errno = saved;
}
