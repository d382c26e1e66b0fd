/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's side of a segment (event/record.h): its mapping, dictionary and rings. The agent's bytes are input:
 * every offset and id is checked; invalid entries are skipped and counted. One thread.
 */
#ifndef CAPTURE_DECODE_SEGMENT_H
#define CAPTURE_DECODE_SEGMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/names.h"
#include "event/ring.h"

#define SEGMENT_UNREAD TEXT_PASSES

struct segment_node {
	uint32_t name, type, provider; /* ids in the recorder's names; 0: unknown */
};

/* A fact, a session, a runtime, a role or an allocator; word: dictionary texts converted to ids of the recorder's
 * names. */
struct segment_entry {
	uint16_t kind;	  /* enum dict_kind: all but DICT_TEXT and DICT_NODE */
	uint32_t id, key; /* session, thread or allocator; enum event_key, an allocator's session */
	uint32_t text[5];
	int64_t value;
	uint64_t object; /* of a session; 0: not known */
};

struct segment_map {
	struct segment *segment;
	uint64_t size;			    /* of the file and the mapping */
	uint64_t dict_read, dict_forgotten; /* texts and nodes */
	const struct dict_entry *facts;	    /* their ring, once one was read */
	uint64_t facts_in_dict_read, facts_in_dict_until, facts_read, facts_until;
	bool is_in_round; /* of segment_next: up to these ends */
	struct names *names;
	uint32_t *text; /* dictionary id -> id in names, or SEGMENT_UNREAD and where its entry lies */
	uint32_t n_texts, text_capacity;
	struct segment_node *node;
	uint32_t n_nodes, node_capacity;
	uint64_t n_nonsense; /* invalid entries */
	uint64_t n_passed;   /* texts that were overwritten before they were read */
	bool is_own;	     /* of this process, which shares it with a recorder (capture/agent/share.h) */
	bool is_cut;	     /* its owner has cut the file off: nothing in it can be trusted any more */
	struct segment_map *next_guarded;
};

/* 0, or -errno and err. names is borrowed. */
int segment_open(struct segment_map *map, const char *path, struct names *names, struct err *err);
void segment_close(struct segment_map *map);
/* After segment_open, of a segment that this process shares: reads what the recorder reads, beside it. */
void segment_share(struct segment_map *map);

/*
 * Reads the next fact, after all texts and nodes that there are, which it keeps. Call it until it returns false:
 * nothing is left of what there was at the first call, and the agent is told so.
 */
bool segment_next(struct segment_map *map, struct segment_entry *entry);
/*
 * Ids in the recorder's names; 0 and a zeroed node for unknown ids. segment_pass is for texts of which a program may
 * have a new one for each inference: the id may be a passing one (event/names.h).
 */
uint32_t segment_read_text(struct segment_map *map, uint32_t id, bool may_pass);

static inline uint32_t segment_any_text(struct segment_map *map, uint32_t id, bool may_pass)
{
	uint32_t text = id && id <= map->n_texts ? map->text[id] : id & TEXT_PASSES;

	return text & SEGMENT_UNREAD ? segment_read_text(map, id, may_pass) : text;
}

static inline uint32_t segment_text(struct segment_map *map, uint32_t id)
{
	return segment_any_text(map, id, false);
}

static inline uint32_t segment_pass(struct segment_map *map, uint32_t id)
{
	return segment_any_text(map, id, true);
}

static inline struct segment_node segment_node(const struct segment_map *map, uint32_t id)
{
	return id && id <= map->n_nodes ? map->node[id] : (struct segment_node){ 0, 0, 0 };
}

/*
 * For records without a segment: a map in which only `names` is set. A new text gets an id as if it had been read; 0:
 * out of memory.
 */
uint32_t segment_add_text(struct segment_map *map, const char *text, size_t len);
uint32_t segment_add_node(struct segment_map *map, const struct segment_node *node);

uint32_t segment_rings(const struct segment_map *map);
/* NULL when the directory's entry is invalid. */
struct ring *segment_ring(const struct segment_map *map, uint32_t number, uint64_t *bytes);
/* The next records of a ring, as ring_read; and that they are read. */
uint64_t segment_tail(const struct segment_map *map, const struct ring *ring);
void segment_read_done(const struct segment_map *map, struct ring *ring, size_t n_records);
/* Releases the pages read so far: they stay in the file, but no longer count as this process's memory. */
void segment_forget(const struct segment_map *map, uint32_t number);
/* The same for the dictionary, once it has many. Texts that are needed again come back. */
void segment_forget_names(struct segment_map *map);

#endif
