// SPDX-License-Identifier: Apache-2.0
/* Keeps texts in blocks that never move and finds them by an index of ids. */
#include "event/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "event/callstack.h"

enum {
	BLOCK = 1 << 16,
	KEPT = 1 << 16,	      /* texts given to names_pass that are kept, */
	KEPT_BYTES = 8 << 20, /* and what they take */
	PASSING = 1 << 18,    /* a power of two */
	PASSING_BYTES = 8 << 20,
};

struct block {
	struct block *next;
	size_t used, size;
	char text[];
};

struct name {
	const char *text;
	uint32_t len, hash;
};

/* A text that passes; its place: its number modulo PASSING. */
struct passing {
	uint64_t at; /* in all bytes that have passed */
	uint32_t id, len;
};

struct names {
	struct block *blocks;
	struct name *name; /* index: id; entry 0 unused */
	uint32_t n, capacity;
	struct index index;	 /* of ids */
	uint32_t n_kept;	 /* given to names_pass, */
	uint64_t kept_bytes;	 /* and their bytes */
	struct passing *passing; /* NULL: none has passed */
	char *passed;		 /* a ring of PASSING_BYTES */
	uint64_t n_passed, passed_bytes;
	struct callstacks *callstacks;
};

static uint32_t hash_of(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u ^ len;

	for (; len >= 8; text += 8, len -= 8) {
		uint64_t word;
		memcpy(&word, text, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	for (; len; text++, len--)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t hash_of_id(const void *names, uint32_t id)
{
	return ((const struct names *)names)->name[id].hash;
}

struct names *names_new(void)
{
	struct names *names = calloc(1, sizeof *names);

	if (names && (!(names->callstacks = callstacks_new()) || !index_room(&names->index, 0, hash_of_id, names))) {
		callstacks_free(names->callstacks);
		free(names);
		return NULL;
	}
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	while (names->blocks) {
		struct block *block = names->blocks;
		names->blocks = block->next;
		free(block);
	}
	free(names->name);
	free(names->index.number);
	free(names->passing);
	free(names->passed);
	callstacks_free(names->callstacks);
	free(names);
}

static char *keep(struct names *names, const char *text, size_t len)
{
	struct block *block = names->blocks;
	char *copy;

	if (!block || block->size - block->used < len + 1) {
		size_t size = len + 1 > BLOCK ? len + 1 : BLOCK;
		block = malloc(sizeof *block + size);
		if (!block)
			return NULL;
		*block = (struct block){ .next = names->blocks, .size = size };
		names->blocks = block;
	}
	copy = block->text + block->used;
	memcpy(copy, text, len);
	copy[len] = 0;
	block->used += len + 1;
	return copy;
}

static int make_room(struct names *names)
{
	if (names->n + 1 >= names->capacity) {
		uint32_t capacity = names->capacity ? names->capacity * 2 : 128;
		struct name *name = realloc(names->name, capacity * sizeof *name);
		if (!name)
			return -1;
		names->name = name;
		names->capacity = capacity;
	}
	return index_room(&names->index, names->n, hash_of_id, names) ? 0 : -1;
}

/* 0: it is not there; *at: where it would be. */
static uint32_t find(const struct names *names, const char *text, size_t len, uint32_t hash, uint32_t *at)
{
	const struct index *index = &names->index;
	uint32_t id;

	for (*at = hash & index->mask; (id = index->number[*at]); *at = (*at + 1) & index->mask) {
		const struct name *name = &names->name[id];

		if (name->hash == hash && name->len == len && !memcmp(name->text, text, len))
			return id;
	}
	return 0;
}

static uint32_t add(struct names *names, const char *text, size_t len, uint32_t hash)
{
	uint32_t id, at;
	char *copy;

	if (names->n >= INT32_MAX || make_room(names) || !(copy = keep(names, text, len)))
		return 0;
	id = ++names->n;
	names->name[id] = (struct name){ copy, (uint32_t)len, hash };
	for (at = hash & names->index.mask; names->index.number[at]; at = (at + 1) & names->index.mask)
		;
	names->index.number[at] = id;
	return id;
}

uint32_t names_intern(struct names *names, const char *text, size_t len)
{
	uint32_t hash, at, id;

	if (!text || !len || len > UINT32_MAX / 2)
		return 0;
	hash = hash_of(text, len);
	id = find(names, text, len, hash, &at);
	return id ? id : add(names, text, len, hash);
}

uint32_t names_find(const struct names *names, const char *text, size_t len)
{
	uint32_t at;

	return text && len && len <= UINT32_MAX / 2 ? find(names, text, len, hash_of(text, len), &at) : 0;
}

static bool make_passing(struct names *names)
{
	if (names->passing)
		return true;
	names->passing = calloc(PASSING, sizeof *names->passing);
	names->passed = malloc(PASSING_BYTES);
	if (names->passing && names->passed)
		return true;
	free(names->passing);
	free(names->passed);
	names->passing = NULL;
	names->passed = NULL;
	return false;
}

/* A text lies in one piece: it does not go over the end of the ring. */
static uint32_t pass(struct names *names, const char *text, size_t len)
{
	struct passing *passing = &names->passing[names->n_passed % PASSING];
	size_t place = names->passed_bytes % PASSING_BYTES;

	if (place + len + 1 > PASSING_BYTES) {
		names->passed_bytes += PASSING_BYTES - place;
		place = 0;
	}
	memcpy(names->passed + place, text, len);
	names->passed[place + len] = 0;
	*passing = (struct passing){ names->passed_bytes, 1u << 31 | (uint32_t)names->n_passed, (uint32_t)len };
	names->n_passed++;
	names->passed_bytes += len + 1;
	return passing->id;
}

uint32_t names_pass(struct names *names, const char *text, size_t len)
{
	uint32_t hash, at, id;

	if (!text || !len || len > UINT32_MAX / 2)
		return 0;
	hash = hash_of(text, len);
	id = find(names, text, len, hash, &at);
	if (id)
		return id;
	if ((names->n_kept < KEPT && names->kept_bytes + len < KEPT_BYTES) || len >= PASSING_BYTES / 16 ||
	    !make_passing(names)) {
		names->n_kept++;
		names->kept_bytes += len;
		return add(names, text, len, hash);
	}
	return pass(names, text, len);
}

/* NULL: it is too long ago, or never was. */
static const struct passing *passing_of(const struct names *names, uint32_t id)
{
	const struct passing *passing = names->passing ? &names->passing[(id & ~(1u << 31)) % PASSING] : NULL;

	return passing && passing->id == id && names->passed_bytes - passing->at <= PASSING_BYTES ? passing : NULL;
}

uint32_t names_keep(struct names *names, uint32_t id)
{
	const struct passing *passing;

	if (!names_is_passing(id))
		return id;
	passing = passing_of(names, id);
	return passing ? names_intern(names, names_text(names, id), passing->len) : 0;
}

uint32_t names_of(struct names *names, const char *text)
{
	return text ? names_intern(names, text, strlen(text)) : 0;
}

const char *names_text(const struct names *names, uint32_t id)
{
	const struct passing *passing;

	if (id <= names->n)
		return id ? names->name[id].text : "";
	passing = names_is_passing(id) ? passing_of(names, id) : NULL;
	return passing ? names->passed + passing->at % PASSING_BYTES : "";
}

size_t names_len(const struct names *names, uint32_t id)
{
	const struct passing *passing;

	if (id <= names->n)
		return id ? names->name[id].len : 0;
	passing = names_is_passing(id) ? passing_of(names, id) : NULL;
	return passing ? passing->len : 0;
}

struct callstacks *names_callstacks(const struct names *names)
{
	return names->callstacks;
}

uint32_t names_count(const struct names *names)
{
	return names->n;
}
