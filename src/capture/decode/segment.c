// SPDX-License-Identifier: Apache-2.0
/* Maps segments and reads their dictionaries. Does not interpret records. */
#include "capture/decode/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/processor.h"
#include "capture/decode/segment_guard.h"

int segment_open(struct segment_map *map, const char *path, struct names *names, struct err *err)
{
	struct stat stat;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), code = 0;
	void *at = MAP_FAILED;

	memset(map, 0, sizeof *map);
	map->names = names;
	if (fd < 0)
		return err_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &stat))
		code = errno;
	else if (!S_ISREG(stat.st_mode) || stat.st_size < SEGMENT_RINGS || stat.st_size > (off_t)SEGMENT_SIZE ||
		 stat.st_uid != geteuid())
		code = EPROTO;
	else if ((at = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
		code = errno;
	close(fd);
	if (code)
		return err_set(err, code, "cannot read %s: %s", path, strerror(code));
	map->segment = at;
	map->size = (uint64_t)stat.st_size;
	segment_guard_add(map);
	if (map->segment->magic == SEGMENT_MAGIC && map->segment->header_size == sizeof(struct segment))
		return 0;
	segment_close(map);
	return err_set(err, EPROTONOSUPPORT, "cannot read %s: it was not written by this version's agent", path);
}

void segment_close(struct segment_map *map)
{
	if (map->segment) {
		segment_guard_remove(map);
		munmap(map->segment, map->size);
	}
	free(map->text);
	free(map->node);
	memset(map, 0, sizeof *map);
}

void segment_share(struct segment_map *map)
{
	map->is_own = true;
	map->facts_read = map->segment->own_facts_read;
}

static uint32_t add_text(struct segment_map *map, uint32_t text)
{
	if (!ARRAY_ROOM(map->text, map->text_capacity, map->n_texts + 2))
		return 0;
	map->text[++map->n_texts] = text;
	return map->n_texts;
}

uint32_t segment_add_text(struct segment_map *map, const char *text, size_t len)
{
	return add_text(map, names_intern(map->names, text, len));
}

static uint32_t name_of(struct segment_map *map, const char *text, size_t len, bool may_pass)
{
	return may_pass ? names_pass(map->names, text, len) : names_intern(map->names, text, len);
}

/* The position of a text in the ring of texts; UINT64_MAX: it was not written, or is overwritten. */
static uint64_t passing_position(const struct segment *segment, uint32_t id)
{
	const uint64_t turn = (uint64_t)TEXT_PASSES * 8;
	uint64_t end = __atomic_load_n(&segment->texts_end, __ATOMIC_ACQUIRE);
	uint64_t at = (end & ~(turn - 1)) | (uint64_t)(id & ~TEXT_PASSES) * 8;

	if (at >= end && at >= turn)
		at -= turn;
	return at < end && end - at <= SEGMENT_TEXTS_SIZE ? at : UINT64_MAX;
}

/* Copies the text, because it may be overwritten at any time. False: it was. */
static bool copy_passing(const struct segment_map *map, uint32_t id, char *text, uint32_t *len)
{
	const struct segment *segment = map->segment;
	uint64_t at = passing_position(segment, id), place = at % SEGMENT_TEXTS_SIZE;
	uint64_t offset = __atomic_load_n(&segment->texts, __ATOMIC_ACQUIRE);
	struct text_entry entry;

	if (at == UINT64_MAX || offset < SEGMENT_RINGS || offset > map->size ||
	    map->size - offset < SEGMENT_TEXTS_SIZE || SEGMENT_TEXTS_SIZE - place < sizeof entry)
		return false;
	memcpy(&entry, (const char *)segment + offset + place, sizeof entry);
	if (entry.id != id || entry.n > SEGMENT_MAX_TEXT || SEGMENT_TEXTS_SIZE - place - sizeof entry < entry.n)
		return false;
	memcpy(text, (const char *)segment + offset + place + sizeof entry, entry.n);
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* first the text, then the position */
	*len = entry.n;
	return __atomic_load_n(&segment->texts_begun, __ATOMIC_ACQUIRE) - at <= SEGMENT_TEXTS_SIZE;
}

static uint32_t read_passing(struct segment_map *map, uint32_t id, bool may_pass)
{
	char text[SEGMENT_MAX_TEXT];
	uint32_t len;

	if (map->segment && copy_passing(map, id, text, &len))
		return name_of(map, text, len, may_pass);
	map->n_passed++;
	return 0;
}

/* Its head may have changed since the entry was counted. */
uint32_t segment_read_text(struct segment_map *map, uint32_t id, bool may_pass)
{
	struct dict_entry entry;
	const char *start;
	uint32_t text;
	uint64_t at;

	if (id & TEXT_PASSES)
		return read_passing(map, id, may_pass);
	at = map->text[id] & ~SEGMENT_UNREAD;
	start = (const char *)map->segment + SEGMENT_DICT + at;
	memcpy(&entry, start, sizeof entry);
	if (sizeof entry + entry.n > map->dict_read - at)
		return map->text[id] = 0;
	text = name_of(map, start + sizeof entry, entry.n, may_pass);
	if (!names_is_passing(text))
		map->text[id] = text;
	return text;
}

uint32_t segment_add_node(struct segment_map *map, const struct segment_node *node)
{
	if (!ARRAY_ROOM(map->node, map->node_capacity, map->n_nodes + 2))
		return 0;
	map->node[++map->n_nodes] = *node;
	return map->n_nodes;
}

/* Texts are read when something has them: what for says how long they are kept. */
static void read_text(struct segment_map *map, const struct dict_entry *entry, const char *text)
{
	const char *start = (const char *)map->segment + SEGMENT_DICT;
	uint32_t at = (uint32_t)(text - start - (ptrdiff_t)sizeof *entry);

	if (entry->id != map->n_texts + 1 || !add_text(map, SEGMENT_UNREAD | at))
		map->n_nonsense++;
}

static void read_node(struct segment_map *map, const struct dict_entry *entry)
{
	struct segment_node node = { segment_text(map, entry->word[0]), segment_text(map, entry->word[1]),
				     segment_text(map, entry->word[2]) };

	if (entry->id != map->n_nodes + 1 || !segment_add_node(map, &node))
		map->n_nonsense++;
}

/* Copies the entry at *at, so that it cannot change while being read; false: none, or invalid. */
static bool read_entry(struct segment_map *map, uint64_t *at, uint64_t end, struct dict_entry *entry)
{
	const char *start = (const char *)map->segment + SEGMENT_DICT;

	if (end - *at < sizeof *entry)
		return false;
	memcpy(entry, start + *at, sizeof *entry);
	if (entry->size < sizeof *entry + entry->n || (entry->size & 7) || entry->size > end - *at) {
		map->n_nonsense++;
		*at = end;
		return false;
	}
	*at += entry->size;
	return true;
}

/* Keeps what is new in the dictionary and no fact. */
static void read_texts_and_nodes(struct segment_map *map, uint64_t end)
{
	const char *start = (const char *)map->segment + SEGMENT_DICT;
	struct dict_entry entry;

	while (read_entry(map, &map->dict_read, end, &entry)) {
		if (entry.kind == DICT_TEXT)
			read_text(map, &entry, start + map->dict_read - entry.size + sizeof entry);
		else if (entry.kind == DICT_NODE)
			read_node(map, &entry);
	}
}

/* Where the dictionary ends now, but not before `before`. */
static uint64_t dict_end(const struct segment_map *map, uint64_t before)
{
	uint64_t end = __atomic_load_n(&map->segment->dict_end, __ATOMIC_ACQUIRE);

	return end <= SEGMENT_DICT_SIZE && end >= before ? end : before;
}

/* How many facts were ever in their ring. What does not fit in it is nonsense, and skipped. */
static uint64_t facts_end(struct segment_map *map)
{
	uint64_t end = __atomic_load_n(&map->segment->facts_end, __ATOMIC_ACQUIRE);
	uint64_t offset = __atomic_load_n(&map->segment->facts, __ATOMIC_ACQUIRE);

	if (end - map->facts_read <= SEGMENT_MAX_FACTS && !(offset & 7) && offset >= SEGMENT_RINGS &&
	    offset <= map->size && map->size - offset >= SEGMENT_FACTS_SIZE) {
		map->facts = (const struct dict_entry *)((const char *)map->segment + offset);
		return end;
	}
	map->n_nonsense += end != map->facts_read;
	return map->facts_read = end;
}

/* Sees what there is now, in the order that event/record.h asks for. */
static void begin_round(struct segment_map *map)
{
	map->facts_in_dict_until = dict_end(map, map->facts_in_dict_read);
	map->facts_until = facts_end(map);
	read_texts_and_nodes(map, dict_end(map, map->dict_read));
	map->is_in_round = true;
}

static void tell_read(const struct segment_map *map, uint64_t *dict_read, uint64_t *facts_read)
{
	if (*dict_read != map->facts_in_dict_read)
		__atomic_store_n(dict_read, map->facts_in_dict_read, __ATOMIC_RELEASE);
	if (*facts_read != map->facts_read)
		__atomic_store_n(facts_read, map->facts_read, __ATOMIC_RELEASE);
}

/* The recorder has ended the recording of a process that goes on with it. */
static bool is_left(const struct segment_map *map)
{
	return __atomic_load_n(&map->segment->state, __ATOMIC_ACQUIRE) == SEGMENT_OFF;
}

/* Tells the agent what is applied. */
static void end_round(struct segment_map *map)
{
	struct segment *segment = map->segment;

	if (map->is_own)
		tell_read(map, &segment->own_dict_read, &segment->own_facts_read);
	/* without a recorder the process takes its place */
	if (!map->is_own || is_left(map))
		tell_read(map, &segment->dict_read, &segment->facts_read);
	map->is_in_round = false;
}

static bool next_fact(struct segment_map *map, struct dict_entry *entry)
{
	if (map->facts_read != map->facts_until) {
		memcpy(entry, &map->facts[map->facts_read++ % SEGMENT_MAX_FACTS], sizeof *entry);
		return true;
	}
	while (read_entry(map, &map->facts_in_dict_read, map->facts_in_dict_until, entry))
		if (entry->kind != DICT_TEXT && entry->kind != DICT_NODE)
			return true;
	return false;
}

bool segment_next(struct segment_map *map, struct segment_entry *out)
{
	struct dict_entry entry;

	if (!map->is_in_round)
		begin_round(map);
	if (!next_fact(map, &entry)) {
		end_round(map);
		return false;
	}
	*out = (struct segment_entry){ .kind = entry.kind, .id = entry.id, .value = entry.value };
	if (entry.kind == DICT_FACT) {
		out->key = entry.word[0];
		out->text[0] = segment_text(map, entry.word[1]);
	} else if (entry.kind == DICT_ALLOCATOR) {
		out->text[0] = segment_text(map, entry.word[0]);
		out->text[1] = segment_text(map, entry.word[1]);
		out->key = entry.word[2];
		out->value = (entry.word[3] != 0) | (entry.word[4] != 0) << 1;
	} else if (entry.kind == DICT_SESSION) {
		for (int i = 0; i < 3; i++)
			out->text[i] = segment_text(map, entry.word[i]);
		out->object = entry.word[3] | (uint64_t)entry.word[4] << 32;
	} else {
		for (int i = 0; i < 5; i++)
			out->text[i] = segment_text(map, entry.word[i]);
	}
	return true;
}

uint32_t segment_rings(const struct segment_map *map)
{
	uint32_t n = __atomic_load_n(&map->segment->n_rings, __ATOMIC_ACQUIRE);

	if (map->is_cut)
		return 0;
	return n <= SEGMENT_MAX_RINGS ? n : 0;
}

struct ring *segment_ring(const struct segment_map *map, uint32_t number, uint64_t *bytes)
{
	struct ring_slot slot;

	if (number >= segment_rings(map))
		return NULL;
	slot = map->segment->ring[number];
	if ((slot.offset & 4095) || slot.offset < SEGMENT_RINGS || slot.offset > map->size || slot.size < RING_MIN ||
	    (slot.size & (slot.size - 1)) || map->size - slot.offset < RING_HEADER ||
	    map->size - slot.offset - RING_HEADER < slot.size)
		return NULL;
	*bytes = slot.size;
	return (struct ring *)((char *)map->segment + slot.offset);
}

uint64_t segment_tail(const struct segment_map *map, const struct ring *ring)
{
	return __atomic_load_n(map->is_own ? &ring->own_tail : &ring->tail, __ATOMIC_RELAXED);
}

void segment_read_done(const struct segment_map *map, struct ring *ring, size_t n_records)
{
	uint64_t tail;

	if (!map->is_own) {
		ring_read_done(ring, n_records);
		return;
	}
	tail = ring->own_tail + n_records;
	__atomic_store_n(&ring->own_tail, tail, __ATOMIC_RELEASE);
	if (is_left(map))
		__atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
}

void segment_forget(const struct segment_map *map, uint32_t number)
{
	uint64_t bytes, start;
	struct ring *ring = segment_ring(map, number, &bytes);

	if (!ring)
		return;
	start = (uint64_t)ring_data(ring) & ~(page_size() - 1); /* the ring's header may lie on the same page */
	madvise((void *)start, (uint64_t)ring_data(ring) + bytes - start, MADV_DONTNEED);
}

void segment_forget_names(struct segment_map *map)
{
	enum { MANY = 256 << 10 };

	if (map->dict_read - map->dict_forgotten < MANY)
		return;
	madvise((char *)map->segment + SEGMENT_DICT, map->dict_read, MADV_DONTNEED);
	map->dict_forgotten = map->dict_read;
}
