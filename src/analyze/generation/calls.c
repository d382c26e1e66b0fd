// SPDX-License-Identifier: Apache-2.0
#include "analyze/generation/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/generation/generations_in.h"
#include "event/generator_call.h"

enum { MOST_WAITING = 64, MAX_GENERATORS = 1024 };

struct waiting_call {
	enum generator_call kind;
	int64_t thread;
	uint64_t begin_ns, end_ns, n_runs, n_tokens;
};

/* An inference. */
struct part {
	struct generation_run run; /* without texts */
	struct inputs inputs;
};

struct generator {
	uint32_t process;
	uint64_t number, used_at;
	struct array calls, parts; /* struct waiting_call, struct part: what waits */
	bool is_released;
	struct generation_run last; /* its model's last inference, */
	bool has_last;		    /* if one came */
	struct inputs inputs;	    /* of that */
	struct inputs_law law;	    /* by which its caches grow */
	bool has_law, is_rewound, has_token;
	uint64_t length; /* of its cache and the tokens that were made */
};

/* What the inferences of a call come to. */
struct inside {
	uint64_t n, n_model;		    /* n_model: of the session that makes tokens, which comes last */
	uint64_t all_ns, encoder_ns;	    /* encoder_ns: of other sessions */
	uint64_t n_tokens, batch;	    /* n_tokens: of a sequence; 0: not known */
	uint64_t cache_bytes, copied_bytes; /* of the last one; of all */
	bool is_new;			    /* the model's session is another one than before */
};

static struct part *part_at(const struct generator *generator, size_t i)
{
	return (struct part *)generator->parts.data + i;
}

static struct waiting_call *call_at(const struct generator *generator, size_t i)
{
	return (struct waiting_call *)generator->calls.data + i;
}

static bool is_inside(const struct part *part, const struct waiting_call *call)
{
	return part->run.begin_ns >= call->begin_ns && part->run.end_ns <= call->end_ns;
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

static void count_cache(struct generator *generator, const struct part *part, struct inside *inside)
{
	struct inputs_step step;

	if (!generator->has_law && generator->has_last && !inside->is_new)
		generator->has_law = inputs_continue(&generator->inputs, &part->inputs, &generator->law);
	inside->cache_bytes = 0;
	if (generator->has_law && inputs_step(&part->inputs, &generator->law, &step))
		inside->cache_bytes = step.cache_bytes;
	inside->copied_bytes += inside->cache_bytes;
}

/* Takes them out of those that wait. */
static struct inside take_inside(struct generator *generator, const struct waiting_call *call)
{
	struct inside inside = { .batch = 1 };
	const struct part *last = NULL;
	uint32_t left = 0;

	for (uint32_t i = 0; i < generator->parts.n; i++)
		if (is_inside(part_at(generator, i), call) &&
		    (!last || part_at(generator, i)->run.end_ns >= last->run.end_ns))
			last = part_at(generator, i);
	if (last)
		inside.is_new = last->run.session != generator->last.session || !generator->has_last;
	for (uint32_t i = 0; last && i < generator->parts.n; i++) {
		const struct part *part = part_at(generator, i);
		uint64_t ns = part->run.end_ns - part->run.begin_ns, batch, tokens;

		if (!is_inside(part, call))
			continue;
		inside.n++;
		inside.all_ns += ns;
		if (part->run.session != last->run.session) {
			inside.encoder_ns += ns;
			continue;
		}
		inside.n_model++;
		count_cache(generator, part, &inside);
		if (table_of(&part->inputs, &batch, &tokens)) {
			inside.batch = batch;
			inside.n_tokens += tokens;
		}
		generator->last = part->run;
		generator->has_last = true;
		generator->inputs = part->inputs;
		inside.is_new = false;
	}
	/* those before it have come too late, or their call is lost */
	for (uint32_t i = 0; i < generator->parts.n; i++)
		if (part_at(generator, i)->run.begin_ns >= call->end_ns)
			*part_at(generator, left++) = *part_at(generator, i);
	generator->parts.n = left;
	return inside;
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
static struct generation_run as_run(const struct generator *generator, const struct waiting_call *call)
{
	struct generation_run run = generator->last;

	run.thread = call->thread;
	run.begin_ns = call->begin_ns;
	run.end_ns = call->end_ns;
	return run;
}

static struct open *begin_open(struct generations *to, struct decoder *decoder, const struct generator *generator,
			       const struct waiting_call *call)
{
	const struct generation_run run = as_run(generator, call);
	struct open *open = open_begin(to, decoder, &run, GENERATION_BY_CALLS);

	if (open)
		open->generator = generator->number;
	return open;
}

/* Tokens of one sequence of a prompt. A search feeds each of its beams, and some models are fed in whole windows. */
static uint64_t prompt_of(const struct waiting_call *call, const struct inside *inside)
{
	if (!call->n_tokens)
		return inside->n_tokens;
	return inside->n_tokens * inside->batch == call->n_tokens ? inside->n_tokens : call->n_tokens;
}

static int take_prompt(struct generations *to, struct generator *generator, const struct waiting_call *call,
		       const struct inside *inside)
{
	struct generation_run run = as_run(generator, call);
	uint64_t n_tokens = prompt_of(call, inside);
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
	open->row.batch = inside->batch;
	open->row.cache_bytes = inside->cache_bytes;
	open->row.copied_bytes += inside->copied_bytes;
	open->row.encoder_ns += inside->encoder_ns;
	open->last_run = decoder->n_runs;
	open->sampled_ns = run.end_ns - run.begin_ns - inside->all_ns;
	open_prefill(to, open, &run, (uint32_t)n_tokens, generator->length);
	open->row.n_prefills += inside->n_model ? inside->n_model - 1 : 0;
	open->sampled_ns = 0;
	return 0;
}

static int take_next(struct generations *to, struct generator *generator, const struct waiting_call *call,
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
	open->sampled_ns = run.end_ns - run.begin_ns - inside->all_ns;
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
static int take_rewound(struct generations *to, struct generator *generator, const struct waiting_call *call,
			const struct inside *inside)
{
	struct waiting_call prompt = *call;
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

static int take_text(struct generations *to, struct generator *generator, const struct waiting_call *call)
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
static void take_logits(struct generations *to, struct generator *generator, const struct waiting_call *call,
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
static void others_wait(struct generations *to, const struct generator *generator, const struct waiting_call *call)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;

	for (size_t i = 0; decoder && i < decoder->open.n; i++) {
		struct open *open = open_at(decoder, i);

		if (open->generator != generator->number && open->row.thread == call->thread)
			open->others_ns += call->end_ns - call->begin_ns;
	}
}

static int take(struct generations *to, struct generator *generator, const struct waiting_call *call)
{
	const struct inside inside = take_inside(generator, call);
	int rc = 0;

	switch (call->kind) {
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
	if (call->kind == GENERATOR_FAILED || !generator->has_last)
		return 0;
	if (call->kind == GENERATOR_LOGITS)
		take_logits(to, generator, call, &inside);
	else if (call->kind == GENERATOR_PROMPT)
		rc = take_prompt(to, generator, call, &inside);
	else if (generator->is_rewound)
		rc = take_rewound(to, generator, call, &inside);
	else
		rc = take_next(to, generator, call, &inside);
	others_wait(to, generator, call);
	return rc;
}

/* Whether all that the call contains has come. */
static bool is_complete(const struct generator *generator, const struct waiting_call *call)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < generator->parts.n; i++)
		n += is_inside(part_at(generator, i), call);
	return n >= call->n_runs;
}

static int take_waiting(struct generations *to, struct generator *generator, bool is_all)
{
	uint32_t n = 0;
	int rc = 0;

	while (!rc && n < generator->calls.n && (is_all || is_complete(generator, call_at(generator, n))))
		rc = take(to, generator, call_at(generator, n++));
	generator->calls.n -= n;
	if (n && generator->calls.n)
		memmove(call_at(generator, 0), call_at(generator, n), generator->calls.n * sizeof(struct waiting_call));
	return rc;
}

static void empty(struct generator *generator)
{
	array_done(&generator->calls, sizeof(struct waiting_call));
	array_done(&generator->parts, sizeof(struct part));
	*generator = (struct generator){ .number = 0 };
}

/* The generator with this number; a new one takes the place of the one that rests longest. NULL: out of memory. */
static struct generator *generator_with(struct generations *to, uint32_t process, uint64_t number)
{
	struct generator **place = NULL;
	size_t oldest = 0;

	for (size_t i = 0; i < to->generators.n; i++) {
		struct generator *generator = generator_at(to, i);

		if (generator->number == number && generator->process == process) {
			generator->used_at = ++to->n_taken;
			return generator;
		}
		oldest = generator->used_at < generator_at(to, oldest)->used_at ? i : oldest;
	}
	if (to->generators.n < MAX_GENERATORS) {
		place = array_add(&to->generators, sizeof *place);
		if (place && !(*place = calloc(1, sizeof **place)))
			to->generators.n--;
		if (!place || !*place)
			return NULL;
	} else {
		place = (struct generator **)to->generators.data + oldest;
		if (take_waiting(to, *place, true) || end_open(to, *place))
			return NULL;
		empty(*place);
	}
	(*place)->process = process;
	(*place)->number = number;
	(*place)->used_at = ++to->n_taken;
	return *place;
}

static void forget(struct generations *to, struct generator *generator)
{
	size_t i = 0;

	while (generator_at(to, i) != generator)
		i++;
	empty(generator);
	free(generator);
	((struct generator **)to->generators.data)[i] = generator_at(to, --to->generators.n);
}

/* Takes what is complete. */
static int settle(struct generations *to, struct generator *generator)
{
	int rc = take_waiting(to, generator, false);

	if (!rc && generator->is_released && !generator->calls.n)
		forget(to, generator);
	return rc;
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
	int kind = kind_of(call->name), rc = 0;
	struct waiting_call *waiting;
	struct generator *generator;

	if (!call->generator || kind == N_GENERATOR_CALLS || call->end_ns < call->begin_ns)
		return 0;
	if (!(generator = generator_with(to, call->process, call->generator)))
		return -ENOMEM;
	if (generator->calls.n == MOST_WAITING)
		rc = take_waiting(to, generator, true);
	waiting = rc ? NULL : array_add(&generator->calls, sizeof *waiting);
	if (!waiting)
		return -ENOMEM;
	*waiting = (struct waiting_call){ .kind = (enum generator_call)kind,
					  .thread = call->thread,
					  .begin_ns = call->begin_ns,
					  .end_ns = call->end_ns,
					  .n_runs = call->n_runs,
					  .n_tokens = call->n_tokens };
	generator->is_released |= kind == GENERATOR_RELEASED;
	return settle(to, generator);
}

int calls_take(struct generations *to, const struct generation_run *run, const struct inputs *inputs)
{
	struct generator *generator = generator_with(to, run->process, strtoull(run->sequences + 1, NULL, 10));
	struct part *part;

	if (!generator || (generator->parts.n == MOST_WAITING && take_waiting(to, generator, true)))
		return -ENOMEM;
	if (generator->parts.n == MOST_WAITING)
		memmove(part_at(generator, 0), part_at(generator, 1), --generator->parts.n * sizeof *part);
	if (!(part = array_add(&generator->parts, sizeof *part)))
		return -ENOMEM;
	*part = (struct part){ .run = *run, .inputs = *inputs };
	part->run.sequences = part->run.shapes = NULL;
	return settle(to, generator);
}

int calls_finish(struct generations *to)
{
	int rc = 0;

	for (size_t i = 0; i < to->generators.n; i++) {
		int own = take_waiting(to, generator_at(to, i), true);

		rc = own ? own : rc;
	}
	return rc;
}

void calls_free(struct generations *from)
{
	for (size_t i = 0; i < from->generators.n; i++) {
		empty(generator_at(from, i));
		free(generator_at(from, i));
	}
	array_done(&from->generators, sizeof(struct generator *));
}
