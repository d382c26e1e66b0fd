/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The segment's dictionary, as written by the agent: texts, nodes and facts, each once per segment. Ids are valid for
 * the segment of this generation. Every function takes the agent's lock and returns 0 for: no room, no text or no
 * segment.
 */
#ifndef CAPTURE_AGENT_DICT_H
#define CAPTURE_AGENT_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t dict_text(const char *text, size_t len);
/*
 * The same for texts of which there may be a new one with each inference. An eighth of the dictionary is theirs; later
 * ones are valid for a while only.
 */
uint32_t dict_text_of_run(const char *text, size_t len);
/* The same for lines that call (caller.h). There is an end to them: 0 beyond it. */
uint32_t dict_caller(const char *text, size_t len);
/* Whether the text of a record that is written now may have this id, which dict_text_of_run returned before. */
bool dict_is_valid(uint32_t id);
uint32_t dict_node(uint32_t name, uint32_t type, uint32_t provider);
/* A session, as it is now. */
struct dict_session {
	uint32_t number;
	const char *model, *path, *providers; /* NULL and "": not known */
	int64_t bytes;			      /* of a model in memory, 0: none */
	uintptr_t object;		      /* 0: not known */
};

void dict_session(const struct dict_session *session);
/* key: enum event_key of event/event.h. */
void dict_fact(uint32_t session, uint32_t key, uint32_t text, int64_t value);
/* A copy of a runtime that was found; NULL and "": unknown, nothing. */
struct dict_copy {
	const char *runtime, *path, *version;
	const char *armed, *left_out; /* for people */
	uint64_t since;		      /* ticks: what began before may be missing; 0: nothing is */
};
void dict_runtime(const struct dict_copy *copy);
/* A library of a runtime that is not recorded. title: where its name does not say which one; else NULL. */
void dict_other(const char *path, const char *title);
/* What of this process is not recorded, and why; NULL: it is, from now on. */
void dict_missing(const char *what, const char *why);
struct dict_memory {
	uint32_t id, device, name; /* device, name: text ids */
	uint32_t session;	   /* 0: none or several */
	bool is_behind_arena, is_arena;
};
/* What is known of an allocator; it may be written again when more is known. */
void dict_allocator(const struct dict_memory *allocator);
/* The purpose of a thread: "intra-op". */
void dict_role(int32_t tid, const char *role);

#endif
