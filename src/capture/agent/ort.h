/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX Runtime in this process, as the agent knows it: copies of the runtime, sessions, providers, kernels.
 * arm.c finds copies and replaces their functions; hook_ort.c has what stands in for virtual functions,
 * hook_api.c for the C API; run.c and creation.c turn what the hooks see into records.
 *
 * One inference is seen by up to three brackets, one inside the other: the C API's Run, the runtime's
 * evaluation start and stop (any binding), and OnRunStart and OnRunEnd of the session's CPU provider, which
 * every session has. The outermost that is seen first owns the inference: its end ends it.
 */
#ifndef CAPTURE_AGENT_ORT_H
#define CAPTURE_AGENT_ORT_H

#include "capture/agent/agent.h"
#include "capture/agent/hook.h"
#include "runtime/ort.h"

enum run_owner { OWNER_NONE, OWNER_PROVIDER, OWNER_EVALUATION, OWNER_API };
enum { MAX_RUNTIMES = 8 };

struct runtime {
	struct ort ort;
	struct image image;  /* a copy that stays */
	uint64_t cpu_vtable; /* vptr of CPUExecutionProvider objects */
	uint64_t check_at;   /* a replaced word: holds something else when the module was unloaded */
	void *check_value;
	uint32_t number;
	bool is_gone;			  /* its module was unloaded, or so it seems */
	bool is_armed;			  /* its functions are replaced now */
	uint32_t n_operators;		  /* tables of kernel classes that were replaced */
	void *run;			  /* the API's own Run */
	const char *armed;		  /* what was replaced, for people */
	uint64_t session_vtable[4];	  /* vptrs of InferenceSession objects; 0: no more */
	uintptr_t tensor_type;		  /* the type object of the last tensor that shape.c saw */
	int trust_values, trust_contexts; /* shape.c: how often fields and API agreed; -1: they did not */
};

/* One session of the target. Lives in the agent's arena; recycled after release under a new number. */
struct session {
	uint32_t number;     /* in this process, from 1 */
	uint32_t generation; /* of the segment that was told of it */
	uintptr_t object;    /* InferenceSession, which is OrtSession */
	bool has_run;	     /* atomic */
	uint64_t known_as;   /* key of session_known, 0: none */
	bool is_released;
	bool is_late;	 /* it was there before the agent */
	bool was_sought; /* late: its object was looked for in a run */
	bool was_asked;	 /* providers are as the program asked for them */
	int64_t bytes;	 /* of a model from memory, 0: not from memory */
	char model[128], path[256], providers[256];
	struct graph *graph; /* inputs.c; NULL: nothing known of its inputs yet */
	struct session *next_free, *next_all;
};

struct provider {
	struct session *session;
	uint32_t session_number;   /* the session is another one now if this differs from its number */
	uint32_t generation, name; /* text id, valid in this generation */
	char text[64];
};

enum kernel_look { LOOK_NOT, LOOK_LEARN, LOOK_READ };

/* What the hot path reads comes first. */
struct kernel {
	uintptr_t self, vptr;
	void *compute; /* the class's own function */
	uint32_t generation, node;
	uint8_t look;	      /* enum kernel_look: inputs.c wants to see its next call */
	uint32_t constant;    /* a bit for each input that is a constant */
	uint32_t graph_input; /* a bit for each input that is one of the graph's */
	uint8_t ordinal[32];  /* which one */
	uint32_t session_number;
	struct session *session;
	struct runtime *runtime;
	struct kernel *next_free;
};

extern struct runtime runtimes[MAX_RUNTIMES];
extern uint32_t n_runtimes;
extern struct map kernels;   /* OpKernel -> struct kernel */
extern struct map providers; /* IExecutionProvider -> struct provider */
extern struct map sessions;  /* InferenceSession -> struct session */

/* The copy of the runtime in whose tables this object's class is; NULL: none of ours. */
struct runtime *runtime_of(uintptr_t object);

/* arm.c */
void *arm_hook(enum ort_family family);
/* hook_ort.c: a module was unloaded, another one may come to lie there. Under the lock. */
void hooks_forget(void);
/* Recording begins anew: what was learned of kernels may have been somebody else's meanwhile. */
void hooks_forget_all(void);

/* run.c */
struct open_run *run_begin(struct thread *thread, enum run_owner owner, uint64_t start, struct session *session);
void run_executing(struct thread *thread, struct session *session, uint64_t run_options, const char *tag);
void run_tell(struct thread *thread, struct open_run *run, const char *tag);
void run_inputs(struct thread *thread, struct open_run *run, uint32_t shapes, uint64_t batch);
void run_end(struct thread *thread, enum run_owner owner, uint32_t message);
/* Recording begins anew: no run is open, whatever was left open. */
void runs_forget_all(void);
/* The innermost open run of this thread, or NULL. */
struct open_run *run_top(struct thread *thread);
/* The inference that an operator on a thread without one belongs to; 0: cannot be told. */
uint32_t run_of_operator(const struct kernel *kernel, uintptr_t context);
/* Closes operators that an exception has left, down to `depth` or to the first whose hook's frame is above `frame`. */
void operators_close(struct thread *thread, unsigned depth, uintptr_t frame);

/* A lane that nobody had after `since` (0: now); NO_LANE when all are taken. */
uint8_t lane_take(uint64_t since);
/* end: when its last user was done. */
void lane_give(uint8_t lane, uint64_t end);

/* session.c */
struct session *session_new(void);
/* Recording begins anew: no session and no provider is known. */
void sessions_forget_all(void);
void session_release(uintptr_t object);
struct session *session_of_object(uintptr_t object);
struct session *session_of_provider(uintptr_t provider);
/* If there is exactly one living session, that one. */
struct session *session_only(void);
/* Makes sure that the segment of this process knows the session's names. */
void session_tell(struct session *session);
void session_name_path(struct session *session, const char *path);
void session_name_bytes(struct session *session, const char *bytes, uint64_t size);
void session_name_graph(struct session *session, const char *graph);
void session_bind(struct session *session, uintptr_t object);
/* As session_name_path, for a path that was read later: a relative one tells a name, but not where the file is. */
void session_name_found(struct session *session, const char *path);
/* Providers with their options, as the program asked for them. */
void session_asked(struct session *session, const char *providers);
/* A session whose creation failed: its place is free again. */
void session_drop(struct session *session);
void session_add_provider(struct session *session, uintptr_t provider, const char *name);
/* The runtime's own number of a session, which its error reports carry. known: NULL if it was never told. */
void session_know(const struct runtime *runtime, struct session *session, uint32_t telemetry_id);
struct session *session_known(const struct runtime *runtime, uint32_t telemetry_id);

/* creation.c: a session that is being made on this thread */
bool creation_is_open(const struct thread *thread);
/* Opens one, unless one is open; then the outer one stays and this one is only counted. */
void creation_begin(struct thread *thread, enum run_owner owner, uint64_t start);
void creation_end(struct thread *thread, enum run_owner owner, uint32_t message);
/* The file or the bytes of the model. Outside a creation: kept as a hint for the next one. */
void creation_path(struct thread *thread, const char *path);
void creation_bytes(struct thread *thread, const char *bytes, uint64_t size);
/* A provider's name, or a key or value of its options, given between load and initialisation. */
void creation_asked(struct thread *thread, const char *text);
/* A creation that failed before it was seen to begin: all that is known is the hint. */
void creation_refused(struct thread *thread, uint32_t message);
/* The model's load took from start (0: from the creation's begin) until now. Once per creation. */
void creation_loaded(struct thread *thread, uint64_t start);
/* Parts, which nest. False: nothing is being created here. name may be NULL; prefix as well. */
bool creation_part_begin(struct thread *thread, const char *prefix, const char *name);
void creation_part_end(struct thread *thread, uint8_t flags, uint32_t count);
void creation_part_node(struct thread *thread, uint32_t node, uint64_t start, uint64_t end);

/* inputs.c: which operators read the graph's inputs, and the inputs' shapes in each run */
void inputs_see(struct thread *thread, struct kernel *kernel, uintptr_t context);
/* The run ends: what was seen of its inputs is told. */
void inputs_tell(struct thread *thread, struct open_run *run);
/* The session is gone. Under the lock. */
void inputs_forget(struct session *session);

/* shape.c: "float32[1x3x224x224],..." as a text id; 0: not known. */
uint32_t shape_text(const struct shape *shape, size_t n);
uint32_t shape_of_values(struct runtime *runtime, struct thread *thread, const void *const *values, size_t n,
			 uint64_t *batch);
uint32_t shape_of_context(struct runtime *runtime, uintptr_t context);
void shape_of_input(struct runtime *runtime, uintptr_t context, unsigned input, struct shape *shape);
/* False: the input has no value, for example a constant that was given back after it was packed. */
bool shape_has_value(struct runtime *runtime, uintptr_t context, unsigned input);

/* late.c: sessions that were there before the agent; hooks ask when they meet a provider of nobody's. NULL: none of
 * ours. */
struct session *late_session(uintptr_t provider);
/* object: what the program calls its session. */
struct session *late_session_of_object(uintptr_t object);
/* The session's object, and with it its names, was not found so far: looks again, once. provider: one of its own. */
void late_name(struct session *session, uintptr_t provider);
/* An inference ends that began before the hooks went in. */
void late_end(struct thread *thread, struct session *session);
/* Recording begins anew. */
void late_forget(void);

/* hook_api.c: replaces the slots of this copy's OrtApi. */
void api_arm(struct runtime *runtime);
/* Recording begins anew: no options are known. */
void api_forget(void);
/* hook_import.c: replaces imports of this copy. */
void import_arm(struct runtime *runtime);

#endif
