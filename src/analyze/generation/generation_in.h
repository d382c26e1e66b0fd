/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of finding generations. */
#ifndef ANALYZE_GENERATION_GENERATION_IN_H
#define ANALYZE_GENERATION_GENERATION_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/generation/generation.h"
#include "analyze/stats/stats.h"
#include "base/array.h"

/*
 * What went into a batch of a runtime that names its sequences (EVENT_KEYS, SEQUENCES): "0:12+1/1,3:0+64/0" are one
 * token of sequence 0 behind 12 others, with the result of 1 asked for, and the first 64 of sequence 3. "~48" behind
 * one: an earlier prompt began with these 48 tokens.
 */
struct sequence {
	int64_t number, position;   /* position of its first token; -1: not known */
	uint32_t n_tokens, n_asked; /* results asked for */
	uint32_t n_seen;	    /* 0: none, or not known */
};

/* Reads one, and moves on. False: there is no more. */
bool sequence_read(struct sequence *to, const char **text);

/* What the generations of a model come to. */
/* Tokens behind a cache of about one length. */
struct generation_length {
	uint32_t bin; /* shapes_bin */
	struct stats length, between, inference;
};

/* Of a model. */
struct generation_sums {
	uint64_t n, n_whole; /* whole: their prefill is in the recording */
	uint64_t n_by_cache; /* found by GENERATION_BY_CACHE */
	uint64_t n_repeated; /* inferences that took all tokens of the one before, and one more; in no generation */
	uint64_t prompt_tokens, cached_tokens, output_tokens;
	uint64_t seen_tokens, seen_ns;	    /* of the prompts, and of prefill_ns: what earlier prompts began with */
	uint64_t cache_bytes, copied_bytes; /* the most of one, of all; 0: not known */
	uint64_t prefill_ns, decode_ns, others_ns, outside_ns; /* add up to wall_ns */
	uint64_t encoder_ns;				       /* of prefill_ns */
	uint64_t sampling_ns, text_ns;			       /* of outside_ns */
	uint64_t wall_ns;				       /* end to end, all together */
	uint64_t begin_ns, end_ns;			       /* of the first, of the last */
	struct stats first, between, per_token, wall, prompts;
	struct array lengths; /* struct generation_length, in the order in which they came */
};

struct generation_sums *generation_sums_new(void); /* NULL: out of memory */
void generation_sums_free(struct generation_sums *sums);
/* All: 0 or -ENOMEM. */
int generation_sums_add(struct generation_sums *sums, const struct generation *row);
/* A token, and how long the cache is then. */
int generation_sums_add_token(struct generation_sums *sums, uint64_t length, uint64_t between_ns,
			      uint64_t inference_ns);
int generation_sums_merge(struct generation_sums *to, struct generation_sums *from);

/*
 * Generations of a runtime that makes tokens by a handle (event/generator_call.h): its calls say when a prompt went in,
 * and when a token was there. A call comes behind the inferences that it contains, those of a generator in the order of
 * their ends: whoever has them in another order sorts them. So nothing waits for an inference that is lost.
 */
struct generations;
struct inputs;
struct generation_run;

/* A call. */
struct generation_call {
	uint32_t process;
	int64_t thread;
	uint64_t generator;
	const char *name; /* event/generator_call.h */
	uint64_t begin_ns, end_ns;
	uint64_t n_tokens; /* that went in, of all sequences; 0: not known. A rewind: how many a sequence has then */
	uint64_t n_seen;   /* of these at the begin, that an earlier prompt began with; 0: none, or not known */
};

/* All: 0 or -ENOMEM. One of a generator of which no inference came says nothing: its model is not known. */
int generations_call(struct generations *to, const struct generation_call *call);
/* An inference of a call. */
int calls_take(struct generations *to, const struct generation_run *run, const struct inputs *inputs);
void calls_free(struct generations *from);

/*
 * What runs on a thread directly before a prompt: an encoder of sound, pictures or text, whose results the decoder
 * takes, or what makes embeddings of the prompt's tokens.
 */

/* An inference of another session than the one after it. */
struct encoder {
	uint64_t begin_ns, end_ns;
	int64_t session; /* -1: not known, its model is told apart instead */
	uint32_t model;
	uint32_t tokens;    /* that it took; 0: none */
	bool is_real;	    /* it took numbers of floating point, and not none */
	bool has_sequences; /* it was told which sequences it continues */
};

/* The one directly before, and the one before that. end_ns 0: none. */
enum { ENCODERS_BEFORE = 2, ENCODERS_THREADS = 64 };

/* The threads that ran last. */
struct encoders {
	struct encoder_thread {
		uint32_t process;
		int64_t thread;
		uint64_t used_at;
		struct encoder last[ENCODERS_BEFORE + 1]; /* the newest first; runs of a session in a row are one */
	} thread[ENCODERS_THREADS];
	uint32_t n, at;
	uint64_t n_taken;
};

struct generation_run;
struct inputs;
struct inputs_step;

/* Notes an inference, and puts what ran before it. */
void encoders_take(struct encoders *to, const struct generation_run *run, const struct inputs *inputs,
		   struct encoder before[ENCODERS_BEFORE]);

/* Whether it is of that session. */
bool encoder_is_of(const struct encoder *encoder, int64_t session, uint32_t model);

/* How many of those before a part of a prompt, which began then, are a part of it. */
uint32_t encoders_of(const struct encoder before[ENCODERS_BEFORE], const struct inputs_step *step, uint64_t begin_ns);
/* The same for a sequence. */
uint32_t encoders_of_sequence(const struct encoder before[ENCODERS_BEFORE], const struct generation_run *run);

#endif
