// SPDX-License-Identifier: Apache-2.0
/*
 * The hook for graph transformers. Up to 1.18 most of them are called ten times in a creation, for 10 us each in a
 * small model: one system call reads the object and the flag of the caller, and a name is read once in a creation.
 */
#include <string.h>

#include "capture/agent/ort_in.h"
#include "capture/agent/phase.h"
#include "event/event.h"
#include "runtime/peek.h"

enum { NAMES = 128, NAME = 96 };

/* A transformer: its class; text and length of the string with its name. */
struct words {
	word vptr, text, len;
};

/* Names that were read in this creation, by the transformer's address. */
struct transformer_names {
	struct {
		word object;
		struct words words;
		uint64_t creation; /* its begin */
		char name[NAME];
	} of[NAMES];
};

static struct transformer_names *names_of_thread(struct thread *thread)
{
	if (!thread->transformers) {
		agent_lock();
		thread->transformers = arena_alloc(&agent.arena, sizeof *thread->transformers);
		agent_unlock();
		if (thread->transformers)
			memset(thread->transformers, 0, sizeof *thread->transformers);
	}
	return thread->transformers;
}

static void read_name(word object, const struct words *words, bool is_old_string, char name[NAME])
{
	if (is_old_string || peek_counted(words->text, words->len, name, NAME) < 0)
		peek_string(object + ORT_TRANSFORMER_NAME, name, NAME);
}

/* Its name, until the next call on this thread; own: room for it. */
static const char *name_of(struct thread *thread, word object, const struct words *words, bool is_old_string,
			   char own[NAME])
{
	struct transformer_names *names = names_of_thread(thread);
	unsigned at = (unsigned)(object >> 4 ^ object >> 11) % NAMES;

	*own = 0;
	if (!names || is_old_string) {
		read_name(object, words, is_old_string, own);
		return own;
	}
	if (names->of[at].creation != thread->creation.start || names->of[at].object != object ||
	    memcmp(&names->of[at].words, words, sizeof *words) != 0) {
		names->of[at].creation = thread->creation.start;
		names->of[at].object = object;
		names->of[at].words = *words;
		*names->of[at].name = 0;
		read_name(object, words, false, names->of[at].name);
	}
	return names->of[at].name;
}

/* b: this, with its name at + 8; d: bool &modified */
word ort_on_transform(ORT_ARGS)
{
	struct thread *thread = agent_thread();
	struct words words = { 0, 0, 0 };
	struct ort_met met;
	char own[NAME];
	const char *name;
	uint64_t end;
	uint8_t before;
	bool is_modified, is_last, is_read;
	word r;

	if (!thread || !creation_is_open(thread)) {
		met = ort_meet_second(a, b, ORT_TRANSFORM);
		return met.next(ORT_PASS);
	}
	is_read = peek_two(b, &words, sizeof words, d, &before, 1);
	met = ort_copy_meet(words.vptr, a, ORT_TRANSFORM);
	if (!met.vptr || !is_read)
		return met.next(ORT_PASS);
	name = name_of(thread, b, &words, met.copy->copy->found.is_old_string, own);
	is_last = !strcmp(name, "MemcpyTransformer");
	creation_part_begin(thread, NULL, name);
	r = met.next(ORT_PASS);
	is_modified = !before && *(uint8_t *)d;
	end = creation_part_end(thread, is_modified ? FLAG_MODIFIED : FLAG_UNMODIFIED, 0);
	if (is_modified || is_last)
		phase_begin(thread, EVENT_PHASE_RESOLVE, end);
	thread->creation.is_behind_last = is_last && thread->creation.phase == EVENT_PHASE_RESOLVE;
	return r;
}
