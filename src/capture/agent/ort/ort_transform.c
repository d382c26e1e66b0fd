// SPDX-License-Identifier: Apache-2.0
/*
 * The hook for graph transformers. Up to 1.18 most of them are called ten times in a creation, for 10 us each in a
 * small model. One system call reads the object and the flag of the caller; from then on, in this creation, an object
 * of the same class at the same address, called with the same flag, is looked at directly.
 */
#include <string.h>

#include "capture/agent/ort/ort_call.h"
#include "capture/agent/run/phase.h"
#include "event/event.h"
#include "runtime/find/peek.h"

enum { NAMES = 128, NAME = 96 };

/* A transformer: its class; text and length of the string with its name. */
struct words {
	word vptr, text, len;
};

struct name {
	word object;
	struct words words;
	uint64_t creation; /* its begin */
	char name[NAME];
};

/* Names that were read in this creation, by the transformer's address; and where the flag was. */
struct transformer_names {
	word flag;
	uint64_t flag_creation;
	struct name of[NAMES];
};

static uint32_t place; /* in a thread's `kept` */

static struct transformer_names *names_of_thread(struct thread *thread)
{
	return thread->kept[place] ? thread->kept[place] : agent_keep(thread, &place, sizeof(struct transformer_names));
}

static void read_name(word object, const struct words *words, bool is_old_string, char name[NAME])
{
	if (is_old_string || peek_counted(words->text, words->len, name, NAME) < 0)
		peek_string(object + ORT_TRANSFORMER_NAME, name, NAME);
}

static struct name *slot_of(struct transformer_names *names, word object)
{
	return &names->of[(object >> 4 ^ object >> 11) % NAMES];
}

/* False: one of them is not there. */
static bool look_at(struct thread *thread, word object, word flag, struct words *words, uint8_t *before)
{
	struct transformer_names *names = names_of_thread(thread);
	uint64_t creation = thread->creation.start;
	const struct name *known = names ? slot_of(names, object) : NULL;

	if (known && known->creation == creation && known->object == object && names->flag_creation == creation &&
	    names->flag == flag && *(const word *)object == known->words.vptr) {
		memcpy(words, (const void *)object, sizeof *words);
		*before = *(const uint8_t *)flag;
		return true;
	}
	if (!peek_two(object, words, sizeof *words, flag, before, 1))
		return false;
	if (names) {
		names->flag = flag;
		names->flag_creation = creation;
	}
	return true;
}

/* Its name, until the next call on this thread; own: room for it. */
static const char *name_of(struct thread *thread, word object, const struct words *words, bool is_old_string,
			   char own[NAME])
{
	struct transformer_names *names = thread->kept[place];
	struct name *name = names && !is_old_string ? slot_of(names, object) : NULL;

	*own = 0;
	if (!name) {
		read_name(object, words, is_old_string, own);
		return own;
	}
	if (name->creation != thread->creation.start || name->object != object ||
	    memcmp(&name->words, words, sizeof *words) != 0) {
		name->creation = thread->creation.start;
		name->object = object;
		name->words = *words;
		*name->name = 0;
		read_name(object, words, false, name->name);
	}
	return name->name;
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
		return ORT_CALL(met.next);
	}
	is_read = look_at(thread, b, d, &words, &before);
	met = ort_copy_meet(words.vptr, a, ORT_TRANSFORM);
	if (!met.vptr || !is_read)
		return ORT_CALL(met.next);
	name = name_of(thread, b, &words, met.copy->copy->found.is_old_string, own);
	is_last = !strcmp(name, "MemcpyTransformer");
	creation_part_begin(thread, NULL, name);
	r = ORT_CALL(met.next);
	is_modified = !before && *(uint8_t *)d;
	end = creation_part_end(thread, is_modified ? FLAG_MODIFIED : FLAG_UNMODIFIED, 0);
	thread->creation.is_in_turn = !is_modified && !is_last;
	if (is_modified || is_last)
		phase_begin(thread, EVENT_PHASE_RESOLVE, end);
	thread->creation.is_behind_last = is_last && thread->creation.phase == EVENT_PHASE_RESOLVE;
	return r;
}
