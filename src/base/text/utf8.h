/* SPDX-License-Identifier: Apache-2.0 */
/* Turns untrusted texts into valid UTF-8, for formats that require it. Quiet. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the character at text. 0 if it is broken; *broken is then the number of bytes to replace. len: not 0. */
size_t utf8_char_len(const char *text, size_t len, size_t *broken);

bool utf8_is_valid(const char *text, size_t len);

/* The code point at text, which utf8_char_len has accepted. */
uint32_t utf8_decode(const char *text);
/* Writes a code point as 1 to 4 bytes and returns how many; 0: not a valid code point. */
size_t utf8_encode(char *to, uint32_t number);

/*
 * Copies text with U+FFFD in place of bytes that are not UTF-8 (one per longest broken piece, as browsers do). to has
 * room for 3 * len bytes; returns the result's length and adds no NUL.
 */
size_t utf8_clean(char *to, const char *text, size_t len);

#endif
