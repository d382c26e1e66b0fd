// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel takes a folder's time of change from the last tick, up to 10 ms ago: a file that is made right after a
 * look may leave the time as it was. So the folder is read until TICKS_NS have passed since its time was seen to
 * change.
 */
#include "capture/decode/segment_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "event/record.h"

#define TICKS_NS UINT64_C(20000000)

/* A folder that cannot be looked at is read, which deals with it. */
static bool may_have_new(struct segment_folder *folder, uint64_t now_ns)
{
	struct stat info;

	if (stat(folder->path, &info))
		return true;
	if (info.st_mtim.tv_sec == folder->changed.tv_sec && info.st_mtim.tv_nsec == folder->changed.tv_nsec)
		return folder->read_ns < folder->noticed_ns + TICKS_NS;
	folder->changed = info.st_mtim;
	folder->noticed_ns = now_ns;
	return true;
}

static bool is_segment(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SEGMENT_SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, SEGMENT_SUFFIX);
}

int segment_folder_look(struct segment_folder *folder, segment_found found, void *ctx)
{
	uint64_t now_ns = clock_ns();
	struct dirent *entry;
	char path[512];
	int code = 0;
	DIR *dir;

	if (!may_have_new(folder, now_ns))
		return 0;
	folder->read_ns = now_ns;
	dir = opendir(folder->path);
	if (!dir && errno == ENOENT)
		mkdir(folder->path, 0700);
	if (!dir)
		return 0;
	while (!code && (entry = readdir(dir)))
		if (is_segment(entry->d_name) &&
		    snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name) < (int)sizeof path)
			code = found(ctx, path);
	closedir(dir);
	return code;
}
