/* SPDX-License-Identifier: Apache-2.0 */
/* This process's memory, read in a way that cannot fault, and texts in it. Any thread; errno stays as it was. */
#ifndef RUNTIME_PEEK_H
#define RUNTIME_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there is no memory at this address. */
bool peek_read(uint64_t from, void *to, size_t size);
/* 0 also where there is no memory. */
uint64_t peek_word(uint64_t from);
/* A std::string of either ABI at this address, printable UTF-8, NUL-terminated into `to`: its length; -1: not one. */
int peek_string(uint64_t string, char *to, size_t size);
/* The same, of the ABI of the C++ library before 5 (is_old) or since. */
int peek_string_abi(uint64_t string, bool is_old, char *to, size_t size);

/*
 * The text that a path leads to from an object: its length, -1: none. Numbers are added, ">" reads a pointer, and the
 * last letter says what is there: "s" a std::string, "c" a pointer to a text, "t" a text, "r" an object, whose class's
 * name it is. "8>8>8s": the string 8 bytes into what the pointer 8 bytes into what the pointer at 8 points at.
 */
int peek_path(const char *path, uint64_t object, char *to, size_t size);

#endif
