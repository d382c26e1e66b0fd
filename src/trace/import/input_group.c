// SPDX-License-Identifier: Apache-2.0
/* Maps segments one behind the other. Reads no more of them than the lengths of their packets. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pb.h"
#include "trace/import/input.h"
#include "trace/rotate/rotate_folder.h"

enum { FILL_HEAD = 4 }; /* bytes of the field without meaning before its content */

struct piece {
	int fd;
	size_t size;
};

struct group {
	struct piece *piece;
	size_t n;
	size_t page;
	uint8_t *at; /* where the next one is mapped */
	int tails;   /* a file in memory with the last pages */
	off_t tails_size;
};

/* What is mapped from the file itself. */
static size_t pages_of(const struct group *group, const struct piece *piece)
{
	return piece->size / group->page * group->page;
}

/* The rest, with its fill. */
static size_t tail_of(const struct group *group, const struct piece *piece)
{
	size_t rest = piece->size % group->page;

	return !rest ? 0 : group->page - rest < FILL_HEAD ? 2 * group->page : group->page;
}

/* The end of the last whole packet. */
static size_t whole_size(int fd, size_t size)
{
	void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	struct pb_in in;
	struct pb_field field;

	if (data == MAP_FAILED)
		return size;
	in = pb_in(data, size);
	while (pb_next(&in, &field) > 0)
		;
	munmap(data, size);
	return (size_t)(in.at - (const uint8_t *)data);
}

static int open_pieces(struct group *group, int folder, const uint64_t *numbers, size_t n)
{
	struct stat file;

	group->piece = calloc(n + 1, sizeof *group->piece);
	if (!group->piece)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int fd = openat(folder, rotate_folder_name(numbers[i]).s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		struct piece piece = { fd, fd >= 0 && !fstat(fd, &file) ? (size_t)file.st_size : 0 };

		if (i + 1 < n)
			piece.size = whole_size(fd, piece.size);
		if (piece.size)
			group->piece[group->n++] = piece;
		else if (fd >= 0)
			close(fd);
	}
	return 0;
}

/* The rest of the file, and a field without meaning up to the end of the page. */
static int write_tail(struct group *group, const struct piece *piece, uint8_t *page)
{
	size_t rest = piece->size % group->page, room = tail_of(group, piece), fill = room - rest - FILL_HEAD;

	if (pread(piece->fd, page, rest, (off_t)pages_of(group, piece)) != (ssize_t)rest)
		return -EIO;
	page[rest] = PB_TAG(15, PB_BYTES);
	page[rest + 1] = (uint8_t)(fill | 0x80);
	page[rest + 2] = (uint8_t)(fill >> 7 | 0x80);
	page[rest + 3] = (uint8_t)(fill >> 14);
	return pwrite(group->tails, page, room, group->tails_size) == (ssize_t)room ? 0 : -ENOSPC;
}

static int map_tail(struct group *group, const struct piece *piece)
{
	size_t room = tail_of(group, piece);
	uint8_t *page = calloc(2, group->page);
	int code = page ? write_tail(group, piece, page) : -ENOMEM;

	free(page);
	if (!code &&
	    mmap(group->at, room, PROT_READ, MAP_PRIVATE | MAP_FIXED, group->tails, group->tails_size) == MAP_FAILED)
		code = -errno;
	group->at += room;
	group->tails_size += (off_t)room;
	return code;
}

static int map_piece(struct group *group, const struct piece *piece)
{
	size_t whole = pages_of(group, piece);

	if (whole && mmap(group->at, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, piece->fd, 0) == MAP_FAILED)
		return -errno;
	group->at += whole;
	return piece->size > whole ? map_tail(group, piece) : 0;
}

static int map_all(struct group *group, struct input *input)
{
	const struct piece *last;
	size_t room = 0;
	int code = 0;
	void *data;

	for (size_t i = 0; i < group->n; i++)
		room += pages_of(group, &group->piece[i]) + tail_of(group, &group->piece[i]);
	data = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		return -errno;
	group->at = data;
	for (size_t i = 0; i < group->n && !code; i++)
		code = map_piece(group, &group->piece[i]);
	last = &group->piece[group->n - 1];
	input->data = data;
	input->size = room - tail_of(group, last) + last->size % group->page;
	if (code) {
		munmap(data, room);
		*input = (struct input){ 0 };
	}
	return code;
}

int input_group_open(struct input *input, int fd, const char *path, struct err *err)
{
	struct group group = { .page = (size_t)sysconf(_SC_PAGESIZE), .tails = memfd_create("segments", MFD_CLOEXEC) };
	uint64_t *numbers = NULL;
	size_t n = 0;
	int code = group.tails < 0 ? -errno : rotate_folder_list(fd, &numbers, &n);

	if (!code && n)
		code = open_pieces(&group, fd, numbers, n);
	if (!code && group.n)
		code = map_all(&group, input);
	if (code)
		err_set(err, -code, "cannot read %s: %s", path, strerror(-code));
	else if (!group.n)
		code = err_set(err, EINVAL, "cannot read %s: it is a folder without segments of a recording", path);
	for (size_t i = 0; i < group.n; i++)
		close(group.piece[i].fd);
	free(group.piece);
	free(numbers);
	if (group.tails >= 0)
		close(group.tails);
	return code;
}
