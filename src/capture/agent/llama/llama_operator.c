// SPDX-License-Identifier: Apache-2.0
/*
 * Operators of ggml on CPUs. Each thread of a graph calls the function of each node, and waits for the others after it.
 * Recorded is the call of thread 0, which is the one that decodes the batch; so an operator lasts as long as that
 * thread computes, and its wait for the others counts as time of the inference outside operators. A function that is
 * called inside another, for the same node, is a part of that. Nodes outside an inference are not recorded.
 *
 * Tensors are made anew for each graph, and their addresses come again for others. So a node goes by its name and by
 * its function, not by its address.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/inference.h"
#include "capture/agent/llama/llama_in.h"
#include "runtime/peek.h"

enum { MAX_FUNCTIONS = 256, MAX_NODES = 1 << 16, WORDS = LLAMA_NAME / 8, TYPE = 48, SHAPE_TYPES = 256 };

/* One function of one copy. */
static struct place {
	llama_function *real; /* NULL: free */
	const char *type;     /* in the module, while that is loaded */
	uint32_t number;      /* another one for each function that takes the place */
	uint8_t copy;
	bool is_extra;
	bool has_kinds; /* what it computes depends on a parameter of the tensor */
} places[MAX_FUNCTIONS];
static uint32_t n_functions;
static struct llama_layout layouts[MAX_COPIES];

struct node {
	uint64_t name[WORDS];
	uint32_t function, kind, generation, id;
	uint8_t n_sources;
};
static struct map nodes; /* by key_of */
static uint32_t n_nodes;

/* What this thread computes, and what it was asked for last that is computed by the function of its type. */
static __thread struct {
	word parameters, frame, tensor;
	uint64_t start;
} inside;

void llama_operator_know(const struct copy *copy, const struct llama_layout *layout)
{
	layouts[copy->number] = *layout;
}

/* Up to and with its NUL: the rest of the last word is 0. Returns the number of words. */
static inline unsigned read_name(word at, uint64_t name[WORDS])
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;

	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t zeros;
		memcpy(&name[i], (const void *)(at + 8 * i), 8);
		zeros = (name[i] - ones) & ~name[i] & highs;
		if (!zeros)
			continue;
		name[i] &= ((zeros & -zeros) >> 7) - 1;
		return i + 1;
	}
	return WORDS;
}

static inline uint64_t key_of(const uint64_t name[WORDS], unsigned n, uint32_t function, uint32_t kind)
{
	uint64_t key = ((uint64_t)function << 32 | kind) * 0x9e3779b97f4a7c15u;

	for (unsigned i = 0; i < n; i++) {
		key = (key ^ name[i]) * 0xff51afd7ed558ccdu;
		key ^= key >> 29;
	}
	return key | 8;
}

static bool is_name(const char *name)
{
	size_t len = strnlen(name, LLAMA_NAME);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return len && len < LLAMA_NAME;
}

static size_t put_lower(char *to, const char *text)
{
	size_t len = text ? strnlen(text, TYPE - 1) : 0;

	for (size_t i = 0; i < len; i++)
		to[i] = (char)tolower((unsigned char)text[i]);
	to[len] = 0;
	return len;
}

/* The library's word for what the function computes; of a fused one, which is no operator's own, its name. */
static void read_type(const struct place *place, const struct llama_layout *layout, word tensor, char type[TYPE])
{
	put_lower(type, layout->op_name(*(const int *)(tensor + layout->op)));
	if (place->is_extra || !strcmp(type, place->type))
		put_lower(type, layout->op_text((const void *)tensor));
	else
		put_lower(type, place->type);
}

/* How many of its sources are tensors. */
static unsigned count_sources(const struct llama_layout *layout, word tensor)
{
	uint64_t dims[LLAMA_DIMS];
	unsigned n = 0;

	for (; n < LLAMA_SOURCES; n++) {
		word source = *(const word *)(tensor + layout->sources + 8 * n);
		if (!source || !peek_read(source + layout->dims, dims, sizeof dims))
			break;
		for (int i = 0; i < LLAMA_DIMS; i++)
			if (dims[i] > 1ull << 40)
				return n;
	}
	return n;
}

static struct node *new_node(uint64_t key)
{
	struct node *node;

	agent_lock();
	node = map_get(&nodes, key);
	if (!node && n_nodes < MAX_NODES && (node = arena_alloc(&agent.arena, sizeof *node))) {
		n_nodes++;
		if (!map_put(&nodes, key, node))
			node = NULL;
	}
	agent_unlock();
	return node;
}

/* First call of a node. NULL: it is no tensor, or there are too many. */
static __attribute__((noinline)) const struct node *learn(const struct place *place, word tensor, uint64_t key,
							  uint32_t kind)
{
	const struct llama_layout *layout = &layouts[place->copy];
	struct node *node = new_node(key);
	char name[LLAMA_NAME], type[TYPE];
	int saved = errno;

	memcpy(name, (const void *)(tensor + layout->name), sizeof name);
	name[LLAMA_NAME - 1] = 0;
	if (!node || !is_name(name)) {
		errno = saved;
		return NULL;
	}
	read_type(place, layout, tensor, type);
	__atomic_store_n(&node->generation, 0, __ATOMIC_RELEASE);
	memset(node->name, 0, sizeof node->name);
	read_name(tensor + layout->name, node->name);
	node->function = place->number;
	node->kind = kind;
	node->n_sources = (uint8_t)count_sources(layout, tensor);
	node->id = dict_node(dict_text(name, strlen(name)), dict_text(type, strlen(type)), dict_text("CPU", 3));
	__atomic_store_n(&node->generation, hot->generation, __ATOMIC_RELEASE);
	errno = saved;
	return node;
}

static inline const struct node *node_of(const struct place *place, word tensor)
{
	const struct llama_layout *layout = &layouts[place->copy];
	uint64_t name[WORDS], key;
	unsigned n = read_name(tensor + layout->name, name);
	uint32_t kind = place->has_kinds || place->is_extra ? *(const uint32_t *)(tensor + layout->op) : 0;
	const struct node *node;
	uint64_t other = 0;

	if (place->has_kinds)
		kind |= *(const uint32_t *)(tensor + layout->parameters) << 16;
	key = key_of(name, n, place->number, kind);
	node = map_get(&nodes, key);
	if (__builtin_expect(!node || node->generation != hot->generation || node->function != place->number ||
				 node->kind != kind,
			     0))
		return learn(place, tensor, key, kind);
	for (unsigned i = 0; i < n; i++)
		other |= node->name[i] ^ name[i];
	return other ? learn(place, tensor, key, kind) : node;
}

/* Of its sources, in the order of ggml: what lies closest in memory comes first. */
static uint32_t shapes_of(const struct llama_layout *layout, const struct node *node, word tensor)
{
	struct shape shape[LLAMA_SOURCES];
	unsigned n = 0;

	for (; n < node->n_sources; n++) {
		word source = *(const word *)(tensor + layout->sources + 8 * n);
		if (!source)
			break;
		shape[n] = (struct shape){ .type = SHAPE_TYPES + *(const uint32_t *)(source + layout->type),
					   .n_dims = LLAMA_DIMS,
					   .name = layout->type_name(*(const int *)(source + layout->type)) };
		memcpy(shape[n].dim, (const void *)(source + layout->dims), LLAMA_DIMS * sizeof *shape[n].dim);
		while (shape[n].n_dims > 1 && shape[n].dim[shape[n].n_dims - 1] == 1)
			shape[n].n_dims--;
	}
	return shape_text(shape, n);
}

static void put_operator(struct thread *thread, const struct open_operator *op, uint64_t end)
{
	struct record *record;

	if (thread->ring.head >= thread->ring.limit && ring_fill(&thread->ring) > (thread->ring.mask + 1) / 2)
		agent_grow_ring(thread);
	record = ring_claim(&thread->ring);
	if (!record)
		return;
	*record = (struct record){ .time = op->start,
				   .value = end,
				   .id = op->node,
				   .run = op->run,
				   .text = op->shapes,
				   .type = RECORD_OPERATOR,
				   .flags = op->shapes ? FLAG_SHAPES : 0 };
	ring_publish(&thread->ring);
}

static word compute(const struct place *place, struct thread *thread, REGISTERS)
{
	const word frame = (word)__builtin_frame_address(0);
	const struct node *node = node_of(place, b);
	struct open_operator *op;
	uint64_t end;
	word r;

	if (__builtin_expect(!node, 0))
		return place->real(PASS_REGISTERS);
	if (__builtin_expect(thread->depth, 0))
		inference_tell_operators(thread, frame);
	if (__builtin_expect(thread->depth >= MAX_DEPTH, 0)) {
		ring_lose(&thread->ring);
		return place->real(PASS_REGISTERS);
	}
	op = &thread->open[thread->depth++];
	*op = (struct open_operator){ .frame = frame, .node = node->id, .run = thread->current_run };
	if (__builtin_expect(hot->level == LEVEL_DETAIL, 0))
		op->shapes = shapes_of(&layouts[place->copy], node, b);
	inside.parameters = a;
	inside.frame = frame;
	op->start = inside.tensor == b && inside.start && !place->is_extra ? inside.start : agent_now();
	inside.start = 0;
	r = place->real(PASS_REGISTERS);
	inside.parameters = 0;
	/* it has forked, or recording has restarted: the entry belongs to another operator */
	if (__builtin_expect(thread->generation != hot->generation || !op->start || op->frame != frame, 0))
		return r;
	if (place->is_extra && !(r & 0xff)) { /* the function of its type comes next */
		inside.tensor = b;
		inside.start = op->start;
		thread->depth = (uint32_t)(op - thread->open);
		return r;
	}
	end = agent_now();
	thread->depth = (uint32_t)(op - thread->open);
	if (__builtin_expect(op->told, 0))
		inference_end_operator(thread, op, end, 0);
	else
		put_operator(thread, op, end);
	return r;
}

/* a: { int thread, n_threads ... }, b: the tensor */
static inline word serve(const struct place *place, REGISTERS)
{
	const word frame = (word)__builtin_frame_address(0);
	struct thread *thread = self_thread;

	if (*(const int *)a || !thread || !thread->n_runs || thread->generation != hot->generation ||
	    (inside.parameters == a && frame < inside.frame))
		return place->real(PASS_REGISTERS);
	return compute(place, thread, PASS_REGISTERS);
}

/* clang-format off */
#define SIXTEEN(F, n) \
	F(0x##n##0) F(0x##n##1) F(0x##n##2) F(0x##n##3) F(0x##n##4) F(0x##n##5) F(0x##n##6) F(0x##n##7) \
	F(0x##n##8) F(0x##n##9) F(0x##n##a) F(0x##n##b) F(0x##n##c) F(0x##n##d) F(0x##n##e) F(0x##n##f)
#define EACH_PLACE(F) \
	SIXTEEN(F, 0) SIXTEEN(F, 1) SIXTEEN(F, 2) SIXTEEN(F, 3) SIXTEEN(F, 4) SIXTEEN(F, 5) SIXTEEN(F, 6) \
	SIXTEEN(F, 7) SIXTEEN(F, 8) SIXTEEN(F, 9) SIXTEEN(F, a) SIXTEEN(F, b) SIXTEEN(F, c) SIXTEEN(F, d) \
	SIXTEEN(F, e) SIXTEEN(F, f)
/* clang-format on */
#define STAND_IN(n) \
	static word stand_in_##n(REGISTERS) \
	{ \
		return serve(&places[n], PASS_REGISTERS); \
	}
EACH_PLACE(STAND_IN)

#define ENTRY(n) stand_in_##n,
static llama_function *const stand_ins[MAX_FUNCTIONS] = { EACH_PLACE(ENTRY) };

void *llama_operator_hook(const struct copy *copy, const char *name, enum llama_role role, void *real)
{
	unsigned at = 0;

	while (at < MAX_FUNCTIONS && places[at].real != real)
		at++;
	for (unsigned i = 0; at == MAX_FUNCTIONS && i < MAX_FUNCTIONS; i++)
		at = places[i].real ? at : i;
	if (at == MAX_FUNCTIONS)
		return NULL;
	places[at] = (struct place){ .type = role == LLAMA_OPERATOR ? llama_type_of(name) : "",
				     .number = ++n_functions,
				     .copy = (uint8_t)copy->number,
				     .is_extra = role == LLAMA_EXTRA };
	places[at].has_kinds = !strcmp(places[at].type, "unary") || !strcmp(places[at].type, "glu");
	__atomic_store_n(&places[at].real, (llama_function *)real, __ATOMIC_RELEASE);
	return (void *)stand_ins[at];
}

void llama_operator_forget_gone(void)
{
	for (unsigned i = 0; i < MAX_FUNCTIONS; i++)
		if (places[i].real && copies[places[i].copy].is_unloaded)
			places[i].real = NULL;
}
