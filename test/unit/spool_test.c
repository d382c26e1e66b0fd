// SPDX-License-Identifier: Apache-2.0
/* Batches that wait: none is lost without being counted, however the process ends and whatever is in the file. */
#include "fleet/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

enum { BODY = 20000 };

struct place {
	char folder[64], path[96];
};

static int make_place(void **state)
{
	static struct place place;

	strcpy(place.folder, "/tmp/spool-XXXXXX");
	assert_non_null(mkdtemp(place.folder));
	snprintf(place.path, sizeof place.path, "%s/x.spool", place.folder);
	*state = &place;
	return 0;
}

static int remove_place(void **state)
{
	static const char *const ends[] = { "", "-wal", "-journal", ".damaged" };
	const struct place *place = *state;
	char path[128];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(path, sizeof path, "%s%s", place->path, ends[i]);
		unlink(path);
	}
	return rmdir(place->folder);
}

static uint64_t bytes_of(const struct place *place)
{
	struct stat stat_;
	uint64_t bytes = 0;
	char log[128];

	snprintf(log, sizeof log, "%s-wal", place->path);
	bytes += stat(place->path, &stat_) ? 0 : (uint64_t)stat_.st_size;
	return bytes + (stat(log, &stat_) ? 0 : (uint64_t)stat_.st_size);
}

static struct spool *open_quietly(const char *path, uint64_t most_bytes)
{
	char remark[SPOOL_REMARK];
	struct spool *spool = spool_open(path, most_bytes, remark);

	assert_non_null(spool);
	assert_string_equal(remark, "");
	return spool;
}

/* Random, so that nothing makes it smaller; it begins with its number. */
static void add(struct spool *spool, int lane, uint64_t number, uint64_t n_before)
{
	static uint64_t body[BODY / 8];

	for (size_t i = 0; i < BODY / 8; i++)
		body[i] = (number + 1) * 0x9e3779b97f4a7c15u * (i + 1);
	body[0] = number;
	spool_add(
	    spool,
	    &(struct spool_batch){
		.lane = lane, .number = number, .n_dropped_before = n_before, .body = body, .size = sizeof body });
}

static uint64_t number_of(const struct spool_group *group, size_t at)
{
	uint64_t number;

	assert_true((at + 1) * (BODY / 8 * 8) <= group->size);
	memcpy(&number, (const char *)group->body + at * (BODY / 8 * 8), sizeof number);
	return number;
}

#define CASE(name) TEST_FROM(name, struct place, place, make_place, remove_place)

CASE(batches_come_in_order_and_what_was_dropped_is_told)
{
	struct spool_group group;

	for (int is_file = 0; is_file < 2; is_file++) {
		struct spool *spool = open_quietly(is_file ? place->path : NULL, 1 << 20);
		uint64_t n_got = 0, n_told = 0, next = 0;

		for (uint64_t number = 1; number <= 200; number++) {
			add(spool, 0, number, number == 1 ? 7 : 0);
			if (is_file)
				assert_true(bytes_of(place) <= 1 << 20);
		}
		assert_true(spool_is_file(spool) == is_file);
		assert_true(spool_n_dropped(spool) > 100 && spool_n_waiting(spool) > 10);
		assert_int_equal(spool_n_dropped(spool) + spool_n_waiting(spool), 200);
		while (spool_oldest(spool, 0, 1, &group)) {
			assert_true(group.n == 1 && group.first == group.last && number_of(&group, 0) == group.first);
			assert_true(!next || group.first == next);
			next = group.first + 1;
			n_got++;
			n_told += group.n_dropped_before;
			spool_remove(spool, &group, false);
			spool_group_done(&group);
		}
		assert_int_equal(next, 201);
		assert_int_equal(n_got + n_told, 207);
		assert_int_equal(spool_bytes(spool), 0);
		/* the last one of a lane: the next one to come tells of it */
		add(spool, 1, 201, 0);
		assert_true(spool_oldest(spool, 1, 1, &group));
		spool_remove(spool, &group, true);
		spool_group_done(&group);
		add(spool, 1, 202, 0);
		assert_true(spool_oldest(spool, 1, 1, &group));
		assert_int_equal(group.n_dropped_before, 1);
		spool_group_done(&group);
		spool_close(spool);
	}
}

/* What may have arrived is sent again with the same ones, so that the receiver knows it. */
CASE(groups_stay_together)
{
	struct spool *spool = open_quietly(place->path, 1 << 20);
	struct spool_group group;
	char run[SPOOL_RUN];

	for (uint64_t number = 1; number <= 5; number++)
		add(spool, 0, number, 0);
	assert_true(spool_oldest(spool, 0, 3, &group));
	assert_true(group.n == 3 && group.first == 1 && group.last == 3 && number_of(&group, 2) == 3);
	strcpy(run, group.run);
	spool_group_done(&group);
	spool_close(spool);
	spool = open_quietly(place->path, 1 << 20);
	add(spool, 0, 1, 0);
	assert_true(spool_oldest(spool, 0, 64, &group));
	assert_true(group.n == 3 && group.last == 3);
	assert_string_equal(group.run, run);
	spool_remove(spool, &group, false);
	spool_group_done(&group);
	/* those of another run are not mixed in */
	assert_true(spool_oldest(spool, 0, 64, &group));
	assert_true(group.n == 2 && group.first == 4 && group.last == 5);
	spool_remove(spool, &group, false);
	spool_group_done(&group);
	assert_true(spool_oldest(spool, 0, 64, &group));
	assert_true(group.n == 1 && group.first == 1);
	assert_string_not_equal(group.run, run);
	spool_group_done(&group);
	spool_close(spool);
}

/* Adds without end, and writes each number once it is in. */
static _Noreturn void fill(const char *path, int to)
{
	char remark[SPOOL_REMARK];
	struct spool *spool = spool_open(path, 64 << 20, remark);

	for (uint64_t number = 1; spool; number++) {
		add(spool, 0, number, 0);
		if (write(to, &number, sizeof number) != sizeof number)
			break;
	}
	_exit(1);
}

CASE(nothing_is_lost_when_it_is_killed)
{
	struct spool_group group;

	for (uint64_t wanted = 1; wanted < 60; wanted += 7) {
		uint64_t number = 0, next = 1;
		struct spool *spool;
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		pid = fork();
		if (!pid)
			fill(place->path, ends[1]);
		close(ends[1]);
		while (number < wanted)
			assert_int_equal(read(ends[0], &number, sizeof number), sizeof number);
		kill(pid, SIGKILL);
		while (read(ends[0], &number, sizeof number) == sizeof number)
			;
		waitpid(pid, NULL, 0);
		close(ends[0]);
		spool = open_quietly(place->path, 64 << 20);
		assert_true(spool_is_file(spool));
		while (spool_oldest(spool, 0, 1, &group)) {
			assert_int_equal(number_of(&group, 0), next);
			next++;
			spool_remove(spool, &group, false);
			spool_group_done(&group);
		}
		/* the last one may have come without being told of */
		assert_in_range(next - 1, number, number + 1);
		spool_close(spool);
	}
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, size, 0), size);
	close(fd);
}

CASE(foreign_files_are_left_alone)
{
	static const char text[] = "the only copy of somebody's letter\n";
	char remark[SPOOL_REMARK], read_back[sizeof text] = "";
	struct spool *spool, *second;
	int fd;

	write_file(place->path, text, sizeof text);
	spool = spool_open(place->path, 1 << 20, remark);
	assert_non_null(strstr(remark, "is no spool of inftrace"));
	assert_false(spool_is_file(spool));
	add(spool, 0, 1, 0);
	assert_true(spool_has(spool, 0));
	spool_close(spool);
	fd = open(place->path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, read_back, sizeof read_back), sizeof text);
	assert_string_equal(read_back, text);
	close(fd);
	unlink(place->path);
	spool = open_quietly(place->path, 1 << 20);
	second = spool_open(place->path, 1 << 20, remark);
	assert_non_null(strstr(remark, "another inftrace watch uses it"));
	spool_close(second);
	spool_close(spool);
}

CASE(a_damaged_one_is_set_aside)
{
	struct spool *spool = open_quietly(place->path, 1 << 20);
	char remark[SPOOL_REMARK], aside[128], junk[3 * 4096];
	struct stat stat_;

	for (uint64_t number = 1; number <= 20; number++)
		add(spool, 0, number, 0);
	spool_close(spool);
	memset(junk, 0x5a, sizeof junk);
	assert_int_equal(stat(place->path, &stat_), 0);
	spool = NULL;
	{
		int fd = open(place->path, O_WRONLY | O_CLOEXEC);

		assert_int_equal(pwrite(fd, junk, sizeof junk, 4096), sizeof junk);
		close(fd);
	}
	spool = spool_open(place->path, 1 << 20, remark);
	assert_non_null(strstr(remark, "is damaged"));
	assert_true(spool_is_file(spool));
	add(spool, 0, 1, 0);
	assert_int_equal(spool_n_waiting(spool), 1);
	spool_close(spool);
	snprintf(aside, sizeof aside, "%s.damaged", place->path);
	assert_int_equal(access(aside, F_OK), 0);
	spool = open_quietly(place->path, 1 << 20);
	assert_int_equal(spool_n_waiting(spool), 1);
	spool_close(spool);
}

CASE(what_is_too_large_is_counted)
{
	static char large[200000];
	struct spool *spool = open_quietly(NULL, 1 << 20);
	struct spool_group group;

	spool_add(spool, &(struct spool_batch){ .number = 1, .body = large, .size = sizeof large });
	assert_int_equal(spool_n_dropped(spool), 1);
	add(spool, 0, 2, 0);
	assert_true(spool_oldest(spool, 0, 1, &group));
	assert_true(group.first == 2 && group.n_dropped_before == 1);
	spool_group_done(&group);
	spool_close(spool);
}

/* As after a smaller --spool-size: it does not keep back what comes behind it. */
CASE(one_that_cannot_be_read_is_counted_and_the_next_comes)
{
	static char large[4 << 20];
	struct spool *spool = open_quietly(place->path, 64 << 20);
	struct spool_group group;

	for (uint64_t number = 1; number <= 2; number++)
		spool_add(spool, &(struct spool_batch){ .number = number, .body = large, .size = sizeof large });
	add(spool, 0, 3, 0);
	spool_close(spool);
	spool = open_quietly(place->path, 1 << 20);
	assert_true(spool_oldest(spool, 0, 10, &group));
	assert_true(group.first == 3 && group.n == 1 && group.n_dropped_before == 2);
	assert_int_equal(spool_n_dropped(spool), 2);
	spool_remove(spool, &group, false);
	spool_group_done(&group);
	assert_int_equal(spool_n_waiting(spool), 0);
	spool_close(spool);
}

/* Damaged while it is in use, as by a disk that fails. */
CASE(what_a_failing_file_holds_counts_as_dropped)
{
	struct spool *spool = open_quietly(place->path, 4 << 20);
	char remark[SPOOL_REMARK];
	struct spool_group group;
	struct stat stat_;
	int fd;

	for (uint64_t number = 1; number <= 60; number++)
		add(spool, 0, number, 0);
	spool_close(spool);
	spool = open_quietly(place->path, 4 << 20);
	fd = open(place->path, O_WRONLY);
	assert_false(fstat(fd, &stat_));
	for (off_t at = 4096; at < stat_.st_size; at += 4096)
		assert_int_equal(pwrite(fd, "torn torn torn torn", 19, at), 19);
	close(fd);
	while (spool_is_file(spool) && spool_oldest(spool, 0, 10, &group)) {
		spool_remove(spool, &group, false);
		spool_group_done(&group);
	}
	assert_false(spool_is_file(spool));
	spool_take_remark(spool, remark);
	assert_non_null(strstr(remark, "in it count as dropped"));
	assert_true(spool_n_dropped(spool) > 0);
	add(spool, 0, 61, 0);
	assert_true(spool_oldest(spool, 0, 1, &group));
	assert_true(group.first == 61 && group.n_dropped_before == spool_n_dropped(spool));
	spool_group_done(&group);
	spool_close(spool);
}
