// SPDX-License-Identifier: Apache-2.0
/*
 * Operators of ONNX Runtime: hooks for the virtual functions of OpKernel.
 *
 * The hot path is on_compute: one look-up, two clock reads, one record. Everything that may take longer happens when a
 * kernel is first seen (kernel_learn), or off this path.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/guard.h"
#include "capture/agent/ort/ort_call.h"
#include "capture/agent/run/phase.h"
#include "event/event.h"
#include "runtime/ort/ort_node.h"

static struct map kernels; /* OpKernel -> struct kernel */
static struct kernel *free_kernels;

/* Call under the lock. */
static void free_kernel(struct kernel *kernel)
{
	kernel->vptr = 0;
	kernel->next_free = free_kernels;
	free_kernels = kernel;
}

void ort_operator_forget_all(void)
{
	const struct map_table *table;

	agent_lock();
	table = kernels.table;
	for (uint64_t i = 0; table && i <= table->mask; i++) {
		struct kernel *kernel = table->entry[i].value;
		if (!kernel)
			continue;
		map_put(&kernels, kernel->self, NULL);
		free_kernel(kernel);
	}
	agent_unlock();
}

/* The text id of a provider's name, in this process's segment. */
static uint32_t provider_name(word at)
{
	struct provider *provider = at ? map_get(&session_providers, at) : NULL;

	if (!provider || !provider->text[0])
		return 0;
	if (provider->generation != hot->generation) {
		provider->name = dict_text(provider->text, strlen(provider->text));
		provider->generation = hot->generation;
	}
	return provider->name;
}

static struct kernel *kernel_new(word self)
{
	struct kernel *kernel;

	agent_lock();
	kernel = map_get(&kernels, self);
	if (!kernel) {
		kernel = free_kernels;
		if (kernel)
			free_kernels = kernel->next_free;
		else
			kernel = arena_alloc(&agent.arena, sizeof *kernel);
		if (kernel) {
			memset(kernel, 0, sizeof *kernel);
			kernel->self = self;
			if (!map_put(&kernels, self, kernel)) {
				free_kernel(kernel);
				kernel = NULL;
			}
		}
	}
	agent_unlock();
	return kernel;
}

/* First call of a kernel, or of a new one at a known address. NULL: out of memory. */
static __attribute__((noinline)) struct kernel *kernel_learn(word self)
{
	struct ort_copy *copy = ort_copy_of(self);
	struct kernel *kernel = copy ? kernel_new(self) : NULL;
	struct ort_node node;
	int saved = errno;

	if (!kernel)
		return NULL;
	ort_node_read(&copy->copy->found, self, &node);
	if (kernel->vptr != *(word *)self) { /* not the same kernel again, but another one */
		kernel->constant = kernel->graph_input = 0;
		kernel->look = LOOK_LEARN;
	}
	if (!node.type[0] && guard_is_on && agent.segment)
		__atomic_fetch_add(&agent.segment->dict_lost, 1, __ATOMIC_RELAXED);
	kernel->copy = copy;
	kernel->compute = copies_original(copy->copy, *(word *)self, ORT_COMPUTE);
	kernel->session = session_of_provider(node.provider);
	if (!kernel->session && agent.late_since)
		kernel->session = ort_late_session(node.provider);
	kernel->session_number = kernel->session ? kernel->session->number : 0;
	kernel->node = dict_node(dict_text(node.name, strlen(node.name)), dict_text(node.type, strlen(node.type)),
				 provider_name(node.provider));
	kernel->generation = hot->generation;
	__atomic_store_n(&kernel->vptr, *(word *)self, __ATOMIC_RELEASE);
	errno = saved;
	return kernel;
}

/* The kernel's entry; learned now if it is new, has changed, or was written to another process's segment. */
static inline struct kernel *kernel_get(word self)
{
	struct kernel *kernel = map_get(&kernels, self);

	if (__builtin_expect(!kernel || kernel->vptr != *(word *)self || kernel->generation != hot->generation, 0))
		kernel = kernel_learn(self);
	return kernel;
}

/*
 * The runtime's context of an operator points at RunOptions::terminate, 40 bytes into the options, from one of a few
 * words that depend on the version. Before 1.18 the program's options are not known here, but those made by the runtime
 * lie on the stack of the running thread, a little above this frame.
 */
static bool is_of_run(uintptr_t context, unsigned lane)
{
	enum {
		FIRST = ORT_CONTEXT_OPTIONS,
		LAST = FIRST + ORT_CONTEXT_OPTIONS_WORDS - 1,
		OPTIONS = 256,
		STACK = 8192,
		FRAMES = 1 << 20
	};
	uint64_t words[LAST + 1], options = inference_active[lane].run_options, stack = inference_active[lane].stack;

	if (!context)
		return false;
	/* after injection: options that do not belong to one run may be shared with a run older than the hooks */
	if (agent.late_since && options && options - stack >= FRAMES)
		return false;
	memcpy(words, (const void *)context, sizeof words);
	for (int i = FIRST; i <= LAST; i++)
		if ((options && words[i] - options < OPTIONS) || (!options && words[i] - stack < STACK))
			return true;
	return false;
}

static uint32_t find_run(const struct kernel *kernel, uintptr_t context)
{
	uint64_t lanes = __atomic_load_n(&hot->lanes, __ATOMIC_RELAXED);
	uint32_t only = 0, matching = 0, n = 0, n_matching = 0;

	for (uint64_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t run = __atomic_load_n(&inference_active[lane].run, __ATOMIC_ACQUIRE);
		/* of a kernel whose provider several sessions share the session is unknown: the run's options may tell
		 */
		bool is_own = inference_active[lane].session == kernel->session;
		if (!run || (!is_own && kernel->session))
			continue;
		/* after injection: it may belong to a run older than the hooks, of which nothing is known */
		only = agent.late_since || !is_own ? 0 : run;
		n++;
		if (is_of_run(context, lane)) {
			matching = run;
			n_matching++;
		}
	}
	/* several runs share their options: assigns none rather than a wrong one */
	return n_matching == 1 ? matching : n == 1 ? only : 0;
}

static uint32_t run_of(struct thread *thread, const struct kernel *kernel, word context)
{
	struct open_run *run = inference_top(thread);

	/* the hook by which its provider tells it was taken out meanwhile: the recording ends */
	if (run && !run->told) {
		run->session = run->session ? run->session : kernel->session;
		inference_tell(thread, run, NULL);
	}
	if (run)
		return run->run;
	if (creation_is_open(thread))
		return 0;
	/* where ends of runs are hooked, they were hooked before operators: no run has ended here since */
	if (agent.late_since && !thread->is_settled && !thread->unbegun && kernel->copy->cpu_vtable) {
		thread->unbegun = agent_now();
		thread->unbegun_copy = kernel->copy->copy->number;
	}
	return find_run(kernel, context);
}

/*
 * It returns in another process, or another recording, than it began in: nothing may be written, because the ring is
 * not this one's and the entry may belong to another operator by now.
 */
static inline bool is_stale(const struct thread *thread, const struct open_operator *op, word frame)
{
	return thread->generation != hot->generation || !op->start || op->frame != frame;
}

/* Any operator: inside another, on a thread without an inference, with shapes, or new. */
static __attribute__((noinline)) word compute_any(word result, word self, word context, word frame)
{
	struct thread *thread = agent_thread();
	struct kernel *kernel = thread ? kernel_get(self) : NULL;
	struct open_operator *op;
	uint32_t run, shapes = 0;
	uint64_t end;
	word r;

	if (__builtin_expect(!kernel, 0)) {
		ort_function *next = ort_original(self, result, ORT_COMPUTE);
		return ORT_CALL_COMPUTE(next, result, self, context);
	}
	if (__builtin_expect(thread->depth, 0))
		inference_tell_operators(thread, frame);
	if (__builtin_expect(thread->depth >= MAX_DEPTH, 0)) {
		ring_lose(&thread->ring);
		return ORT_CALL_COMPUTE(kernel->compute, result, self, context);
	}
	run = run_of(thread, kernel, context);
	if (__builtin_expect(hot->level == LEVEL_DETAIL, 0))
		shapes = ort_shape_of_context(kernel->copy, context);
	if (__builtin_expect(kernel->look & thread->looks, 0))
		ort_inputs_see(thread, kernel, context);
	op = &thread->open[thread->depth++];
	op->frame = frame;
	op->node = kernel->node;
	op->run = run;
	op->shapes = shapes;
	op->told = false;
	op->start = agent_now();
	r = ORT_CALL_COMPUTE(kernel->compute, result, self, context);
	end = agent_now();
	if (__builtin_expect(is_stale(thread, op, frame), 0))
		return r;
	thread->depth = (uint32_t)(op - thread->open);
	if (__builtin_expect(op->told | (*(word *)result != 0), 0)) {
		inference_end_operator(thread, op, end, *(word *)result ? ort_copy_failure(*(word *)result) : 0);
		return r;
	}
	inference_put_operator(thread, op, end);
	return r;
}

/* An operator that needs more than the short path: it contained others, it failed, or it forked. */
static __attribute__((noinline)) void compute_rest(struct thread *thread, uint64_t end, uint64_t state, word frame)
{
	struct open_operator *op = &thread->open[0];

	if (is_stale(thread, op, frame))
		return;
	thread->depth = 0;
	inference_end_operator(thread, op, end, state ? ort_copy_failure(state) : 0);
}

/*
 * The hot path, for what nearly all operators are: known, in an inference of this thread, not inside another. Kept as
 * short as possible, not only to save instructions: the runtime's own code fills the instruction cache, and evicting it
 * costs more.
 */
word ort_on_compute(word result, word self, word context)
{
	const struct map_table *table = __atomic_load_n(&kernels.table, __ATOMIC_ACQUIRE);
	const word frame = (word)__builtin_frame_address(0);
	struct thread *thread = self_thread;
	const struct map_entry *entry;
	const struct kernel *kernel;
	struct open_operator *op;
	uint64_t end;
	word r;

	if (!table || !thread)
		return compute_any(result, self, context, frame);
	for (uint64_t at = map_hash(self);; at++) {
		word key;
		entry = &table->entry[at & table->mask];
		key = __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE);
		if (__builtin_expect(key == self, 1))
			break;
		if (!key)
			return compute_any(result, self, context, frame);
	}
	kernel = __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
	/* self: the table may have been overwritten meanwhile (map.h) */
	if (__builtin_expect(!kernel, 0) || __builtin_expect(kernel->self != self, 0) ||
	    __builtin_expect(kernel->vptr != *(word *)self, 0) ||
	    __builtin_expect(kernel->generation != thread->plain, 0) ||
	    __builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(thread->depth, 0) ||
	    __builtin_expect(kernel->look & thread->looks, 0))
		return compute_any(result, self, context, frame);
	op = &thread->open[0];
	op->frame = frame;
	op->node = kernel->node;
	op->run = thread->current_run;
	op->shapes = 0;
	op->told = false;
	thread->depth = 1;
	op->start = clock_ticks();
	r = ORT_CALL_COMPUTE(kernel->compute, result, self, context);
	end = clock_ticks();
	if (__builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(op->told, 0) ||
	    __builtin_expect(*(word *)result != 0, 0)) {
		compute_rest(thread, end, *(word *)result, frame);
		return r;
	}
	thread->depth = 0;
	inference_put_operator(thread, op, end);
	return r;
}

/* The deleting destructor: the address may be reused by another kernel. */
word ort_on_kernel_delete(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_KERNEL_DELETE);
	struct kernel *kernel = map_get(&kernels, a);

	if (kernel) {
		agent_lock();
		map_put(&kernels, a, NULL);
		free_kernel(kernel);
		agent_unlock();
	}
	return next(ORT_PASS);
}

/* b: this; d: number of the constant input */
word ort_on_prepack(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_PREPACK);
	struct thread *thread = agent_thread();
	struct kernel *kernel;
	uint64_t start, end;
	word r;

	if (!met.vptr || !thread || !creation_is_open(thread) || !(kernel = kernel_get(b)))
		return ORT_CALL(met.next);
	if (d < 32)
		kernel->constant |= 1u << d;
	start = agent_now();
	phase_pack(thread, start);
	thread->is_packing = true;
	r = ORT_CALL(met.next);
	thread->is_packing = false;
	end = agent_now();
	creation_part_node(thread, kernel->node, start, end);
	phase_packed(thread, end);
	return r;
}
