/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the agent's files for llama.cpp:
 *
 *   llama_batch.c     which sequences a batch continues
 *   llama_extended.c  batches whose tokens are objects
 *   llama_code.c      which imports of a module are replaced, and what they are bound to
 *   llama_linked.c    what is linked into a program: which calls of it are led to hooks
 *   llama_layout.c    its version, and where tensors keep what is recorded of them
 *   llama_operator.c  operators: the hot path
 *   llama_run.c       models, contexts, batches
 */
#ifndef CAPTURE_AGENT_LLAMA_LLAMA_IN_H
#define CAPTURE_AGENT_LLAMA_LLAMA_IN_H

#include "capture/agent/agent.h"
#include "capture/agent/replace/copies.h"
#include "runtime/find/dynamic.h"
#include "runtime/llama/llama.h"

typedef uintptr_t word;
/* Where a tensor keeps what is recorded of it: bytes from its start. */
struct llama_layout {
	uint16_t type, dims, op, parameters, sources, name;
	const char *(*op_name)(int op);
	const char *(*op_text)(const void *tensor); /* of its kind, where an operator has several */
	const char *(*type_name)(int type);
};

enum { LLAMA_DIMS = 4, LLAMA_SOURCES = 10, LLAMA_NAME = 64 };

/* Functions of the library by their names. look_up: NULL if there is none. */
struct llama_names {
	void *(*look_up)(const struct llama_names *names, const char *name);
	const struct image *image; /* of the library, or one that calls it */
	const struct image_set *set;
	const void *more;
};

/* False: the library's own functions find a tensor's fields elsewhere, or are missing. */
bool llama_layout_find(struct llama_layout *layout, const struct llama_names *names);
/* Of the library. */
void llama_version_of(struct copy *copy, const struct llama_names *names);

/* llama_linked.c: whether a program contains it, and the names of its functions, and has not begun to run. */
bool llama_is_linked_in(const struct rtti *rtti);
/* Returns how many operators' calls are led to hooks. */
uint32_t llama_linked_replace(struct copy *copy);

/* Of a batch whose tokens are objects: where they lie in it, and what is read of them, as bytes from its start or from
 * a token's. */
struct llama_token_layout {
	uint16_t tokens;		    /* begin and end of all of them */
	uint16_t apart, position, is_asked; /* the token's own number comes first */
	uint16_t sequences;		    /* a pointer to the first one's node; 0: all are of sequence 0 */
	uint16_t in_node;
};

/* A batch of a program: struct llama_batch of llama.h. 0: left out. */
struct llama_batch_words {
	uint32_t n_tokens;				       /* 0: not known */
	word tokens, positions, n_sequences, sequences, asked; /* arrays */
	const struct llama_token_layout *objects;	       /* tokens are these; NULL: numbers in arrays */
};

/* The functions by which programs fill such a batch; NULL: the library has none. */
struct llama_extended {
	word (*init)(word context);
	int32_t (*add_token)(word batch, int32_t sequence, int32_t token);
	bool (*set_position)(word batch, int32_t i, const int32_t *position);
	bool (*set_asked)(word batch, int32_t i, bool is_asked);
	void (*free)(word batch);
	uint32_t (*n_sequences)(word context);
};

/* Finds it by a batch that these functions fill. False: it is another one. */
bool llama_extended_find(struct llama_token_layout *layout, const struct llama_extended *functions, word context);
void llama_extended_know(const struct llama_names *names);
/* What the program's batch of such a kind has. The first call for a library finds the layout. */
struct llama_batch_words llama_extended_batch(word context, word batch);

/* Its sequences, as a text id; 0: not known. owner: stands for the context. */
uint32_t llama_batch_text(const struct llama_batch_words *batch, uint64_t owner);

/* The hook for one function of a copy; NULL: there are too many. Call under the agent's lock. name must stay. */
void *llama_operator_hook(const struct copy *copy, const char *name, enum llama_role role, void *real);
void *llama_run_hook(const struct copy *copy, const char *name, enum llama_role role, void *real);
/* Functions of libllama by which a model's name is found that was loaded unseen. */
void llama_run_know(const struct llama_names *names);
/* What operators of this copy need. Call before its hooks are in place. */
void llama_operator_know(const struct copy *copy, const struct llama_layout *layout);
/* An inference begins on this thread. */
void llama_operator_start(struct thread *thread);
/* The operator of this thread that has not ended yet ends now. */
void llama_operator_end(struct thread *thread, uint64_t end);
/* Modules are gone: their hooks may serve others. */
void llama_operator_forget_gone(void);
void llama_run_forget_gone(void);
void llama_run_forget_all(void);

#endif
