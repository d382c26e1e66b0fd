/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a process has mapped as code, as /proc/PID/maps tells, how to open each of them although its path may
 * be in another mount namespace, deleted or replaced, and whether one may hold a runtime. Reads no memory of the
 * process.
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
	uint32_t major, minor; /* of the device, as maps tells */
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

/* 0, or -errno and err: ESRCH gone, EACCES not allowed to look. modules_done also after a failure. */
int modules_read(struct modules *modules, const char *sysroot, pid_t pid, struct err *err);
void modules_done(struct modules *modules);
/* One line of maps into *module (path points into `line`, which is cut up). False: no code of a file. */
bool modules_parse(char *line, struct module *module);

/*
 * Opens the very file that is mapped: by the process's root where device and inode agree, else by map_files, else by
 * its open descriptors. A descriptor (O_CLOEXEC, read-only; "/proc/self/fd/N" is a path for probes), or -errno and err.
 */
int modules_open(pid_t pid, const struct module *module, struct err *err);

/* Files that were looked into, so that each is read once. In memory only. Zeroed: empty. One thread. */
struct modules_seen {
	struct modules_file *file;
	size_t n, capacity;
};

enum modules_verdict {
	MODULES_OTHER,	 /* certainly no runtime */
	MODULES_RUNTIME, /* has a runtime's type names */
	MODULES_LIBRARY, /* names the runtime's types, but is too little to be one: a provider's library */
};

/* Reads through the file once, a few ms for 30 MB; then it is known by device, inode, size and change time. */
enum modules_verdict modules_look(struct modules_seen *seen, int fd);
/*
 * The same in steps of a fraction of a millisecond, for who has other things to do: begin (NULL: memory is out), on
 * until it is false, end. fd stays open so long.
 */
struct modules_looking;
struct modules_looking *modules_look_begin(struct modules_seen *seen, int fd);
bool modules_look_on(struct modules_looking *looking);
enum modules_verdict modules_look_end(struct modules_looking *looking);
/* Known already? Costs an fstat. */
bool modules_is_known(const struct modules_seen *seen, int fd, enum modules_verdict *verdict);
void modules_seen_done(struct modules_seen *seen);

#endif
