// SPDX-License-Identifier: Apache-2.0
/* A spool, which may be torn or another's: batches can be kept all the same, and what is counted is there. */
#include "fleet/spool/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static void remove_all(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-journal", ".damaged" };
	char one[160];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(one, sizeof one, "%s%s", path, ends[i]);
		unlink(one);
	}
}

static void empty(struct spool *spool, int lane)
{
	struct spool_group group;

	for (int n = 0; n < 10000 && spool_oldest(spool, lane, 64, &group); n++) {
		if (!group.n || (group.size && !group.body) || strnlen(group.run, SPOOL_RUN) == SPOOL_RUN)
			abort();
		spool_remove(spool, &group, false);
		spool_group_done(&group);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], remark[SPOOL_REMARK];
	struct spool *spool;
	int fd;

	snprintf(path, sizeof path, "/dev/shm/inftrace-spool-fuzz-%d", (int)getpid());
	remove_all(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	spool = spool_open(path, SPOOL_LEAST_BYTES, remark);
	if (!spool)
		abort();
	spool_add(spool, &(struct spool_batch){ .lane = 1, .number = 1, .body = "body", .size = 4 });
	for (int lane = 0; lane < SPOOL_LANES; lane++)
		empty(spool, lane);
	spool_close(spool);
	remove_all(path);
	return 0;
}
