/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from strangers, made fit for formats that demand UTF-8. Quiet. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the character at text; 0 if it is broken, then *broken is how many bytes that concerns. len: not 0. */
size_t utf8_char_len(const char *text, size_t len, size_t *broken);

bool utf8_is_valid(const char *text, size_t len);

/* The number of the character at text, which utf8_char_len found to be whole. */
uint32_t utf8_decode(const char *text);
/* Writes a character, 1 to 4 bytes; returns how many, 0: there is no such character. */
size_t utf8_encode(char *to, uint32_t number);

/*
 * Copies text with U+FFFD in place of what is not UTF-8 (one per longest broken piece, as browsers do).
 * to has room for 3 * len bytes; the result's length is returned, no NUL is added.
 */
size_t utf8_clean(char *to, const char *text, size_t len);

#endif
