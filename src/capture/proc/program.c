// SPDX-License-Identifier: Apache-2.0
/*
 * Completes comm from /proc/PID/exe and /proc/PID/cmdline, both of which may be unreadable, and reads the head of a
 * program's file.
 */
#include "capture/proc/program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/program_file.h"
#include "capture/proc/proc.h"

/* The kernel's TASK_COMM_LEN, without the NUL. */
enum { COMM = 15 };

static void clean(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
	}
}

void program_executable(const char *sysroot, pid_t pid, char *path, size_t size)
{
	static const char deleted[] = " (deleted)";
	char link[PATH_MAX];
	ssize_t got = -1;
	size_t len;

	if (snprintf(link, sizeof link, "%s/proc/%d/exe", sysroot, (int)pid) < (int)sizeof link)
		got = readlink(link, path, size - 1);
	len = got < 0 ? 0 : (size_t)got;
	path[len] = 0;
	if (len >= sizeof deleted - 1 && !strcmp(path + len - (sizeof deleted - 1), deleted))
		path[len - (sizeof deleted - 1)] = 0;
}

bool program_emulator(const char *sysroot, pid_t pid, char *name, size_t size)
{
	static const char machines[] = "qemu-system-", *const emulators[] = { "qemu-", "box64", "FEX" };
	char path[PATH_MAX];
	const char *base;

	program_executable(sysroot, pid, path, sizeof path);
	base = basename(path);
	if (!strncmp(base, machines, sizeof machines - 1))
		return false;
	for (size_t i = 0; i < sizeof emulators / sizeof *emulators; i++)
		if (!strncmp(base, emulators[i], strlen(emulators[i]))) {
			snprintf(name, size, "%s", base);
			clean(name);
			return true;
		}
	return false;
}

void program_name(const char *sysroot, pid_t pid, const char *comm, char *name, size_t size)
{
	char exe[PATH_MAX], args[PATH_MAX];
	ssize_t got = proc_read(sysroot, pid, "cmdline", args, sizeof args - 2);
	const char *candidate[3] = { exe, args, args };
	const char *best = NULL;

	program_executable(sysroot, pid, exe, sizeof exe);
	memset(args + (got < 0 ? 0 : got), 0, 2);
	candidate[2] = args + strlen(args) + 1;
	for (int i = 0; i < 3 && !best; i++) {
		const char *base = basename(candidate[i]);
		if (*base && !strncmp(base, comm, COMM) && (strlen(comm) >= COMM || strlen(base) == strlen(comm)))
			best = base;
	}
	if (!best)
		best = *exe ? basename(exe) : comm;
	snprintf(name, size, "%s", best);
	clean(name);
}

void program_command(const char *sysroot, pid_t pid, char *command, size_t size)
{
	static const char more[] = "...";
	ssize_t got = proc_read(sysroot, pid, "cmdline", command, size);
	size_t len = got < 0 ? 0 : (size_t)got;
	bool is_cut = len == size;

	if (is_cut)
		len -= sizeof more;
	while (len && !command[len - 1])
		len--;
	for (size_t i = 0; i < len; i++) {
		if (!command[i])
			command[i] = ' ';
	}
	command[len] = 0;
	clean(command);
	if (is_cut)
		memcpy(command + len, more, sizeof more);
}

const char *program_refusal(int fd)
{
	struct stat stat_;

	switch (program_file_kind(fd)) {
	case PROGRAM_NO_ELF:
		return "it is neither an ELF program nor a script";
	case PROGRAM_32_BIT:
		return "it is a 32-bit program";
	case PROGRAM_OTHER_PROCESSOR:
		return "it is not a program for this processor";
	case PROGRAM_STATIC:
		return "it is statically linked: nothing can be loaded into it";
	case PROGRAM_MUSL:
		return "it uses musl, and the agent needs glibc";
	case PROGRAM_OLD_GLIBC:
		return "its glibc is older than 2.17, which the agent needs";
	case PROGRAM_GLIBC:
		break;
	}
	if (!fstat(fd, &stat_) && (stat_.st_mode & (S_ISUID | S_ISGID)) && geteuid() != stat_.st_uid)
		return "it is setuid: the loader ignores LD_PRELOAD for it";
	return "";
}
