// SPDX-License-Identifier: Apache-2.0
/*
 * Which inference belongs to which generation.
 *
 * By a law of the inputs, an inference continues the generation whose cache is as long as its own. Several may be: with
 * as long prompts they advance side by side. Then it is the one whose last inference it names (generation_run), if that
 * is right as a rule: memory that a program has copied caches to may be that of others before. Else it is one of the
 * same thread; of these the one that has just made a token, if that thread runs one generation after the other, else
 * the one that waits longest, unless others have made several tokens each meanwhile: it is over.
 *
 * By sequences, it is the one with that number in the session. Where sequences have no numbers, it is the one that is
 * as long; of several, the one that was in the batch before.
 */
#include "analyze/generation/generations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/generation/generations_in.h"

enum {
	MAX_CANDIDATES = 64, /* inferences of a session that may turn out to be steps */
	MOST_DRAFTED = 64,
	FIRST_BATCHES = 16, /* what began before the recording was in one of these */
	LEAST_LINKS = 3	    /* by masks or embeddings, from one inference to the next, before a model is a decoder */
};

struct generations *generations_new(bool with_tokens)
{
	struct generations *to = calloc(1, sizeof *to);

	if (to)
		to->with_tokens = with_tokens;
	return to;
}

struct generations *generations_watch(generations_made_fn *made, void *ctx)
{
	struct generations *to = generations_new(false);

	if (to) {
		to->made = made;
		to->ctx = ctx;
	}
	return to;
}

void generations_free(struct generations *from)
{
	if (!from)
		return;
	for (size_t i = 0; i < from->decoders.n; i++)
		open_decoder_free(decoder_at(from, i));
	for (size_t i = 0; i < from->sums.n; i++)
		generation_sums_free(((struct generation_sums **)from->sums.data)[i]);
	calls_free(from);
	array_done(&from->decoders, sizeof(struct decoder));
	array_done(&from->sums, sizeof(struct generation_sums *));
	array_done(&from->rows, sizeof(struct generation));
	array_done(&from->tokens, sizeof(struct generation_token));
	free(from);
}

struct generation_sums *generations_of(struct generations *from, uint32_t model)
{
	return model < from->sums.n ? ((struct generation_sums **)from->sums.data)[model] : NULL;
}

struct array *generations_rows(struct generations *from)
{
	return &from->rows;
}

struct array *generations_tokens(struct generations *from)
{
	return &from->tokens;
}

/* Of two of the same length. is_last: their thread runs one after the other. */
static bool continues_sooner(const struct decoder *decoder, const struct open *open, const struct open *other,
			     bool is_last)
{
	bool is_later = open->last_run > other->last_run;

	if (is_last && (is_later ? open : other)->last_turn + 1 == decoder->turn)
		return is_later;
	if (open_is_over(decoder, open) != open_is_over(decoder, other))
		return open_is_over(decoder, other);
	/* it has been left out: the later one went on twice since */
	if ((is_later ? open : other)->run_before > (is_later ? other : open)->last_run)
		return is_later;
	return !is_later;
}

/* Whether its prompt may go on as several sequences: as the beams of a search. */
static bool is_split(const struct open *open)
{
	return open->row.batch == 1 && open->row.n_prefills && !open->row.n_steps;
}

static bool may_continue(const struct open *open, const struct inputs_step *step)
{
	return step->cached && (open->row.batch == step->batch || is_split(open)) &&
	       (open->expected == step->cached || open->branched == step->cached);
}

/* The one whose last inference has made the caches of a step. NULL: none, or it may be wrong. */
static struct open *followed(struct decoder *decoder, const struct generation_run *run, const struct inputs_step *step)
{
	struct open *found = NULL;

	for (size_t i = 0; run->follows && i < decoder->open.n && !found; i++) {
		struct open *open = open_at(decoder, i);

		if (open->last_number == run->follows && may_continue(open, step))
			found = open;
	}
	if (step->cached && (found || waiting_is_followed(decoder, run, step)))
		decoder->n_followed++;
	else if (step->cached)
		decoder->n_lost++;
	return open_follows_rightly(decoder) ? found : NULL;
}

/* The generation that a step continues, as far as its length tells. NULL: none. */
static struct open *continued(const struct decoder *decoder, const struct generation_run *run,
			      const struct inputs_step *step)
{
	bool is_last = open_is_in_a_row(decoder, run->thread), is_own = false;
	struct open *found = NULL;

	for (size_t i = 0; i < decoder->open.n; i++) {
		struct open *open = open_at(decoder, i);
		bool is_of_thread = open->row.thread == run->thread;

		if (!may_continue(open, step) || (is_own && !is_of_thread))
			continue;
		if (found && found->row.batch == step->batch && open->row.batch != step->batch)
			continue;
		if (found && is_own == is_of_thread && found->row.batch == open->row.batch &&
		    !continues_sooner(decoder, open, found, is_last))
			continue;
		found = open;
		is_own = is_of_thread;
	}
	return found;
}

/* A prompt that went into another session on this thread, as long as the cache is now. NULL: there is none. */
static const struct generation_run *prompt_of(const struct generations *to, const struct generation_run *run,
					      const struct inputs_step *step, const struct inputs_step **as)
{
	for (uint32_t i = 0; i < to->n_recent; i++) {
		const struct recent *recent = &to->recent[i];

		if (recent->run.process != run->process || recent->run.thread != run->thread ||
		    (recent->run.session == run->session && recent->run.model == run->model))
			continue;
		for (uint32_t n = 0; n < recent->n; n++)
			if (recent->step[n].tokens == step->cached && recent->step[n].batch == step->batch) {
				*as = &recent->step[n];
				return &recent->run;
			}
	}
	return NULL;
}

/* The prompt is complete, a new one goes in: the cache is used again. */
static bool is_next_prompt(const struct open *open, const struct inputs_step *step)
{
	return open->is_decoding && step->tokens > 1;
}

/* How many encoders belong to an inference. A decoder is none. */
static uint32_t encoders_before(const struct generations *to, const struct generation_run *run,
				const struct inputs_step *step)
{
	for (size_t i = 0; i < to->decoders.n; i++) {
		const struct decoder *decoder = decoder_at(to, i);

		if (decoder->is_known && decoder->process == run->process &&
		    encoder_is_of(&run->before[0], decoder->session, decoder->model))
			return 0;
	}
	/* a step that takes no embeddings goes on from the cache alone */
	return step->cached && step->tokens == 1 && !step->is_real ? 0 : encoders_of(run->before, step, run->begin_ns);
}

static int take_step(struct generations *to, struct decoder *decoder, const struct generation_run *run,
		     const struct inputs_step *step)
{
	struct open *before = followed(decoder, run, step), *open = before ? before : continued(decoder, run, step);
	uint64_t length = (uint64_t)step->cached + step->tokens;
	const struct generation_run *prompt = NULL;
	const struct inputs_step *first = step;
	struct waiting waiting;
	bool is_new = !open || is_next_prompt(open, step), is_in_a_row = false;

	if (step->cached && step->tokens == 1 && !before && waiting_take(decoder, run, step, open, &waiting)) {
		prompt = &waiting.run;
		first = &waiting.step[0];
		is_in_a_row = waiting.turn + 1 == decoder->turn;
	} else if (is_new && step->cached && step->tokens == 1) {
		prompt = prompt_of(to, run, step, &first);
		is_in_a_row = prompt;
	}
	is_new = is_new || prompt;
	if (open && is_new && !prompt && open_close(to, decoder, (size_t)(open - open_at(decoder, 0))))
		return -ENOMEM;
	if (is_new && !(open = open_begin(to, decoder, prompt ? prompt : run,
					  decoder->law.is_mask ? GENERATION_BY_LENGTH : GENERATION_BY_CACHE)))
		return -ENOMEM;
	if (is_new) {
		open->row.model = run->model;
		open->row.session = run->session;
		open->row.batch = step->batch;
		open_encode(to, open, prompt ? prompt : run, encoders_before(to, prompt ? prompt : run, first),
			    !first->is_real);
		open->row.cached_tokens = prompt ? 0 : step->cached;
		open->branched = step->cached == 1 ? step->tokens : 0;
	} else if (open->branched == step->cached && open->expected != step->cached) {
		open->row.cached_tokens = 0;
	}
	if (!is_new && open->row.batch != step->batch)
		open->row.batch = open->row.output_tokens = step->batch;
	open->branched = is_new ? open->branched : 0;
	open->is_in_a_row = is_new ? is_in_a_row : open->last_turn + 1 == decoder->turn;
	open->run_before = is_new ? 0 : open->last_run;
	open->last_run = decoder->n_runs;
	open->last_number = run->number;
	open->last_turn = decoder->turn;
	open->expected = length;
	open->row.cache_bytes = step->cache_bytes;
	open->row.copied_bytes += step->cache_bytes;
	if (prompt) {
		open->row.seen_tokens += prompt->n_seen < step->cached ? prompt->n_seen : step->cached;
		open_prefill(to, open, prompt, step->cached, step->cached);
	}
	if (prompt || (step->tokens == 1 && (open->is_decoding || (open->row.n_prefills || step->cached))))
		return open_decode(to, open, run, length,
				   !is_new && step->is_real ? encoders_before(to, run, step) : 0);
	if (!is_new && step->is_real)
		open_encode(to, open, run, encoders_before(to, run, step), false);
	/* behind a cache, tokens that a prompt began with are others */
	if (!step->cached)
		open->row.seen_tokens += run->n_seen < step->tokens ? run->n_seen : step->tokens;
	open_prefill(to, open, run, step->tokens, length);
	return 0;
}

/* The results of all of a few tokens are asked for to check a draft. */
static bool is_check(const struct sequence *sequence)
{
	return sequence->n_tokens > 1 && sequence->n_tokens <= MOST_DRAFTED && sequence->n_asked == sequence->n_tokens;
}

/* Of a draft that was checked, some tokens may not have been taken. */
static bool goes_on_at(const struct open *open, const struct sequence *sequence)
{
	uint64_t position = (uint64_t)sequence->position;

	if (sequence->position < 0 || (sequence->n_tokens > 1 && open->is_decoding && !is_check(sequence)))
		return false;
	return open->expected == position ||
	       (open->draft_tokens && position > open->draft_at && position <= open->draft_at + open->draft_tokens);
}

/* The one that a sequence without a number continues. NULL: none. */
static struct open *as_long_as(const struct decoder *decoder, const struct sequence *sequence)
{
	struct open *found = NULL;

	for (size_t i = 0; i < decoder->open.n; i++) {
		struct open *open = open_at(decoder, i);

		if (open->sequence >= 0 || open->last_run == decoder->n_runs || !goes_on_at(open, sequence))
			continue;
		if (!found || open->last_run > found->last_run ||
		    (open->last_run == found->last_run && open->number < found->number))
			found = open;
	}
	return found;
}

static struct open *with_sequence(const struct decoder *decoder, const struct sequence *sequence)
{
	if (sequence->number < 0)
		return as_long_as(decoder, sequence);
	for (size_t i = 0; i < decoder->open.n; i++)
		if (open_at(decoder, i)->sequence == sequence->number)
			return open_at(decoder, i);
	return NULL;
}

/* It goes in within the prompt: another request begins alike, and the cache has all before it. */
static bool is_in_prompt(const struct open *open, const struct sequence *sequence)
{
	return sequence->position >= 0 && (uint64_t)sequence->position < open->prompt_end;
}

static bool begins(const struct open *open, const struct sequence *sequence)
{
	if (!open || !sequence->position)
		return true;
	if (open->is_decoding)
		return (sequence->n_tokens > 1 && !is_check(sequence)) || is_in_prompt(open, sequence);
	return !open->has_token && sequence->position >= 0 && (uint64_t)sequence->position != open->expected;
}

/* Where it goes on shows how many tokens of a draft were taken: one was counted. */
static void count_draft(const struct generations *to, struct open *open, uint64_t position)
{
	if (open->draft_tokens && position > open->draft_at + 1 && position <= open->draft_at + open->draft_tokens) {
		open->row.output_tokens += position - open->draft_at - 1;
		open_tell(to, open, (struct generation_made){ .n = position - open->draft_at - 1 });
	}
	open->draft_tokens = 0;
}

static int take_sequence(struct generations *to, struct decoder *decoder, const struct generation_run *run,
			 const struct sequence *sequence)
{
	struct open *open = with_sequence(decoder, sequence);
	bool is_new = begins(open, sequence), is_again = open && is_new, is_cut;
	uint64_t position, length;

	if (open && is_new && open_close(to, decoder, (size_t)(open - open_at(decoder, 0))))
		return -ENOMEM;
	if (is_new && !(open = open_begin(to, decoder, run, GENERATION_BY_SEQUENCE)))
		return -ENOMEM;
	position = sequence->position >= 0 ? (uint64_t)sequence->position : is_new ? 0 : open->expected;
	length = position + sequence->n_tokens;
	if (is_new)
		open->row.cached_tokens = position;
	/* where sequences have no numbers, a later one is a prompt that is in the cache but for its last token */
	is_cut = is_new && !is_again && sequence->n_tokens == 1 && position &&
		 (sequence->number >= 0 || decoder->n_runs <= FIRST_BATCHES);
	if (is_new && !position)
		open_encode(to, open, run, encoders_of_sequence(run->before, run), true);
	open->sequence = sequence->number;
	open->last_run = decoder->n_runs;
	open->expected = length;
	if (is_cut || (!is_new && open->has_token && (sequence->n_tokens == 1 || is_check(sequence)))) {
		open->has_token = true;
		count_draft(to, open, position);
		open->draft_at = position;
		open->draft_tokens = sequence->n_tokens > 1 ? sequence->n_tokens : 0;
		return open_decode(to, open, run, length, 0);
	}
	open_prefill(to, open, run, sequence->n_tokens, length);
	open->prompt_end = length;
	open->row.seen_tokens += sequence->n_seen;
	open->has_token = sequence->n_asked;
	return 0;
}

/* Counts an inference of a thread. A new one takes the place of the one that rests longest, if there are many. */
static uint64_t next_turn(struct decoder *decoder, int64_t thread)
{
	uint32_t i = 0, oldest = 0;

	while (i < decoder->n_threads && decoder->thread[i].thread != thread) {
		oldest = decoder->thread[i].used_at < decoder->thread[oldest].used_at ? i : oldest;
		i++;
	}
	if (i == decoder->n_threads) {
		i = i < MAX_THREADS ? decoder->n_threads++ : oldest;
		/* no thread comes back to a turn that it had */
		decoder->thread[i] = (struct thread_turns){ .thread = thread, .n_runs = decoder->n_runs };
	}
	decoder->thread[i].used_at = decoder->n_runs;
	return ++decoder->thread[i].n_runs;
}

static int take_known(struct generations *to, struct decoder *decoder, const struct generation_run *run,
		      const struct inputs *inputs)
{
	struct inputs_step step;
	struct sequence sequence;
	struct generation_run own = *run;
	const char *text = run->sequences;
	int rc = 0;

	decoder->n_runs++;
	decoder->turn = next_turn(decoder, run->thread);
	if (text)
		while (!rc && sequence_read(&sequence, &text)) {
			rc = take_sequence(to, decoder, &own, &sequence);
			memset(own.before, 0, sizeof own.before); /* the first sequence has it */
		}
	else if (inputs_step(inputs, &decoder->law, &step))
		rc = take_step(to, decoder, run, &step);
	else
		rc = waiting_add(decoder, run, inputs);
	for (size_t i = 0; i < decoder->open.n; i++)
		if (open_at(decoder, i)->last_run != decoder->n_runs && open_at(decoder, i)->row.thread == run->thread)
			open_at(decoder, i)->others_ns += run->end_ns - run->begin_ns;
	return rc;
}

static struct candidate *candidate_at(const struct decoder *decoder, uint64_t number)
{
	return &decoder->candidate[number % MAX_CANDIDATES];
}

static uint64_t first_candidate(const struct decoder *decoder)
{
	return decoder->n_candidates > MAX_CANDIDATES ? decoder->n_candidates - MAX_CANDIDATES : 0;
}

/* One embedding goes in behind others: one frame of sound alone may be the rest of it. */
static bool goes_on(const struct candidate *before, const struct candidate *last)
{
	struct inputs_step a, b;

	return before->n_links && before->law.is_real && inputs_step(&before->inputs, &before->law, &a) &&
	       inputs_step(&last->inputs, &before->law, &b) && a.batch == b.batch && b.tokens == 1 &&
	       a.cached + a.tokens == b.cached;
}

/* The longest row of inferences that this one ends. */
static void link_candidate(const struct decoder *decoder, struct candidate *last)
{
	const struct candidate *previous =
	    decoder->n_candidates ? candidate_at(decoder, decoder->n_candidates - 1) : NULL;

	/* where the previous one has the same inputs, that one was looked at for both */
	if (!inputs_may_continue(&last->inputs) || (previous && inputs_are_equal(&previous->inputs, &last->inputs)))
		return;
	for (uint64_t i = decoder->n_candidates; i-- > first_candidate(decoder);) {
		const struct candidate *before = candidate_at(decoder, i);
		struct inputs_law law;
		uint32_t n;

		if (goes_on(before, last))
			law = before->law;
		else if (!inputs_continue(&before->inputs, &last->inputs, &law))
			continue;
		n = before->n_links && inputs_law_equals(&before->law, &law) ? before->n_links + 1 : 1;
		/* a prompt of several tokens before a cache is longer by these */
		if (!law.is_mask && !law.is_real && before->inputs.input[law.tokens].dim[1] > 1)
			n = LEAST_LINKS;
		if (n <= last->n_links)
			continue;
		last->n_links = n;
		last->law = law;
	}
}

/* A prompt: several tokens behind no mask but their own, or an empty cache, or, without caches, as long as one is then.
 */
static bool is_prompt(const struct decoder *decoder, uint64_t number, const struct inputs_law *law)
{
	const struct inputs *inputs = &candidate_at(decoder, number)->inputs;
	struct inputs_step step, bare[INPUTS_TABLES];

	if (inputs_step(inputs, law, &step))
		return law->is_mask ? step.tokens > 1 && !step.cached : step.tokens > 1 || !step.cached;
	for (uint64_t i = number + 1; i < decoder->n_candidates; i++) {
		if (!inputs_step(&candidate_at(decoder, i)->inputs, law, &step))
			continue;
		for (uint32_t k = inputs_tokens(inputs, bare); k-- > 0;)
			if (bare[k].tokens > 1 && bare[k].tokens == step.cached && bare[k].batch == step.batch)
				return true;
	}
	return false;
}

/*
 * Lists that a program makes longer by one each time look like a cache or a mask, but begin with no prompt. Keys and
 * values of several layers, of four dimensions, look like nothing else.
 */
static bool is_decoder(const struct decoder *decoder, const struct candidate *last)
{
	enum { USUAL_DIMS = 4, SEVERAL_LAYERS = 4 };

	if (last->n_links < LEAST_LINKS)
		return false;
	if (last->law.n_grow >= SEVERAL_LAYERS && last->inputs.input[last->law.grows].n_dims == USUAL_DIMS)
		return true;
	for (uint64_t i = first_candidate(decoder); i < decoder->n_candidates; i++)
		if (is_prompt(decoder, i, &last->law))
			return true;
	return false;
}

/* Each step of a decoder without a cache takes all tokens. */
static int count_repeated(struct generations *to, const struct generation_run *run, const struct inputs_step *before,
			  const struct inputs_step *step)
{
	struct generation_sums *sums;

	if (to->made || before->batch != step->batch || before->tokens + 1 != step->tokens)
		return 0;
	sums = open_sums(to, run->model);
	if (!sums)
		return -ENOMEM;
	sums->n_repeated++;
	return 0;
}

static int remember(struct generations *to, const struct generation_run *run, const struct inputs *inputs)
{
	struct recent own = { .run = *run };
	uint32_t i = 0, oldest = 0;
	int rc = 0;

	own.n = inputs_tokens(inputs, own.step);
	if (!own.n)
		return 0;
	while (i < to->n_recent &&
	       (to->recent[i].run.process != run->process || to->recent[i].run.thread != run->thread ||
		to->recent[i].run.session != run->session)) {
		oldest = to->recent[i].run.end_ns < to->recent[oldest].run.end_ns ? i : oldest;
		i++;
	}
	if (i == MAX_RECENT) {
		i = oldest;
	} else if (i == to->n_recent) {
		to->n_recent++;
	} else if (to->recent[i].run.end_ns <= run->begin_ns) { /* one that is looked at again was counted */
		rc = count_repeated(to, run, &to->recent[i].step[0], &own.step[0]);
	}
	to->recent[i] = own;
	return rc;
}

/* Is the model a decoder? Then what came before is looked at again. */
static int learn(struct generations *to, struct decoder *decoder, const struct generation_run *run,
		 const struct inputs *inputs)
{
	struct candidate last = { .run = *run, .inputs = *inputs };
	int rc = 0;

	if (!decoder->candidate && !(decoder->candidate = calloc(MAX_CANDIDATES, sizeof last)))
		return -ENOMEM;
	link_candidate(decoder, &last);
	*candidate_at(decoder, decoder->n_candidates++) = last;
	if (!is_decoder(decoder, &last))
		return 0;
	decoder->is_known = true;
	decoder->law = last.law;
	for (uint64_t i = first_candidate(decoder); !rc && i < decoder->n_candidates; i++) {
		const struct candidate *own = candidate_at(decoder, i);

		rc = take_known(to, decoder, &own->run, &own->inputs);
		rc = rc ? rc : remember(to, &own->run, &own->inputs);
	}
	free(decoder->candidate);
	decoder->candidate = NULL;
	return rc;
}

int generations_take(struct generations *to, const struct generation_run *run)
{
	struct generation_run own = *run;
	struct inputs inputs = { .n = 0 };
	struct decoder *decoder;
	bool may_be = run->shapes && inputs_read(&inputs, run->shapes);
	int rc;

	if (run->sequences && *run->sequences == 'g')
		return calls_take(to, run, &inputs);
	if (run->sequences && *run->sequences == '~') {
		own.n_seen = strtoull(run->sequences + 1, NULL, 10);
		own.sequences = NULL;
	}
	encoders_take(&to->encoders, &own, &inputs, own.before);
	if (!own.sequences && !may_be)
		return 0;
	decoder = open_decoder(to, run);
	if (!decoder)
		return -ENOMEM;
	own.shapes = NULL;
	rc = own.sequences || decoder->is_known ? take_known(to, decoder, &own, &inputs)
						: learn(to, decoder, &own, &inputs);
	return rc ? rc : remember(to, &own, &inputs);
}

int generations_rest(struct generations *to, uint64_t before_ns)
{
	int rc = 0;

	for (size_t i = 0; i < to->decoders.n; i++)
		for (size_t k = decoder_at(to, i)->open.n; k-- > 0;)
			if (open_at(decoder_at(to, i), k)->last_end_ns < before_ns)
				rc = open_close(to, decoder_at(to, i), k) ? -ENOMEM : rc;
	return rc;
}

int generations_finish(struct generations *to)
{
	int rc = 0;

	for (size_t i = 0; i < to->decoders.n; i++)
		rc = open_decoder_close(to, decoder_at(to, i)) ? -ENOMEM : rc;
	to->decoders.n = 0;
	return rc;
}
