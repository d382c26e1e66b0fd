// SPDX-License-Identifier: Apache-2.0
/* A folder of segments is read while there may be a new one, and only then. */
#include "capture/decode/segment_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

struct seen {
	char names[200];
	int n;
};

static int found(void *ctx, const char *path)
{
	struct seen *seen = ctx;

	seen->n++;
	strcat(seen->names, strrchr(path, '/'));
	return 0;
}

static struct seen look(struct segment_folder *folder)
{
	struct seen seen = { "", 0 };

	assert_int_equal(segment_folder_look(folder, found, &seen), 0);
	return seen;
}

static void add(const char *folder, const char *name)
{
	char path[200];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* Until the folder is no longer read. */
static void settle(struct segment_folder *folder)
{
	while (look(folder).n)
		usleep(1000);
}

static int make(void **state)
{
	static char path[64];

	snprintf(path, sizeof path, "/tmp/segment-folder-XXXXXX");
	*state = mkdtemp(path);
	return *state ? 0 : -1;
}

static int drop(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
	return system(command);
}

TEST_WITH(a_new_segment_is_found, make, drop)
{
	struct segment_folder folder = { .path = *state };

	add(*state, "1.segment");
	add(*state, "2.part");
	assert_string_equal(look(&folder).names, "/1.segment");
	settle(&folder);
	add(*state, "3.segment");
	assert_int_equal(look(&folder).n, 2);
}

TEST_WITH(an_unchanged_folder_is_not_read, make, drop)
{
	struct segment_folder folder = { .path = *state };

	add(*state, "1.segment");
	settle(&folder);
	for (int i = 0; i < 100; i++)
		assert_int_equal(look(&folder).n, 0);
}

/* As if it had come in the same tick of the kernel's clock. */
TEST_WITH(a_segment_that_leaves_the_time_as_it_was_is_found, make, drop)
{
	struct segment_folder folder = { .path = *state };
	struct timespec times[2];
	struct stat info;

	add(*state, "1.segment");
	assert_int_equal(look(&folder).n, 1);
	assert_int_equal(stat(*state, &info), 0);
	add(*state, "2.segment");
	times[0] = info.st_atim;
	times[1] = info.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, *state, times, 0), 0);
	assert_int_equal(look(&folder).n, 2);
}

TEST_WITH(a_folder_that_is_gone_is_made_again, make, drop)
{
	struct segment_folder folder = { .path = *state };

	settle(&folder);
	assert_int_equal(rmdir(*state), 0);
	assert_int_equal(look(&folder).n, 0);
	add(*state, "1.segment");
	assert_int_equal(look(&folder).n, 1);
}

static int refuse(void *ctx, const char *path)
{
	(void)ctx;
	(void)path;
	return -7;
}

TEST_WITH(a_code_ends_the_look, make, drop)
{
	struct segment_folder folder = { .path = *state };

	add(*state, "1.segment");
	assert_int_equal(segment_folder_look(&folder, refuse, NULL), -7);
}
