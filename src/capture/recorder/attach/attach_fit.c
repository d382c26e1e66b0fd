// SPDX-License-Identifier: Apache-2.0
/*
 * Compares names and files. A path is first compared as a file (device and inode), so that links and other ways to
 * write it mean the same; then as the text that the process would use, which may be of another mount namespace.
 */
#include "capture/recorder/attach/attach_fit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/privilege.h"
#include "capture/proc/proc.h"
#include "capture/proc/program.h"

static bool is_interpreter(const char *word)
{
	static const char *const names[] = { "python", "pypy", "node", "java", "dotnet", "ruby",
					     "perl",   "bash", "sh",   "bun",  "deno" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i]);
		const char *rest = basename(word) + len;
		/* python3.11 is one, shred is none */
		if (!strncmp(basename(word), names[i], len) && rest[strspn(rest, "0123456789.")] == 0)
			return true;
	}
	return false;
}

/* Options of these interpreters whose value is the next word; with the last two it is what is run. */
static bool takes_word(const char *option)
{
	static const char *const names[] = { "-W",	   "-X",	   "-r", "--require",	  "--import", "-cp",
					     "-classpath", "--class-path", "-p", "--module-path", "-m",	      "-jar" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(option, names[i]))
			return true;
	return false;
}

static const char *next_word(const char *word, const char *end)
{
	word += strlen(word) + 1;
	return word < end ? word : NULL;
}

const char *attach_fit_script(const char *words, size_t len)
{
	const char *end = words + len, *word = words;

	while (end > words && end[-1])
		end--;
	if (end == words || !is_interpreter(words))
		return NULL;
	while ((word = next_word(word, end)) && *word == '-') {
		bool is_run = !strcmp(word, "-m") || !strcmp(word, "-jar");
		/* a program in the command line, or on standard input */
		if (!strcmp(word, "-c") || !strcmp(word, "-e") || !word[1])
			return NULL;
		if (takes_word(word))
			word = next_word(word, end);
		if (!word || is_run)
			return word;
	}
	return word && *word ? word : NULL;
}

void attach_fit_names(pid_t pid, struct attach_names *names)
{
	char text[1024], words[8192], exe[PATH_MAX];
	ssize_t got = proc_read("", pid, "cmdline", words, sizeof words - 1);
	const char *script = got > 0 ? attach_fit_script(words, (size_t)got) : NULL;
	struct proc_stat stat = { .name = "" };

	words[got > 0 ? got : 0] = 0;
	program_executable("", pid, exe, sizeof exe);
	got = proc_read("", pid, "stat", text, sizeof text);
	if (got > 0)
		proc_stat_parse(text, (size_t)got, &stat);
	snprintf(names->name[0], sizeof *names->name, "%.255s", script ? basename(script) : "");
	snprintf(names->name[1], sizeof *names->name, "%.255s", basename(exe));
	snprintf(names->name[2], sizeof *names->name, "%.255s", basename(words));
	snprintf(names->name[3], sizeof *names->name, "%.255s", stat.name);
}

static bool fits_name(const char *name, pid_t pid)
{
	struct attach_names names;

	attach_fit_names(pid, &names);
	for (int i = 0; i < ATTACH_NAMES; i++)
		if (*name && !strcmp(names.name[i], name))
			return true;
	return false;
}

static bool is_same_file(const char *path, const struct stat *wanted)
{
	struct stat found;

	return !stat(path, &found) && found.st_dev == wanted->st_dev && found.st_ino == wanted->st_ino;
}

/* The script as the process would open it: from its folder, below its root. */
static void script_path(pid_t pid, const char *script, char *path, size_t size)
{
	char link[64];
	ssize_t len = 0;

	*path = 0;
	if (*script != '/') {
		snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
		len = readlink(link, path, size - 1);
		if (len <= 0)
			return;
	}
	if (snprintf(path + len, size - (size_t)len, "%s%s", *script == '/' ? "" : "/", script) >=
	    (int)(size - (size_t)len))
		*path = 0;
}

static bool fits_path(const char *path, pid_t pid, const char *exe, const char *script)
{
	char full[PATH_MAX], below[PATH_MAX + 64], own[64];
	struct stat wanted;
	bool was_on = privilege_use(false), is_here = !stat(path, &wanted);

	privilege_use(was_on);
	snprintf(own, sizeof own, "/proc/%d/exe", (int)pid);
	if ((*exe && !strcmp(path, exe)) || (is_here && is_same_file(own, &wanted)))
		return true;
	if (!script)
		return false;
	script_path(pid, script, full, sizeof full);
	snprintf(below, sizeof below, "/proc/%d/root%s", (int)pid, full);
	return *full && (!strcmp(path, full) || (is_here && is_same_file(below, &wanted)));
}

void attach_fit_path(pid_t pid, char *path, size_t size)
{
	char words[8192];
	ssize_t got = proc_read("", pid, "cmdline", words, sizeof words - 1);
	const char *script = got > 0 ? attach_fit_script(words, (size_t)got) : NULL;
	char below[PATH_MAX + 64] = "";

	words[got > 0 ? got : 0] = 0;
	*path = 0;
	if (script) {
		script_path(pid, script, path, size);
		snprintf(below, sizeof below, "/proc/%d/root%s", (int)pid, path);
	}
	/* python -m names no file */
	if (!*path || access(below, F_OK))
		program_executable("", pid, path, size);
}

bool attach_fit(const struct attach_wish *wish, pid_t pid)
{
	char words[8192], exe[PATH_MAX];
	const char *script;
	ssize_t got;

	if (wish->name)
		return fits_name(wish->name, pid);
	if (!wish->path)
		return true;
	got = proc_read("", pid, "cmdline", words, sizeof words - 1);
	words[got > 0 ? got : 0] = 0;
	script = got > 0 ? attach_fit_script(words, (size_t)got) : NULL;
	program_executable("", pid, exe, sizeof exe);
	return fits_path(wish->path, pid, exe, script);
}
