/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generators, engines and requests, as far as their calls are known:
 *
 *   call_parts.c   inferences that wait for the call that contains them
 *   call_steps.c   prompts and tokens of calls, as parts of a generation
 *   batches.c      engines, whose calls make tokens of several requests
 *   calls.c        whose call it is, and of which kind
 */
#ifndef ANALYZE_GENERATION_CALLS_IN_H
#define ANALYZE_GENERATION_CALLS_IN_H

#include "analyze/generation/generation_in.h"
#include "analyze/generation/generations_in.h"
#include "event/generator_call.h"

enum { MOST_FOLDED = 8 };

/* An inference. */
struct part {
	struct generation_run run; /* without texts */
	struct inputs inputs;
};

/* Inferences of a session that were too many to wait one by one. */
struct folded {
	int64_t session;
	uint64_t n, ns, n_tokens, copied_bytes;
};

/* What the inferences of a call come to. */
struct inside {
	uint64_t n_model;		    /* of the session that makes tokens, which comes last */
	uint64_t all_ns, encoder_ns;	    /* encoder_ns: of other sessions */
	uint64_t n_tokens, batch;	    /* n_tokens: of a sequence; 0: not known */
	uint64_t cache_bytes, copied_bytes; /* of the last one; of all */
	bool is_new;			    /* the model's session is another one than before */
};

/* Of an engine: it makes a token of each of several requests at a time. */
struct batch {
	struct generation_call call;
	struct inside inside;		  /* of one of its sequences */
	uint64_t busy_ns, busy_before_ns; /* of all batches so far, and of those before this one */
};

/* Of a request of an engine. */
struct queued {
	uint64_t engine;		     /* its number; 0: not known */
	uint64_t begin_ns, n_tokens, n_seen; /* of the prompt that waits; begin_ns 0: none does */
	uint64_t busy_ns;		     /* of its engine, up to its last token, or since it waits */
	uint64_t batch_ns;		     /* begin of the batch that made its last token */
};

struct generator {
	uint32_t process;
	uint64_t number, used_at;
	struct array parts;		   /* struct part: the last ones that wait for their call */
	struct folded folded[MOST_FOLDED]; /* those before them; the last one is of all further sessions */
	uint32_t n_folded;
	uint64_t folded_begin_ns, folded_end_ns; /* of all these together */
	struct generation_run last;		 /* its model's last inference, */
	bool has_last;				 /* if one came */
	struct inputs inputs;			 /* of that */
	struct inputs_law law;			 /* by which its caches grow */
	bool has_law, is_rewound, has_token;
	uint64_t length; /* of its cache and the tokens that were made */
	struct queued queued;
	struct batch *batch; /* of an engine: what it did last; NULL: nothing */
};

/* An inference comes. 0 or -ENOMEM. */
int call_parts_add(struct generator *generator, const struct generation_run *run, const struct inputs *inputs);
/* What a call contains, out of those that wait. */
struct inside call_parts_take(struct generator *generator, const struct generation_call *call);

/* Its generation among those of a decoder; at: its place. NULL: none. */
struct open *calls_open(const struct decoder *decoder, const struct generator *generator, size_t *at);
/* Before its first inference a prompt may wait in the runtime's queue: of that time, others_ns for other requests.
 * since_ns 0: it does not. */
struct prompt_wait {
	uint64_t since_ns, others_ns;
};
/* A prompt went in with a call. Both: 0 or -ENOMEM. */
int calls_prompt(struct generations *to, struct generator *generator, const struct generation_call *call,
		 const struct inside *inside, struct prompt_wait wait);
/* A token is there, at the end of a call. others_ns: that it has waited for other requests of its engine. */
int calls_next(struct generations *to, struct generator *generator, const struct generation_call *call,
	       const struct inside *inside, uint64_t others_ns);

/* A call of an engine has ended. 0 or -ENOMEM. */
int batches_end(struct generator *engine, const struct generation_call *call);
/* A prompt waits. engine NULL: not known yet. */
void batches_queue(struct generator *request, const struct generator *engine, const struct generation_call *call);
/* The last batch of its engine has made a token of a request. 0 or -ENOMEM. */
int batches_token(struct generations *to, struct generator *request, const struct generator *engine);
/* So many tokens of the prompt of a request that has ended did not go in. */
void batches_cached(struct generations *to, const struct generator *request, uint64_t n_tokens);

#endif
