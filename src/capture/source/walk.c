// SPDX-License-Identifier: Apache-2.0
/* Reads the links in /proc/PID/fd. Since Linux 6.2 the size of that folder is their number. */
#include "capture/source/walk.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_NS UINT64_C(10000000000)

enum { PART = 500 };

static int64_t count(const struct sample *sample)
{
	struct stat status;
	char path[64];

	/* folders of a captured tree have sizes of their own */
	if (*sample->target->sysroot)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)sample->process->pid);
	return stat(path, &status) ? 0 : (int64_t)status.st_size;
}

enum walk_state walk_state(struct walk *walk, const struct sample *sample)
{
	if (walk->again_ns && sample->now_ns < walk->again_ns && walk->n && count(sample) == walk->n)
		return WALK_SAME;
	return sample->now_ns >= walk->due_ns || sample->target->is_ending ? WALK_DUE : WALK_LATER;
}

int walk_descriptors(struct walk *walk, const struct sample *sample, const char *prefix,
		     void (*found)(void *ctx, int fd, const char *name), void *ctx)
{
	uint64_t began_ns = sample_clock_ns(sample->target, sample->now_ns);
	size_t prefix_len = strlen(prefix);
	char path[PATH_MAX], link[256];
	struct dirent *entry;
	ssize_t len;
	DIR *folder;

	if (snprintf(path, sizeof path, "%s/proc/%d/fd", sample->target->sysroot, (int)sample->process->pid) >=
	    (int)sizeof path)
		return -ENAMETOOLONG;
	walk->n = count(sample);
	folder = opendir(path);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		len = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
		if (len <= (ssize_t)prefix_len || memcmp(link, prefix, prefix_len))
			continue;
		link[len] = 0;
		found(ctx, atoi(entry->d_name), link + prefix_len);
	}
	closedir(folder);
	walk->again_ns = sample->now_ns + AGAIN_NS;
	walk->due_ns = sample->now_ns +
		       (sample_clock_ns(sample->target, sample->now_ns) - began_ns) * PART * sample->target->tree->n;
	return 0;
}
