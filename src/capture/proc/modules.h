/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a process has mapped as code, from /proc/PID/maps. Opens each of them even if its path is in another
 * mount namespace, deleted or replaced, and checks whether it may contain a runtime. Reads no memory of the process.
 */
#ifndef CAPTURE_PROC_MODULES_H
#define CAPTURE_PROC_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct module {
	char *path;	       /* as the process sees it, without " (deleted)" */
	uint32_t major, minor; /* of the device, as in maps */
	uint64_t inode;
	uint64_t start, end; /* its first executable mapping, */
	uint64_t offset;     /* and where that begins in the file */
	bool is_deleted;
};

struct modules {
	pid_t pid;
	struct module *module; /* one per file, in the order of addresses */
	size_t n;
	bool is_32bit; /* the process runs 32-bit code */
};

/* 0, or -errno and err: ESRCH: gone, EACCES: not permitted. Call modules_done after a failure, too. */
int modules_read(struct modules *modules, const char *sysroot, pid_t pid, struct err *err);
void modules_done(struct modules *modules);
/* The same as long as the same files are mapped at the same addresses; never 0. */
uint64_t modules_mark(const struct modules *modules);
/* Parses one line of maps into *module (path points into `line`, which is modified). False: not code of a file. */
bool modules_parse(char *line, struct module *module);

/*
 * Opens the very file that is mapped: through the process's root if device and inode agree, else through map_files,
 * else through its open descriptors. Returns a descriptor (O_CLOEXEC, read-only; "/proc/self/fd/N" is a path for
 * probes), or -errno and err.
 */
int modules_open(pid_t pid, const struct module *module, struct err *err);

/* Files already inspected, so that each is read once. In memory only. Zeroed: empty. One thread. */
struct modules_seen {
	struct modules_file *file;
	size_t n, capacity;
};

enum modules_verdict {
	MODULES_OTHER,	 /* certainly not a runtime */
	MODULES_RUNTIME, /* contains a runtime's type names */
	MODULES_LIBRARY, /* names the runtime's types, but is too small to be one: a provider's library */
};

/* Reads through the file once, a few ms for 30 MB; after that it is known by device, inode, size and change time. */
enum modules_verdict modules_look(struct modules_seen *seen, int fd);
/*
 * The same in steps of a fraction of a millisecond, for callers with other work: begin (NULL: out of memory), step
 * until it returns false, end. Keep fd open meanwhile.
 */
struct modules_looking;
struct modules_looking *modules_look_begin(struct modules_seen *seen, int fd);
bool modules_look_on(struct modules_looking *looking);
enum modules_verdict modules_look_end(struct modules_looking *looking);
/* Whether it is known already. Costs an fstat. */
bool modules_is_known(const struct modules_seen *seen, int fd, enum modules_verdict *verdict);
void modules_seen_done(struct modules_seen *seen);

#endif
