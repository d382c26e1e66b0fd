// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of engines. An engine runs its model for several requests at a time, in one call, which returns what it has
 * made: in 0.18 as events in a buffer of the program, in older versions one request with each call, of which the first
 * one has run the model. Records name the requests, so that each is a generation of its own.
 */
#include "capture/agent/genai/genai_in.h"
#include "event/generator_call.h"

enum { MOST_EVENTS = 4096 };

static uint32_t as_count(word n)
{
	return n < UINT32_MAX ? (uint32_t)n : 0;
}

/* Its number. One that the agent has not seen before is of this engine, too; then has_prompt: it is not new. */
static uint32_t request_of(struct thread *thread, uint32_t engine, word handle, bool has_prompt)
{
	struct identity identity = identity_of(handle);
	uint64_t now;

	if (__builtin_expect(identity.number && identity.owner == engine, 1))
		return identity.number;
	now = agent_now();
	if (!identity.number)
		identity = (struct identity){ .number = identity_new_number(), .has_prompt = has_prompt };
	identity.owner = engine & INT32_MAX;
	identity_know(handle, identity);
	genai_tell(thread,
		   &(struct record){
		       .time = now, .value = now, .id = identity.number, .text = engine, .flags = GENERATOR_REQUEST });
	return identity.number;
}

/* What belongs to a batch comes behind it: none of it is longer than the moment at which that ends. */
static void tell_at(struct thread *thread, uint64_t time, uint32_t request, enum generator_call flags, uint32_t n)
{
	genai_tell(thread,
		   &(struct record){ .time = time, .value = time, .id = request, .text = n, .flags = (uint8_t)flags });
}

static void tell_event(struct thread *thread, const struct genai_looks *looks, const struct record *batch, word event)
{
	word request = 0, usage = 0;
	uint64_t n_cached = 0;
	uint32_t flags = 0, number;

	if (!event || looks->flags(event, (word)&flags) || !(flags & (GENAI_EVENT_TOKEN | GENAI_EVENT_FINISHED)) ||
	    looks->request(event, (word)&request) || !request)
		return;
	number = request_of(thread, batch->id, request, true);
	if (flags & GENAI_EVENT_TOKEN)
		tell_at(thread, batch->value, number, GENERATOR_TOKEN, batch->id);
	if ((flags & GENAI_EVENT_FINISHED) && !looks->usage(event, (word)&usage) && usage &&
	    !looks->cached(usage, (word)&n_cached) && n_cached)
		tell_at(thread, batch->value, number, GENERATOR_CACHED, as_count(n_cached));
}

/* A call without an inference goes on with what an earlier one has made. */
static word run(struct thread *thread, genai_function *real, struct record *batch, const struct genai_args *args)
{
	word r;

	batch->id = identity_number(args->of[0]);
	batch->flags = GENERATOR_BATCH;
	r = genai_call(real, batch, args);
	if (batch->more)
		genai_tell(thread, batch);
	return r;
}

static word run_for_events(struct thread *thread, genai_function *real, const struct genai_looks *looks,
			   const struct genai_args *args)
{
	struct record batch = { 0 };
	word r = run(thread, real, &batch, args), n = !r && args->of[1] ? looks->count(args->of[1], 0) : 0;

	for (word i = 0; i < n && i < MOST_EVENTS; i++)
		tell_event(thread, looks, &batch, looks->event(args->of[1], i));
	return r;
}

static word run_for_request(struct thread *thread, genai_function *real, const struct genai_looks *looks,
			    const struct genai_args *args)
{
	struct record batch = { 0 };
	word r = run(thread, real, &batch, args), request = !r && args->of[1] ? *(const word *)args->of[1] : 0;
	bool has_token = false;

	if (request && !(looks->unseen ? looks->unseen : looks->any_unseen)(request, (word)&has_token) && has_token)
		tell_at(thread, batch.value, request_of(thread, batch.id, request, true), GENERATOR_TOKEN, batch.id);
	return r;
}

/* Of a request, which waits from now on. seen: of the first prompt, tokens that an earlier one began with. */
static void tell_prompt(struct thread *thread, uint64_t begin, word request, word n_tokens, uint32_t seen)
{
	genai_tell(thread, &(struct record){ .time = begin,
					     .value = agent_now(),
					     .id = identity_number(request),
					     .text = as_count(n_tokens),
					     .run = seen,
					     .flags = GENERATOR_QUEUED });
}

/* What the runtime has done. */
static void serve_done(struct thread *thread, enum genai_role role, const struct genai_looks *looks,
		       const struct genai_args *args, uint64_t begin)
{
	const word *to = (const word *)args->of[role == GENAI_REQUEST ? 2 : 1];

	switch (role) {
	case GENAI_REQUEST:
		if (to)
			request_of(thread, identity_number(args->of[0]), *to, false);
		break;
	case GENAI_NEW:
		if (to)
			identity_know(*to, (struct identity){ .number = identity_new_number(), .has_prompt = 1 });
		break;
	case GENAI_TURN:
		tell_prompt(thread, begin, args->of[0], args->of[3],
			    identity_prompt(args->of[0], (const int32_t *)args->of[2], args->of[3]));
		break;
	case GENAI_PROMPT:
		tell_prompt(thread, begin, args->of[0], looks->length(args->of[1], 0), 0);
		break;
	case GENAI_SUBMIT:
		request_of(thread, identity_number(args->of[0]), args->of[1], true);
		tell_prompt(thread, begin, args->of[1], 0, 0);
		break;
	default:
		break;
	}
}

word engine_serve(struct thread *thread, enum genai_role role, genai_function *real, const struct genai_looks *looks,
		  const struct genai_args *args)
{
	uint64_t begin = agent_now();
	word r;

	if (role == GENAI_RUN)
		return run_for_events(thread, real, looks, args);
	if (role == GENAI_STEP)
		return run_for_request(thread, real, looks, args);
	if (role == GENAI_REMOVE || (role == GENAI_RELEASE && looks->count))
		identity_release(thread, args->of[role == GENAI_REMOVE]);
	r = genai_real(real, args);
	if (!r)
		serve_done(thread, role, looks, args, begin);
	return r;
}
