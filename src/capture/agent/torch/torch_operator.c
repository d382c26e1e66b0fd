// SPDX-License-Identifier: Apache-2.0
/*
 * Operators of PyTorch: an observer of the runtime, like those of torch.profiler, which go on beside it. It is called
 * at the start and at the end of every operator on every thread, also of one that throws. It sees an operator's name,
 * and its arguments at level detail alone, because they cost the runtime copies.
 *
 * An operator belongs to the innermost inference of its thread; on a thread without one it has none.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"
#include "runtime/find/dynamic.h"
#include "runtime/find/peek.h"
#include "runtime/torch/torch.h"

/* at::RecordFunctionCallback, and zeroes behind it: it is passed in memory, and the runtime takes what it knows. */
enum { SCOPE_FUNCTION, SCOPE_BACKWARD, SCOPES = 10, MORE = 22, MOST_NAME = 200, DEVICES = 4, NEEDS_INPUTS = 0 };
enum { TRIALS = 64, MOST_TEXTS = 65536 };
struct callback {
	void *(*start)(void **result, const void *function);
	void (*end)(const void *function, void *context);
	double probability;
	bool scope[SCOPES];
	bool more[MORE]; /* what it needs: inputs, outputs, numbers */
};
typedef uint64_t add_function(struct callback);
typedef void remove_function(uint64_t handle);
typedef const char *name_function(const void *function);

/*
 * A name of an operator. The runtime makes some anew for each call, so that different ones have the same address in
 * turn: the text counts, the address is a guess.
 */
struct label {
	const char *text;
	uint32_t generation;
	struct {
		uint32_t node; /* 0: none yet */
		torch_device device;
	} of[DEVICES];
};

static name_function *name_of;
static remove_function *remove_callback;
static uint64_t handle;	  /* 0: not added */
static struct map labels; /* by address of the first such text */
static struct map texts;  /* the same by their hash */
static uint32_t n_texts, n_tried;
static bool needs_inputs; /* level detail */
static bool is_strange;	  /* a name was none: nothing is recorded any more */

static bool is_name(const char *text)
{
	char copy[MOST_NAME];
	size_t len = 0;

	for (size_t at = 0; at < sizeof copy; at += 8)
		if (!peek_read((uint64_t)(uintptr_t)text + at, copy + at, 8))
			memset(copy + at, 0, 8);
	while (len < sizeof copy && copy[len] >= ' ' && copy[len] < 127)
		len++;
	return len && len < sizeof copy && !copy[len];
}

/* 0: it has none yet on this device. */
static inline uint32_t node_on(const struct label *label, torch_device device)
{
	for (int i = 0; i < DEVICES && label->of[i].node; i++)
		if (__builtin_expect(label->of[i].device == device, 1))
			return label->of[i].node;
	return 0;
}

static uint32_t new_node(const char *text, torch_device device)
{
	uint32_t name = dict_text(text, strlen(text));

	return dict_node(name, name, torch_device_text(device));
}

/* Its node on a device; of more devices than there is room for, without one. */
static uint32_t learn_node(struct label *label, const char *text, torch_device device)
{
	uint32_t node;
	int i = 0;

	if (label->generation != hot->generation)
		memset(label->of, 0, sizeof label->of);
	while (i < DEVICES && label->of[i].node && label->of[i].device != device)
		i++;
	node = new_node(text, i < DEVICES ? device : 0);
	if (i < DEVICES) {
		label->of[i].device = device;
		__atomic_store_n(&label->of[i].node, node, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&label->generation, hot->generation, __ATOMIC_RELEASE);
	return node;
}

static uintptr_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash | 1;
}

/* Call under the agent's lock. NULL: there is no room. */
static struct label *label_of(uintptr_t hash, const char *text)
{
	struct label *label = map_get(&texts, hash);

	if (label || n_texts == MOST_TEXTS)
		return label;
	label = arena_alloc(&agent.arena, sizeof *label);
	if (!label)
		return NULL;
	memset(label, 0, sizeof *label);
	label->text = arena_keep(&agent.arena, text);
	if (!label->text || !map_put(&texts, hash, label))
		return NULL;
	n_texts++;
	return label;
}

/* The first ones are read with care; then what leads to a name has proved right. */
static bool is_trusted(const char *text)
{
	if (__atomic_load_n(&n_tried, __ATOMIC_RELAXED) >= TRIALS)
		return true;
	if (!is_name(text))
		return false;
	__atomic_add_fetch(&n_tried, 1, __ATOMIC_RELAXED);
	return true;
}

/* A text that is not at the place where it was first. */
static __attribute__((noinline)) uint32_t learn(const char *text, torch_device device)
{
	int saved = errno;
	struct label *label;
	uintptr_t hash;
	uint32_t node = 0;

	if (!is_trusted(text)) {
		is_strange = true;
		return 0;
	}
	hash = hash_of(text);
	label = map_get(&texts, hash);
	if (!label || !map_get(&labels, (uintptr_t)text)) {
		agent_lock();
		label = label_of(hash, text);
		if (label && !map_get(&labels, (uintptr_t)text))
			map_put(&labels, (uintptr_t)text, label);
		agent_unlock();
	}
	if (!label || strcmp(label->text, text)) {
		node = new_node(text, device);
	} else {
		if (label->generation == hot->generation)
			node = node_on(label, device);
		if (!node)
			node = learn_node(label, text, device);
	}
	errno = saved;
	return node;
}

/* 0: it has none. */
static inline uint32_t node_of(const void *function, torch_device device)
{
	const char *text = name_of(function);
	const struct label *label = map_get(&labels, (uintptr_t)text);
	uint32_t node;

	if (__builtin_expect(!label || label->generation != hot->generation || strcmp(label->text, text), 0))
		return learn(text, device);
	node = node_on(label, device);
	return __builtin_expect(node != 0, 1) ? node : learn(text, device);
}

void torch_started(const void *function)
{
	struct thread *thread = agent_thread();
	const struct torch_thread *state;
	struct open_operator *op;
	uint32_t node;

	if (__builtin_expect(!thread || is_strange, 0))
		return;
	state = thread->kept[torch_place];
	node = node_of(function, state ? state->device : 0);
	if (!node)
		return;
	if (thread->depth)
		inference_tell_open(thread);
	if (__builtin_expect(thread->depth >= MAX_DEPTH, 0)) {
		ring_lose(&thread->ring);
		return;
	}
	op = &thread->open[thread->depth++];
	op->frame = UINTPTR_MAX;
	op->node = node;
	op->run = thread->current_run;
	op->shapes = __builtin_expect(needs_inputs, 0) ? torch_shapes_of(function) : 0;
	op->of = function;
	op->told = false;
	op->start = agent_now();
}

/* The one that this began is not the innermost: those inside it have no end, or it was not recorded. */
static __attribute__((noinline)) struct open_operator *find_open(struct thread *thread, const void *function)
{
	for (uint32_t i = thread->depth; i-- > 0;)
		if (thread->open[i].of == function)
			return &thread->open[i];
	return NULL;
}

static void ended(const void *function, void *context)
{
	uint64_t end = agent_now();
	struct thread *thread = self_thread;
	struct open_operator *op;

	if (__builtin_expect(!thread || thread->generation != hot->generation || !thread->depth, 0))
		return;
	op = &thread->open[thread->depth - 1];
	if (__builtin_expect(op->of != function, 0) && !(op = find_open(thread, function)))
		return;
	inference_close_operators(thread, (uint32_t)(op - thread->open) + 1, 0);
	thread->depth = (uint32_t)(op - thread->open);
	op->of = NULL;
	if (op->told)
		inference_end_operator(thread, op, end, 0);
	else
		inference_put_operator(thread, op, end);
}

void torch_operator_arm(const struct image *image, torch_start_function *start)
{
	struct callback callback = { start, ended, 1.0, { [SCOPE_FUNCTION] = true, [SCOPE_BACKWARD] = true }, { 0 } };
	uint64_t add_at, remove, name;
	struct dynamic dynamic;
	add_function *add;

	if (handle || hot->level < LEVEL_OPERATOR || !dynamic_read(&dynamic, image) ||
	    !(add_at = dynamic_function(&dynamic, TORCH_ADD)) || !(remove = dynamic_function(&dynamic, TORCH_REMOVE)) ||
	    !(name = dynamic_function(&dynamic, TORCH_NAME)))
		return;
	memcpy(&add, &add_at, sizeof add);
	memcpy(&name_of, &name, sizeof name);
	memcpy(&remove_callback, &remove, sizeof remove);
	needs_inputs = hot->level >= LEVEL_DETAIL;
	callback.more[NEEDS_INPUTS] = needs_inputs;
	handle = add(callback);
}

/* In a child of fork another thread may have held the runtime's lock: the observer stays, and records nothing. */
void torch_operator_disarm(void)
{
	if (!handle || agent_is_child())
		return;
	remove_callback(handle);
	handle = 0;
}

void torch_operator_forget_all(void)
{
	agent_lock();
	for (uint64_t i = 0; texts.table && i <= texts.table->mask; i++) {
		struct label *label = texts.table->entry[i].value;
		if (label)
			label->generation = 0;
	}
	agent_unlock();
}
