/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread is doing in the kernel, by /proc/PID/task/TID/syscall: the name of the system call and what kind of
 * wait it is, and the file or address behind the descriptor that it names. Only reads.
 */
#ifndef CAPTURE_STACKS_STACK_CALL_H
#define CAPTURE_STACKS_STACK_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"

/*
 * Memory of another process, read in blocks that are kept for one round, so that neighbours cost one system call. A
 * call costs as much as ten blocks, and the size of a block hardly matters. What is not there fails to be read; nothing
 * is ever touched by a load. It changes meanwhile: who reads it checks it.
 */
enum { STACK_MEMORY_BLOCK = 4096, STACK_MEMORY_BLOCKS = 128, STACK_MEMORY_AHEAD = 40 };

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

enum stack_call_kind {
	CALL_OTHER,
	CALL_FILE,  /* its first argument is a descriptor */
	CALL_FUTEX, /* its first argument is the address of a futex */
	CALL_SLEEP,
	CALL_POLL,   /* an array of descriptors, and how many; with none it sleeps */
	CALL_SELECT, /* how many descriptors; with none it sleeps */
};

/* A line of that file. */
struct stack_call {
	bool is_running; /* on a CPU, or ready to be */
	int64_t number;	 /* of the system call; -1: it is blocked outside of one */
	uint64_t arg[6], sp, pc;
};

/* False: the line has another form. */
bool stack_call_parse(const char *text, size_t len, struct stack_call *to);
/* NULL: not known. */
const char *stack_call_name(int64_t number, enum stack_call_kind *kind);

/* Addresses of sockets, by inode. Zeroed: none is known. */
struct stack_sockets {
	struct array known; /* private */
	uint64_t read_ns;
};

/*
 * What a descriptor of a thread is, which may have a table of its own, for people: a path, "10.0.0.7:443", "pipe", "a
 * socket". "": not known. now_ns: the kernel's lists of sockets are read at most once a second.
 */
void stack_call_object(struct stack_sockets *sockets, pid_t tid, int fd, uint64_t now_ns, char *to, size_t size);
void stack_sockets_done(struct stack_sockets *sockets);

#endif
