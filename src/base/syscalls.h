/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls as the kernel has them: the C library's functions of the same names are cancellation points, where a
 * thread of the program that is to be cancelled would end inside of the agent. They return what the C library's do, and
 * set errno.
 */
#ifndef BASE_SYSCALLS_H
#define BASE_SYSCALLS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static inline int call_open(const char *path, int flags, unsigned mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int call_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

static inline ssize_t call_read(int fd, void *to, size_t size)
{
	return syscall(SYS_read, fd, to, size);
}

static inline ssize_t call_pread(int fd, void *to, size_t size, uint64_t offset)
{
	return syscall(SYS_pread64, fd, to, size, (off_t)offset);
}

static inline int call_fallocate(int fd, uint64_t offset, uint64_t size)
{
	return (int)syscall(SYS_fallocate, fd, 0, (off_t)offset, (off_t)size);
}

static inline int call_sleep_ns(long ns)
{
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	return (int)syscall(SYS_nanosleep, &time, NULL);
}

#endif
