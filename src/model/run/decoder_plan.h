/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the inputs of an ONNX decoder take, by their names, types and shapes: token ids, mask, positions, and the caches
 * that come back from outputs. Works on declarations alone and runs nothing.
 */
#ifndef MODEL_RUN_DECODER_PLAN_H
#define MODEL_RUN_DECODER_PLAN_H

#include "model/run/run.h"

enum decoder_role {
	DECODER_IDS,
	DECODER_EMBEDDINGS, /* vectors in place of ids: inputs_embeds */
	DECODER_MASK,	    /* ones, as long as cache and what goes in together */
	DECODER_POSITIONS,
	DECODER_CACHE,
	DECODER_PAST_LENGTH,  /* tokens in the cache */
	DECODER_LAST_LENGTH,  /* all tokens less one: seqlens_k of GroupQueryAttention */
	DECODER_TOTAL_LENGTH, /* all tokens */
	DECODER_KEEP_LOGITS,  /* of how many last tokens logits are made: 1 */
	DECODER_USE_CACHE     /* false for the prompt, then true */
};

struct decoder_input {
	enum decoder_role role;
	size_t output;	 /* of a cache: the output that becomes this input */
	int batch_axis;	 /* of a cache; -1: none */
	int length_axis; /* of a cache: what grows; -1: its size is fixed */
};

struct decoder_plan {
	struct decoder_input *input; /* as in run->input */
	size_t ids;		     /* index of the input of ids or embeddings */
	size_t logits;		     /* index of the output */
	size_t n_caches;
};

/*
 * input, output: those of the session, borrowed for the call. 0; or -ENOTSUP and err: it is not a decoder with a cache,
 * or takes what is not known. decoder_plan_done undoes it, also after a failure.
 */
int decoder_plan_make(struct decoder_plan *plan, const struct run *run, struct err *err);
void decoder_plan_done(struct decoder_plan *plan);

#endif
