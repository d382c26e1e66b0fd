/* SPDX-License-Identifier: Apache-2.0 */
/* Generations that may go on, and what is known of their models. */
#ifndef ANALYZE_GENERATION_GENERATIONS_IN_H
#define ANALYZE_GENERATION_GENERATIONS_IN_H

#include "analyze/generation/generation_in.h"
#include "analyze/generation/generations.h"
#include "analyze/generation/inputs.h"

enum {
	MAX_RECENT = 64,
	MAX_THREADS = 64, /* of a session, that take turns */
	NO_ROW = UINT32_MAX
};

/* One that may go on. */
struct open {
	struct generation row;
	uint64_t number;	     /* from 1 */
	uint32_t place;		     /* among rows; NO_ROW: it is not listed */
	uint64_t expected, branched; /* cached tokens of its next step; the same if the cache was not used; 0: none */
	uint64_t last_number;	     /* of its last inference, in its process */
	uint64_t last_end_ns, last_run, last_turn; /* last_run, last_turn: n_runs of its session, of its thread then */
	uint64_t run_before;			   /* last_run of the step before; 0: it is the first */
	uint64_t others_ns;			   /* since then */
	int64_t sequence;
	uint64_t prompt_end;		 /* of a sequence: where its prompt ends; 0: that is not known */
	bool is_decoding, is_in_a_row;	 /* in a row: its last two inferences followed each other on the thread */
	uint64_t draft_at, draft_tokens; /* of a draft that its last step checked; draft_tokens 0: of none */
	bool has_token;
	bool is_of_text;		       /* an encoder took its prompt */
	struct generation_run prompt;	       /* its last part */
	uint64_t prompt_sampled_ns;	       /* of that, outside of inferences */
	uint64_t generator;		       /* GENERATION_BY_CALLS: its number, else 0 */
	uint64_t early_begin_ns, early_end_ns; /* an inference of its next token, before the call; 0: none */
	uint64_t sampled_ns;		       /* of the run that is being taken, outside of inferences */
	struct stats between;
};

struct candidate {
	struct generation_run run; /* without texts */
	struct inputs inputs;
	struct inputs_law law; /* by which it continues another one */
	uint32_t n_links;
};

/* A prompt without caches, before its first step. */
struct waiting {
	struct generation_run run; /* without texts */
	struct inputs_step step[INPUTS_TABLES];
	uint32_t n;
	uint64_t turn; /* of its thread, then */
};

struct thread_turns {
	int64_t thread;
	uint64_t n_runs, used_at;
};

/* A session; a model, where the program does not tell them apart. */
struct decoder {
	uint32_t process, model;
	int64_t session;
	uint64_t used_at, n_runs, turn; /* turn: inferences of the thread that has run it last */
	struct thread_turns thread[MAX_THREADS];
	uint32_t n_threads;
	bool is_known;
	uint64_t n_followed, n_lost; /* steps that name the inference before them rightly, and others */
	struct inputs_law law;
	struct candidate *candidate; /* a ring of MAX_CANDIDATES; NULL: none came, or it is known */
	uint64_t n_candidates;
	struct array open;    /* struct open */
	struct array waiting; /* struct waiting, in their order */
};

/* The last inference of a thread that took tokens: the prefill may be that of another session. */
struct recent {
	struct generation_run run;
	struct inputs_step step[INPUTS_TABLES];
	uint32_t n;
};

struct generations {
	struct array decoders; /* struct decoder */
	struct array sums;     /* struct generation_sums *, by model */
	struct array rows, tokens;
	struct recent recent[MAX_RECENT];
	uint32_t n_recent, last;
	struct array generators; /* struct generator *, of calls.c */
	struct encoders encoders;
	uint64_t n_taken, n_begun;
	bool with_tokens;
	generations_made_fn *made; /* NULL: sums and lists are kept */
	void *ctx;
};

static inline struct decoder *decoder_at(const struct generations *of, size_t i)
{
	return (struct decoder *)of->decoders.data + i;
}

static inline struct open *open_at(const struct decoder *decoder, size_t i)
{
	return (struct open *)decoder->open.data + i;
}

/* The decoder of a run's session. NULL: out of memory. */
struct decoder *open_decoder(struct generations *to, const struct generation_run *run);
/* All of it go on no more; it is freed, and its place can be another's. 0 or -ENOMEM. */
int open_decoder_close(struct generations *to, struct decoder *decoder);
void open_decoder_free(struct decoder *decoder);
/* Whether a thread runs one generation after the other: it did so last. */
bool open_is_in_a_row(const struct decoder *decoder, int64_t thread);
/* While it waited, others have made several tokens each: such a one has made its last. */
bool open_is_over(const struct decoder *decoder, const struct open *open);
/* Whether inferences name those whose caches they go on from, and rightly as a rule. */
bool open_follows_rightly(const struct decoder *decoder);
/* An inference that took tokens, and no caches. 0 or -ENOMEM. */
int waiting_add(struct decoder *decoder, const struct generation_run *run, const struct inputs *inputs);
/* Whether one of them is named by a step. */
bool waiting_is_followed(const struct decoder *decoder, const struct generation_run *run,
			 const struct inputs_step *step);
/* Takes the prompt that a step follows, rather than `open`, which may be NULL; step[0]: as which of its inputs. False:
 * there is none. */
bool waiting_take(struct decoder *decoder, const struct generation_run *run, const struct inputs_step *step,
		  const struct open *open, struct waiting *prompt);
/* Of a model. NULL: out of memory. */
struct generation_sums *open_sums(struct generations *to, uint32_t model);
/* Hands on what is known of its tokens. */
void open_tell(const struct generations *to, const struct open *open, struct generation_made made);
/* One that begins with a run. NULL: out of memory. */
struct open *open_begin(struct generations *to, struct decoder *decoder, const struct generation_run *run,
			enum generation_way way);
/* n encoders before `run` are a part of its prompt. is_prompt: the text that they took is the prompt, not what `run`
 * takes. */
void open_encode(const struct generations *to, struct open *open, const struct generation_run *run, uint32_t n,
		 bool is_prompt);
/* A part of the prompt. length: of the cache then. */
void open_prefill(const struct generations *to, struct open *open, const struct generation_run *run, uint32_t tokens,
		  uint64_t length);
/* The first token is there, after the last part of the prompt. */
void open_sample(struct open *open, const struct generation_run *run);
/* A step, with n encoders before `run` that are a part of it. 0 or -ENOMEM. */
int open_decode(struct generations *to, struct open *open, const struct generation_run *run, uint64_t length,
		uint32_t n);
/* It goes on no more; the last one of its decoder takes its place. 0 or -ENOMEM. */
int open_close(struct generations *to, struct decoder *decoder, size_t i);

#endif
