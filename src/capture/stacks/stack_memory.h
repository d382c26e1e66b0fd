/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of another process, read in blocks that are kept for one round, so that neighbours cost one system call. A
 * call costs as much as ten blocks, and the size of a block hardly matters. What is not there fails to be read; nothing
 * is ever touched by a load. It changes meanwhile: who reads it checks it.
 */
#ifndef CAPTURE_STACKS_STACK_MEMORY_H
#define CAPTURE_STACKS_STACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { STACK_MEMORY_BLOCK = 4096, STACK_MEMORY_BLOCKS = 128, STACK_MEMORY_AHEAD = 24 };

/* The blocks that were used in a round: what the same stack needs the next time. Zeroed: none. */
struct stack_memory_used {
	uint32_t n;
	uint64_t block[STACK_MEMORY_AHEAD];
};

struct stack_memory {
	pid_t pid;
	bool is_refused; /* the kernel does not let us */
	uint64_t round;
	struct stack_memory_used used;
	struct {
		uint64_t at, round;
		bool is_used;
		uint8_t data[STACK_MEMORY_BLOCK];
	} block[STACK_MEMORY_BLOCKS];
};

/* From now on memory of this process, as it is now. */
void stack_memory_begin(struct stack_memory *memory, pid_t pid);
/* `of` is a struct stack_memory. False: not all of it is there. */
bool stack_memory_read(void *of, uint64_t from, void *to, size_t size);
/* Reads the blocks of these addresses with one system call; what fails is read again when it is needed. */
void stack_memory_ahead(struct stack_memory *memory, const uint64_t *address, size_t n);
/* What this round has used so far. */
static inline void stack_memory_keep(const struct stack_memory *memory, struct stack_memory_used *to)
{
	*to = memory->used;
}

#endif
