// SPDX-License-Identifier: Apache-2.0
/* The recorder looks at the modules of a process now and then, which misses what a process loads shortly before it
 * ends. */
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/arm/arm.h"
#include "capture/agent/dict.h"
#include "capture/agent/replace/module_walk.h"
#include "runtime/other_runtimes.h"

enum { MOST = 8, PATH = 256 };

struct found {
	const char *title[MOST];
	char path[MOST][PATH], program[PATH];
	int n;
};

static int is_library(struct dl_phdr_info *info, size_t size, void *data)
{
	return info->dlpi_name && other_runtimes_is_file(info->dlpi_name, data);
}

static bool has_library(const char *begin)
{
	return dl_iterate_phdr(is_library, (void *)(uintptr_t)begin);
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct found *found = data;
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : found->program;
	const char *title = other_runtimes_of(path), *without = title ? other_runtimes_without(title) : NULL;

	if (!title || strlen(path) >= PATH || (without && has_library(without)))
		return 0;
	for (int i = 0; i < found->n; i++)
		if (found->title[i] == title)
			return 0;
	found->title[found->n] = title;
	strcpy(found->path[found->n++], path);
	return found->n == MOST;
}

void other_tell(void)
{
	struct found found;
	int saved = errno;
	ssize_t len = call_readlink("/proc/self/exe", found.program, sizeof found.program - 1);

	found.program[len < 0 ? 0 : len] = 0;
	found.n = 0;
	module_walk_begin();
	dl_iterate_phdr(look, &found);
	module_walk_end();
	for (int i = 0; i < found.n; i++)
		dict_other(found.path[i], NULL);
	errno = saved;
}
