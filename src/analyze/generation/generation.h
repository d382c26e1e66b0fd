/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations: the tokens of one request. A prefill, of one inference or several chunks, makes the first token; each
 * step after it makes the next one. Definitions are those of AIPerf, vLLM and MLPerf:
 *
 *	first token	from the begin of the prefill to its end; an encoder of what the prompt is about is part of it
 *	between tokens	from the end of one token's inference to the end of the next one's; without the first token
 *	per token	their mean: (last token - first token) / (output tokens - 1)
 *	end to end	from the begin of the prefill to the last token
 *
 * What the program does before the prefill and after the last token (tokenizing, a queue of its own) is not in them.
 */
#ifndef ANALYZE_GENERATION_GENERATION_H
#define ANALYZE_GENERATION_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

/* By what a generation was found. */
enum generation_way {
	GENERATION_BY_CACHE,	/* inputs that grow by as many tokens as went in */
	GENERATION_BY_LENGTH,	/* a mask that grows by them: the cache is inside of the model */
	GENERATION_BY_SEQUENCE, /* the runtime's batches name sequences and positions */
	GENERATION_BY_CALLS,	/* the runtime has a handle for each, and calls that make its tokens */
	N_GENERATION_WAYS
};

struct generation {
	uint32_t process, model;
	uint32_t way; /* id of its name */
	int64_t session, thread;
	uint64_t begin_ns, end_ns; /* of the prefill (or of the first step that was recorded); of the last token */
	uint64_t first_token_ns;   /* from begin_ns; 0: the prefill is not in the recording */
	uint64_t prompt_tokens;	   /* that went in with the prefill, of one sequence; of a text's encoder: into that */
	uint64_t cached_tokens;	   /* that the cache had before */
	uint64_t seen_tokens;	   /* of prompt_tokens: that an earlier prompt began with; 0: none, or not known */
	uint64_t output_tokens;	   /* of all its sequences */
	uint64_t batch;		   /* sequences at a time */
	uint64_t length;	   /* of the cache at the end */
	uint64_t cache_bytes;	   /* of the caches that went into its last inference; 0: not known */
	uint64_t copied_bytes;	   /* of those of all its inferences: each makes longer ones of them; 0: the same */
	uint64_t n_prefills, n_steps;
	uint64_t prefill_ns, decode_ns; /* in inferences */
	uint64_t encoder_ns;		/* of the prefill's, in those of other sessions before it */
	uint64_t others_ns;		/* between them, in inferences of other generations on its thread */
	uint64_t outside_ns;		/* the rest of end_ns - begin_ns */
	uint64_t sampling_ns, text_ns; /* of outside_ns, by GENERATION_BY_CALLS: in its calls; making texts of tokens */
	double per_token_ns;	       /* NAN: there is one token */
	uint64_t p50_ns, p99_ns, max_ns; /* between tokens; 0: the same */
	double tokens_per_s;		 /* output tokens by end_ns - begin_ns; NAN: the prefill is not known */
};

/* A token of a generation, or of each of its sequences. */
struct generation_token {
	uint32_t generation; /* its place among generations */
	uint32_t process, model;
	uint64_t number;    /* from 1 */
	uint64_t inference; /* that made it: number in its process */
	uint64_t time_ns;   /* end of that */
	uint64_t since_ns;  /* since the token before, or the begin of the prefill */
	uint64_t inference_ns;
	uint64_t length; /* of the cache, with what went in */
	bool is_first;
};

#endif
