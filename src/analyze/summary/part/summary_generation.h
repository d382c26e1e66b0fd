/* SPDX-License-Identifier: Apache-2.0 */
/* What the generations of a model come to; generation.h defines the figures. */
#ifndef ANALYZE_SUMMARY_SUMMARY_GENERATION_H
#define ANALYZE_SUMMARY_SUMMARY_GENERATION_H

#include "analyze/generation/generation.h"
#include "analyze/summary/part/summary_spread.h"

struct summary_generations {
	uint64_t n, n_whole; /* whole: their prefill is in the recording */
	bool by_cache;	     /* they were found by inputs that are caches, at least one of them */
	uint64_t n_repeated; /* inferences that took all tokens of the one before, and one more; in no generation */
	uint64_t prompt_tokens, cached_tokens, output_tokens;
	uint64_t seen_tokens, seen_ns; /* of prompt_tokens and prefill_ns: what an earlier prompt began with */
	uint64_t least_prompt, median_prompt, most_prompt;     /* of whole ones */
	uint64_t prefill_ns, decode_ns, others_ns, outside_ns; /* their sum is wall_ns */
	uint64_t encoder_ns;				       /* of prefill_ns */
	uint64_t sampling_ns, text_ns;			       /* of outside_ns; 0: the same, or not known */
	uint64_t wall_ns;				       /* from begin to end, all together */
	uint64_t begin_ns, end_ns;			       /* of the first, of the last */
	struct summary_spread first;			       /* first token, of whole ones */
	struct summary_spread between;			       /* between tokens, of all */
	struct summary_spread per_token;		       /* of each generation */
	struct summary_spread wall;			       /* end to end, of whole ones */
	double tokens_per_s;				       /* output tokens by end_ns - begin_ns; NAN: not known */
	double tokens_per_s_each;			       /* the same by wall_ns */
	double at_a_time;				       /* mean: wall_ns by end_ns - begin_ns */
	uint32_t most_at_a_time;			       /* 0: too many are left out of the list */
	/* Of those that ran one at a time, on several threads: what lies between two of a thread. n_gaps 0: of others.
	 */
	uint32_t n_threads;
	uint64_t n_gaps, between_ns, filled_ns; /* filled_ns: of that, in generations of the other threads */
	uint64_t longest;			/* cache */
	uint64_t cache_bytes, copied_bytes;	/* the most of one, of all; 0: not known */
	/* median of the inferences of the last quarter by that of the first, behind caches of one length; NAN: unknown
	 */
	double drift;
	struct summary_range rows, lengths;
};

/* Tokens behind a cache of about one length. */
struct summary_length {
	uint32_t model;
	uint64_t length; /* mean */
	uint64_t n;
	uint64_t p50_ns, p90_ns, p99_ns; /* between tokens */
	uint64_t inference_p50_ns;
};

#endif
