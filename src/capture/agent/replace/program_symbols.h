/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the program itself by their names, also those that it does not export: .symtab of its file. Not for the
 * hot path.
 */
#ifndef CAPTURE_AGENT_REPLACE_PROGRAM_SYMBOLS_H
#define CAPTURE_AGENT_REPLACE_PROGRAM_SYMBOLS_H

#include "runtime/find/image.h"

struct program_symbols {
	const struct image *image;
	const void *symbols;
	size_t n;
	const char *texts;
	size_t texts_size;
	void *memory; /* a copy of both; NULL: none */
	size_t memory_size;
};

struct program_function {
	const char *name; /* as long as the symbols are open */
	uint64_t address;
	uint64_t size;
};

/* image: the program, which must stay in place. False: it has no symbols, or they cannot be read. */
bool program_symbols_open(struct program_symbols *symbols, const struct image *image);
void program_symbols_close(struct program_symbols *symbols);
/* The next function from *at on, which moves past it. Begins as 0. False: no more. */
bool program_symbols_next(const struct program_symbols *symbols, size_t *at, struct program_function *function);
/* 0: there is none. */
uint64_t program_symbols_find(const struct program_symbols *symbols, const char *name);

#endif
