// SPDX-License-Identifier: Apache-2.0
/*
 * Operators of ggml on CPUs. Each thread of a graph calls the function of each node, and waits for the others after it.
 * Recorded is what thread 0 does, which is the one that decodes the batch: an operator lasts from its call until all
 * threads have finished. A function that is called inside another, for the same node, is a part of that. Nodes outside
 * an inference are not recorded.
 *
 * Tensors are made anew for each graph, and their addresses come again for others. So a node goes by its name and by
 * its function, not by its address. Most inferences compute the nodes of the one before, in the same order: a thread
 * keeps that order, and compares each node with the one that is next in it.
 *
 * Inside a graph an operator begins when the one before it has ended, so that each takes one reading of the clock.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/llama/llama_in.h"
#include "capture/agent/run/inference.h"
#include "runtime/find/peek.h"

enum { MAX_FUNCTIONS = 256, MAX_NODES = 1 << 16, TYPE = 48, MAX_RECALLED = 4096, SHORT_NAME = 32 };

/* The arguments of these functions, of which none has more. */
#define ARGS word a, word b, word c, word d, word e
#define PASS a, b, c, d, e
typedef word function(ARGS);
struct place;
typedef word server(ARGS, const struct place *place);

/* A function to which imports of a copy are bound. */
static struct place {
	function *real; /* NULL: free */
	server *serve;
	uint32_t number; /* another one for each function that takes the place */
	uint16_t name_at;
	uint8_t copy;
	uint8_t role;	  /* enum llama_role */
	bool has_kinds;	  /* what it computes depends on its operator, or on a parameter of the tensor */
	const char *type; /* in the module, while that is loaded */
} places[MAX_FUNCTIONS];
static uint32_t n_functions;
static struct llama_layout layouts[MAX_COPIES];

/*
 * Nodes by a hash of name, function and generation: numbers of 64 bits, of which no two are equal by chance. The value
 * is the node's id, and above it the number of its sources.
 */
static struct map nodes;
static uint32_t n_nodes;

/* A node of the last inference. Only one with a short name is kept here. */
struct recalled {
	uint64_t name[SHORT_NAME / 8];
	uint32_t number, kind; /* of its function, 0: none is kept; as kind_of returns */
	uint64_t node;
};

struct llama_thread {
	uint32_t generation;
	uint32_t next;
	struct recalled recalled[MAX_RECALLED];
};
static uint32_t place_of_own; /* agent_keep */

/*
 * What this thread computes; since when the next operator runs; the operator that has returned, and ends when the other
 * threads have finished it, too.
 */
static __thread struct {
	word parameters, frame;
	bool is_in_graph;
	uint64_t since;		    /* 0: not known */
	struct open_operator waits; /* start 0: none */
} inside __attribute__((tls_model("initial-exec")));

void llama_operator_know(const struct copy *copy, const struct llama_layout *layout)
{
	layouts[copy->number] = *layout;
}

static inline uint32_t kind_of(const struct place *place, word tensor)
{
	const struct llama_layout *layout = &layouts[place->copy];

	return place->has_kinds
		   ? *(const uint32_t *)(tensor + layout->op) | *(const uint32_t *)(tensor + layout->parameters) << 16
		   : 0;
}

/* Of a node; all of its name is in it. */
static inline uint64_t key_of(const struct place *place, word tensor)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t key = ((uint64_t)hot->generation << 32 | place->number) * 0x9e3779b97f4a7c15u + kind_of(place, tensor);

	for (unsigned i = 0; i < LLAMA_NAME / 8; i++) {
		uint64_t part, zeros;
		memcpy(&part, (const void *)(tensor + place->name_at + 8 * i), 8);
		zeros = (part - ones) & ~part & highs;
		if (zeros) /* the rest is behind the name's end */
			part &= ((zeros & -zeros) >> 7) - 1;
		key = (key ^ part) * 0xff51afd7ed558ccdu;
		key ^= key >> 29;
		if (zeros)
			break;
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
	if (place->role == LLAMA_EXTRA || !strcmp(type, place->type))
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

static uint64_t keep(uint64_t key, uint64_t node)
{
	agent_lock();
	if (n_nodes == MAX_NODES) {
		map_clear(&nodes);
		n_nodes = 0;
	}
	n_nodes += map_put(&nodes, key, (void *)node);
	agent_unlock();
	return node;
}

/* First call of a node. 0: it is no tensor, or there is no room for its name. */
static __attribute__((noinline)) uint64_t learn(const struct place *place, word tensor, uint64_t key)
{
	const struct llama_layout *layout = &layouts[place->copy];
	char name[LLAMA_NAME], type[TYPE];
	int saved = errno;
	uint64_t node = 0;

	memcpy(name, (const void *)(tensor + layout->name), sizeof name);
	if (is_name(name)) {
		read_type(place, layout, tensor, type);
		node = dict_node(dict_text(name, strlen(name)), dict_text(type, strlen(type)), dict_text("CPU", 3));
		if (node)
			node = keep(key, node | (uint64_t)count_sources(layout, tensor) << 32);
	}
	errno = saved;
	return node;
}

static __attribute__((noinline)) uint64_t seek(const struct place *place, word tensor)
{
	uint64_t key = key_of(place, tensor), node = (uint64_t)map_get(&nodes, key);

	return node ? node : learn(place, tensor, key);
}

static __attribute__((noinline)) uint64_t seek_and_keep(const struct place *place, word tensor,
							struct recalled *recalled)
{
	uint64_t node = seek(place, tensor);

	memcpy(recalled->name, (const void *)(tensor + place->name_at), SHORT_NAME);
	recalled->number = memchr(recalled->name, 0, SHORT_NAME) ? place->number : 0;
	recalled->kind = kind_of(place, tensor);
	recalled->node = node;
	return node;
}

static inline uint64_t node_of(struct llama_thread *own, const struct place *place, word tensor)
{
	const uint64_t *name = (const uint64_t *)(tensor + place->name_at);
	struct recalled *recalled;

	if (__builtin_expect(!own || own->next == MAX_RECALLED, 0))
		return seek(place, tensor);
	recalled = &own->recalled[own->next++];
	if (__builtin_expect(((recalled->name[0] ^ name[0]) | (recalled->name[1] ^ name[1]) |
			      (recalled->name[2] ^ name[2]) | (recalled->name[3] ^ name[3]) |
			      (recalled->number ^ place->number) | (recalled->kind ^ kind_of(place, tensor))) == 0 &&
				 recalled->node,
			     1))
		return recalled->node;
	return seek_and_keep(place, tensor, recalled);
}

void llama_operator_start(struct thread *thread)
{
	struct llama_thread *own = thread->kept[place_of_own];

	inside.is_in_graph = false;
	inside.since = inside.waits.start = inside.parameters = 0;
	if (hot->level < LEVEL_OPERATOR)
		return;
	if (!own && !(own = agent_keep(thread, &place_of_own, sizeof *own)))
		return;
	if (own->generation != hot->generation)
		memset(own->recalled, 0, sizeof own->recalled);
	own->generation = hot->generation;
	own->next = 0;
}

/* Of its sources, in the order of ggml: what lies closest in memory comes first. */
static uint32_t shapes_of(const struct llama_layout *layout, uint64_t node, word tensor)
{
	struct shapes shapes;

	shapes_init(&shapes);
	for (unsigned n = 0; n < node >> 32; n++) {
		word source = *(const word *)(tensor + layout->sources + 8 * n);
		struct shape shape;
		if (!source)
			break;
		shape = (struct shape){ .type = SHAPE_NAMED + *(const uint32_t *)(source + layout->type),
					.n_dims = LLAMA_DIMS,
					.name = layout->type_name(*(const int *)(source + layout->type)) };
		memcpy(shape.dim, (const void *)(source + layout->dims), LLAMA_DIMS * sizeof *shape.dim);
		while (shape.n_dims > 1 && shape.dim[shape.n_dims - 1] == 1)
			shape.n_dims--;
		shapes_add(&shapes, &shape);
	}
	return shapes_text(&shapes);
}

static inline void end_operator(struct thread *thread, uint64_t end)
{
	if (inside.waits.start && inside.waits.run == thread->current_run && thread->generation == hot->generation)
		inference_put_operator(thread, &inside.waits, end);
	inside.waits.start = 0;
}

void llama_operator_end(struct thread *thread, uint64_t end)
{
	end_operator(thread, end);
}

/* A new operator on this thread: what it is, and since when. */
static inline void begin(struct thread *thread, const struct place *place, word tensor, uint64_t node, uint64_t start)
{
	if (__builtin_expect(inside.waits.start != 0, 0))
		llama_operator_end(thread, start);
	inside.waits.node = (uint32_t)node;
	inside.waits.run = thread->current_run;
	inside.waits.shapes = hot->level == LEVEL_DETAIL ? shapes_of(&layouts[place->copy], node, tensor) : 0;
	inside.waits.start = start;
}

/* Whether this thread's part of a graph is recorded, of which the first argument is { int thread, n_threads ... }. */
static inline bool is_wanted(const struct thread *thread, word a)
{
	return !*(const int *)a && thread && thread->n_runs && thread->generation == hot->generation;
}

/* Whether it is called inside another, for the same node. */
static inline bool is_part(word a, word frame)
{
	return inside.parameters == a && frame < inside.frame;
}

static word compute(ARGS, const struct place *place)
{
	struct thread *thread = self_thread;
	uint64_t node;
	word r;

	if (__builtin_expect(!is_wanted(thread, a) || is_part(a, (word)__builtin_frame_address(0)), 0))
		return place->real(PASS);
	node = node_of(thread->kept[place_of_own], place, b);
	if (__builtin_expect(node != 0, 1))
		begin(thread, place, b, node, inside.since ? inside.since : agent_now());
	inside.since = 0;
	inside.parameters = a;
	inside.frame = (word)__builtin_frame_address(0);
	r = place->real(PASS);
	inside.parameters = 0;
	return r;
}

/* Most nodes are left to the function of their type, which comes next. */
static word compute_extra(ARGS, const struct place *place)
{
	struct thread *thread = self_thread;
	uint64_t node;
	word r;

	if (__builtin_expect(!is_wanted(thread, a) || is_part(a, (word)__builtin_frame_address(0)), 0))
		return place->real(PASS);
	if (!inside.is_in_graph || !inside.since)
		inside.since = agent_now();
	inside.parameters = a;
	inside.frame = (word)__builtin_frame_address(0);
	/* the library does not read it, and it will be needed soon */
	__builtin_prefetch((const void *)(b + place->name_at));
	r = place->real(PASS);
	inside.parameters = 0;
	if (__builtin_expect(!(r & 0xff), 1) || thread->generation != hot->generation)
		return r;
	node = node_of(thread->kept[place_of_own], place, b);
	if (node)
		begin(thread, place, b, node, inside.since);
	inside.since = 0;
	return r;
}

/* Each thread waits here for the others when it has done its part of a node. Some operators wait inside, too. */
static word wait(ARGS, const struct place *place)
{
	uint64_t now;
	word r;

	if (inside.parameters || !(inside.waits.start || inside.is_in_graph))
		return place->real(PASS);
	r = place->real(PASS);
	now = agent_now();
	inside.since = inside.is_in_graph ? now : 0;
	end_operator(self_thread, now);
	return r;
}

/* a: the graph. The last operator ends with it. */
static word compute_graph(ARGS, const struct place *place)
{
	const struct thread *thread = self_thread;
	word r;

	if (!thread || !thread->n_runs || thread->generation != hot->generation)
		return place->real(PASS);
	inside.is_in_graph = true;
	inside.since = 0;
	r = place->real(PASS);
	inside.is_in_graph = false;
	inside.since = 0;
	if (inside.waits.start)
		llama_operator_end(self_thread, agent_now());
	return r;
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
	static word stand_in_##n(ARGS) \
	{ \
		return places[n].serve(PASS, &places[n]); \
	}
EACH_PLACE(STAND_IN)

#define ENTRY(n) stand_in_##n,
static function *const stand_ins[MAX_FUNCTIONS] = { EACH_PLACE(ENTRY) };

static server *const serve[] = {
	[LLAMA_OPERATOR] = compute, [LLAMA_EXTRA] = compute_extra, [LLAMA_GRAPH] = compute_graph, [LLAMA_WAIT] = wait
};

void *llama_operator_hook(const struct copy *copy, const char *name, enum llama_role role, void *real)
{
	unsigned at = 0;

	/* two copies may be bound to one function: each has a place, which goes with it */
	while (at < MAX_FUNCTIONS && (places[at].real != real || places[at].copy != copy->number))
		at++;
	if (at < MAX_FUNCTIONS) /* another word of the copy leads here, and threads may be on their way */
		return (void *)stand_ins[at];
	for (unsigned i = 0; at == MAX_FUNCTIONS && i < MAX_FUNCTIONS; i++)
		at = places[i].real ? at : i;
	if (at == MAX_FUNCTIONS)
		return NULL;
	places[at] = (struct place){ .serve = serve[role],
				     .type = role == LLAMA_OPERATOR ? llama_type_of(name) : "",
				     .number = ++n_functions,
				     .name_at = layouts[copy->number].name,
				     .copy = (uint8_t)copy->number,
				     .role = (uint8_t)role };
	places[at].has_kinds =
	    role == LLAMA_EXTRA || !strcmp(places[at].type, "unary") || !strcmp(places[at].type, "glu");
	__atomic_store_n(&places[at].real, (function *)real, __ATOMIC_RELEASE);
	return (void *)stand_ins[at];
}

void llama_operator_forget_gone(void)
{
	for (unsigned i = 0; i < MAX_FUNCTIONS; i++)
		if (places[i].real && copies[places[i].copy].is_unloaded)
			places[i].real = NULL;
}
