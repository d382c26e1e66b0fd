/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dictionary of texts: equal texts get equal ids, small, dense, from 1. Id 0 is "no text".
 * One thread. Texts are kept until names_free; pointers stay valid until then.
 */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;

struct names *names_new(void); /* NULL: out of memory */
void names_free(struct names *names);

/* The id of text; 0 for NULL, for "" and when out of memory. len excludes a NUL. */
uint32_t names_intern(struct names *names, const char *text, size_t len);
uint32_t names_of(struct names *names, const char *text); /* the same, for a NUL-terminated text */
/* Borrowed, NUL-terminated; "" for 0 and for an unknown id. */
const char *names_text(const struct names *names, uint32_t id);
size_t names_len(const struct names *names, uint32_t id);
/* The highest id in use. */
uint32_t names_count(const struct names *names);

#endif
