// SPDX-License-Identifier: Apache-2.0
/* What calls that take a prompt in, or make a token, mean for a generation. */
#include <errno.h>

#include "analyze/generation/calls_in.h"
#include "analyze/stats/stats.h"

/* Of a call, outside of inferences. Those of a damaged recording may lie over each other. */
static uint64_t sampled_of(const struct generation_call *call, const struct inside *inside)
{
	uint64_t ns = call->end_ns - call->begin_ns;

	return ns > inside->all_ns ? ns - inside->all_ns : 0;
}

/* The decoder that its generation belongs to. NULL: out of memory. */
static struct decoder *decoder_of(struct generations *to, const struct generator *generator)
{
	struct decoder *decoder = open_decoder(to, &generator->last);

	if (decoder)
		decoder->n_runs++;
	return decoder;
}

/* Of those, the one of this generator; at: its place. NULL: none. */
struct open *calls_open(const struct decoder *decoder, const struct generator *generator, size_t *at)
{
	for (*at = 0; *at < decoder->open.n; ++*at)
		if (open_at(decoder, *at)->generator == generator->number)
			return open_at(decoder, *at);
	return NULL;
}

/* A call as an inference: what a generation's own functions take. */
static struct generation_run as_run(const struct generator *generator, const struct generation_call *call)
{
	struct generation_run run = generator->last;

	run.thread = call->thread;
	run.begin_ns = call->begin_ns;
	run.end_ns = call->end_ns;
	return run;
}

static struct open *begin_open(struct generations *to, struct decoder *decoder, const struct generator *generator,
			       const struct generation_call *call, struct prompt_wait wait)
{
	struct generation_run run = as_run(generator, call);
	struct open *open;

	run.begin_ns = wait.since_ns ? wait.since_ns : run.begin_ns;
	open = open_begin(to, decoder, &run, GENERATION_BY_CALLS);
	if (!open)
		return NULL;
	open->generator = generator->number;
	open->others_ns = wait.others_ns;
	return open;
}

/* Tokens of one sequence of a prompt. A search feeds each of its beams, and some models are fed in whole windows. */
static uint64_t prompt_of(const struct generation_call *call, const struct inside *inside)
{
	if (!call->n_tokens)
		return inside->n_tokens;
	return inside->n_tokens * inside->batch == call->n_tokens ? inside->n_tokens : call->n_tokens;
}

/* Of the tokens of one sequence. The agent looks at those of all, which lie one behind the other. */
static uint64_t seen_of(const struct generation_call *call, uint64_t n_tokens)
{
	double n_seen = call->n_tokens ? (double)call->n_seen * (double)n_tokens / (double)call->n_tokens : 0;

	return n_seen < (double)n_tokens ? (uint64_t)n_seen : n_tokens;
}

int calls_prompt(struct generations *to, struct generator *generator, const struct generation_call *call,
		 const struct inside *inside, struct prompt_wait wait)
{
	struct generation_run run = as_run(generator, call);
	uint64_t n_tokens = prompt_of(call, inside), ns = call->end_ns - call->begin_ns;
	struct decoder *decoder = decoder_of(to, generator);
	struct open *open;
	size_t at;

	if (!decoder)
		return -ENOMEM;
	open = calls_open(decoder, generator, &at);
	/* the last token that was made is not in the cache yet */
	generator->length += generator->has_token && !generator->is_rewound;
	if (open && (generator->has_token || generator->is_rewound)) {
		if (open_close(to, decoder, at))
			return -ENOMEM;
		open = NULL;
	}
	if (!open) {
		if (!(open = begin_open(to, decoder, generator, call, wait)))
			return -ENOMEM;
		open->row.cached_tokens = generator->length;
	}
	generator->has_token = generator->is_rewound = false;
	generator->length += n_tokens;
	open->row.seen_tokens += seen_of(call, n_tokens);
	open->row.batch = inside->batch;
	open->row.cache_bytes = inside->cache_bytes;
	open->row.copied_bytes += inside->copied_bytes;
	open->row.encoder_ns += inside->encoder_ns < ns ? inside->encoder_ns : ns;
	open->last_run = decoder->n_runs;
	open->sampled_ns = sampled_of(call, inside);
	open_prefill(to, open, &run, (uint32_t)n_tokens, generator->length);
	open->row.n_prefills += inside->n_model ? inside->n_model - 1 : 0;
	open->sampled_ns = 0;
	return 0;
}

int calls_next(struct generations *to, struct generator *generator, const struct generation_call *call,
	       const struct inside *inside, uint64_t others_ns)
{
	struct generation_run run = as_run(generator, call);
	struct decoder *decoder = decoder_of(to, generator);
	struct open *open;
	size_t at;
	int rc = 0;

	if (!decoder)
		return -ENOMEM;
	open = calls_open(decoder, generator, &at);
	if (!open && !(open = begin_open(to, decoder, generator, call, (struct prompt_wait){ 0 })))
		return -ENOMEM;
	open->others_ns += others_ns;
	open->last_run = decoder->n_runs;
	open->sampled_ns = sampled_of(call, inside);
	if (open->row.n_prefills && !generator->has_token) {
		open_sample(open, &run);
	} else {
		if (inside->n_model) {
			open->row.batch = inside->batch;
			open->row.cache_bytes = inside->cache_bytes;
			open->row.copied_bytes += inside->copied_bytes;
		}
		rc = open_decode(to, open, &run, ++generator->length, 0);
	}
	generator->has_token = true;
	open->sampled_ns = 0;
	return rc;
}
