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
