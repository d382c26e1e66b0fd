/* SPDX-License-Identifier: Apache-2.0 */
/* Reads this process's memory, and texts in it, without the risk of a fault. Any thread; errno is preserved. */
#ifndef RUNTIME_PEEK_H
#define RUNTIME_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: no memory at this address. */
bool peek_read(uint64_t from, void *to, size_t size);
/* Two at once, with one system call. False: one of them has no memory; both may be changed. */
bool peek_two(uint64_t from, void *to, size_t size, uint64_t other_from, void *other, size_t other_size);
/* 0 if there is no memory. */
uint64_t peek_word(uint64_t from);
/*
 * Reads a std::string of either ABI into `to`, NUL-terminated, if it is printable UTF-8: its length; -1: not a string.
 */
int peek_string(uint64_t string, char *to, size_t size);
/* The last name of an object's class: "Add" for "N4fake3AddE" and "N4fake3AddIfEE". -1: it has none, or no room. */
int peek_class(uint64_t object, char *to, size_t size);
/* The same, for the ABI of the C++ library before 5 (is_old) or since. */
int peek_string_abi(uint64_t string, bool is_old, char *to, size_t size);
/* The same, for a text whose address and length were read before. */
int peek_counted(uint64_t text, uint64_t len, char *to, size_t size);
/*
 * The same, for a string of the ABI since 5 at `offset` of an object whose bytes, up to the end of the string, were
 * read into `copy` before: a short text lies in the string itself.
 */
int peek_string_in(uint64_t object, const void *copy, size_t offset, char *to, size_t size);

/*
 * Follows a path from an object to a text: its length, -1: none. A number is added to the address; ">" follows the
 * pointer there. The last letter gives the type of the target: "s" a std::string, "c" a pointer to a text, "t" a text,
 * "r" an object whose class name is wanted. "8>8>8s": add 8, follow, add 8, follow, add 8, read a std::string.
 */
int peek_path(const char *path, uint64_t object, char *to, size_t size);

#endif
