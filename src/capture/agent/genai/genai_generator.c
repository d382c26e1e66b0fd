// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of generators. While one runs, inferences of its thread belong to its generator; when it returns, a record
 * tells what it was. Generators have numbers: an address comes again after a generator is destroyed.
 *
 * The functions are of C: no exception leaves them. Neither a result nor errno is changed.
 */
#include <string.h>

#include "capture/agent/genai/genai_in.h"
#include "capture/agent/replace/places.h"
#include "event/generator_call.h"

static struct place places[PLACES];	 /* role: enum genai_role */
static struct genai_looks looks[PLACES]; /* of a place's library, where it is of an engine's function */

/* The generator that was called last on this thread. */
static __thread uint32_t last __attribute__((tls_model("initial-exec")));

static genai_function *next(const struct place *place)
{
	return (genai_function *)place->real;
}

/* Calls the real function as a part of told.id, and tells it. The thread is recorded. */
static word call(const struct place *place, struct record told, const struct genai_args *args)
{
	word r = genai_call(next(place), &told, args);

	if (!r && place->role == GENAI_APPEND)
		told.run = identity_prompt(args->of[0], (const int32_t *)args->of[1], args->of[2]);
	else if (!r && place->role == GENAI_APPEND_MORE)
		identity_prompt(args->of[0], NULL, 0); /* tokens behind it are no first prompt */
	last = told.id;
	/* a prompt may go in as a generator is made, and most do not; most logits are there already */
	if ((place->role != GENAI_CREATE && place->role != GENAI_LOGITS) || told.more)
		genai_tell(self_thread, &told);
	return r;
}

static word create(const struct place *place, const struct genai_args *args)
{
	const struct record told = { .id = identity_new_number(), .flags = GENERATOR_PROMPT };
	const word *to = (const word *)args->of[2];
	word r = call(place, told, args);

	if (!r && to && *to)
		identity_know(
		    *to, (struct identity){ .number = told.id, .owner = (uint32_t)(args->of[0] >> 4) & INT32_MAX });
	return r;
}

static word decode(const struct place *place, struct thread *thread, const struct genai_args *args)
{
	uint64_t start = agent_now();
	word r = genai_real(next(place), args);

	if (last)
		genai_tell(thread, &(struct record){
				       .time = start, .value = agent_now(), .id = last, .flags = GENERATOR_TEXT });
	return r;
}

static uint32_t count_of(word n)
{
	return n < UINT32_MAX ? (uint32_t)n : 0;
}

static word serve(const struct place *place, const struct genai_args *args)
{
	struct thread *thread = agent_thread();
	struct record told = { .flags = GENERATOR_PROMPT };
	enum genai_role role = place->role;

	if (!thread)
		return genai_real(next(place), args);
	if (genai_is_of_engine(role))
		return engine_serve(thread, role, next(place), &looks[place - places], args);
	switch (role) {
	case GENAI_CREATE:
		return create(place, args);
	case GENAI_DESTROY:
		identity_release(thread, args->of[0]);
		return genai_real(next(place), args);
	case GENAI_DECODE:
		return decode(place, thread, args);
	case GENAI_APPEND:
		told.text = count_of(args->of[2]);
		break;
	case GENAI_NEXT:
		told.flags = GENERATOR_NEXT;
		told.text = 1;
		break;
	case GENAI_LOGITS:
		told.flags = GENERATOR_LOGITS;
		break;
	case GENAI_REWIND:
		told.flags = GENERATOR_REWIND;
		told.text = count_of(args->of[1]);
		break;
	default:
		break;
	}
	if (!args->of[0])
		return genai_real(next(place), args);
	told.id = identity_number(args->of[0]);
	return call(place, told, args);
}

#define STAND_IN(n) \
	static word stand_in_##n(word a, word b, word c, word d, word e) \
	{ \
		return serve(&places[n], &(struct genai_args){ { a, b, c, d, e } }); \
	}
PLACES_EACH(STAND_IN)

#define ENTRY(n) stand_in_##n,
static genai_function *const stand_ins[PLACES] = { PLACES_EACH(ENTRY) };

void *genai_hook(const struct copy *copy, enum genai_role role, void *real, const struct genai_looks *of_library)
{
	unsigned at = places_take(places, copy, (uint8_t)role, real);

	if (at == PLACES)
		return NULL;
	if (genai_is_of_engine(role))
		looks[at] = *of_library;
	return (void *)stand_ins[at];
}

void genai_forget_gone(void)
{
	places_forget_gone(places);
}

void genai_forget_all(void)
{
	identity_forget_all();
}
