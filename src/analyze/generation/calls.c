// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/generation/calls_in.h"
#include "analyze/stats/stats.h"

enum { MAX_GENERATORS = 1024 };

static struct generator *generator_at(const struct generations *of, size_t i)
{
	return ((struct generator **)of->generators.data)[i];
}

static int end_open(struct generations *to, const struct generator *generator)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;
	size_t at;

	return decoder && calls_open(decoder, generator, &at) ? open_close(to, decoder, at) : 0;
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
	if (calls_prompt(to, generator, &prompt, &all, (struct prompt_wait){ 0 }))
		return -ENOMEM;
	prompt.begin_ns = prompt.end_ns;
	return calls_next(to, generator, &prompt, &nothing, 0);
}

static int take_text(struct generations *to, struct generator *generator, const struct generation_call *call)
{
	struct decoder *decoder = generator->has_last ? open_decoder(to, &generator->last) : NULL;
	struct open *open;
	size_t at;

	if (generator->has_last && !decoder)
		return -ENOMEM;
	open = decoder ? calls_open(decoder, generator, &at) : NULL;
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

	open = decoder ? calls_open(decoder, generator, &at) : NULL;
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
	const struct inside inside = call_parts_take(generator, call);
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
		rc = calls_prompt(to, generator, call, &inside, (struct prompt_wait){ 0 });
	else if (generator->is_rewound)
		rc = take_rewound(to, generator, call, &inside);
	else
		rc = calls_next(to, generator, call, &inside, 0);
	others_wait(to, generator, call);
	return rc;
}

static void free_generator(struct generator *generator)
{
	array_done(&generator->parts, sizeof(struct part));
	free(generator->batch);
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

static struct generator *find_or_add(struct generations *to, uint32_t process, uint64_t number)
{
	struct generator *generator = find(to, process, number);

	return generator ? generator : add_generator(to, process, number);
}

/* Of an engine or of its requests. *is_other: it is another call. */
static int take_of_engine(struct generations *to, const struct generation_call *call, enum generator_call kind)
{
	struct generator *own = NULL, *engine = NULL;

	if (kind == GENERATOR_BATCH || kind == GENERATOR_CACHED)
		own = find(to, call->process, call->generator);
	else if (!(own = find_or_add(to, call->process, call->generator)))
		return -ENOMEM;
	if (kind == GENERATOR_REQUEST || kind == GENERATOR_TOKEN)
		own->queued.engine = call->n_tokens;
	if (own && own->queued.engine)
		engine = find(to, call->process, own->queued.engine);
	if (kind == GENERATOR_QUEUED)
		batches_queue(own, engine, call);
	else if (kind == GENERATOR_TOKEN && engine)
		return batches_token(to, own, engine);
	else if (kind == GENERATOR_BATCH && own)
		return batches_end(own, call);
	else if (kind == GENERATOR_CACHED && own)
		batches_cached(to, own, call->n_tokens);
	return 0;
}

int generations_call(struct generations *to, const struct generation_call *call)
{
	int kind = kind_of(call->name), rc;
	struct generator *generator;

	if (!call->generator || kind == N_GENERATOR_CALLS || call->end_ns < call->begin_ns)
		return 0;
	if (kind >= GENERATOR_REQUEST)
		return take_of_engine(to, call, (enum generator_call)kind);
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

	if (run->end_ns < run->begin_ns)
		return 0;
	generator = find_or_add(to, run->process, number);
	return generator ? call_parts_add(generator, run, inputs) : -ENOMEM;
}

void calls_free(struct generations *from)
{
	for (size_t i = 0; i < from->generators.n; i++)
		free_generator(generator_at(from, i));
	array_done(&from->generators, sizeof(struct generator *));
}
