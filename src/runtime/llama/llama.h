/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of llama.cpp that the agent replaces, by the names under which modules import them. Its libraries hide
 * nothing and bind lazily, so that even calls inside one of them go through such imports.
 */
#ifndef RUNTIME_LLAMA_LLAMA_H
#define RUNTIME_LLAMA_LLAMA_H

#include "runtime/runtimes.h"

enum llama_role {
	LLAMA_NONE,
	LLAMA_OPERATOR, /* ggml_compute_forward_<type>(parameters, tensor, ...), called by each thread of a graph */
	LLAMA_EXTRA,	/* the same for tensors in a layout of their own: whether it has computed the tensor */
	LLAMA_GRAPH,	/* (graph, plan): computes it, as thread 0 */
	LLAMA_WAIT,	/* where a thread of a graph waits until all have come */
	/* inside libllama, since March 2025: `this` is the context */
	LLAMA_RUN,	    /* (const llama_batch &) */
	LLAMA_RUN_EXTENDED, /* (const llama_batch_ext &) */
	LLAMA_CREATE,	    /* (const llama_model &, parameters) */
	LLAMA_RESERVE,	    /* (): memory for the graphs of a context */
	LLAMA_DELETE,	    /* () */
	/* of programs; a structure is passed by value */
	LLAMA_LOAD,	  /* (const char *path, parameters): the model */
	LLAMA_LOAD_PARTS, /* (const char **paths, size_t n, parameters): the model */
	LLAMA_C_RUN,	  /* (context, batch) */
	LLAMA_C_CREATE,	  /* (model, parameters): the context */
	LLAMA_C_DELETE,	  /* (context) */
	LLAMA_C_CALLED,	  /* one of these, where what it calls is replaced: who calls it */
};

extern const struct runtime runtime_llama;

/* A class that llama.cpp alone has, mangled. */
#define LLAMA_CLASS "13llm_tokenizer"

/* LLAMA_NONE: another function. */
enum llama_role llama_role_of(const char *name);
/* Behind "ggml_compute_forward_". */
const char *llama_type_of(const char *operator_name);
/* Whether the functions inside the library show its inferences, so that no program's calls are needed. */
bool llama_shows_runs(const struct image *image);

#endif
