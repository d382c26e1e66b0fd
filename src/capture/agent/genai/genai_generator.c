// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of generators. While one runs, inferences of its thread belong to its generator; when it returns, a record
 * tells what it was. Generators have numbers: an address comes again after a generator is destroyed.
 *
 * The functions are of C: no exception leaves them. Neither a result nor errno is changed.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/genai/genai_in.h"
#include "capture/agent/map.h"
#include "capture/agent/prefix.h"
#include "capture/agent/replace/places.h"
#include "event/generator_call.h"

typedef uintptr_t word;
typedef word function(word, word, word, word);

enum { MAX_INSIDE = 255 };

static struct place places[PLACES]; /* role: enum genai_role */

static struct map generators; /* the generator -> struct identity */
static uint32_t n_generators;

/* Fits into a pointer. */
struct identity {
	uint32_t number;
	uint32_t owner : 31; /* stands for its model; 0: not known */
	uint32_t has_prompt : 1;
};

/* The generator that was called last on this thread. */
static __thread uint32_t last __attribute__((tls_model("initial-exec")));

static function *next(const struct place *place)
{
	return (function *)place->real;
}

static uint32_t new_number(void)
{
	return __atomic_add_fetch(&n_generators, 1, __ATOMIC_RELAXED);
}

static struct identity look_up(word generator)
{
	void *value = map_get(&generators, generator);
	struct identity identity;

	_Static_assert(sizeof identity == sizeof value, "values of the map");
	memcpy(&identity, &value, sizeof identity);
	return identity;
}

/* number 0: it is gone. */
static void know(word generator, struct identity identity)
{
	int saved = errno;
	void *value;

	memcpy(&value, &identity, sizeof value);
	agent_lock();
	map_put(&generators, generator, value);
	agent_unlock();
	errno = saved;
}

/* One that was made before the agent came gets its number here. */
static uint32_t number_of(word generator)
{
	struct identity identity = look_up(generator);

	if (__builtin_expect(!identity.number, 0)) {
		identity = (struct identity){ .number = new_number(), .has_prompt = 1 };
		know(generator, identity);
	}
	return identity.number;
}

/* The runtime has taken them. How many at the begin of a generator's first prompt an earlier one of its model had. */
static uint32_t seen(word generator, const int32_t *tokens, size_t n)
{
	struct identity identity = look_up(generator);

	if (identity.has_prompt || !identity.number)
		return 0;
	identity.has_prompt = 1;
	know(generator, identity);
	return tokens ? prefix_seen(identity.owner, tokens, n) : 0;
}

static void tell(struct thread *thread, const struct record *call)
{
	struct record *record = thread->generation == hot->generation ? agent_claim(thread) : NULL;

	if (!record)
		return;
	*record = *call;
	record->type = RECORD_GENERATOR_CALL;
	agent_publish(thread);
}

/* Calls the real function as a part of told.id, and tells it. The thread is recorded. */
static word call(const struct place *place, struct record told, word a, word b, word c, word d)
{
	struct thread *thread = self_thread;
	const struct generator_scope outer = thread->generator;
	word r;

	thread->generator =
	    (struct generator_scope){ .frame = (uintptr_t)__builtin_frame_address(0), .number = told.id };
	told.time = agent_now();
	r = next(place)(a, b, c, d);
	told.value = agent_now();
	told.more = (uint8_t)(thread->generator.n_runs < MAX_INSIDE ? thread->generator.n_runs : MAX_INSIDE);
	if (r)
		told.flags = GENERATOR_FAILED;
	else if (place->role == GENAI_APPEND)
		told.run = seen(a, (const int32_t *)b, c);
	else if (place->role == GENAI_APPEND_MORE)
		seen(a, NULL, 0); /* tokens behind it are no first prompt */
	thread->generator = outer;
	last = told.id;
	/* a prompt may go in as a generator is made, and most do not; most logits are there already */
	if ((place->role != GENAI_CREATE && place->role != GENAI_LOGITS) || told.more)
		tell(thread, &told);
	return r;
}

static word create(const struct place *place, word a, word b, word c, word d)
{
	const struct record told = { .id = new_number(), .flags = GENERATOR_PROMPT };
	word r = call(place, told, a, b, c, d);

	if (!r && c && *(const word *)c)
		know(*(const word *)c, (struct identity){ .number = told.id, .owner = (uint32_t)(a >> 4) & INT32_MAX });
	return r;
}

static word destroy(const struct place *place, struct thread *thread, word a, word b, word c, word d)
{
	uint32_t number = a ? look_up(a).number : 0;
	uint64_t now = agent_now();

	if (number) {
		know(a, (struct identity){ 0 });
		tell(thread, &(struct record){ .time = now, .value = now, .id = number, .flags = GENERATOR_RELEASED });
	}
	return next(place)(a, b, c, d);
}

static word decode(const struct place *place, struct thread *thread, word a, word b, word c, word d)
{
	uint64_t start = agent_now();
	word r = next(place)(a, b, c, d);

	if (last)
		tell(thread,
		     &(struct record){ .time = start, .value = agent_now(), .id = last, .flags = GENERATOR_TEXT });
	return r;
}

static word serve(const struct place *place, word a, word b, word c, word d)
{
	struct thread *thread = agent_thread();
	struct record told = { .flags = GENERATOR_PROMPT };

	if (!thread)
		return next(place)(a, b, c, d);
	switch ((enum genai_role)place->role) {
	case GENAI_CREATE:
		return create(place, a, b, c, d);
	case GENAI_DESTROY:
		return destroy(place, thread, a, b, c, d);
	case GENAI_DECODE:
		return decode(place, thread, a, b, c, d);
	case GENAI_APPEND:
		told.text = c < UINT32_MAX ? (uint32_t)c : 0;
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
		told.text = b < UINT32_MAX ? (uint32_t)b : 0;
		break;
	default:
		break;
	}
	if (!a)
		return next(place)(a, b, c, d);
	told.id = number_of(a);
	return call(place, told, a, b, c, d);
}

#define STAND_IN(n) \
	static word stand_in_##n(word a, word b, word c, word d) \
	{ \
		return serve(&places[n], a, b, c, d); \
	}
PLACES_EACH(STAND_IN)

#define ENTRY(n) stand_in_##n,
static function *const stand_ins[PLACES] = { PLACES_EACH(ENTRY) };

void *genai_hook(const struct copy *copy, enum genai_role role, void *real)
{
	unsigned at = places_take(places, copy, (uint8_t)role, real);

	return at < PLACES ? (void *)stand_ins[at] : NULL;
}

void genai_forget_gone(void)
{
	places_forget_gone(places);
}

void genai_forget_all(void)
{
	map_clear(&generators);
}
