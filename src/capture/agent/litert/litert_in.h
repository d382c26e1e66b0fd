/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of TensorFlow Lite share. An interpreter has one subgraph for each signature and each body of control
 * flow, and each subgraph has a planner of its memory.
 *
 *   litert_code.c      arms; hooks of virtual functions
 *   litert_graph.c     what a subgraph executes: nodes, names, shapes
 *   litert_operator.c  hooks of the functions of operators; operators and inferences
 *   litert_stand_in.c  which hook stands for which function
 *   litert_create.c    session creation
 *   litert_model.c     models, their files, and names of sessions
 */
#ifndef CAPTURE_AGENT_LITERT_LITERT_IN_H
#define CAPTURE_AGENT_LITERT_LITERT_IN_H

#include "capture/agent/replace/copies.h"
#include "capture/agent/run/inference.h"
#include "runtime/litert/litert.h"

typedef uintptr_t word;

/* A subgraph that was about to run. */
struct litert_graph {
	word planner, subgraph;
	const struct litert_context *context;
	word interpreter;      /* stands for it: the list of its subgraphs */
	word info;	       /* its InterpreterInfo */
	const int32_t *inputs; /* its tensors */
	uint64_t n_inputs;
	uint64_t n;			/* nodes that it executes; */
	word first, last;		/* of them */
	word first_invoke, last_invoke; /* what replaced their functions */
	uint32_t generation;
	struct litert_node_at *nodes;
	uint64_t n_nodes, capacity; /* n_nodes 0: they are not understood */
	struct litert_graph *next_free;
};

/* A node of it. */
struct litert_node_at {
	word at; /* 0: it is gone */
	struct litert_graph *graph;
	uint32_t node;	     /* id in the dictionary, */
	uint32_t generation; /* in that of this generation */
	bool is_last;
};

/* What a thread is doing; times are ticks, 0: it is not. */
struct litert_thread {
	struct litert_graph *ready; /* about to run */
	uint64_t ready_since;
	word frame; /* of the innermost operator's hook where operators are not recorded; 0: none */
	const struct litert_graph *running[MAX_RUNS]; /* of each open run; NULL: it is another runtime's */
	uint64_t model_since;			      /* when the last model was mapped or given */
	uint64_t build, built;			      /* the last interpreter that was built */
	uint64_t n_built; /* without tensors: of several it is not known whose tensors are allocated */
	uint64_t delegate, delegated;
	uint32_t message; /* of the first error since the last begin of an inference or a creation; text id */
};

extern uint32_t litert_place; /* in a thread's `kept` */
/* NULL: there is none yet. */
static inline struct litert_thread *litert_kept(const struct thread *thread)
{
	return thread->kept[litert_place];
}
/* The same, made now if there is none. NULL: out of memory. */
struct litert_thread *litert_thread(struct thread *thread);

/* Reads what is known of a copy's subgraphs. */
void litert_graph_found(const struct copy *copy, struct rtti *rtti);
/* The planner's subgraph as it is now, with its operators replaced. NULL: not understood. */
struct litert_graph *litert_graph_of(const struct copy *copy, word planner);
/* The subgraph is gone. */
void litert_graph_gone(word subgraph);
void litert_graph_forget_all(void);
/* A word that is the same for all subgraphs of an interpreter. */
word litert_interpreter_of(word subgraph);
const struct litert_context *litert_context_of(word subgraph);
/* The interpreter's session, made now if there is none; its name from where its weights lie. NULL: out of memory. */
struct session *litert_session_of(const struct litert_graph *graph);
/* Names it after the file that this context's tensors are described in, or after memory. */
void litert_name(struct session *session, const struct litert_context *context);
uint32_t litert_shapes(const struct litert_context *context, const int32_t *tensor, uint64_t n, uint64_t *batch);

/* The shapes of its inputs as a text id; 0: there are none. */
uint32_t litert_inputs(const struct litert_graph *graph, uint64_t *batch);

/* The node at this address; NULL: not known. */
struct litert_node_at *litert_node_at(word node);
extern struct map litert_nodes; /* by address */
/* The same, perhaps of another node: compare its address. */
static inline const struct litert_node_at *litert_node_quick(word node)
{
	return map_find(__atomic_load_n(&litert_nodes.table, __ATOMIC_ACQUIRE), node);
}

enum { LITERT_STAND_INS = 512 };
/* Their functions, by number. */
extern word litert_originals[LITERT_STAND_INS] __attribute__((visibility("hidden")));
/* The hooks that stand for functions; call before the others. They must stay. */
void litert_stand_in_with(const word *functions);
void litert_operator_arm(void);
/* What stands for an operator's function: the same one for each; 0: there are no more. */
word litert_stand_in(word invoke);
/* The function that this one stands for, 0: none. */
word litert_original(word stand_in);
/* What was left without an end, by an exception or because it was cancelled, ends now. frame: of the hook. */
void litert_left(struct thread *thread, word frame);

/* Leads the functions that create sessions to hooks. */
void litert_create_arm(struct copy *copy);
/* A model was mapped or given. */
void litert_model_seen(word allocation);

#endif
