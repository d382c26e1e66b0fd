// SPDX-License-Identifier: Apache-2.0
#include "capture/proc/other_modules.h"

#include <stdio.h>
#include <string.h>

#include "capture/proc/package_version.h"
#include "runtime/other_runtimes.h"

static bool has(const struct modules *modules, const char *begin)
{
	for (size_t i = 0; i < modules->n; i++)
		if (other_runtimes_is_file(modules->module[i].path, begin))
			return true;
	return false;
}

/* A program that has just begun: its loader maps the C library last. */
static bool is_loading(const struct modules *modules)
{
	return has(modules, "ld-linux") && !has(modules, "libc.so") && !has(modules, "libc-");
}

const char *other_modules_at(const struct modules *modules, size_t i)
{
	const char *title = other_runtimes_of(modules->module[i].path);
	const char *without = title ? other_runtimes_without(title) : NULL;

	return without && (has(modules, without) || is_loading(modules)) ? NULL : title;
}

bool other_modules(const struct modules *modules, char *text, size_t size)
{
	char root[32], version[64], name[128];
	size_t used = 0;

	*text = 0;
	snprintf(root, sizeof root, "/proc/%d/root", (int)modules->pid);
	for (size_t i = 0; i < modules->n; i++) {
		const char *path = modules->module[i].path, *title = other_modules_at(modules, i);

		if (!title || strstr(text, title))
			continue;
		if (!package_version(root, path, version, sizeof version))
			*version = 0;
		snprintf(name, sizeof name, "%s%s%s%s", used ? ", " : "", title, *version ? " " : "", version);
		if (used + strlen(name) >= size)
			break;
		strcpy(text + used, name);
		used += strlen(name);
	}
	return used;
}

bool other_modules_of(pid_t pid, char *text, size_t size)
{
	struct modules modules = { 0 };
	struct err ignored;
	bool has = !modules_read(&modules, "", pid, &ignored) && other_modules(&modules, text, size);

	modules_done(&modules);
	return has;
}
