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

#endif
