/* SPDX-License-Identifier: Apache-2.0 */
/*
 * llama.cpp's C API, loaded at run time, from b3889 on. Uses no header of llama.cpp and links nothing. Structs that are
 * passed by value and grow from version to version are blocks larger than all of them: both sides agree on where they
 * begin, and each reads its own part.
 */
#ifndef MODEL_RUN_LLAMA_API_H
#define MODEL_RUN_LLAMA_API_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct llama_model;
struct llama_context;
struct llama_memory;
struct llama_vocab;

struct llama_block {
	_Alignas(8) uint32_t word[128];
};

/* The last fields are those of versions before b4000; later ones read only what is before them. */
struct llama_batch {
	int32_t n_tokens;
	int32_t *token;
	float *embd;
	int32_t *pos, *n_seq_id;
	int32_t **seq_id;
	int8_t *logits;
	int32_t all[4];
};

/* F(result, field, parameters, name, older name; NULL: none) */
#define LLAMA_FUNCTIONS(F) \
	F(void, backend_init, (void), "llama_backend_init", NULL) \
	F(void, log_set, (void (*)(int, const char *, void *), void *), "llama_log_set", NULL) \
	F(struct llama_block, model_params, (void), "llama_model_default_params", NULL) \
	F(struct llama_block, context_params, (void), "llama_context_default_params", NULL) \
	F(struct llama_model *, load, (const char *, struct llama_block), "llama_model_load_from_file", \
	  "llama_load_model_from_file") \
	F(void, free_model, (struct llama_model *), "llama_model_free", "llama_free_model") \
	F(struct llama_context *, new_context, (struct llama_model *, struct llama_block), "llama_init_from_model", \
	  "llama_new_context_with_model") \
	F(void, free_context, (struct llama_context *), "llama_free", NULL) \
	F(void, set_threads, (struct llama_context *, int32_t, int32_t), "llama_set_n_threads", NULL) \
	F(int32_t, train_length, (const struct llama_model *), "llama_model_n_ctx_train", "llama_n_ctx_train") \
	F(int32_t, decode, (struct llama_context *, struct llama_batch), "llama_decode", NULL) \
	F(void, synchronize, (struct llama_context *), "llama_synchronize", NULL) \
	F(float *, logits, (struct llama_context *, int32_t), "llama_get_logits_ith", NULL) \
	F(bool, has_encoder, (const struct llama_model *), "llama_model_has_encoder", NULL) \
	F(bool, uses_gpu, (void), "llama_supports_gpu_offload", NULL)

struct llama_api {
#define LLAMA_MEMBER(result, field, parameters, name, older) result(*field) parameters;
	LLAMA_FUNCTIONS(LLAMA_MEMBER)
#undef LLAMA_MEMBER
	/* either the first, or those of later versions */
	int32_t (*model_n_ids)(const struct llama_model *);
	const struct llama_vocab *(*vocab)(const struct llama_model *);
	int32_t (*vocab_n_ids)(const struct llama_vocab *);
	void (*clear_context)(struct llama_context *);
	struct llama_memory *(*memory)(const struct llama_context *);
	void (*clear_memory)(struct llama_memory *, bool);
	/* llama.cpp's own, which older ones do not tell, and that of ggml below it; NULL: it has none */
	const char *(*version)(void), *(*ggml_version)(void);
	void *library;	     /* from dlopen */
	char path[PATH_MAX]; /* "": of the program itself, or found by the loader */
};

/*
 * Loads the library, which runs its code: `named` (a file, or a folder with one), or INFTRACE_LLAMA; Python packages;
 * the loader's path. 0, or -errno and err, which says what to do. There is no close.
 */
int llama_api_open(struct llama_api *api, const char *named, struct err *err);
/* Backends that are files of their own; those that are linked in are there already. Before backend_init. */
void llama_api_load_backends(const struct llama_api *api);

/* Sizes in the parameters of a context. false: this version has them elsewhere. */
struct llama_sizes {
	uint32_t n_ctx, n_seq_max; /* n_ctx: of all sequences together */
	uint32_t n_batch;	   /* told, not set */
};
bool llama_api_set_sizes(struct llama_block *params, struct llama_sizes *sizes);

#endif
