// SPDX-License-Identifier: Apache-2.0
/*
 * Prompts that went into a decoder without caches, and wait for their first step: programs leave empty caches out.
 *
 * Several may wait: a program that takes turns runs all prompts first. A step that fits one of them may as well go on
 * with a generation of the same length. Nothing but the order tells these apart: the one that has waited longest is
 * next. If the thread runs one generation after the other, a prompt ends the one before it. An inference that is no
 * prompt (a classification by the same model) is left behind: more inferences follow it than others wait or go on.
 */
#include <errno.h>
#include <string.h>

#include "analyze/generation/generations_in.h"

enum { MOST_WAITING = 64 };

static struct waiting *waiting_at(const struct decoder *decoder, size_t i)
{
	return (struct waiting *)decoder->waiting.data + i;
}

static void drop(struct decoder *decoder, size_t i)
{
	memmove(waiting_at(decoder, i), waiting_at(decoder, i + 1),
		(--decoder->waiting.n - i) * sizeof(struct waiting));
}

int waiting_add(struct decoder *decoder, const struct generation_run *run, const struct inputs *inputs)
{
	struct waiting own = { .run = *run, .turn = decoder->turn };
	struct waiting *to;

	own.n = inputs_tokens(inputs, own.step);
	if (!own.n)
		return 0;
	if (decoder->waiting.n == MOST_WAITING)
		drop(decoder, 0);
	to = array_add(&decoder->waiting, sizeof *to);
	if (!to)
		return -ENOMEM;
	*to = own;
	to->run.shapes = to->run.sequences = NULL;
	return 0;
}

/* No more inferences of the thread followed than others wait, or have gone on since. */
static bool is_fresh(const struct decoder *decoder, const struct waiting *waiting)
{
	uint64_t n = 0;

	for (size_t i = 0; i < decoder->waiting.n; i++)
		n += waiting_at(decoder, i)->run.thread == waiting->run.thread;
	for (size_t i = 0; i < decoder->open.n; i++)
		n += open_at(decoder, i)->row.thread == waiting->run.thread &&
		     open_at(decoder, i)->last_turn > waiting->turn;
	return decoder->turn - waiting->turn <= n;
}

static bool is_followed(const struct waiting *waiting, const struct generation_run *run)
{
	return run->follows && waiting->run.number == run->follows;
}

static const struct inputs_step *fits(const struct waiting *waiting, const struct generation_run *run,
				      const struct inputs_step *step)
{
	if (waiting->run.thread != run->thread && !is_followed(waiting, run))
		return NULL;
	for (uint32_t i = 0; i < waiting->n; i++)
		if (waiting->step[i].tokens == step->cached && waiting->step[i].batch == step->batch)
			return &waiting->step[i];
	return NULL;
}

/* Whether `open`, of the same length and thread, goes on rather than the prompt. */
static bool goes_on(const struct decoder *decoder, const struct open *open, const struct waiting *waiting)
{
	if (open->last_turn > waiting->turn)
		return open->is_in_a_row && open->last_turn + 1 == decoder->turn;
	return !open_is_over(decoder, open) &&
	       (waiting->turn + 1 < decoder->turn || !open_is_in_a_row(decoder, waiting->run.thread));
}

/* Its place; the number of those that wait: there is none. */
static size_t followed(const struct decoder *decoder, const struct generation_run *run, const struct inputs_step *step)
{
	size_t i = 0;

	while (i < decoder->waiting.n &&
	       (!is_followed(waiting_at(decoder, i), run) || !fits(waiting_at(decoder, i), run, step)))
		i++;
	return i;
}

bool waiting_is_followed(const struct decoder *decoder, const struct generation_run *run,
			 const struct inputs_step *step)
{
	return followed(decoder, run, step) < decoder->waiting.n;
}

static void take(struct decoder *decoder, size_t i, const struct inputs_step *as, struct waiting *prompt)
{
	*prompt = *waiting_at(decoder, i);
	prompt->step[0] = *as;
	drop(decoder, i);
}

bool waiting_take(struct decoder *decoder, const struct generation_run *run, const struct inputs_step *step,
		  const struct open *open, struct waiting *prompt)
{
	size_t at = open_follows_rightly(decoder) ? followed(decoder, run, step) : decoder->waiting.n;

	if (at < decoder->waiting.n) {
		take(decoder, at, fits(waiting_at(decoder, at), run, step), prompt);
		return true;
	}
	for (size_t i = 0; i < decoder->waiting.n; i++) {
		const struct waiting *waiting = waiting_at(decoder, i);
		const struct inputs_step *as = fits(waiting, run, step);

		if (!as || !is_fresh(decoder, waiting))
			continue;
		if (open && open->row.thread == run->thread && goes_on(decoder, open, waiting))
			return false;
		take(decoder, i, as, prompt);
		return true;
	}
	return false;
}
