// SPDX-License-Identifier: Apache-2.0
/*
 * Which inferences belong to a prompt although another session ran them.
 *
 * A decoder of an encoder takes the encoder's results beside its own cache. If the inference directly before its first
 * one on the thread took text, these must be as long as that text; sound and pictures have another length.
 *
 * A decoder that takes embeddings is run behind what makes them of as many tokens. If that took pictures or sound,
 * too, their encoder is before it.
 *
 * A second prompt from the same results has no encoder: it did not wait for one. Nor has one that begins long after:
 * what ran on the thread then may be of another request.
 *
 * Does not look for encoders on other threads, or for several inferences of one encoder: the last one counts.
 */
#include <stddef.h>
#include <string.h>

#include "analyze/generation/generation_in.h"
#include "analyze/generation/generations.h"
#include "analyze/generation/inputs.h"

#define SOON_NS 100000000u

static struct encoder_thread *thread_of(struct encoders *of, const struct generation_run *run)
{
	struct encoder_thread *oldest = of->thread;
	uint32_t i;

	for (i = 0; i < of->n; i++) {
		struct encoder_thread *thread = &of->thread[(of->at + i) % of->n];

		if (thread->process == run->process && thread->thread == run->thread) {
			of->at = (uint32_t)(thread - of->thread);
			return thread;
		}
		oldest = thread->used_at < oldest->used_at ? thread : oldest;
	}
	if (of->n < ENCODERS_THREADS)
		oldest = &of->thread[of->n++];
	*oldest = (struct encoder_thread){ .process = run->process, .thread = run->thread };
	return oldest;
}

void encoders_take(struct encoders *to, const struct generation_run *run, const struct inputs *inputs,
		   struct encoder before[ENCODERS_BEFORE])
{
	struct encoder_thread *thread = thread_of(to, run);
	struct encoder own = {
		.begin_ns = run->begin_ns, .end_ns = run->end_ns, .session = run->session, .model = run->model
	};
	bool goes_on;

	own.tokens = inputs_have_mask(inputs) ? 0 : inputs_text(inputs);
	own.is_real = inputs_have_numbers(inputs);
	own.has_sequences = run->sequences;
	thread->used_at = ++to->n_taken;
	goes_on = thread->last[0].end_ns && encoder_is_of(&thread->last[0], own.session, own.model) &&
		  thread->last[0].has_sequences == own.has_sequences;
	if (!goes_on)
		memmove(&thread->last[1], &thread->last[0], ENCODERS_BEFORE * sizeof own);
	thread->last[0] = own;
	memset(before, 0, ENCODERS_BEFORE * sizeof own);
	if (!goes_on)
		memcpy(before, &thread->last[1], ENCODERS_BEFORE * sizeof own);
}

bool encoder_is_of(const struct encoder *encoder, int64_t session, uint32_t model)
{
	return encoder->session == session && (session >= 0 || encoder->model == model);
}

/* Ended soon before that begins: one does not nest in the other. */
static bool is_before(const struct encoder *encoder, uint64_t begin_ns)
{
	uint64_t took_ns = encoder->end_ns - encoder->begin_ns;

	return encoder->end_ns && encoder->end_ns <= begin_ns &&
	       begin_ns - encoder->end_ns <= (took_ns > SOON_NS ? took_ns : SOON_NS);
}

static bool is_encoded(const struct encoder *encoder, const struct inputs_step *step)
{
	if (!step->encoded[0])
		return false;
	return encoder->tokens ? encoder->tokens == step->encoded[0] || encoder->tokens == step->encoded[1]
			       : encoder->is_real;
}

uint32_t encoders_of(const struct encoder before[ENCODERS_BEFORE], const struct inputs_step *step, uint64_t begin_ns)
{
	if (!is_before(&before[0], begin_ns) || before[0].has_sequences)
		return 0;
	if (!step->is_real)
		return is_encoded(&before[0], step);
	if (before[0].tokens != step->tokens)
		return 0;
	return 1 + (before[0].is_real && !before[1].tokens && before[1].is_real &&
		    is_before(&before[1], before[0].begin_ns));
}

uint32_t encoders_of_sequence(const struct encoder before[ENCODERS_BEFORE], const struct generation_run *run)
{
	return is_before(&before[0], run->begin_ns) && encoder_is_of(&before[0], run->session, run->model) &&
	       !before[0].has_sequences;
}
