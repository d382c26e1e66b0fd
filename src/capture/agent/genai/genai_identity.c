// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "capture/agent/genai/genai_in.h"
#include "capture/agent/map.h"
#include "capture/agent/prefix.h"
#include "event/generator_call.h"

enum { MAX_INSIDE = 255 };

static struct map identities; /* the handle -> struct identity */
static uint32_t n_numbers;

uint32_t identity_new_number(void)
{
	return __atomic_add_fetch(&n_numbers, 1, __ATOMIC_RELAXED);
}

struct identity identity_of(word handle)
{
	void *value = map_get(&identities, handle);
	struct identity identity;

	_Static_assert(sizeof identity == sizeof value, "values of the map");
	memcpy(&identity, &value, sizeof identity);
	return identity;
}

void identity_know(word handle, struct identity identity)
{
	int saved = errno;
	void *value;

	memcpy(&value, &identity, sizeof value);
	agent_lock();
	map_put(&identities, handle, value);
	agent_unlock();
	errno = saved;
}

uint32_t identity_number(word handle)
{
	struct identity identity = identity_of(handle);

	if (__builtin_expect(!identity.number, 0)) {
		identity = (struct identity){ .number = identity_new_number(), .has_prompt = 1 };
		identity_know(handle, identity);
	}
	return identity.number;
}

void identity_forget_all(void)
{
	map_clear(&identities);
}

uint32_t identity_prompt(word handle, const int32_t *tokens, size_t n)
{
	struct identity identity = identity_of(handle);

	if (identity.has_prompt || !identity.number)
		return 0;
	identity.has_prompt = 1;
	identity_know(handle, identity);
	return tokens ? prefix_seen(identity.owner, tokens, n) : 0;
}

void genai_tell(struct thread *thread, const struct record *call)
{
	struct record *record = thread->generation == hot->generation ? agent_claim(thread) : NULL;

	if (!record)
		return;
	*record = *call;
	record->type = RECORD_GENERATOR_CALL;
	agent_publish(thread);
}

void identity_release(struct thread *thread, word handle)
{
	uint32_t number = handle ? identity_of(handle).number : 0;
	uint64_t now = agent_now();

	if (!number)
		return;
	identity_know(handle, (struct identity){ 0 });
	genai_tell(thread, &(struct record){ .time = now, .value = now, .id = number, .flags = GENERATOR_RELEASED });
}

word genai_call(genai_function *real, struct record *told, const struct genai_args *args)
{
	struct thread *thread = self_thread;
	const struct generator_scope outer = thread->generator;
	word r;

	thread->generator =
	    (struct generator_scope){ .frame = (uintptr_t)__builtin_frame_address(0), .number = told->id };
	told->time = agent_now();
	r = genai_real(real, args);
	told->value = agent_now();
	told->more = (uint8_t)(thread->generator.n_runs < MAX_INSIDE ? thread->generator.n_runs : MAX_INSIDE);
	if (r)
		told->flags = GENERATOR_FAILED;
	thread->generator = outer;
	return r;
}
