// SPDX-License-Identifier: Apache-2.0
/*
 * The agent's side of the segment's dictionary: texts and nodes, each written once, and facts. A hash table in the
 * agent's own memory, keyed by content, finds ids again, so that loading a model ten thousand times adds its names
 * once. Entries are complete before dict_end or facts_end moves past them.
 */
#include "capture/agent/dict.h"

#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/room.h"

enum {
	FIRST_TABLE = 4096,
	MAX_IDS = 1 << 20,
	TEXTS_OF_RUNS = SEGMENT_DICT_SIZE / 8,
	RECENT = 1024,
	MAX_CALLERS = 16384,
	FIRST_FACTS = 1024, /* in the dictionary, before a ring is made for them */
};

struct slot {
	uint64_t hash; /* of kind and content; 0: free. The 64 bits decide: contents are not compared */
	uint32_t id;
};

static struct {
	struct slot *slot;
	uint32_t mask, n;
	uint32_t generation; /* the segment that the ids belong to */
	uint32_t next_text, next_node, n_callers;
} table;

/* The ring of texts. */
static struct {
	char *start; /* NULL: not there */
	struct slot recent[RECENT];
} texts;

/* The ring of facts. */
static struct {
	struct dict_entry *start; /* NULL: not there */
	uint64_t n, next_try;	  /* facts so far; when to make the ring */
	uint64_t in_dict;	  /* the dictionary's end behind the last fact in it */
} facts;

/* Call under the lock, before every use of the table: forgets all ids when a new segment has begun. */
static void catch_up(void)
{
	if (table.generation == agent.next_generation)
		return;
	table.generation = agent.next_generation;
	table.n = 0;
	table.next_text = table.next_node = table.n_callers = 0;
	if (texts.start)
		memset(&texts, 0, sizeof texts);
	memset(&facts, 0, sizeof facts);
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
	uint64_t size = (sizeof(struct dict_entry) + text + 7) & ~7ull;
	char *start = room_dict(segment->dict_end + size);
	struct dict_entry *entry;

	if (!start) {
		__atomic_fetch_add(&segment->dict_lost, 1, __ATOMIC_RELAXED);
		return NULL;
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

/* Makes the ring of facts. A try that fails costs microseconds: the next one comes later. */
static bool has_facts(void)
{
	uint64_t offset;

	if (facts.start || facts.n < FIRST_FACTS || facts.n < facts.next_try)
		return facts.start != NULL;
	facts.next_try = facts.n + FIRST_FACTS;
	facts.start = (struct dict_entry *)room_take(SEGMENT_FACTS_SIZE, &offset);
	if (facts.start)
		__atomic_store_n(&agent.segment->facts, offset, __ATOMIC_RELEASE);
	return facts.start != NULL;
}

/* Whether a reader has not applied enough for another fact in the ring. */
static bool is_late(const uint64_t *dict_read, const uint64_t *facts_read)
{
	return __atomic_load_n(dict_read, __ATOMIC_ACQUIRE) < facts.in_dict ||
	       agent.segment->facts_end - __atomic_load_n(facts_read, __ATOMIC_ACQUIRE) >= SEGMENT_MAX_FACTS;
}

/* A fact, for publish_fact; NULL: no room. The order of facts is that of event/record.h. */
static struct dict_entry *claim_fact(uint16_t kind, uint32_t id)
{
	const struct segment *segment = agent.segment;
	struct dict_entry *entry;

	if (!has_facts() || is_late(&segment->dict_read, &segment->facts_read) ||
	    (segment->is_shared && is_late(&segment->own_dict_read, &segment->own_facts_read)))
		return claim(kind, id, 0);
	entry = &facts.start[segment->facts_end % SEGMENT_MAX_FACTS];
	*entry = (struct dict_entry){ .size = sizeof *entry, .kind = kind, .id = id };
	return entry;
}

static void publish_fact(const struct dict_entry *entry)
{
	facts.n++;
	if (facts.start && entry >= facts.start && entry < facts.start + SEGMENT_MAX_FACTS) {
		__atomic_store_n(&agent.segment->facts_end, agent.segment->facts_end + 1, __ATOMIC_RELEASE);
		return;
	}
	publish(entry);
	facts.in_dict = agent.segment->dict_end;
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

bool dict_is_valid(uint32_t id)
{
	enum { HALF = SEGMENT_TEXTS_SIZE / 8 / 2 };
	uint64_t now;

	if (!(id & TEXT_PASSES))
		return true;
	now = __atomic_load_n(&agent.segment->texts_begun, __ATOMIC_RELAXED) / 8;
	return (((uint32_t)now - id) & ~TEXT_PASSES) < HALF;
}

/* Makes the ring of texts. A try that fails costs microseconds: the next one comes later. */
static bool has_texts(void)
{
	enum { AGAIN = 256 };
	uint64_t offset;

	if (texts.start || agent.segment->texts_lost % AGAIN)
		return texts.start != NULL;
	texts.start = room_take(SEGMENT_TEXTS_SIZE, &offset);
	if (texts.start)
		__atomic_store_n(&agent.segment->texts, offset, __ATOMIC_RELEASE);
	return texts.start != NULL;
}

static uint32_t pass_text(uint64_t hash, const char *text, size_t len)
{
	struct slot *recent = &texts.recent[hash >> 20 & (RECENT - 1)];
	uint64_t at = agent.segment->texts_end, size = (sizeof(struct text_entry) + len + 7) & ~7ull;
	struct text_entry *entry;

	if (recent->hash == hash && dict_is_valid(recent->id))
		return recent->id;
	if (!has_texts()) {
		__atomic_fetch_add(&agent.segment->texts_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (at % SEGMENT_TEXTS_SIZE + size > SEGMENT_TEXTS_SIZE)
		at += SEGMENT_TEXTS_SIZE - at % SEGMENT_TEXTS_SIZE;
	/* an exchange and a fence, because nothing may be written before it */
	__atomic_exchange_n(&agent.segment->texts_begun, at + size, __ATOMIC_ACQ_REL);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	entry = (struct text_entry *)(texts.start + at % SEGMENT_TEXTS_SIZE);
	*entry = (struct text_entry){ TEXT_PASSES | (uint32_t)(at / 8), (uint32_t)len };
	memcpy(entry + 1, text, len);
	__atomic_store_n(&agent.segment->texts_end, at + size, __ATOMIC_RELEASE);
	*recent = (struct slot){ hash, entry->id };
	return entry->id;
}

enum text_kind { TEXT_OTHER, TEXT_OF_RUN, TEXT_CALLER };

static uint32_t text_locked(const char *text, size_t len, enum text_kind kind)
{
	uint64_t hash = hash_of(1, text, len);
	struct dict_entry *entry;
	struct slot *slot;
	uint32_t id;

	slot = look_up(hash, &id);
	if (slot && id)
		return id;
	if (kind == TEXT_OF_RUN && (!slot || table.n >= MAX_IDS / 2 || agent.segment->dict_end + len > TEXTS_OF_RUNS))
		return pass_text(hash, text, len);
	if (!slot || table.n >= MAX_IDS || (kind == TEXT_CALLER && table.n_callers >= MAX_CALLERS)) {
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
	table.n_callers += kind == TEXT_CALLER;
	return slot->id;
}

static uint32_t get_text(const char *text, size_t len, enum text_kind kind)
{
	uint32_t id;
	int saved = errno;

	if (!text || !len || !agent.segment)
		return 0;
	if (len > SEGMENT_MAX_TEXT)
		len = SEGMENT_MAX_TEXT;
	if (!agent_try_lock()) {
		__atomic_fetch_add(&agent.segment->dict_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	catch_up();
	id = text_locked(text, len, kind);
	agent_unlock();
	errno = saved;
	return id;
}

uint32_t dict_text(const char *text, size_t len)
{
	return get_text(text, len, TEXT_OTHER);
}

uint32_t dict_text_of_run(const char *text, size_t len)
{
	return get_text(text, len, TEXT_OF_RUN);
}

uint32_t dict_caller(const char *text, size_t len)
{
	return get_text(text, len, TEXT_CALLER);
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
	entry = claim_fact(DICT_FACT, session);
	if (entry) {
		entry->word[0] = key;
		entry->word[1] = text;
		entry->value = value;
		publish_fact(entry);
	}
	agent_unlock();
	errno = saved;
}

static uint32_t text_or_none(const char *text)
{
	return text && *text ? dict_text(text, strlen(text)) : 0;
}

void dict_session(const struct dict_session *session)
{
	const uint32_t word[5] = { text_or_none(session->model), text_or_none(session->path),
				   text_or_none(session->providers), (uint32_t)session->object,
				   (uint32_t)((uint64_t)session->object >> 32) };
	struct dict_entry *entry;
	int saved = errno;

	if (!agent.segment)
		return;
	agent_lock();
	catch_up();
	entry = claim_fact(DICT_SESSION, session->number);
	if (entry) {
		memcpy(entry->word, word, sizeof word);
		entry->value = session->bytes;
		publish_fact(entry);
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
	entry = agent.segment ? claim_fact(DICT_RUNTIME, 0) : NULL;
	if (entry) {
		memcpy(entry->word, word, sizeof word);
		entry->value = (int64_t)copy->since;
		publish_fact(entry);
	}
	agent_unlock();
}

void dict_other(const char *path, const char *title)
{
	uint32_t text = text_or_none(path), named = text_or_none(title);
	struct dict_entry *entry;

	agent_lock();
	catch_up();
	entry = agent.segment && text ? claim_fact(DICT_OTHER, 0) : NULL;
	if (entry) {
		entry->word[0] = text;
		entry->word[1] = named;
		publish_fact(entry);
	}
	agent_unlock();
}

void dict_missing(const char *what, const char *why)
{
	uint32_t word[2] = { text_or_none(what), text_or_none(why) };
	struct dict_entry *entry;
	int saved = errno;

	agent_lock();
	catch_up();
	entry = agent.segment ? claim_fact(DICT_MISSING, 0) : NULL;
	if (entry) {
		memcpy(entry->word, word, sizeof word);
		publish_fact(entry);
	}
	agent_unlock();
	errno = saved;
}

void dict_allocator(const struct dict_memory *allocator)
{
	struct dict_entry *entry;
	int saved = errno;

	agent_lock();
	catch_up();
	entry = agent.segment ? claim_fact(DICT_ALLOCATOR, allocator->id) : NULL;
	if (entry) {
		entry->word[0] = allocator->device;
		entry->word[1] = allocator->name;
		entry->word[2] = allocator->session;
		entry->word[3] = allocator->is_behind_arena;
		entry->word[4] = allocator->is_arena;
		publish_fact(entry);
	}
	agent_unlock();
	errno = saved;
}

void dict_role(int32_t tid, const char *role)
{
	uint32_t text = dict_text(role, strlen(role));
	struct dict_entry *entry;

	agent_lock();
	catch_up();
	entry = agent.segment ? claim_fact(DICT_ROLE, (uint32_t)tid) : NULL;
	if (entry) {
		entry->word[0] = text;
		publish_fact(entry);
	}
	agent_unlock();
}
