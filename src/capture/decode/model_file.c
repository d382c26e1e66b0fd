// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture/decode/decode_in.h"

bool model_file_stamp(pid_t pid, const char *path, char *text, size_t size, int64_t *bytes)
{
	char whole[PATH_MAX + 32];
	struct stat file;

	if (*path != '/' || snprintf(whole, sizeof whole, "/proc/%d/root%s", (int)pid, path) >= (int)sizeof whole ||
	    stat(whole, &file) || !S_ISREG(file.st_mode))
		return false;
	snprintf(text, size, "%u:%u %lld %lld.%09ld", major(file.st_dev), minor(file.st_dev), (long long)file.st_size,
		 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
	*bytes = file.st_size;
	return true;
}
