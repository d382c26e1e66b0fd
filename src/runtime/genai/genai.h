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
};

extern const struct runtime runtime_genai;

/* GENAI_NONE: another function. */
enum genai_role genai_role_of(const char *name);
/* Whether this module, which defines the functions, has those of known signatures. */
bool genai_is_known(const struct dynamic *library);

#endif
