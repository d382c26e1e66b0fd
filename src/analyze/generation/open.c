// SPDX-License-Identifier: Apache-2.0
/* A generation as it goes on: its figures, from its begin to its end. Which inferences it consists of is found in
 * generations.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/generation/generations_in.h"

enum {
	MAX_DECODERS = 256, /* sessions that are looked at, at a time */
	MAX_OPEN = 256,	    /* generations of a session that may go on */
	IDLE_RUNS = 4096,   /* inferences of a session after which a generation is over */
	TOKEN_LIMIT = 1 << 12,
	SEVERAL = 3
};

/* NULL: out of memory. */
struct generation_sums *open_sums(struct generations *to, uint32_t model)
{
	struct generation_sums **place;

	while (to->sums.n <= model)
		if (!array_add(&to->sums, sizeof *place))
			return NULL;
	place = (struct generation_sums **)to->sums.data + model;
	if (!*place)
		*place = generation_sums_new();
	return *place;
}

void open_tell(const struct generations *to, const struct open *open, struct generation_made made)
{
	made.process = open->row.process;
	made.model = open->row.model;
	made.generation = open->number;
	made.whole = &open->row;
	if (to->made)
		to->made(to->ctx, &made);
}

/* number: of the token, from 1. */
static int add_token(struct generations *to, const struct open *open, const struct generation_run *run, uint64_t number,
		     uint64_t since_ns, uint64_t sampled_ns)
{
	struct generation_token *token;

	if (!to->with_tokens || open->place == NO_ROW || to->tokens.n >= GENERATIONS_TOKENS)
		return 0;
	token = array_add(&to->tokens, sizeof *token);
	if (!token)
		return -ENOMEM;
	*token = (struct generation_token){ .generation = open->place,
					    .process = run->process,
					    .model = run->model,
					    .number = number,
					    .inference = run->number,
					    .time_ns = run->end_ns,
					    .since_ns = since_ns,
					    .inference_ns = run->end_ns - run->begin_ns - sampled_ns,
					    .length = open->row.length,
					    .is_first = number == 1 && open->row.n_prefills };
	return 0;
}

/* A run is a part of a generation: the time since the one before, and its own. */
static void pass_time(struct open *open, const struct generation_run *run, uint64_t *to_ns)
{
	uint64_t between_ns = run->begin_ns > open->last_end_ns ? run->begin_ns - open->last_end_ns : 0;
	uint64_t others_ns = open->others_ns < between_ns ? open->others_ns : between_ns;
	uint64_t since_ns = run->begin_ns > open->last_end_ns ? run->begin_ns : open->last_end_ns;

	uint64_t own_ns = run->end_ns > since_ns ? run->end_ns - since_ns : 0;
	uint64_t sampled_ns = open->sampled_ns < own_ns ? open->sampled_ns : own_ns;

	open->row.others_ns += others_ns;
	open->row.outside_ns += between_ns - others_ns + sampled_ns;
	open->row.sampling_ns += sampled_ns;
	*to_ns += own_ns - sampled_ns;
	open->others_ns = 0;
	open->last_end_ns = run->end_ns > open->last_end_ns ? run->end_ns : open->last_end_ns;
	open->row.end_ns = open->last_end_ns;
}

/* A part of the prompt. Its result is the first token, unless another part follows. */
void open_prefill(const struct generations *to, struct open *open, const struct generation_run *run, uint32_t tokens,
		  uint64_t length)
{
	pass_time(open, run, &open->row.prefill_ns);
	open->row.n_prefills++;
	open->row.prompt_tokens += open->is_of_text ? 0 : tokens;
	open->row.length = length;
	open->row.first_token_ns = open->row.end_ns - open->row.begin_ns;
	open->row.output_tokens = open->row.batch;
	open->prompt = *run;
	open->prompt_sampled_ns = open->sampled_ns;
	open_tell(to, open, (struct generation_made){ .part = run, .n_in = tokens });
}

void open_sample(struct open *open, const struct generation_run *run)
{
	pass_time(open, run, &open->row.prefill_ns);
	open->row.first_token_ns = open->row.end_ns - open->row.begin_ns;
	open->row.output_tokens = open->row.batch;
	open->prompt_sampled_ns += run->end_ns - open->prompt.end_ns;
	open->prompt.end_ns = run->end_ns;
}

/* The prompt is complete once its first token goes in, or nothing more does. */
static int end_prompt(struct generations *to, struct open *open)
{
	if (open->is_decoding || !open->row.n_prefills)
		return 0;
	open->is_decoding = true;
	open_tell(to, open,
		  (struct generation_made){ .n = open->row.batch, .first_token_ns = open->row.first_token_ns });
	return add_token(to, open, &open->prompt, 1, open->row.first_token_ns, open->prompt_sampled_ns);
}

int open_close(struct generations *to, struct decoder *decoder, size_t i)
{
	struct open *open = open_at(decoder, i);
	struct generation *row = &open->row;
	int rc = end_prompt(to, open);

	row->per_token_ns =
	    open->between.n ? (double)open->between.sum / (double)(row->output_tokens / row->batch - 1) : NAN;
	row->tokens_per_s = row->first_token_ns && row->end_ns > row->begin_ns
				? (double)row->output_tokens * 1e9 / (double)(row->end_ns - row->begin_ns)
				: NAN;
	if (open->between.n) {
		row->p50_ns = stats_percentile(&open->between, 0.5);
		row->p99_ns = stats_percentile(&open->between, 0.99);
		row->max_ns = open->between.max;
	}
	if (!rc && row->output_tokens && !to->made) {
		struct generation_sums *sums = open_sums(to, row->model);

		rc = sums ? generation_sums_add(sums, row) : -ENOMEM;
	}
	if (open->place != NO_ROW)
		((struct generation *)to->rows.data)[open->place] = *row;
	open_tell(to, open, (struct generation_made){ .is_over = true });
	stats_done(&open->between);
	*open = *open_at(decoder, --decoder->open.n);
	return rc;
}

bool open_is_in_a_row(const struct decoder *decoder, int64_t thread)
{
	const struct open *last = NULL;

	for (size_t i = 0; i < decoder->open.n; i++) {
		const struct open *open = open_at(decoder, i);

		if (open->row.thread == thread && open->row.n_prefills + open->row.n_steps > 1 &&
		    (!last || open->last_run > last->last_run))
			last = open;
	}
	return last && last->is_in_a_row;
}

bool open_is_over(const struct decoder *decoder, const struct open *open)
{
	uint64_t n_others = 0;

	for (size_t i = 0; i < decoder->open.n; i++)
		n_others += open_at(decoder, i)->last_run > open->last_run;
	return decoder->n_runs - open->last_run > SEVERAL * n_others;
}

bool open_follows_rightly(const struct decoder *decoder)
{
	enum { OF_THOSE = 4 };

	return decoder->n_lost * OF_THOSE <= decoder->n_followed;
}

/* Room for another one: the one that rests longest is over. */
static int make_room(struct generations *to, struct decoder *decoder)
{
	size_t oldest = 0;
	int rc = 0;

	for (size_t i = decoder->open.n; !rc && i-- > 0;)
		if (decoder->n_runs - open_at(decoder, i)->last_run > IDLE_RUNS)
			rc = open_close(to, decoder, i);
	if (rc || decoder->open.n < MAX_OPEN)
		return rc;
	for (size_t i = 1; i < decoder->open.n; i++)
		if (open_at(decoder, i)->last_run < open_at(decoder, oldest)->last_run)
			oldest = i;
	return open_close(to, decoder, oldest);
}

struct open *open_begin(struct generations *to, struct decoder *decoder, const struct generation_run *run,
			enum generation_way way)
{
	struct open *open;

	if (make_room(to, decoder))
		return NULL;
	open = array_add(&decoder->open, sizeof *open);
	if (!open)
		return NULL;
	open->place = NO_ROW;
	open->number = ++to->n_begun;
	open->sequence = -1;
	open->between.limit = TOKEN_LIMIT;
	open->row = (struct generation){ .process = run->process,
					 .model = run->model,
					 .way = way,
					 .session = run->session,
					 .thread = run->thread,
					 .begin_ns = run->begin_ns,
					 .end_ns = run->begin_ns,
					 .batch = 1,
					 .per_token_ns = NAN,
					 .tokens_per_s = NAN };
	open->last_end_ns = run->begin_ns;
	if (to->rows.n < GENERATIONS_LISTED && !to->made) {
		if (!array_add(&to->rows, sizeof(struct generation)))
			return NULL;
		open->place = (uint32_t)to->rows.n - 1;
	}
	return open;
}

void open_encode(const struct generations *to, struct open *open, const struct generation_run *run, uint32_t n,
		 bool is_prompt)
{
	if (n && !open->row.n_prefills)
		open->row.begin_ns = open->row.end_ns = open->last_end_ns = run->before[n - 1].begin_ns;
	while (n-- > 0) {
		const struct encoder *encoder = &run->before[n];
		const struct generation_run part = { .begin_ns = encoder->begin_ns, .end_ns = encoder->end_ns };

		pass_time(open, &part, &open->row.prefill_ns);
		open->row.encoder_ns += encoder->end_ns - encoder->begin_ns;
		if (is_prompt && encoder->tokens) {
			open->row.prompt_tokens = encoder->tokens;
			open->is_of_text = true;
		}
		open_tell(to, open, (struct generation_made){ .part = &part });
	}
}

/* between_ns: since the token before. */
static int add_between(struct generations *to, struct open *open, const struct generation_run *run, uint64_t between_ns)
{
	struct generation_sums *sums = to->made ? NULL : open_sums(to, open->row.model);
	int rc;

	if (to->made)
		return 0;
	rc = sums ? stats_add(&open->between, between_ns) : -ENOMEM;
	return rc ? rc
		  : generation_sums_add_token(sums, open->row.length, between_ns,
					      run->end_ns - run->begin_ns - open->sampled_ns);
}

static void pass_early(struct open *open)
{
	const struct generation_run part = { .begin_ns = open->early_begin_ns, .end_ns = open->early_end_ns };
	uint64_t sampled_ns = open->sampled_ns;

	open->sampled_ns = open->early_end_ns = 0;
	pass_time(open, &part, &open->row.decode_ns);
	open->sampled_ns = sampled_ns;
}

int open_decode(struct generations *to, struct open *open, const struct generation_run *run, uint64_t length,
		uint32_t n)
{
	uint64_t before_ns = open->row.end_ns, between_ns;
	bool is_cut = !open->row.n_prefills && !open->row.n_steps;
	int rc = end_prompt(to, open);

	if (open->early_end_ns)
		pass_early(open);
	for (; n > 0; n--) {
		const struct generation_run part = { .begin_ns = run->before[n - 1].begin_ns,
						     .end_ns = run->before[n - 1].end_ns };

		pass_time(open, &part, &open->row.decode_ns);
	}
	pass_time(open, run, &open->row.decode_ns);
	open->is_decoding = true;
	open->row.n_steps++;
	open->row.length = length;
	open->row.output_tokens += open->row.batch;
	between_ns = open->row.end_ns - before_ns;
	open_tell(to, open,
		  (struct generation_made){
		      .n = open->row.batch, .since_ns = is_cut ? 0 : between_ns, .part = run, .n_in = 1 });
	if (!rc && !is_cut)
		rc = add_between(to, open, run, between_ns);
	return rc ? rc
		  : add_token(to, open, run, open->row.output_tokens / open->row.batch, between_ns, open->sampled_ns);
}

void open_decoder_free(struct decoder *decoder)
{
	for (size_t i = 0; i < decoder->open.n; i++)
		stats_done(&open_at(decoder, i)->between);
	array_done(&decoder->open, sizeof(struct open));
	array_done(&decoder->waiting, sizeof(struct waiting));
	free(decoder->candidate);
}

int open_decoder_close(struct generations *to, struct decoder *decoder)
{
	int rc = 0;

	while (!rc && decoder->open.n)
		rc = open_close(to, decoder, decoder->open.n - 1);
	open_decoder_free(decoder);
	return rc;
}

struct decoder *open_decoder(struct generations *to, const struct generation_run *run)
{
	struct decoder *decoder, *oldest = NULL;

	for (size_t i = 0; i < to->decoders.n; i++) {
		decoder = decoder_at(to, (to->last + i) % to->decoders.n);
		if (decoder->process == run->process && decoder->session == run->session &&
		    (run->session >= 0 || decoder->model == run->model)) {
			to->last = (uint32_t)(decoder - decoder_at(to, 0));
			decoder->used_at = ++to->n_taken;
			return decoder;
		}
		oldest = !oldest || decoder->used_at < oldest->used_at ? decoder : oldest;
	}
	if (to->decoders.n < MAX_DECODERS)
		decoder = array_add(&to->decoders, sizeof *decoder);
	else
		decoder = open_decoder_close(to, oldest) ? NULL : oldest;
	if (decoder)
		*decoder = (struct decoder){
			.process = run->process, .model = run->model, .session = run->session, .used_at = ++to->n_taken
		};
	return decoder;
}
