/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls as the kernel has them: the C library's functions of the same names are cancellation points, where a
 * thread of the program that is to be cancelled would end inside of the agent. They return what the C library's do, and
 * set errno.
 *
 * All of them pass through call_way, where the agent puts a guard: a program may forbid system calls by death.
 */
#ifndef BASE_SYSCALLS_H
#define BASE_SYSCALLS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Set before other threads call anything. */
extern long (*call_way)(long number, const long args[6]);

/*
 * Brackets calls that belong together, as open and close: what the guard allows to the first it allows to the last.
 * Brackets nest.
 */
extern void (*call_bracket)(bool begins);
static inline void call_begin(void)
{
	if (call_bracket)
		call_bracket(true);
}
static inline void call_end(void)
{
	if (call_bracket)
		call_bracket(false);
}

/* The number and up to six arguments, as numbers. */
#define CALL(number, ...) call_way((number), (const long[6]){ __VA_ARGS__ })

static inline int call_open(const char *path, int flags, unsigned mode)
{
	return (int)CALL(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

static inline int call_close(int fd)
{
	return (int)CALL(SYS_close, fd);
}

static inline ssize_t call_read(int fd, void *to, size_t size)
{
	return CALL(SYS_read, fd, (long)to, (long)size);
}

static inline ssize_t call_pread(int fd, void *to, size_t size, uint64_t offset)
{
	return CALL(SYS_pread64, fd, (long)to, (long)size, (off_t)offset);
}

static inline int call_fallocate(int fd, uint64_t offset, uint64_t size)
{
	return (int)CALL(SYS_fallocate, fd, 0, (off_t)offset, (off_t)size);
}

static inline int call_sleep_ns(long ns)
{
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	return (int)CALL(SYS_nanosleep, (long)&time);
}

/* MAP_FAILED, as from mmap and mremap. */
static inline void *call_map(void *place, size_t size, int protection, int flags, int fd, uint64_t offset)
{
	return (void *)CALL(SYS_mmap, (long)place, (long)size, protection, flags, fd, (long)offset);
}

static inline void *call_remap(void *old, size_t old_size, size_t size, int flags, void *place)
{
	return (void *)CALL(SYS_mremap, (long)old, (long)old_size, (long)size, flags, (long)place);
}

static inline int call_unmap(void *start, size_t size)
{
	return (int)CALL(SYS_munmap, (long)start, (long)size);
}

static inline int call_advise(void *start, size_t size, int advice)
{
	return (int)CALL(SYS_madvise, (long)start, (long)size, advice);
}

static inline int call_protect(void *start, size_t size, int protection)
{
	return (int)CALL(SYS_mprotect, (long)start, (long)size, protection);
}

static inline int call_limit(int resource, struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, resource, 0, (long)limit);
}

static inline int call_truncate(int fd, uint64_t size)
{
	return (int)CALL(SYS_ftruncate, fd, (long)size);
}

static inline int call_unlink(const char *path)
{
	return (int)CALL(SYS_unlinkat, AT_FDCWD, (long)path);
}

static inline int call_rename(const char *from, const char *to)
{
	return (int)CALL(SYS_renameat, AT_FDCWD, (long)from, AT_FDCWD, (long)to);
}

static inline int call_access(const char *path, int mode)
{
	return (int)CALL(SYS_faccessat, AT_FDCWD, (long)path, mode);
}

static inline ssize_t call_readlink(const char *path, char *to, size_t size)
{
	return CALL(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, (long)size);
}

static inline int call_pid(void)
{
	return (int)CALL(SYS_getpid, 0);
}

static inline int call_tid(void)
{
	return (int)CALL(SYS_gettid, 0);
}

#endif
