// SPDX-License-Identifier: Apache-2.0
/*
 * Reads and writes /proc/PID/mem, which lets write to pages that the process itself may only read. Where caches of
 * instructions do not follow those of data (aarch64), the kernel makes them: a write ends in access_remote_vm and
 * copy_to_user_page, which cleans and invalidates what it has written into a mapping that may be executed, on all
 * processors. Nobody has ever run these bytes, and the word that leads to them is written by a later call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"

static int refuse(const struct inject *inject, int code, struct err *err)
{
	char why[RIGHTS_WHY];

	if (rights_is_yama("", why, sizeof why))
		return err_set(err, code, "cannot inject: cannot write to process %d: %s", (int)inject->pid, why);
	return err_set(err, code,
		       "cannot inject: cannot write to the memory of process %d: %s; it has more rights than you, or "
		       "something else protects "
		       "it; leave out --inject, as root",
		       (int)inject->pid, strerror(code));
}

int inject_memory_open(struct inject *inject, struct err *err)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", (int)proc_living("", inject->pid));
	inject->memory = open(path, O_RDWR | O_CLOEXEC);
	/* two that begin at the same moment would take the same unused bytes; whoever dies gives it back */
	if (inject->memory >= 0 && flock(inject->memory, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return err_set(err, EBUSY, "cannot inject: process %d is being recorded by another inftrace",
			       (int)inject->pid);
	if (inject->memory >= 0)
		return 0;
	return refuse(inject, errno, err);
}

/* The file is still open, but there is no memory behind it any more. */
static int is_gone(const struct inject *inject, struct err *err)
{
	return err_set(err, ESRCH, "cannot inject: process %d has ended, or has become another program",
		       (int)inject->pid);
}

bool inject_memory_get(const struct inject *inject, uint64_t at, void *to, size_t size)
{
	return pread(inject->memory, to, size, (off_t)at) == (ssize_t)size;
}

int inject_memory_read(const struct inject *inject, uint64_t at, void *to, size_t size, struct err *err)
{
	ssize_t n = pread(inject->memory, to, size, (off_t)at);

	if (n == (ssize_t)size)
		return 0;
	return n ? err_set(err, EIO, "cannot inject: cannot read the memory of process %d", (int)inject->pid)
		 : is_gone(inject, err);
}

int inject_memory_write(const struct inject *inject, uint64_t at, const void *from, size_t size, struct err *err)
{
	ssize_t n = pwrite(inject->memory, from, size, (off_t)at);

	if (n == (ssize_t)size)
		return 0;
	if (!n)
		return is_gone(inject, err);
	return err_set(err, n < 0 ? errno : EIO, "cannot inject: cannot write to the memory of process %d: %s",
		       (int)inject->pid, strerror(n < 0 ? errno : EIO));
}

int inject_memory_write_word(const struct inject *inject, uint64_t at, uint64_t word, struct err *err)
{
	return inject_memory_write(inject, at, &word, sizeof word, err);
}
