/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of onnxruntime-genai's C interface that the agent replaces, by the names under which modules import
 * them: programs in C, and the bindings for Python, Java and C#. The signatures are the same from version 0.6 on.
 */
#ifndef RUNTIME_GENAI_GENAI_H
#define RUNTIME_GENAI_GENAI_H

#include "runtime/find/dynamic.h"
#include "runtime/runtimes.h"

enum genai_role {
	GENAI_NONE,
	GENAI_CREATE,	   /* (model, parameters, generator *to): a result, NULL: it is made */
	GENAI_APPEND,	   /* (generator, tokens, size_t n): the same */
	GENAI_APPEND_MORE, /* (generator, sequences, or tensors of a prompt) */
	GENAI_NEXT,	   /* (generator) */
	GENAI_LOGITS,	   /* (generator, tensor *to): computes them, if they are not there yet */
	GENAI_REWIND,	   /* (generator, size_t length) */
	GENAI_DESTROY,	   /* (generator) */
	GENAI_DECODE,	   /* of a tokenizer: makes a text of tokens */
	/* of an engine, which makes tokens of several requests at a time */
	GENAI_REQUEST, /* (engine, options, request *to) */
	GENAI_TURN,    /* (request, options, tokens, uint64_t n, uint64_t *to): a prompt waits for the engine */
	GENAI_RUN,     /* (engine, event buffer): fills the buffer */
	GENAI_RELEASE, /* (request): gives a handle back, in older versions one of several */
	/* the same in older versions */
	GENAI_NEW,    /* (parameters, request *to) */
	GENAI_PROMPT, /* (request, sequences): its prompt */
	GENAI_SUBMIT, /* (engine, request) */
	GENAI_STEP,   /* (engine, request *to): one that has a token, or NULL; another handle of it */
	GENAI_REMOVE, /* (engine, request) */
};

/* What an engine's hooks call to look at what the library has made. They change nothing. NULL: it has not got it. */
#define GENAI_LOOKS(F) \
	F(count, "OgaEngineEventBufferGetCount") \
	F(event, "OgaEngineEventBufferGet") \
	F(flags, "OgaEngineEventGetFlags") \
	F(request, "OgaEngineEventGetRequest") \
	F(usage, "OgaEngineEventGetUsage") \
	F(cached, "OgaTurnUsageGetCachedPromptTokens") \
	F(length, "OgaSequencesGetSequenceCount") \
	F(unseen, "OgaRequestHasUnseenTokens") \
	F(any_unseen, "OgaRequestHasAnyUnseenTokens")

#define GENAI_LOOK(name, of) uintptr_t (*name)(uintptr_t, uintptr_t);
struct genai_looks {
	GENAI_LOOKS(GENAI_LOOK)
};

enum { GENAI_EVENT_TOKEN = 1, GENAI_EVENT_FINISHED = 2 }; /* bits of the flags of an event */

extern const struct runtime runtime_genai;

/* GENAI_NONE: another function. */
enum genai_role genai_role_of(const char *name);
/* Whether this module, which defines the functions, has those of known signatures. */
bool genai_is_known(const struct dynamic *library);
/* Whether what is needed for hooks of an engine's functions is there. */
bool genai_looks(struct genai_looks *to, const struct dynamic *library);
static inline bool genai_is_of_engine(enum genai_role role)
{
	return role >= GENAI_REQUEST;
}

#endif
