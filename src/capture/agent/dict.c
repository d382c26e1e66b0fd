// SPDX-License-Identifier: Apache-2.0
/*
 * The agent's side of the segment's dictionary: texts, nodes and facts, each written once. A hash table in the agent's
 * own memory, keyed by content, finds ids again, so that loading a model ten thousand times adds its names once.
 * Entries are complete before dict_end moves past them.
 */
#include "capture/agent/dict.h"

#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"

enum { STEP = 64 << 10, FIRST_TABLE = 4096, MAX_TEXT = 4000, MAX_IDS = 1 << 20 };

struct slot {
	uint64_t hash; /* of kind and content; 0: free. The 64 bits decide: contents are not compared */
	uint32_t id;
};

static struct {
	struct slot *slot;
	uint32_t mask, n;
	uint32_t generation; /* the segment that the ids belong to */
	uint32_t next_text, next_node;
	uint64_t populated; /* bytes of the dictionary whose pages exist */
} table;

/* Call under the lock, before every use of the table: forgets all ids when a new segment has begun. */
static void catch_up(void)
{
	if (table.generation == agent.next_generation)
		return;
	table.generation = agent.next_generation;
	table.n = 0;
	table.populated = 0;
	table.next_text = table.next_node = 0;
	if (table.slot)
		memset(table.slot, 0, ((uint64_t)table.mask + 1) * sizeof *table.slot);
}

static uint64_t hash_of(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *at = data;
	uint64_t hash = seed * 0x9e3779b97f4a7c15u ^ len;

	for (; len >= 8; at += 8, len -= 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	for (; len; at++, len--)
		hash = (hash ^ *at) * 0xc4ceb9fe1a85ec53u, hash ^= hash >> 29;
	hash ^= hash >> 33;
	return hash | 1;
}

static struct slot *find(uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 20) & table.mask;

	while (table.slot[at].hash && table.slot[at].hash != hash)
		at = (at + 1) & table.mask;
	return &table.slot[at];
}

static bool grow_table(void)
{
	struct slot *old = table.slot;
	uint32_t n = old ? table.mask + 1 : 0, size = n ? n * 2 : FIRST_TABLE;
	struct slot *slot = arena_alloc(&agent.arena, size * sizeof *slot);

	if (!slot)
		return false;
	table.slot = slot;
	table.mask = size - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].hash)
			*find(old[i].hash) = old[i];
	return true;
}

/* Room for one more entry; NULL: none, and the loss is counted. */
static struct dict_entry *claim(uint16_t kind, uint32_t id, size_t text)
{
	struct segment *segment = agent.segment;
	char *start = (char *)segment + SEGMENT_DICT;
	uint64_t size = (sizeof(struct dict_entry) + text + 7) & ~7ull, end = segment->dict_end + size;
	struct dict_entry *entry;

	while (end > table.populated) {
		if (end > SEGMENT_DICT_SIZE || !agent_populate(start + table.populated, STEP)) {
			__atomic_fetch_add(&segment->dict_lost, 1, __ATOMIC_RELAXED);
			return NULL;
		}
		table.populated += STEP;
	}
	entry = (struct dict_entry *)(start + segment->dict_end);
	memset(entry, 0, sizeof *entry);
	entry->size = (uint32_t)size;
	entry->kind = kind;
	entry->id = id;
	return entry;
}

static void publish(const struct dict_entry *entry)
{
	__atomic_store_n(&agent.segment->dict_end, agent.segment->dict_end + entry->size, __ATOMIC_RELEASE);
}

/* The slot for this content; *id is set if it exists already. NULL: the table is full. */
static struct slot *look_up(uint64_t hash, uint32_t *id)
{
	struct slot *slot;

	*id = 0;
	if ((!table.slot || table.n * 2 > table.mask) && !grow_table())
		return NULL;
	slot = find(hash);
	*id = slot->hash ? slot->id : 0;
	return slot;
}

static uint32_t text_locked(const char *text, size_t len, uint64_t until)
{
	uint64_t hash = hash_of(1, text, len);
	struct dict_entry *entry;
	struct slot *slot;
	uint32_t id;

	slot = look_up(hash, &id);
	if (!slot || id)
		return id;
	if (table.n >= MAX_IDS || agent.segment->dict_end + sizeof *entry + len > until) {
		__atomic_fetch_add(&agent.segment->dict_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (!(entry = claim(DICT_TEXT, table.next_text + 1, len)))
		return 0;
	memcpy(entry + 1, text, len);
	entry->n = (uint16_t)len;
	publish(entry);
	*slot = (struct slot){ hash, ++table.next_text };
	table.n++;
	return slot->id;
}

/* until: bytes of the dictionary that new texts may fill. */
static uint32_t get_text(const char *text, size_t len, uint64_t until)
{
	uint32_t id;
	int saved = errno;

	if (!text || !len || !agent.segment)
		return 0;
	if (len > MAX_TEXT)
		len = MAX_TEXT;
	if (!agent_try_lock()) {
		__atomic_fetch_add(&agent.segment->dict_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	catch_up();
	id = text_locked(text, len, until);
	agent_unlock();
	errno = saved;
	return id;
}

uint32_t dict_text(const char *text, size_t len)
{
	return get_text(text, len, SEGMENT_DICT_SIZE);
}

uint32_t dict_text_of_run(const char *text, size_t len)
{
	return get_text(text, len, SEGMENT_DICT_SIZE / 2);
}

uint32_t dict_node(uint32_t name, uint32_t type, uint32_t provider)
{
	uint32_t word[3] = { name, type, provider }, id = 0;
	uint64_t hash = hash_of(2, word, sizeof word);
	struct dict_entry *entry;
	struct slot *slot;
	int saved = errno;

	if (!agent.segment)
		return 0;
	agent_lock();
	catch_up();
	slot = look_up(hash, &id);
	if (slot && !id && table.n < MAX_IDS && (entry = claim(DICT_NODE, table.next_node + 1, 0))) {
		memcpy(entry->word, word, sizeof word);
		publish(entry);
		*slot = (struct slot){ hash, id = ++table.next_node };
		table.n++;
	}
	agent_unlock();
	errno = saved;
	return id;
}

void dict_fact(uint32_t session, uint32_t key, uint32_t text, int64_t value)
{
	struct dict_entry *entry;
	int saved = errno;

	if (!agent.segment)
		return;
	agent_lock();
	catch_up();
	entry = claim(DICT_FACT, session, 0);
	if (entry) {
		entry->word[0] = key;
		entry->word[1] = text;
		entry->value = value;
		publish(entry);
	}
	agent_unlock();
	errno = saved;
}

static uint32_t text_or_none(const char *text)
{
	return text && *text ? dict_text(text, strlen(text)) : 0;
}

void dict_session(uint32_t session, const char *model, const char *path, const char *providers, int64_t bytes)
{
	const uint32_t word[3] = { text_or_none(model), text_or_none(path), text_or_none(providers) };
	struct dict_entry *entry;
	int saved = errno;

	if (!agent.segment)
		return;
	agent_lock();
	catch_up();
	entry = claim(DICT_SESSION, session, 0);
	if (entry) {
		memcpy(entry->word, word, sizeof word);
		entry->value = bytes;
		publish(entry);
	}
	agent_unlock();
	errno = saved;
}

void dict_runtime(const struct dict_copy *copy)
{
	const char *text[] = { copy->path, copy->version, copy->armed, copy->left_out, copy->runtime };
	struct dict_entry *entry;
	uint32_t word[5];

	for (int i = 0; i < 5; i++)
		word[i] = text_or_none(text[i]);
	agent_lock();
	catch_up();
	entry = agent.segment ? claim(DICT_RUNTIME, 0, 0) : NULL;
	if (entry) {
		memcpy(entry->word, word, sizeof word);
		publish(entry);
	}
	agent_unlock();
}

void dict_role(int32_t tid, const char *role)
{
	uint32_t text = dict_text(role, strlen(role));
	struct dict_entry *entry;

	agent_lock();
	catch_up();
	entry = agent.segment ? claim(DICT_ROLE, (uint32_t)tid, 0) : NULL;
	if (entry) {
		entry->word[0] = text;
		publish(entry);
	}
	agent_unlock();
}
