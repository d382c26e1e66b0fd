/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a segment like an agent's (event/record.h) by hand: a process with one thread, and a ring of RING_BYTES. Texts
 * get ids from 1 in the order in which they are added.
 */
#ifndef TEST_UNIT_SEGMENT_BUILD_H
#define TEST_UNIT_SEGMENT_BUILD_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "event/ring.h"

enum {
	BUILD_RING_BYTES = 64 << 10,
	BUILD_RINGS = 3,
	BUILD_TEXTS = SEGMENT_RINGS + BUILD_RINGS * (RING_HEADER + BUILD_RING_BYTES),
	BUILD_SIZE = BUILD_TEXTS + SEGMENT_TEXTS_SIZE
};

struct segment_build {
	struct segment *segment;
	uint32_t n_texts;
	struct ring *ring;
	struct ring_writer writer;
};

static inline void segment_build_open(struct segment_build *build, const char *path, int32_t pid)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, BUILD_SIZE))
		abort();
	*build = (struct segment_build){ .segment = mmap(NULL, BUILD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) };
	close(fd);
	if (build->segment == MAP_FAILED)
		abort();
	*build->segment = (struct segment){ .magic = SEGMENT_MAGIC,
					    .header_size = sizeof *build->segment,
					    .pid = pid,
					    .state = SEGMENT_ARMED,
					    .n_rings = 1,
					    .ring = { { SEGMENT_RINGS, BUILD_RING_BYTES } } };
	build->ring = (struct ring *)((char *)build->segment + SEGMENT_RINGS);
	ring_use(&build->writer, build->ring, BUILD_RING_BYTES);
}

/* One more ring, which is empty; as when a thread begins, or moves. */
static inline struct ring_writer segment_build_ring(struct segment_build *build)
{
	uint32_t number = build->segment->n_rings;
	uint64_t offset = SEGMENT_RINGS + (uint64_t)number * (RING_HEADER + BUILD_RING_BYTES);
	struct ring_writer writer;

	if (number == BUILD_RINGS)
		abort();
	build->segment->ring[number] = (struct ring_slot){ offset, BUILD_RING_BYTES };
	ring_use(&writer, (struct ring *)((char *)build->segment + offset), BUILD_RING_BYTES);
	__atomic_store_n(&build->segment->n_rings, number + 1, __ATOMIC_RELEASE);
	return writer;
}

static inline void segment_build_close(struct segment_build *build)
{
	munmap(build->segment, BUILD_SIZE);
}

static inline void segment_build_entry(struct segment_build *build, struct dict_entry entry, const char *text)
{
	struct segment *segment = build->segment;
	char *at = (char *)segment + SEGMENT_DICT + segment->dict_end;

	entry.n = (uint16_t)strlen(text);
	entry.size = (uint32_t)(sizeof entry + entry.n + 7) / 8 * 8;
	memcpy(at, &entry, sizeof entry);
	memcpy(at + sizeof entry, text, entry.n);
	__atomic_store_n(&segment->dict_end, segment->dict_end + entry.size, __ATOMIC_RELEASE);
}

static inline uint32_t segment_build_text(struct segment_build *build, const char *text)
{
	segment_build_entry(build, (struct dict_entry){ .kind = DICT_TEXT, .id = ++build->n_texts }, text);
	return build->n_texts;
}

/* A text in the ring of texts. */
static inline uint32_t segment_build_passing(struct segment_build *build, const char *text)
{
	struct segment *segment = build->segment;
	uint32_t len = (uint32_t)strlen(text);
	uint64_t at = segment->texts_end, size = (sizeof(struct text_entry) + len + 7) & ~7ull;
	struct text_entry *entry;

	if (at % SEGMENT_TEXTS_SIZE + size > SEGMENT_TEXTS_SIZE)
		at += SEGMENT_TEXTS_SIZE - at % SEGMENT_TEXTS_SIZE;
	segment->texts = BUILD_TEXTS;
	segment->texts_begun = segment->texts_end = at + size;
	entry = (struct text_entry *)((char *)segment + BUILD_TEXTS + at % SEGMENT_TEXTS_SIZE);
	*entry = (struct text_entry){ TEXT_PASSES | (uint32_t)(at / 8), len };
	memcpy(entry + 1, text, len);
	return entry->id;
}

/* Node 1: conv1, of session 1 of this model. */
static inline void segment_build_model(struct segment_build *build, const char *model)
{
	uint32_t name = segment_build_text(build, model), node = segment_build_text(build, "conv1");
	uint32_t type = segment_build_text(build, "Conv"), provider = segment_build_text(build, "CPUExecutionProvider");

	segment_build_entry(build, (struct dict_entry){ .kind = DICT_SESSION, .id = 1, .word = { name, 0, provider } },
			    "");
	segment_build_entry(build,
			    (struct dict_entry){ .kind = DICT_NODE, .id = 1, .word = { node, type, provider, 1 } }, "");
}

static inline void segment_build_put(struct ring_writer *writer, struct record record)
{
	struct record *claimed = ring_claim(writer);

	if (!claimed)
		return;
	*claimed = record;
	ring_publish(writer);
}

static inline void segment_build_record(struct segment_build *build, struct record record)
{
	segment_build_put(&build->writer, record);
}

/* An inference of session 1 on lane 0 of 100 ticks, with one operator of 50 inside. */
static inline void segment_build_run(struct segment_build *build, uint32_t run, uint64_t ticks)
{
	segment_build_record(build, (struct record){ .type = RECORD_RUN_BEGIN, .time = ticks, .id = 1, .run = run });
	segment_build_record(
	    build,
	    (struct record){ .type = RECORD_OPERATOR, .time = ticks + 10, .value = ticks + 60, .id = 1, .run = run });
	segment_build_record(build,
			     (struct record){ .type = RECORD_RUN_END, .time = ticks + 100, .id = 1, .run = run });
}

#endif
