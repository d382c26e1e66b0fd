/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the agent's files for ONNX Runtime:
 *
 *   ort_copy.c      one copy of the runtime: its original functions, texts of its failures
 *   ort_operator.c  operators: the hot path
 *   ort_memory.c    its allocators
 *   ort_phase.c     functions at the borders of phases of session creation
 *   ort_transform.c graph transformers
 *   ort_hook.c      the other virtual functions: runs, sessions, the parts of session creation
 *   ort_async.c     the queue of RunAsync
 *   ort_c_api.c     the table of C functions, OrtApi
 *   ort_import.c    functions that the runtime imports
 *   ort_python.c    calls of its package for Python
 *   ort_binding.c   what is bound to a run
 *   ort_cache.c     which inference the caches of a decoder come from
 *   ort_shape.c     shapes of values; ort_inputs.c: which operators read the inputs of a graph
 *   ort_running.c   which of the sessions runs that share a provider
 *   ort_late.c      sessions that existed before the agent
 *   ort_call.h      calls of functions that return a class
 *   ort_code.c      all of that as the agent's code for this runtime
 */
#ifndef CAPTURE_AGENT_ORT_IN_H
#define CAPTURE_AGENT_ORT_IN_H

#include "capture/agent/dict.h"
#include "capture/agent/replace/copies.h"
#include "capture/agent/run/creation.h"
#include "capture/agent/run/inference.h"
#include "capture/agent/session.h"
#include "runtime/ort/ort.h"

typedef uintptr_t word;
/* The arguments of a function with up to twelve parameters; six of them are in registers, or eight on aarch64. */
#define ORT_ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define ORT_PASS a, b, c, d, e, f, g, h, i, j, k, l
typedef word ort_function(ORT_ARGS);
/* LogSessionCreation has 17 parameters from 1.29 on, and reads them all if telemetry is on. */
#define ORT_LONG_ARGS \
	ORT_ARGS, word m, word n, word o, word p, word q, word r, word s, word t, word u, word v, word w, word x
#define ORT_LONG_PASS ORT_PASS, m, n, o, p, q, r, s, t, u, v, w, x
typedef word ort_long_function(ORT_LONG_ARGS);

/* What hooks need of a copy; the index is that in copies[]. */
struct ort_copy {
	const struct copy *copy;
	uint64_t api; /* address of OrtApi, 0: not found */
	unsigned n_api;
	int minor;
	void *run;		    /* the API's own Run */
	uint64_t cpu_vtable;	    /* vptr of CPUExecutionProvider objects */
	uint64_t session_vtable[4]; /* vptrs of InferenceSession objects; 0: no more */
	uintptr_t tensor_type;	    /* the type object of the last tensor that ort_shape.c saw */
	/* ort_shape.c: how often fields and API agreed; -1: they disagreed */
	int trust_values, trust_contexts, trust_elements;
	int trust_bindings; /* the same of ort_binding.c, whether objects are what they should be */
	/* ort_late.c: where the caller of OnRunStart had its session (below ORT_NEAR), how often it was searched for */
	unsigned session_place, n_looks;
	uintptr_t async_manager, async_invoker; /* ort_async.c: of the closures of RunAsync; 0: none was seen */
};

enum { ORT_NEAR = 256, ORT_LOOKS = 64 };
/*
 * From this minor version on a session's weights are copied before the first transformer; in the version before it,
 * between transformers and partitioning; up to then, after the plan.
 */
enum { ORT_COPIES_EARLY = 24 };
enum kernel_look { LOOK_NOT, LOOK_LEARN, LOOK_READ };

/* Fields of the hot path come first. */
struct kernel {
	uintptr_t self, vptr;
	void *compute; /* the class's own function */
	uint32_t generation, node;
	uint8_t look;	      /* enum kernel_look: whether ort_inputs.c wants to see its next call */
	uint32_t constant;    /* a bit for each input that is a constant */
	uint32_t graph_input; /* a bit for each input that is an input of the graph */
	uint32_t token_input; /* the same for the tokens of a language model */
	uint8_t ordinal[32];  /* and its index there */
	uint32_t session_number;
	struct session *session;
	struct ort_copy *copy;
	struct kernel *next_free;
};

/* The first class that each hook saw, with its original: four of them are called in every run. */
struct ort_met {
	word vptr; /* 0: none yet, or the object is not what it should be: only pass the call on; stored last */
	ort_function *next;
	const struct ort_copy *copy;
};

extern struct ort_copy ort_copies[MAX_COPIES];
extern struct ort_met ort_met[N_ORT_FAMILIES];

/* The copy whose tables contain this object's class; NULL: none. */
struct ort_copy *ort_copy_of(word object);
void ort_copy_found(struct copy *copy, struct rtti *rtti);
/* Whether this is a virtual table of the copy's class InferenceSession. */
bool ort_copy_has_session(const struct ort_copy *copy, word vptr);
/* A module was unloaded. Called while arm.c arms. */
void ort_copy_forget_gone(void);
/*
 * Slow path of ort_meet: any class of the family. other: where the object is if the function returns something else
 * than expected. The result has always a function to call and a copy.
 */
struct ort_met ort_copy_meet(word vptr, word other, enum ort_family family);
/* For a hook whose object is this argument beyond doubt. */
static inline struct ort_met ort_meet(word object, word other, enum ort_family family)
{
	const word vptr = *(word *)object;

	if (__builtin_expect(__atomic_load_n(&ort_met[family].vptr, __ATOMIC_ACQUIRE) == vptr, 1))
		return ort_met[family];
	return ort_copy_meet(vptr, other, family);
}
/* For a hook whose second argument is its object if the function returns a class. Not for the hot path. */
struct ort_met ort_meet_second(word first, word second, enum ort_family family);
static inline ort_function *ort_original(word object, word other, enum ort_family family)
{
	return ort_meet(object, other, family).next;
}
/* The message of a failed Status (a pointer to its state), as a text id. */
uint32_t ort_copy_failure(uint64_t state);

/* The hooks: one for each family of ORT_FAMILIES. */
#define ORT_REGISTERS word a, word b, word c, word d, word e, word f
word ort_on_compute(word result, word self, word context);
word ort_on_kernel_delete(ORT_ARGS), ort_on_prepack(ORT_ARGS);
word ort_on_run_start(ORT_REGISTERS), ort_on_run_end(ORT_REGISTERS);
word ort_on_evaluation_start(ORT_REGISTERS), ort_on_evaluation_stop(ORT_REGISTERS);
word ort_on_capability(ORT_ARGS), ort_on_kernel_registry(ORT_ARGS), ort_on_compile(ORT_ARGS);
word ort_on_transform(ORT_ARGS);
word ort_on_creation_start(ORT_ARGS), ort_on_predefined_transformers(ORT_ARGS), ort_on_creation(ORT_LONG_ARGS);
word ort_on_creation_end(ORT_ARGS), ort_on_session_ready(ORT_ARGS), ort_on_session_delete(ORT_ARGS);
word ort_on_plan_value(ORT_REGISTERS), ort_on_plan(ORT_REGISTERS), ort_on_read(ORT_REGISTERS);
word ort_on_weights(ORT_ARGS), ort_on_weight(ORT_ARGS), ort_on_kernel_types(ORT_ARGS), ort_on_share_packed(ORT_ARGS);
word ort_on_alloc(ORT_REGISTERS), ort_on_reserve(ORT_REGISTERS), ort_on_alloc_on_stream(ORT_REGISTERS);
word ort_on_free(ORT_REGISTERS), ort_on_allocator_delete(ORT_ARGS);
word ort_on_schedule(ORT_REGISTERS);
word ort_on_load_start(ORT_ARGS), ort_on_load_end(ORT_ARGS), ort_on_runtime_error(ORT_ARGS);

/* Recording restarts: forgets all kernels. */
void ort_operator_forget_all(void);

/* Recording restarts: forgets all allocators. */
void ort_memory_forget_all(void);

/* Replaces the slots of this copy's OrtApi. */
void ort_c_api_arm(struct ort_copy *copy);
/* Recording restarts: forgets all options. */
void ort_c_api_forget_all(void);
/* Looks up functions by name; not under the loader's lock. */
void ort_import_prepare(void);
/* Replaces imports of this copy. */
void ort_import_arm(const struct copy *copy);

/* Looks up Python's functions; not under the loader's lock. */
void ort_python_found(const struct copy *copy);
/* Gets ready to replace functions of the package for Python. */
void ort_python_arm(const struct copy *copy);
void ort_python_disarm(void);
/* Called with the GIL: replaces them if they are there. */
void ort_python_look(void);

/* Inspects the kernel's next call for the inputs of its graph. */
void ort_inputs_see(struct thread *thread, struct kernel *kernel, uintptr_t context);

/* A text id, 0: unknown. */
uint32_t ort_shape_of_values(struct ort_copy *copy, struct thread *thread, const void *const *values, size_t n,
			     uint64_t *batch);
uint32_t ort_shape_of_context(struct ort_copy *copy, uintptr_t context);
void ort_shape_of_value(struct ort_copy *copy, uintptr_t value, struct shape *shape);
/* Returns the value; 0: it is omitted. */
uintptr_t ort_shape_of_input(struct ort_copy *copy, uintptr_t context, unsigned input, struct shape *shape);
/* Where the elements of a tensor with a shape are; 0: not known. */
uintptr_t ort_shape_elements(struct ort_copy *copy, uintptr_t value);
/* False: the input has no value, for example a constant released after packing. */
bool ort_shape_has_value(struct ort_copy *copy, uintptr_t context, unsigned input);
/* The first values that are bound to inputs or outputs by an IOBinding of the runtime; returns how many. */
enum { ORT_BOUND = 16 };
size_t ort_binding_values(struct ort_copy *copy, uintptr_t binding, bool of_outputs, uintptr_t values[ORT_BOUND]);
/* The inference whose results are among these values, inputs of another one; 0: none, or not known. And the results of
 * one, noted for that. NULL among them: nothing. */
uint32_t ort_cache_maker(struct ort_copy *copy, const uintptr_t *values, size_t n);
void ort_cache_made(struct ort_copy *copy, const uintptr_t *values, size_t n, uint32_t run);
/* Where they are, of one that may be a cache; 0: it is none, or not known. */
uintptr_t ort_cache_elements(struct ort_copy *copy, uintptr_t value);
/* The same in Python, with the GIL: the dictionary that goes in, or the binding; what comes back, NULL: nothing. */
struct python_object;
uint32_t ort_python_cache_maker(struct ort_copy *copy, struct python_object *given);
void ort_python_cache_made(struct ort_copy *copy, struct python_object *given, struct python_object *results,
			   uint32_t run);
/* The tokens that go into an inference, of this shape: the name of their input, and whether they are a prompt that
 * begins as an earlier one did, which is told. */
#define ORT_PROMPT_NAME "input_ids"
void ort_prompt_see(struct ort_copy *copy, struct thread *thread, const struct open_run *run, uintptr_t value,
		    const struct shape *shape);
/* A module was unloaded: its type objects are gone. */
void ort_shape_forget_gone(void);

/* The session that runs on this thread, for a provider that several share. saved: ORT_SAVED() of ort_call.h. NULL:
 * unknown. */
struct session *ort_running(uintptr_t saved);

/* For hooks that see a provider without a known session. NULL: not a session's. */
struct session *ort_late_session(uintptr_t provider);
/* object: the program's handle of the session, in this copy of the runtime; NULL: any. */
struct session *ort_late_session_of_object(const struct ort_copy *copy, uintptr_t object);
/*
 * The session that runs on this thread after injection, if it is not, or may not be, the one that this provider was
 * first seen with. saved: ORT_SAVED(). NULL: unknown.
 */
struct session *ort_late_running(struct ort_copy *copy, uintptr_t provider, uintptr_t saved);
/* The session that runs on this thread and whose creation was not seen. saved: ORT_SAVED(). NULL: unknown. */
struct session *ort_late_unseen(uintptr_t provider, uintptr_t saved);
/*
 * The session whose run is being rejected on this thread: no provider has seen it. saved: ORT_SAVED(). NULL: unknown.
 */
struct session *ort_late_rejected(uintptr_t saved);
/* Looks once more for the session's object, and with it its names. provider: one of its own. */
void ort_late_name(struct session *session, uintptr_t provider);
/* An inference ends whose begin was not seen, because the hooks for it were not in yet. */
void ort_late_end(struct thread *thread, const struct ort_copy *copy, struct session *session);
/* Recording restarts. */
void ort_late_forget_all(void);

/* The innermost inference of the thread; NULL: there is none, or it is another runtime's, which calls this one. */
static inline struct open_run *ort_run_of(struct thread *thread)
{
	struct open_run *run = inference_top(thread);

	return run && run->session && run->session->runtime != &runtime_onnxruntime ? NULL : run;
}

#endif
