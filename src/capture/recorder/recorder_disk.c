// SPDX-License-Identifier: Apache-2.0
/* Asks the file system of a recording. What others may not use (reserved for root) counts as used. */
#include "capture/recorder/recorder_disk.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

uint64_t recorder_disk_reserve(uint64_t total_bytes)
{
	const uint64_t most = (uint64_t)1 << 30;

	return total_bytes / 20 < most ? total_bytes / 20 : most;
}

uint64_t recorder_disk_left(uint64_t total_bytes, uint64_t free_bytes)
{
	uint64_t reserve = recorder_disk_reserve(total_bytes);

	return free_bytes > reserve ? free_bytes - reserve : 0;
}

uint64_t recorder_disk_left_of(int fd)
{
	struct statvfs disk;
	struct stat file;

	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || fstatvfs(fd, &disk) || !disk.f_blocks)
		return UINT64_MAX;
	return recorder_disk_left((uint64_t)disk.f_blocks * disk.f_frsize, (uint64_t)disk.f_bavail * disk.f_frsize);
}
