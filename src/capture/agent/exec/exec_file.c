// SPDX-License-Identifier: Apache-2.0
/* Reads the head of a program's file. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/program_file.h"
#include "base/syscalls.h"
#include "capture/agent/exec/exec_env.h"

enum { MAX_SCRIPTS = 5 };

/* A loader that is not there, or reads no file, refuses nothing. */
static bool suits_elf(int fd)
{
	enum program_file kind = program_file_kind(fd);

	return kind != PROGRAM_32_BIT && kind != PROGRAM_OTHER_PROCESSOR && kind != PROGRAM_MUSL &&
	       kind != PROGRAM_OLD_GLIBC;
}

/* The interpreter of a "#!" line; NULL: none. Ends it with 0 in the head. */
static char *interpreter_of(char *head)
{
	char *at = head + 2;

	if (head[0] != '#' || head[1] != '!')
		return NULL;
	at += strspn(at, " \t");
	at[strcspn(at, " \t\r\n")] = 0;
	return *at ? at : NULL;
}

bool exec_file_suits(int folder, const char *path)
{
	char head[256];

	for (int depth = 0; depth < MAX_SCRIPTS; depth++) {
		bool is_open = !*path;
		int fd = is_open ? folder : (int)CALL(SYS_openat, folder, (long)path, O_RDONLY | O_CLOEXEC);
		bool suits = true;
		long got;

		if (fd < 0)
			return true;
		memset(head, 0, sizeof head);
		got = call_pread(fd, head, sizeof head - 1, 0);
		path = got > 2 ? interpreter_of(head) : NULL;
		if (!path)
			suits = suits_elf(fd);
		if (!is_open)
			call_close(fd);
		if (!path)
			return suits;
		folder = AT_FDCWD;
	}
	return true;
}

bool exec_file_suits_search(const char *name)
{
	const char *dirs = getenv("PATH");
	size_t name_len = strlen(name);
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return exec_file_suits(AT_FDCWD, name);
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *name; dirs++) {
		size_t len = strcspn(dirs, ":");

		if (len + name_len + 2 <= sizeof path) {
			char *to = mempcpy(path, dirs, len);
			if (len)
				*to++ = '/';
			memcpy(to, name, name_len + 1);
			if (!call_access(path, X_OK))
				return exec_file_suits(AT_FDCWD, path);
		}
		dirs += len;
		if (!*dirs)
			break;
	}
	return true;
}
