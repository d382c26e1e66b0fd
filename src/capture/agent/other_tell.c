// SPDX-License-Identifier: Apache-2.0
/* The recorder looks at the modules of a process now and then, which misses what a process loads shortly before it
 * ends. */
#include "capture/agent/other_tell.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/module_walk.h"
#include "runtime/other_runtimes.h"

enum { MOST = 8, PATH = 256 };

struct found {
	const char *title[MOST];
	char path[MOST][PATH];
	int n;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *title = info->dlpi_name ? other_runtimes_of(info->dlpi_name) : NULL;
	struct found *found = data;

	if (!title || strlen(info->dlpi_name) >= PATH)
		return 0;
	for (int i = 0; i < found->n; i++)
		if (found->title[i] == title)
			return 0;
	found->title[found->n] = title;
	strcpy(found->path[found->n++], info->dlpi_name);
	return found->n == MOST;
}

void other_tell(void)
{
	struct found found;
	int saved = errno;

	found.n = 0;
	module_walk_begin();
	dl_iterate_phdr(look, &found);
	module_walk_end();
	for (int i = 0; i < found.n; i++)
		dict_other(found.path[i]);
	errno = saved;
}
