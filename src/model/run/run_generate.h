/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations in place of single inferences: a prompt goes in, then token after token, as long as was asked for. What
 * makes the tokens is a generator; the loop around it (run_generate.c) measures all generators alike.
 *
 * Ids are random ones of the vocabulary, also those that follow the prompt: nothing is sampled, so the figures are
 * those of the model. Ids of a batch lie sequence after sequence.
 */
#ifndef MODEL_RUN_RUN_GENERATE_H
#define MODEL_RUN_RUN_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct run;
struct run_worker;

/* What open found out. */
struct run_vocabulary {
	int64_t n_ids;	     /* ids are from 0 to n_ids - 1 */
	int64_t n_sequences; /* of each batch; 0: any number */
	int64_t max_length;  /* tokens of prompt and output that the model takes together; 0: not known */
};

struct run_generator {
	/* Once the model is loaded: is it a decoder? 0, or -errno and err. The errors of all functions are such. Sets
	 * run->decoder, also when it fails. */
	int (*open)(struct run *run, struct run_vocabulary *vocabulary, struct err *err);
	/* Frees run->decoder, which may be NULL. All requests are freed. */
	void (*close)(struct run *run);
	/* The requests of one thread, one after the other. n_sequences of each batch, at most max_length tokens each.
	 */
	void *(*make)(struct run *run, size_t n_sequences, size_t max_length, struct err *err);
	void (*free)(void *state); /* NULL does nothing */
	/* Begins with an empty cache: n ids of each sequence go in. */
	int (*take_prompt)(void *state, const int64_t *ids, size_t n, struct err *err);
	/* One id of each sequence. */
	int (*take_token)(void *state, const int64_t *ids, struct err *err);
	/* Are the numbers that the last call made for the next token finite? Never inside of what is measured. */
	int (*check)(void *state, struct err *err);
};

extern const struct run_generator run_generator_onnx; /* run_decoder.c */

/* Prepares prompts in place of inputs; the session or model is loaded. */
int run_generate_open(struct run *run, struct err *err);

/* The generations of one thread. */
int run_generate_init(struct run_worker *worker, struct err *err);
void run_generate_done(struct run_worker *worker);

/*
 * One generation with the prompt of the worker's group; as run_worker_infer, which calls it. *duration_ns is that of
 * the whole generation.
 */
uint64_t run_generate(struct run_worker *worker, uint64_t queued_ns, uint64_t *duration_ns);

#endif
