// SPDX-License-Identifier: Apache-2.0
/* Reads the head of a program's file. */
#include "capture/agent/exec_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/syscalls.h"

enum { MAX_SCRIPTS = 5, MAX_SEGMENTS = 32 };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* A program without an interpreter is static: its loader does not exist, so nothing can go wrong. */
static bool suits_elf(int fd, const Elf64_Ehdr *header)
{
	char interpreter[128];
	Elf64_Phdr segment;

	if (header->e_ident[EI_CLASS] != ELFCLASS64 || (MACHINE != EM_NONE && header->e_machine != MACHINE))
		return false;
	for (int i = 0; i < header->e_phnum && i < MAX_SEGMENTS; i++) {
		uint64_t at = header->e_phoff + (uint64_t)i * header->e_phentsize;
		long got;

		if (call_pread(fd, &segment, sizeof segment, at) != sizeof segment)
			return true;
		if (segment.p_type != PT_INTERP)
			continue;
		got = call_pread(fd, interpreter, sizeof interpreter - 1, segment.p_offset);
		interpreter[got > 0 ? got : 0] = 0;
		return !strstr(interpreter, "musl");
	}
	return true;
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
	union {
		Elf64_Ehdr elf;
		char text[256];
	} head;

	for (int depth = 0; depth < MAX_SCRIPTS; depth++) {
		bool is_open = !*path;
		int fd = is_open ? folder : (int)syscall(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC, 0);
		bool suits = true;
		long got;

		if (fd < 0)
			return true;
		memset(&head, 0, sizeof head);
		got = call_pread(fd, head.text, sizeof head.text - 1, 0);
		path = got > 2 ? interpreter_of(head.text) : NULL;
		if (got >= (long)sizeof head.elf && !memcmp(head.elf.e_ident, ELFMAG, SELFMAG))
			suits = suits_elf(fd, &head.elf);
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
			if (!syscall(SYS_faccessat, AT_FDCWD, path, X_OK))
				return exec_file_suits(AT_FDCWD, path);
		}
		dirs += len;
		if (!*dirs)
			break;
	}
	return true;
}
