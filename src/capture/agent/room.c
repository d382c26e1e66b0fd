// SPDX-License-Identifier: Apache-2.0
/* Maps a segment in parts. Does not know what they are used for. */
#include "capture/agent/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/processor.h"
#include "base/syscalls.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { MAX_PARTS = SEGMENT_MAX_RINGS + 64, DICT_STEP = 64 << 10, DICT_MAP = 1 << 20 };
enum { ROUND = 4096, HEADER = (sizeof(struct segment) + ROUND - 1) / ROUND * ROUND };

/* In a part of the last segment a thread that was stopped between two instructions of a hook may still write. */
enum age { NOW, LAST, OLD };

static struct part {
	char *start;
	uint32_t size;
	uint32_t age;
} parts[MAX_PARTS];
static uint32_t n_parts;

static struct {
	const char *path;
	uint64_t size;
	char *dict;
	uint64_t dict_mapped, dict_populated;
	uint64_t next; /* offset of what was not taken yet, */
	char *seed;    /* and the page that maps it */
} room;

/* Only for kernels, and stand-ins for one, that refuse what needs no file with EINVAL. */
static int open_again(void)
{
	return errno == EINVAL ? call_open(room.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
}

/* offset: in the file. */
static bool populate(char *start, uint64_t offset, uint64_t size)
{
	int fd, failed;

	if (!call_advise(start, size, MADV_POPULATE_WRITE))
		return true;
	call_begin();
	fd = open_again();
	failed = fd < 0 || call_fallocate(fd, offset, size);
	if (fd >= 0)
		call_close(fd);
	call_end();
	return !failed;
}

/* A part to be: an old one of this size, or a new one without a place. NULL: there are too many. */
static struct part *find_part(uint64_t size)
{
	for (uint32_t i = 0; i < n_parts; i++)
		if (parts[i].age == OLD && parts[i].size == size)
			return &parts[i];
	if (n_parts == MAX_PARTS)
		return NULL;
	parts[n_parts] = (struct part){ .size = (uint32_t)size };
	return &parts[n_parts];
}

static char *keep_part(struct part *part, char *start)
{
	part->start = start;
	part->age = NOW;
	n_parts += part == &parts[n_parts];
	return start;
}

static char *map_file(int fd, uint64_t offset, uint64_t size, char *place)
{
	char *start = call_map(place, size, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_NORESERVE | (place ? MAP_FIXED : 0), fd, offset);

	return start == MAP_FAILED ? NULL : start;
}

/* Maps these bytes of the file as a part. */
static char *open_part(int fd, uint64_t offset, uint64_t size)
{
	struct part *part = find_part(size);
	char *start = part ? map_file(fd, offset, size, part->start) : NULL;

	return start ? keep_part(part, start) : NULL;
}

static void unmap_dict(void)
{
	if (room.dict)
		call_unmap(room.dict, room.dict_mapped);
	room.dict = NULL;
	room.dict_mapped = room.dict_populated = 0;
}

static void get_older(void)
{
	unmap_dict();
	for (uint32_t i = 0; i < n_parts; i++)
		parts[i].age = parts[i].age == NOW ? LAST : OLD;
}

struct segment *room_open(int fd, uint64_t size, const char *path)
{
	char *header, *seed;

	get_older();
	room.path = path;
	room.dict = map_file(fd, SEGMENT_DICT, DICT_STEP, NULL);
	room.dict_mapped = room.dict ? DICT_STEP : 0;
	header = open_part(fd, 0, HEADER);
	seed = open_part(fd, SEGMENT_RINGS, page_size());
	if (!room.dict || !header || !seed || !populate(header, 0, HEADER)) {
		get_older();
		return NULL;
	}
	room.size = size;
	room.next = SEGMENT_RINGS;
	room.seed = seed;
	return (struct segment *)header;
}

void room_leave_parents(void)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n_parts; i++)
		if (parts[i].age == NOW)
			parts[left++] = parts[i];
		else
			call_unmap(parts[i].start, parts[i].size);
	n_parts = left;
}

static bool map_dict(uint64_t bytes)
{
	uint64_t size = (bytes + DICT_MAP - 1) / DICT_MAP * DICT_MAP;
	char *moved;

	if (bytes <= room.dict_mapped)
		return true;
	moved = call_remap(room.dict, room.dict_mapped, size, MREMAP_MAYMOVE, NULL);
	if (moved == MAP_FAILED)
		return false;
	room.dict = moved;
	room.dict_mapped = size;
	return true;
}

char *room_dict(uint64_t bytes)
{
	if (bytes > SEGMENT_DICT_SIZE)
		return NULL;
	for (; bytes > room.dict_populated; room.dict_populated += DICT_STEP)
		if (!map_dict(room.dict_populated + DICT_STEP) ||
		    !populate(room.dict + room.dict_populated, SEGMENT_DICT + room.dict_populated, DICT_STEP))
			return NULL;
	return room.dict;
}

/* A second mapping of the seed, with what follows it in the file. */
static char *map_next(const struct part *part)
{
	char *start = part->start ? call_remap(room.seed, 0, part->size, MREMAP_MAYMOVE | MREMAP_FIXED, part->start)
				  : call_remap(room.seed, 0, part->size, MREMAP_MAYMOVE, NULL);
	int fd;

	if (start != MAP_FAILED)
		return start;
	call_begin();
	fd = open_again();
	start = fd < 0 ? NULL : map_file(fd, room.next, part->size, part->start);
	if (fd >= 0)
		call_close(fd);
	call_end();
	return start;
}

char *room_take(uint64_t bytes, uint64_t *offset)
{
	struct part *part;
	bool has_place;
	char *start;

	bytes = (bytes + page_size() - 1) & ~(page_size() - 1);
	if (room.size - room.next < bytes || !(part = find_part(bytes + page_size())))
		return NULL;
	has_place = part->start != NULL;
	start = map_next(part);
	if (!start)
		return NULL;
	if (!populate(start, room.next, bytes)) {
		if (!has_place)
			call_unmap(start, part->size);
		return NULL;
	}
	keep_part(part, start);
	*offset = room.next;
	room.next += bytes;
	room.seed = start + bytes;
	return start;
}

void room_give_back(void)
{
	if (room.dict)
		call_advise(room.dict, room.dict_mapped, MADV_REMOVE);
	for (uint32_t i = 0; i < n_parts; i++)
		if (parts[i].age == NOW)
			call_advise(parts[i].start, parts[i].size, MADV_REMOVE);
}
