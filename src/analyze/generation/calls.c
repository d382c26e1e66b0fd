// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/generation/generation_in.h"
#include "analyze/generation/generations_in.h"
#include "analyze/stats/stats.h"
#include "event/generator_call.h"

enum { MOST_PARTS = 64, MOST_FOLDED = 8, MAX_GENERATORS = 1024 };

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
};

/* What the inferences of a call come to. */
struct inside {
	uint64_t n_model;		    /* of the session that makes tokens, which comes last */
	uint64_t all_ns, encoder_ns;	    /* encoder_ns: of other sessions */
	uint64_t n_tokens, batch;	    /* n_tokens: of a sequence; 0: not known */
	uint64_t cache_bytes, copied_bytes; /* of the last one; of all */
	bool is_new;			    /* the model's session is another one than before */
};

static struct part *part_at(const struct generator *generator, size_t i)
{
	return (struct part *)generator->parts.data + i;
}

static bool is_inside(uint64_t begin_ns, uint64_t end_ns, const struct generation_call *call)
{
	return begin_ns >= call->begin_ns && end_ns <= call->end_ns;
}

static bool part_is_inside(const struct part *part, const struct generation_call *call)
{
	return is_inside(part->run.begin_ns, part->run.end_ns, call);
}

static struct generator *generator_at(const struct generations *of, size_t i)
{
	return ((struct generator **)of->generators.data)[i];
}

/* Of a model: [batch x tokens]. False: its inputs show neither. */
static bool table_of(const struct inputs *inputs, uint64_t *batch, uint64_t *tokens)
{
	struct inputs_step step[INPUTS_TABLES];

	if (!inputs_tokens(inputs, step))
		return false;
	*batch = step[0].batch;
	*tokens = step[0].tokens;
	return true;
}

/* Of the caches that went in; 0: not known. */
static uint64_t cache_of(const struct generator *generator, const struct inputs *inputs)
{
	struct inputs_step step;

	return generator->has_law && inputs_step(inputs, &generator->law, &step) ? step.cache_bytes : 0;
}

static void count_cache(struct generator *generator, const struct part *part, struct inside *inside)
{
	if (!generator->has_law && generator->has_last && !inside->is_new)
		generator->has_law = inputs_continue(&generator->inputs, &part->inputs, &generator->law);
	inside->cache_bytes = cache_of(generator, &part->inputs);
	inside->copied_bytes += inside->cache_bytes;
}

static struct folded *folded_of(struct generator *generator, int64_t session)
{
	uint32_t i = 0;

	while (i < generator->n_folded && generator->folded[i].session != session)
		i++;
	if (i == MOST_FOLDED)
		return &generator->folded[MOST_FOLDED - 1];
	if (i == generator->n_folded)
		generator->folded[generator->n_folded++] = (struct folded){ .session = session };
	return &generator->folded[i];
}

static void fold(struct generator *generator, const struct part *part)
{
	bool is_first = !generator->n_folded;
	struct folded *to = folded_of(generator, part->run.session);
	uint64_t batch, tokens;

	if (is_first || part->run.begin_ns < generator->folded_begin_ns)
		generator->folded_begin_ns = part->run.begin_ns;
	if (is_first || part->run.end_ns > generator->folded_end_ns)
		generator->folded_end_ns = part->run.end_ns;
	to->n++;
	to->ns = stats_sum(to->ns, part->run.end_ns - part->run.begin_ns);
	to->n_tokens += table_of(&part->inputs, &batch, &tokens) ? tokens : 0;
	to->copied_bytes += cache_of(generator, &part->inputs);
}

/* The older half, so that not each one that comes moves all others. */
static void fold_parts(struct generator *generator)
{
	uint32_t n = MOST_PARTS / 2;

	for (uint32_t i = 0; i < n; i++)
		fold(generator, part_at(generator, i));
	generator->parts.n -= n;
	memmove(part_at(generator, 0), part_at(generator, n), generator->parts.n * sizeof(struct part));
}

/* session: the one that makes tokens. */
static void take_folded(struct generator *generator, const struct generation_call *call, int64_t session,
			struct inside *inside)
{
	if (!is_inside(generator->folded_begin_ns, generator->folded_end_ns, call))
		return;
	for (uint32_t i = 0; i < generator->n_folded; i++) {
		const struct folded *from = &generator->folded[i];

		inside->all_ns = stats_sum(inside->all_ns, from->ns);
		if (from->session != session) {
			inside->encoder_ns = stats_sum(inside->encoder_ns, from->ns);
			continue;
		}
		inside->n_model += from->n;
		inside->n_tokens += from->n_tokens;
		inside->copied_bytes += from->copied_bytes;
		inside->is_new = true; /* it is not the one before the first part */
	}
}

static void take_part(struct generator *generator, const struct part *part, int64_t session, struct inside *inside)
{
	uint64_t ns = part->run.end_ns - part->run.begin_ns, batch, tokens;

	inside->all_ns = stats_sum(inside->all_ns, ns);
	if (part->run.session != session) {
		inside->encoder_ns = stats_sum(inside->encoder_ns, ns);
		return;
	}
	inside->n_model++;
	count_cache(generator, part, inside);
	if (table_of(&part->inputs, &batch, &tokens)) {
		inside->batch = batch;
		inside->n_tokens += tokens;
	}
	generator->last = part->run;
	generator->has_last = true;
	generator->inputs = part->inputs;
	inside->is_new = false;
}

/* What the call contains has been taken; what began before its end belongs to no other: its own call is lost. */
static void drop_before(struct generator *generator, const struct generation_call *call)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < generator->parts.n; i++)
		if (part_at(generator, i)->run.begin_ns >= call->end_ns)
			*part_at(generator, left++) = *part_at(generator, i);
	generator->parts.n = left;
	if (generator->folded_begin_ns < call->end_ns)
		generator->n_folded = 0;
}

/* Takes them out of those that wait. */
static struct inside take_inside(struct generator *generator, const struct generation_call *call)
{
	struct inside inside = { .batch = 1 };
	const struct part *last = NULL;

	for (uint32_t i = 0; i < generator->parts.n; i++)
		if (part_is_inside(part_at(generator, i), call) &&
		    (!last || part_at(generator, i)->run.end_ns >= last->run.end_ns))
			last = part_at(generator, i);
	if (last) {
		inside.is_new = last->run.session != generator->last.session || !generator->has_last;
		take_folded(generator, call, last->run.session, &inside);
	}
	for (uint32_t i = 0; last && i < generator->parts.n; i++)
		if (part_is_inside(part_at(generator, i), call))
			take_part(generator, part_at(generator, i), last->run.session, &inside);
	drop_before(generator, call);
	return inside;
}

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
static struct open *open_of(const struct decoder *decoder, const struct generator *generator, size_t *at)
{
	for (*at = 0; *at < decoder->open.n; ++*at)
		if (open_at(decoder, *at)->generator == generator->number)
			return open_at(decoder, *at);
	return NULL;
}

static int end_open(struct generations *to, const struct generator *generator)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;
	size_t at;

	return decoder && open_of(decoder, generator, &at) ? open_close(to, decoder, at) : 0;
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
			       const struct generation_call *call)
{
	const struct generation_run run = as_run(generator, call);
	struct open *open = open_begin(to, decoder, &run, GENERATION_BY_CALLS);

	if (open)
		open->generator = generator->number;
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

static int take_prompt(struct generations *to, struct generator *generator, const struct generation_call *call,
		       const struct inside *inside)
{
	struct generation_run run = as_run(generator, call);
	uint64_t n_tokens = prompt_of(call, inside), ns = call->end_ns - call->begin_ns;
	struct decoder *decoder = decoder_of(to, generator);
	struct open *open;
	size_t at;

	if (!decoder)
		return -ENOMEM;
	open = open_of(decoder, generator, &at);
	/* the last token that was made is not in the cache yet */
	generator->length += generator->has_token && !generator->is_rewound;
	if (open && (generator->has_token || generator->is_rewound)) {
		if (open_close(to, decoder, at))
			return -ENOMEM;
		open = NULL;
	}
	if (!open) {
		if (!(open = begin_open(to, decoder, generator, call)))
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

static int take_next(struct generations *to, struct generator *generator, const struct generation_call *call,
		     const struct inside *inside)
{
	struct generation_run run = as_run(generator, call);
	struct decoder *decoder = decoder_of(to, generator);
	struct open *open;
	size_t at;
	int rc = 0;

	if (!decoder)
		return -ENOMEM;
	open = open_of(decoder, generator, &at);
	if (!open && !(open = begin_open(to, decoder, generator, call)))
		return -ENOMEM;
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

/* The last token goes in again, as the prompt of another generation, and makes the first token in the same call. */
static int take_rewound(struct generations *to, struct generator *generator, const struct generation_call *call,
			const struct inside *inside)
{
	struct generation_call prompt = *call;
	struct inside all = *inside;
	const struct inside nothing = { .batch = inside->batch };

	all.n_tokens = 1;
	prompt.n_tokens = inside->batch;
	generator->length -= generator->length > 0;
	if (take_prompt(to, generator, &prompt, &all))
		return -ENOMEM;
	prompt.begin_ns = prompt.end_ns;
	return take_next(to, generator, &prompt, &nothing);
}

static int take_text(struct generations *to, struct generator *generator, const struct generation_call *call)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;
	struct open *open;
	size_t at;

	if (generator->has_last && !decoder)
		return -ENOMEM;
	open = decoder ? open_of(decoder, generator, &at) : NULL;
	if (open)
		open->row.text_ns += call->end_ns - call->begin_ns;
	return 0;
}

/* The inference of the token that comes next, or of the last one before another prompt. */
static void take_logits(struct generations *to, struct generator *generator, const struct generation_call *call,
			const struct inside *inside)
{
	struct decoder *decoder = open_decoder(to, &generator->last);
	struct open *open;
	size_t at;

	open = decoder ? open_of(decoder, generator, &at) : NULL;
	if (!open)
		return;
	open->early_begin_ns = call->begin_ns;
	open->early_end_ns = call->end_ns;
	open->row.cache_bytes = inside->cache_bytes;
	open->row.copied_bytes += inside->copied_bytes;
}

/* While it ran, other generations of the thread waited. */
static void others_wait(struct generations *to, const struct generator *generator, const struct generation_call *call)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;

	for (size_t i = 0; decoder && i < decoder->open.n; i++) {
		struct open *open = open_at(decoder, i);

		if (open->generator != generator->number && open->row.thread == call->thread)
			open->others_ns += call->end_ns - call->begin_ns;
	}
}

static int take(struct generations *to, struct generator *generator, const struct generation_call *call,
		enum generator_call kind)
{
	const struct inside inside = take_inside(generator, call);
	int rc = 0;

	switch (kind) {
	case GENERATOR_REWIND:
		generator->length = call->n_tokens;
		generator->is_rewound = true;
		return 0;
	case GENERATOR_TEXT:
		return take_text(to, generator, call);
	case GENERATOR_RELEASED:
		return end_open(to, generator);
	default:
		break;
	}
	/* without an inference no model is known */
	if (kind == GENERATOR_FAILED || !generator->has_last)
		return 0;
	if (kind == GENERATOR_LOGITS)
		take_logits(to, generator, call, &inside);
	else if (kind == GENERATOR_PROMPT)
		rc = take_prompt(to, generator, call, &inside);
	else if (generator->is_rewound)
		rc = take_rewound(to, generator, call, &inside);
	else
		rc = take_next(to, generator, call, &inside);
	others_wait(to, generator, call);
	return rc;
}

static void free_generator(struct generator *generator)
{
	array_done(&generator->parts, sizeof(struct part));
	free(generator);
}

static void forget(struct generations *to, struct generator *generator)
{
	size_t i = 0;

	while (generator_at(to, i) != generator)
		i++;
	free_generator(generator);
	((struct generator **)to->generators.data)[i] = generator_at(to, --to->generators.n);
}

/* The generator with this number. NULL: none of its inferences has come. */
static struct generator *find(struct generations *to, uint32_t process, uint64_t number)
{
	for (size_t i = 0; i < to->generators.n; i++) {
		struct generator *generator = generator_at(to, i);

		if (generator->number == number && generator->process == process) {
			generator->used_at = ++to->n_taken;
			return generator;
		}
	}
	return NULL;
}

/* It takes the place of the one that rests longest. */
static int make_room(struct generations *to)
{
	size_t oldest = 0;
	int rc;

	for (size_t i = 1; i < to->generators.n; i++)
		if (generator_at(to, i)->used_at < generator_at(to, oldest)->used_at)
			oldest = i;
	rc = end_open(to, generator_at(to, oldest));
	forget(to, generator_at(to, oldest));
	return rc;
}

/* NULL: out of memory. */
static struct generator *add_generator(struct generations *to, uint32_t process, uint64_t number)
{
	struct generator **place;

	if (to->generators.n == MAX_GENERATORS && make_room(to))
		return NULL;
	place = array_add(&to->generators, sizeof *place);
	if (place && !(*place = calloc(1, sizeof **place)))
		to->generators.n--;
	if (!place || !*place)
		return NULL;
	(*place)->process = process;
	(*place)->number = number;
	(*place)->used_at = ++to->n_taken;
	return *place;
}

static int kind_of(const char *name)
{
#define CALL_NAME(name, text) text,
	static const char *const names[N_GENERATOR_CALLS] = { GENERATOR_CALLS(CALL_NAME) };
	int kind = 0;

	while (kind < N_GENERATOR_CALLS && strcmp(names[kind], name) != 0)
		kind++;
	return kind;
}

int generations_call(struct generations *to, const struct generation_call *call)
{
	int kind = kind_of(call->name), rc;
	struct generator *generator;

	if (!call->generator || kind == N_GENERATOR_CALLS || call->end_ns < call->begin_ns)
		return 0;
	if (!(generator = find(to, call->process, call->generator)))
		return 0;
	rc = take(to, generator, call, (enum generator_call)kind);
	if (kind == GENERATOR_RELEASED)
		forget(to, generator);
	return rc;
}

int calls_take(struct generations *to, const struct generation_run *run, const struct inputs *inputs)
{
	uint64_t number = strtoull(run->sequences + 1, NULL, 10);
	struct generator *generator;
	struct part *part;

	if (run->end_ns < run->begin_ns)
		return 0;
	if (!(generator = find(to, run->process, number)) && !(generator = add_generator(to, run->process, number)))
		return -ENOMEM;
	if (generator->parts.n == MOST_PARTS)
		fold_parts(generator);
	if (!(part = array_add(&generator->parts, sizeof *part)))
		return -ENOMEM;
	*part = (struct part){ .run = *run, .inputs = *inputs };
	part->run.sequences = part->run.shapes = NULL;
	return 0;
}

void calls_free(struct generations *from)
{
	for (size_t i = 0; i < from->generators.n; i++)
		free_generator(generator_at(from, i));
	array_done(&from->generators, sizeof(struct generator *));
}
