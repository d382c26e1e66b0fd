/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the agent's files for onnxruntime-genai:
 *
 *   genai_code.c        which imports of a module are replaced, and what they are bound to
 *   genai_generator.c   the stand-ins, and calls of generators: the hot path
 *   genai_engine.c      calls of engines, and of their requests
 *   genai_identity.c    numbers of generators, requests and engines; records of their calls
 */
#ifndef CAPTURE_AGENT_GENAI_GENAI_IN_H
#define CAPTURE_AGENT_GENAI_GENAI_IN_H

#include "capture/agent/agent.h"
#include "capture/agent/replace/copies.h"
#include "runtime/genai/genai.h"

typedef uintptr_t word;

/* What a function of the library was called with; it takes as many as it has. */
struct genai_args {
	word of[5];
};
typedef word genai_function(word, word, word, word, word);

/* Calls the real function. */
static inline word genai_real(genai_function *real, const struct genai_args *args)
{
	return real(args->of[0], args->of[1], args->of[2], args->of[3], args->of[4]);
}

/* The hook for one function; copy NULL: the program keeps it; looks: of its library. NULL: there are too many. Call
 * under the agent's lock. */
void *genai_hook(const struct copy *copy, enum genai_role role, void *real, const struct genai_looks *looks);
/* Modules are gone: their hooks may serve others. */
void genai_forget_gone(void);
/* Recording restarts: generators may be others by now. */
void genai_forget_all(void);

/* Of a generator, a request, or an engine. Fits into a pointer. */
struct identity {
	uint32_t number;     /* from 1: an address comes again after one is destroyed. 0: it is not known */
	uint32_t owner : 31; /* stands for its model; of a request, the number of its engine; 0: not known */
	uint32_t has_prompt : 1;
};

uint32_t identity_new_number(void);
struct identity identity_of(word handle);
/* number 0: it is gone. */
void identity_know(word handle, struct identity identity);
/* One that was made before the agent came gets its number here. */
uint32_t identity_number(word handle);
void identity_forget_all(void);
/* Before it is gone. The thread is recorded. */
void identity_release(struct thread *thread, word handle);
/* The runtime has taken them. How many at the begin of its first prompt an earlier one of its owner had. tokens NULL:
 * they are not known. */
uint32_t identity_prompt(word handle, const int32_t *tokens, size_t n);

/* A record of a call. The thread is recorded. */
void genai_tell(struct thread *thread, const struct record *call);
/* Calls the real function as a part of told->id, which inferences inside belong to, and completes the record, which is
 * not told yet. The thread is recorded. */
word genai_call(genai_function *real, struct record *told, const struct genai_args *args);

/* A call of one of an engine's functions. The thread is recorded. */
word engine_serve(struct thread *thread, enum genai_role role, genai_function *real, const struct genai_looks *looks,
		  const struct genai_args *args);

#endif
