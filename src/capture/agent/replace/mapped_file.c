// SPDX-License-Identifier: Apache-2.0
/* Reads /proc/self/maps line by line: "7f12-7f34 r--p 0000 08:01 42      /path". */
#include "capture/agent/replace/mapped_file.h"

#include <errno.h>
#include <string.h>

#include "base/syscalls.h"

static uint64_t read_hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		if (**at >= '0' && **at <= '9')
			value = value << 4 | (uint64_t)(**at - '0');
		else if (**at >= 'a' && **at <= 'f')
			value = value << 4 | (uint64_t)(**at - 'a' + 10);
		else
			return value;
	}
}

/* Whether the line is that of the address; then its path, which may be "". */
static bool look_at(const char *line, uint64_t address, char *path, size_t size)
{
	enum { DELETED = 10 };
	const char *at = line, *name;
	uint64_t start = read_hex(&at), end = *at == '-' ? (at++, read_hex(&at)) : 0;
	size_t len;

	if (address < start || address >= end)
		return false;
	name = strchr(line, '/');
	len = name ? strlen(name) : 0;
	if (len > DELETED && !strcmp(name + len - DELETED, " (deleted)"))
		len -= DELETED;
	if (len >= size)
		len = 0;
	memcpy(path, name ? name : "", len);
	path[len] = 0;
	return true;
}

static bool find(int fd, uint64_t address, char *path, size_t size)
{
	char buf[4096];
	size_t n = 0;
	ssize_t got;

	while ((got = call_read(fd, buf + n, sizeof buf - 1 - n)) > 0) {
		char *line = buf, *end;
		n += (size_t)got;
		buf[n] = 0;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = 0;
			if (look_at(line, address, path, size))
				return *path != 0;
		}
		n -= (size_t)(line - buf);
		memmove(buf, line, n);
		if (n == sizeof buf - 1) /* no line is that long */
			return false;
	}
	return false;
}

bool mapped_file_at(uint64_t address, char *path, size_t size)
{
	int saved = errno, fd = call_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	bool is_found = fd >= 0 && find(fd, address, path, size);

	if (fd >= 0)
		call_close(fd);
	errno = saved;
	return is_found;
}
