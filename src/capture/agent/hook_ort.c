// SPDX-License-Identifier: Apache-2.0
/*
 * What stands in for ONNX Runtime's virtual functions.
 *
 * Calling convention: a function that returns a class gets a hidden first argument for the result, then
 * `this`. Except for Compute, whose signature never changed, a hook passes on six register and six stack
 * words, whatever the true number of parameters is: parameters that a version adds do no harm. Those that are
 * called in every run, which have four at most, pass on the six registers.
 *
 * The hot path is on_compute: one look-up, two clocks, one record. Everything that may take longer
 * happens at first sight of a kernel (kernel_learn), or once per run or session.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/ort.h"
#include "event/event.h"
#include "runtime/ort_node.h"

typedef uintptr_t word;
#define ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define PASS a, b, c, d, e, f, g, h, i, j, k, l
#define REGISTERS word a, word b, word c, word d, word e, word f
#define PASS_REGISTERS a, b, c, d, e, f
typedef word function(ARGS);
typedef word run_function(REGISTERS);
typedef word compute_function(word result, word self, word context);

struct map kernels;
static struct kernel *free_kernels;

/*
 * The first class that each hook met, with what it needs to know of it: four of them are called in every run.
 * Written once, and again only after a module was unloaded.
 */
static struct met {
	word vptr; /* 0: none yet; stored last */
	function *next;
	struct runtime *runtime;
} met[N_ORT_FAMILIES];

static __attribute__((noinline)) struct met meet(word object, enum ort_family family)
{
	struct runtime *runtime = runtime_of(object);
	int slot = runtime ? runtime->ort.slot[family] : -1;
	struct met new = { *(word *)object, NULL, runtime };

	if (slot >= 0)
		new.next = (function *)hook_original(new.vptr + 8 * (word)slot);
	agent_lock();
	if (new.next && !met[family].vptr) {
		met[family].next = new.next;
		met[family].runtime = runtime;
		__atomic_store_n(&met[family].vptr, new.vptr, __ATOMIC_RELEASE);
	}
	agent_unlock();
	return new;
}

void hooks_forget_all(void)
{
	const struct map_table *table;

	agent_lock();
	table = kernels.table;
	for (uint64_t i = 0; table && i <= table->mask; i++) {
		struct kernel *kernel = table->entry[i].value;
		if (!kernel)
			continue;
		map_put(&kernels, kernel->self, NULL);
		kernel->vptr = 0;
		kernel->next_free = free_kernels;
		free_kernels = kernel;
	}
	agent_unlock();
}

void hooks_forget(void)
{
	for (int i = 0; i < N_ORT_FAMILIES; i++) /* no others: somebody may be reading them */
		if (met[i].vptr && met[i].runtime->is_gone)
			__atomic_store_n(&met[i].vptr, 0, __ATOMIC_RELEASE);
}

static inline struct met met_of(word object, enum ort_family family)
{
	if (__builtin_expect(__atomic_load_n(&met[family].vptr, __ATOMIC_ACQUIRE) == *(word *)object, 1))
		return met[family];
	return meet(object, family);
}

static inline function *original(word object, enum ort_family family)
{
	return met_of(object, family).next;
}

/* The text id of a provider's name, in this process's segment. */
static uint32_t provider_name(word at)
{
	struct provider *provider = at ? map_get(&providers, at) : NULL;

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
			if (!map_put(&kernels, self, kernel))
				kernel = NULL;
		}
	}
	agent_unlock();
	return kernel;
}

/* First sight of a kernel, or of one whose address was another's. NULL: memory is out. */
static __attribute__((noinline)) struct kernel *kernel_learn(word self)
{
	struct runtime *runtime = runtime_of(self);
	struct kernel *kernel = runtime ? kernel_new(self) : NULL;
	struct ort_node node;
	int saved = errno;

	if (!kernel)
		return NULL;
	ort_node_read(&runtime->ort, self, &node);
	if (kernel->vptr != *(word *)self) { /* not told again, but another one */
		kernel->constant = kernel->graph_input = 0;
		kernel->look = LOOK_LEARN;
	}
	kernel->runtime = runtime;
	kernel->compute = hook_original(*(word *)self + 8 * (word)runtime->ort.slot[ORT_COMPUTE]);
	kernel->session = session_of_provider(node.provider);
	if (!kernel->session && agent.late_since)
		kernel->session = late_session(node.provider);
	kernel->session_number = kernel->session ? kernel->session->number : 0;
	kernel->node = dict_node(dict_text(node.name, strlen(node.name)), dict_text(node.type, strlen(node.type)),
				 provider_name(node.provider));
	kernel->generation = hot->generation;
	__atomic_store_n(&kernel->vptr, *(word *)self, __ATOMIC_RELEASE);
	errno = saved;
	return kernel;
}

/* The kernel, learned now if it was not known, has changed, or was told to another process's segment. */
static inline struct kernel *kernel_get(word self)
{
	struct kernel *kernel = map_get(&kernels, self);

	if (__builtin_expect(!kernel || kernel->vptr != *(word *)self || kernel->generation != hot->generation, 0))
		kernel = kernel_learn(self);
	return kernel;
}

/* An operator begins inside another: tell of the outer one first, so that begins come in order. */
static __attribute__((noinline)) void nested(struct thread *thread, word frame)
{
	operators_close(thread, 0, frame);
	for (unsigned at = 0; at < thread->depth && at < MAX_DEPTH; at++) {
		struct open_operator *op = &thread->open[at];
		struct record *record;
		if (op->told || !(record = agent_claim(thread)))
			continue;
		op->told = true;
		*record =
		    (struct record){ .time = op->start, .id = op->node, .run = op->run, .type = RECORD_OPERATOR_BEGIN };
		agent_publish(thread);
	}
}

static __attribute__((noinline)) uint32_t failure_text(uint64_t state)
{
	char text[1024];
	int len = ort_status_message(state, text, sizeof text);

	return dict_text(len ? text : "failed", len ? (size_t)len : 6);
}

/* The end of an operator that is not plain: it had others inside, or it failed. */
static __attribute__((noinline)) void compute_end(struct thread *thread, const struct open_operator *op, uint64_t end,
						  uint64_t state)
{
	struct open_run *run = run_top(thread);
	struct record *record;
	uint32_t message = state ? failure_text(state) : 0;

	if (message && run && !run->message)
		run->message = message;
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = op->told ? end : op->start,
				   .value = end,
				   .id = op->node,
				   .run = op->run,
				   .text = message,
				   .type = op->told ? RECORD_OPERATOR_END : RECORD_OPERATOR,
				   .flags = state ? FLAG_FAILED : 0 };
	agent_publish(thread);
}

static uint32_t run_of(struct thread *thread, const struct kernel *kernel, word context)
{
	if (thread->n_runs)
		return thread->run[thread->n_runs - 1].run;
	return creation_is_open(thread) ? 0 : run_of_operator(kernel, context);
}

/*
 * It returns in another process than the one in which it began, or in another recording: nothing may be written, the
 * ring is not this one's, and the place may be another operator's by now.
 */
static inline bool is_stale(const struct thread *thread, const struct open_operator *op, word frame)
{
	return thread->generation != hot->generation || !op->start || op->frame != frame;
}

/* Any operator: inside another, on a thread that runs no inference, told with its shapes, or learned. */
static __attribute__((noinline)) word compute_any(word result, word self, word context, word frame)
{
	struct kernel *kernel = kernel_get(self);
	struct thread *thread;
	struct open_operator *op;
	struct record *record;
	uint32_t run, shapes = 0;
	uint64_t end;
	word r;

	if (__builtin_expect(!kernel, 0)) {
		compute_function *next = (compute_function *)(word)original(self, ORT_COMPUTE);
		return next(result, self, context);
	}
	thread = agent_thread();
	if (__builtin_expect(!thread, 0))
		return ((compute_function *)kernel->compute)(result, self, context);
	if (__builtin_expect(thread->depth, 0))
		nested(thread, frame);
	if (__builtin_expect(thread->depth >= MAX_DEPTH, 0)) {
		ring_lose(&thread->ring);
		return ((compute_function *)kernel->compute)(result, self, context);
	}
	run = run_of(thread, kernel, context);
	if (__builtin_expect(hot->level == LEVEL_DETAIL, 0))
		shapes = shape_of_context(kernel->runtime, context);
	if (__builtin_expect(kernel->look & thread->looks, 0))
		inputs_see(thread, kernel, context);
	op = &thread->open[thread->depth++];
	op->frame = frame;
	op->node = kernel->node;
	op->run = run;
	op->told = false;
	op->start = agent_now();
	r = ((compute_function *)kernel->compute)(result, self, context);
	end = agent_now();
	if (__builtin_expect(is_stale(thread, op, frame), 0))
		return r;
	thread->depth = (uint32_t)(op - thread->open);
	if (__builtin_expect(op->told | (*(word *)result != 0), 0)) {
		compute_end(thread, op, end, *(word *)result);
		return r;
	}
	if (__builtin_expect(thread->ring.head >= thread->ring.limit, 0) &&
	    ring_fill(&thread->ring) > (thread->ring.mask + 1) / 2)
		agent_grow_ring(thread);
	record = ring_claim(&thread->ring);
	if (__builtin_expect(!record, 0))
		return r;
	record->time = op->start;
	record->value = end;
	record->id = op->node;
	record->run = run;
	record->text = shapes;
	record->type = RECORD_OPERATOR;
	record->flags = shapes ? FLAG_SHAPES : 0;
	record->more = 0;
	ring_publish(&thread->ring);
	return r;
}

/* An operator that was not plain in the end: it had others inside, it failed, it forked, or the ring wants a look. */
static __attribute__((noinline)) void compute_rest(struct thread *thread, uint64_t end, uint64_t state, word frame)
{
	struct open_operator *op = &thread->open[0];
	struct record *record;

	if (is_stale(thread, op, frame))
		return;
	thread->depth = 0;
	if (op->told || state) {
		compute_end(thread, op, end, state);
		return;
	}
	if (ring_fill(&thread->ring) > (thread->ring.mask + 1) / 2)
		agent_grow_ring(thread);
	record = ring_claim(&thread->ring);
	if (!record)
		return;
	*record =
	    (struct record){ .time = op->start, .value = end, .id = op->node, .run = op->run, .type = RECORD_OPERATOR };
	ring_publish(&thread->ring);
}

/*
 * The hot path, for what nearly all operators are: known, in an inference of this thread, not inside another. As
 * short as can be, and not only for its instructions: the runtime's own code fills the instruction cache, and
 * what we take of it costs more than they do.
 */
static word on_compute(word result, word self, word context)
{
	const struct map_table *table = __atomic_load_n(&kernels.table, __ATOMIC_ACQUIRE);
	const word frame = (word)__builtin_frame_address(0);
	struct thread *thread = self_thread;
	const struct map_entry *entry;
	const struct kernel *kernel;
	struct open_operator *op;
	struct ring_writer *ring;
	struct record *record;
	uint64_t who, what = (uint64_t)RECORD_OPERATOR << 32, end;
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
	if (__builtin_expect(!kernel, 0) || __builtin_expect(kernel->vptr != *(word *)self, 0) ||
	    __builtin_expect(kernel->generation != thread->plain, 0) ||
	    __builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(thread->depth, 0) ||
	    __builtin_expect(kernel->look & thread->looks, 0))
		return compute_any(result, self, context, frame);
	op = &thread->open[0];
	who = kernel->node | (uint64_t)thread->current_run << 32;
	memcpy(&op->node, &who, sizeof who);
	op->frame = frame;
	op->told = false;
	thread->depth = 1;
	op->start = clock_ticks();
	r = ((compute_function *)kernel->compute)(result, self, context);
	end = clock_ticks();
	ring = &thread->ring;
	if (__builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(op->told, 0) ||
	    __builtin_expect(*(word *)result != 0, 0) || __builtin_expect(ring->head >= ring->limit, 0) ||
	    __builtin_expect(ring->busy, 0)) {
		compute_rest(thread, end, *(word *)result, frame);
		return r;
	}
	thread->depth = 0;
	ring->busy = 1;
	__asm__ volatile("" ::: "memory");
	record = &ring->data[ring->head & ring->mask];
	record->time = op->start;
	record->value = end;
	memcpy(&record->id, &op->node, sizeof who);
	memcpy(&record->text, &what, sizeof what);
	ring_publish(ring);
	return r;
}

/* The deleting destructor: the address may come back as another kernel. */
static word on_kernel_delete(ARGS)
{
	function *next = original(a, ORT_KERNEL_DELETE);
	struct kernel *kernel = map_get(&kernels, a);

	if (kernel) {
		agent_lock();
		map_put(&kernels, a, NULL);
		kernel->vptr = 0;
		kernel->next_free = free_kernels;
		free_kernels = kernel;
		agent_unlock();
	}
	return next(PASS);
}

/* b: this; d: number of the constant input */
static word on_prepack(ARGS)
{
	function *next = original(b, ORT_PREPACK);
	struct thread *thread = agent_thread();
	struct kernel *kernel;
	uint64_t start, end;
	word r;

	if (!thread || !creation_is_open(thread) || !(kernel = kernel_get(b)))
		return next(PASS);
	if (d < 32)
		kernel->constant |= 1u << d;
	start = agent_now();
	r = next(PASS);
	end = agent_now();
	creation_part_node(thread, kernel->node, start, end);
	return r;
}

/* The session that has this provider, also when it was there before us. */
static struct session *session_running(word provider)
{
	struct session *session = session_of_provider(provider);

	if (__builtin_expect(!agent.late_since, 1))
		return session;
	if (!session)
		return late_session(provider);
	if (session->is_late && !session->was_sought)
		late_name(session, provider);
	return session;
}

/* b: the session's CPU provider; c: the public OrtRunOptions (1.18 and later; garbage before). */
static word on_run_start(REGISTERS)
{
	struct met met_here = met_of(b, ORT_RUN_START);
	struct thread *thread = agent_thread();

	if (thread) {
		const struct runtime *runtime = met_here.runtime;
		struct open_run *run = run_top(thread);
		const char *tag = NULL;
		bool has_options = runtime->ort.minor >= 18, is_new = !run || run->is_executing;
		if (has_options && runtime->ort.api && c && (is_new || !run->told)) {
			void *const *api = (void *const *)runtime->ort.api;
			void *status = ((void *(*)(word, const char **))api[ORT_API_RUN_OPTIONS_GET_RUN_TAG])(c, &tag);
			if (status)
				((void (*)(void *))api[ORT_API_RELEASE_STATUS])(status);
		}
		run_executing(thread, is_new || !run->session ? session_running(b) : run->session, has_options ? c : 0,
			      tag);
	}
	return ((run_function *)(word)met_here.next)(PASS_REGISTERS);
}

static word on_run_end(REGISTERS)
{
	run_function *next = (run_function *)(word)original(b, ORT_RUN_END);
	word r = next(PASS_REGISTERS);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? run_top(thread) : NULL;

	if (!run) {
		if (thread && agent.late_since && !thread->is_settled)
			late_end(thread, session_running(b));
		return r;
	}
	if (__builtin_expect(thread->depth > run->depth, 0))
		operators_close(thread, run->depth, 0);
	if (run->owner == OWNER_PROVIDER)
		run_end(thread, OWNER_PROVIDER, 0);
	if (__builtin_expect(hot->is_child, 0))
		inject_look();
	return r;
}

static void learn_provider(struct thread *thread, word at)
{
	static unsigned offset; /* a guess; a race does no harm */
	char name[64] = "";

	ort_provider_name(at, &offset, name, sizeof name);
	session_add_provider(thread->creation.session, at, name);
}

/* a: result, a vector of capabilities; b: the provider */
static word on_capability(ARGS)
{
	function *next = original(b, ORT_GET_CAPABILITY);
	struct thread *thread = agent_thread();
	struct provider *provider;
	word r;

	if (!thread || !creation_is_open(thread))
		return next(PASS);
	learn_provider(thread, b);
	provider = map_get(&providers, b);
	creation_part_begin(thread, "partition ", provider ? provider->text : NULL);
	r = next(PASS);
	creation_part_end(thread, FLAG_COUNT, (uint32_t)((((word *)a)[1] - ((word *)a)[0]) / 8));
	return r;
}

static word on_compile(ARGS)
{
	function *next = original(b, ORT_COMPILE);
	struct thread *thread = agent_thread();
	struct provider *provider = map_get(&providers, b);
	word r;

	if (!thread || !creation_part_begin(thread, "compile ", provider ? provider->text : NULL))
		return next(PASS);
	r = next(PASS);
	creation_part_end(thread, *(word *)a ? FLAG_FAILED : 0, *(word *)a ? failure_text(*(word *)a) : 0);
	return r;
}

/* The last step of a session's creation, for the CPU provider, which every session has. */
static word on_session_ready(ARGS)
{
	struct runtime *runtime = runtime_of(b);
	function *next = original(b, ORT_SESSION_READY);
	struct thread *thread;
	word r = next(PASS);

	thread = agent_thread();
	if (thread && runtime->ort.slot[ORT_CREATION_END] < 0 && *(word *)b == runtime->cpu_vtable)
		creation_end(thread, OWNER_EVALUATION, *(word *)a ? failure_text(*(word *)a) : 0);
	return r;
}

/* b: this, whose name stands at + 8; d: bool &modified */
static word on_transform(ARGS)
{
	function *next = original(b, ORT_TRANSFORM);
	struct thread *thread = agent_thread();
	char name[96];
	uint8_t before;
	word r;

	if (!thread || !creation_is_open(thread))
		return next(PASS);
	ort_peek_string(b + 8, name, sizeof name);
	before = *(uint8_t *)d;
	creation_part_begin(thread, NULL, name);
	r = next(PASS);
	creation_part_end(thread, !before && *(uint8_t *)d ? FLAG_MODIFIED : FLAG_UNMODIFIED, 0);
	return r;
}

static word on_evaluation_start(REGISTERS)
{
	run_function *next = (run_function *)(word)original(a, ORT_EVALUATION_START);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? run_top(thread) : NULL;

	if (thread && run && run->owner == OWNER_EVALUATION && !run->is_executing)
		run_end(thread, OWNER_EVALUATION, run->message); /* refused, and nobody said so */
	run = thread ? run_top(thread) : NULL;
	if (thread && (!run || run->is_executing)) {
		thread->is_settled = true;
		run_begin(thread, OWNER_EVALUATION, 0, NULL);
	}
	return next(PASS_REGISTERS);
}

static word on_evaluation_stop(REGISTERS)
{
	run_function *next = (run_function *)(word)original(a, ORT_EVALUATION_STOP);
	word r = next(PASS_REGISTERS);
	struct thread *thread = agent_thread();
	const struct open_run *run = thread ? run_top(thread) : NULL;

	if (run && run->owner <= OWNER_EVALUATION)
		run_end(thread, OWNER_EVALUATION, 0);
	return r;
}

/* Called when initialisation begins, after the model was loaded. */
static word on_creation_start(ARGS)
{
	function *next = original(a, ORT_CREATION_START);
	struct thread *thread = agent_thread();

	if (thread) {
		if (!creation_is_open(thread))
			creation_begin(thread, OWNER_EVALUATION, 0);
		creation_loaded(thread, thread->creation.load_start);
	}
	return next(PASS);
}

/* b: the InferenceSession, which is the public OrtSession */
static word on_predefined_transformers(ARGS)
{
	function *next = original(b, ORT_PREDEFINED_TRANSFORMERS);
	struct thread *thread = agent_thread();

	if (thread) {
		if (!creation_is_open(thread))
			creation_begin(thread, OWNER_EVALUATION, 0);
		if (creation_is_open(thread) && !thread->creation.n_nested)
			session_bind(thread->creation.session, b);
	}
	return next(PASS);
}

/* Names that only the loaded model knows: graph name, the second or third word on the stack. */
static word on_creation(ARGS)
{
	struct runtime *runtime = runtime_of(a);
	function *next = original(a, ORT_CREATION);
	struct thread *thread = agent_thread();
	char graph[80];

	if (thread && creation_is_open(thread) && !thread->creation.session->model[0]) {
		bool has_file = runtime->ort.minor >= 23;
		if (ort_peek_string(has_file ? i : h, graph, sizeof graph) >= 0)
			session_name_graph(thread->creation.session, graph);
	}
	if (thread && creation_is_open(thread))
		session_know(runtime, thread->creation.session, (uint32_t)b);
	return next(PASS);
}

/* c: Status const & */
static word on_creation_end(ARGS)
{
	function *next = original(a, ORT_CREATION_END);
	word r = next(PASS);
	struct thread *thread = agent_thread();
	uint64_t state = 0;

	if (thread) {
		ort_peek(c, &state, 8);
		creation_end(thread, OWNER_EVALUATION, state ? failure_text(state) : 0);
	}
	return r;
}

static word on_load_start(ARGS)
{
	function *next = original(a, ORT_LOAD_START);
	struct thread *thread = agent_thread();

	if (thread && creation_is_open(thread))
		thread->creation.load_start = agent_now();
	return next(PASS);
}

static word on_load_end(ARGS)
{
	function *next = original(a, ORT_LOAD_END);
	struct thread *thread = agent_thread();

	if (thread && creation_is_open(thread))
		creation_loaded(thread, thread->creation.load_start);
	return next(PASS);
}

/* b: the runtime's number of the session, or 0; c: Status const & */
static word on_runtime_error(ARGS)
{
	struct runtime *runtime = runtime_of(a);
	function *next = original(a, ORT_RUNTIME_ERROR);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? run_top(thread) : NULL;
	uint64_t state = 0;

	if (thread && ort_peek(c, &state, 8) && state) {
		thread->last_message = failure_text(state);
		if (run) {
			run->message = thread->last_message;
			if (!run->session)
				run->session = session_known(runtime, (uint32_t)b);
			if (run->owner == OWNER_EVALUATION && !run->is_executing && (uint32_t)b)
				run_end(thread, OWNER_EVALUATION, run->message);
		} else if (creation_is_open(thread)) {
			thread->creation.message = thread->last_message;
		}
	}
	return next(PASS);
}

static word on_session_delete(ARGS)
{
	function *next = original(a, ORT_SESSION_DELETE);
	struct thread *thread = agent_thread();
	struct session *session = session_of_object(a);
	struct record *record;

	if (thread && session && creation_is_open(thread) && thread->creation.session == session) {
		creation_end(thread, (enum run_owner)thread->creation.owner,
			     thread->creation.message ? thread->creation.message : dict_text("failed", 6));
	} else if (thread && session) {
		record = agent_claim(thread);
		if (record) {
			*record =
			    (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED };
			agent_publish(thread);
		}
		session_release(a);
	}
	return next(PASS);
}

void *arm_hook(enum ort_family family)
{
	static void *const hooks[N_ORT_FAMILIES] = {
		[ORT_COMPUTE] = on_compute,
		[ORT_KERNEL_DELETE] = on_kernel_delete,
		[ORT_PREPACK] = on_prepack,
		[ORT_RUN_START] = on_run_start,
		[ORT_RUN_END] = on_run_end,
		[ORT_GET_CAPABILITY] = on_capability,
		[ORT_COMPILE] = on_compile,
		[ORT_SESSION_READY] = on_session_ready,
		[ORT_TRANSFORM] = on_transform,
		[ORT_EVALUATION_START] = on_evaluation_start,
		[ORT_EVALUATION_STOP] = on_evaluation_stop,
		[ORT_CREATION_START] = on_creation_start,
		[ORT_CREATION] = on_creation,
		[ORT_CREATION_END] = on_creation_end,
		[ORT_LOAD_START] = on_load_start,
		[ORT_LOAD_END] = on_load_end,
		[ORT_RUNTIME_ERROR] = on_runtime_error,
		[ORT_SESSION_DELETE] = on_session_delete,
		[ORT_PREDEFINED_TRANSFORMERS] = on_predefined_transformers,
	};

	return hooks[family];
}
