/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs on a thread directly before a prompt: an encoder of sound, pictures or text, whose results the decoder
 * takes, or what makes embeddings of the prompt's tokens.
 */
#ifndef ANALYZE_GENERATION_ENCODERS_H
#define ANALYZE_GENERATION_ENCODERS_H

#include <stdbool.h>
#include <stdint.h>

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
