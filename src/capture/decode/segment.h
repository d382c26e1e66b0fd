/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's end of a segment (event/record.h): mapping it, its dictionary, its rings. What an agent
 * wrote is input: every offset and id is checked, nonsense is skipped and counted. One thread.
 */
#ifndef CAPTURE_DECODE_SEGMENT_H
#define CAPTURE_DECODE_SEGMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/names.h"
#include "event/ring.h"

struct segment_node {
	uint32_t name, type, provider; /* ids in the recorder's names; 0: not known */
};

/* A fact, a runtime, a role or an allocator; word: dictionary texts turned into ids of the recorder's names. */
struct segment_entry {
	uint16_t kind;	  /* enum dict_kind: DICT_FACT, DICT_RUNTIME, DICT_ROLE, DICT_ALLOCATOR */
	uint32_t id, key; /* session, thread or allocator; enum event_key, an allocator's session */
	uint32_t text[5];
	int64_t value;
};

struct segment_map {
	struct segment *segment;
	uint64_t size; /* of the file and the mapping */
	uint64_t dict_read;
	struct names *names;
	uint32_t *text; /* dictionary id -> id in names */
	uint32_t n_texts, text_capacity;
	struct segment_node *node;
	uint32_t n_nodes, node_capacity;
	uint64_t n_nonsense; /* entries that made no sense */
};

/* 0, or -errno and err. names is borrowed. */
int segment_open(struct segment_map *map, const char *path, struct names *names, struct err *err);
void segment_close(struct segment_map *map);

/* Reads on in the dictionary: texts and nodes are kept, anything else is handed out. False: nothing new. */
bool segment_next(struct segment_map *map, struct segment_entry *entry);
/* Ids in the recorder's names; 0 and a zeroed node for what is not known. */
uint32_t segment_text(const struct segment_map *map, uint32_t id);
struct segment_node segment_node(const struct segment_map *map, uint32_t id);

/*
 * For records that come without a segment: a map that names is all of. What is new gets an id as if it had been read:
 * 0 when memory is out.
 */
uint32_t segment_add_text(struct segment_map *map, const char *text, size_t len);
uint32_t segment_add_node(struct segment_map *map, const struct segment_node *node);

uint32_t segment_rings(const struct segment_map *map);
/* NULL when the directory's entry makes no sense. */
struct ring *segment_ring(const struct segment_map *map, uint32_t number, uint64_t *bytes);
/* Gives the memory of what was read back: it stays in the file, but no longer counts as ours. */
void segment_forget(const struct segment_map *map, uint32_t number);

#endif
