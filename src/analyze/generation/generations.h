/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the generations among inferences, and adds them up. Inferences of one session come in the order of their ends.
 * A model is taken for a decoder once inferences have continued each other (inputs.h); what came before, up to
 * MAX_CANDIDATES of a session, is then looked at again. Memory does not grow with the recording.
 */
#ifndef ANALYZE_GENERATION_GENERATIONS_H
#define ANALYZE_GENERATION_GENERATIONS_H

#include "analyze/generation/generation.h"
#include "analyze/generation/generation_in.h"
#include "base/array.h"

/* An inference. */
struct generation_run {
	uint32_t process, model; /* model: of the caller's numbering */
	int64_t session, thread;
	uint64_t begin_ns, end_ns, number; /* number: in its process */
	uint64_t follows;		   /* that of the inference that has made its caches; 0: not known */
	const char *shapes, *sequences;	   /* NULL: not known; sequences "g5": of a generator (calls_take); "~48": an
					      earlier prompt of its session began with these 48 tokens */
	uint64_t n_seen;		   /* generations_take sets it to these */
	struct encoder before[ENCODERS_BEFORE]; /* generations_take sets it */
};

struct generations;
enum { GENERATIONS_LISTED = 1 << 14, GENERATIONS_TOKENS = 1 << 20 };

/* with_tokens: they are kept one by one, the first GENERATIONS_TOKENS of them. NULL: out of memory. */
struct generations *generations_new(bool with_tokens);
void generations_free(struct generations *generations);
/* Tokens that were found, in place of sums and lists. */
struct generation_made {
	uint32_t process, model;
	uint64_t generation;		   /* from 1 */
	uint64_t n;			   /* of all sequences of the batch */
	uint64_t first_token_ns;	   /* 0: they are not the first ones, or the prefill is not known */
	uint64_t since_ns;		   /* since the token before; 0: there is none, or it is not known */
	bool is_over;			   /* no more come: n is 0 */
	const struct generation *whole;	   /* what is known of it so far, without what lies between tokens */
	const struct generation_run *part; /* the inference that it consists of, too; NULL: none. Without texts */
	uint32_t n_in;			   /* tokens that went into it, of one sequence */
};
typedef void generations_made_fn(void *ctx, const struct generation_made *made);
/* As generations_new; made is called as soon as a token is known: a first one when the next one comes. */
struct generations *generations_watch(generations_made_fn *made, void *ctx);
/* Those whose last token came before then are over. 0 or -ENOMEM. */
int generations_rest(struct generations *to, uint64_t before_ns);
/* 0 or -ENOMEM. */
int generations_take(struct generations *to, const struct generation_run *run);
int generations_finish(struct generations *to);

/* Once finished: those of a model, NULL: it has none. The caller may move what is in it. */
struct generation_sums *generations_of(struct generations *from, uint32_t model);
/* The first GENERATIONS_LISTED of them, by begin; their way is an enum. The caller may take the arrays. */
struct array *generations_rows(struct generations *from);   /* struct generation */
struct array *generations_tokens(struct generations *from); /* struct generation_token */

#endif
