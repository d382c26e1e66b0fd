// SPDX-License-Identifier: Apache-2.0
/* A call comes behind the inferences that it contains. */
#include <errno.h>
#include <string.h>

#include "analyze/generation/calls_in.h"

enum { MOST_PARTS = 64 };

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
struct inside call_parts_take(struct generator *generator, const struct generation_call *call)
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

int call_parts_add(struct generator *generator, const struct generation_run *run, const struct inputs *inputs)
{
	struct part *part;

	if (generator->parts.n == MOST_PARTS)
		fold_parts(generator);
	if (!(part = array_add(&generator->parts, sizeof *part)))
		return -ENOMEM;
	*part = (struct part){ .run = *run, .inputs = *inputs };
	part->run.sequences = part->run.shapes = NULL;
	return 0;
}
