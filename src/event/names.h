/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dictionary of texts: equal texts get equal ids, small, dense, from 1. Id 0 is "no text".
 * One thread. Texts are kept until names_free; pointers stay valid until then.
 *
 * A program may use a new text for each inference: a run tag, the shapes of its inputs. Such texts are given to
 * names_pass. It keeps the first 65,536 of them, as far as they take less than 8 MiB. Of all others only the last
 * 262,144 are known, as far as they take less than 8 MiB: a passing id, and a pointer to its text, are valid until
 * then. Two passing ids may mean the same text.
 */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callstacks;
struct names;

struct names *names_new(void); /* NULL: out of memory */
void names_free(struct names *names);

/* The id of text; 0 for NULL, for "" and when out of memory. len excludes a NUL. */
uint32_t names_intern(struct names *names, const char *text, size_t len);
uint32_t names_of(struct names *names, const char *text); /* the same, for a NUL-terminated text */
/* The id that a text has for good; 0: it has none, and gets none. */
uint32_t names_find(const struct names *names, const char *text, size_t len);
/* An id for this text that may be a passing one. 0: as names_intern. */
uint32_t names_pass(struct names *names, const char *text, size_t len);
/* An id for good for what this id means. 0: out of memory, or it was a passing one of long ago. */
uint32_t names_keep(struct names *names, uint32_t id);
static inline bool names_is_passing(uint32_t id)
{
	return id >> 31;
}
/* Borrowed, NUL-terminated; "" for 0 and for an unknown id. */
const char *names_text(const struct names *names, uint32_t id);
size_t names_len(const struct names *names, uint32_t id);
/* The stacks of the same stream (event/callstack.h). */
struct callstacks *names_callstacks(const struct names *names);
/* The highest id in use, of those for good. */
uint32_t names_count(const struct names *names);

#endif
