// SPDX-License-Identifier: Apache-2.0
/* Places in this process: two pages stand for the ends of modules, a file of zeroes for their unused bytes. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/inject/inject_in.h"
#include "cases.h"

enum { PAGE = 4096, SLOT = 0x1000 };

struct room {
	struct inject inject;
	struct inject_target target;
	char *code, *data;
};

/* The C library has no room: both places are in the program. */
static int prepare(void **state)
{
	static struct room room;
	struct inject_file *file = &room.target.program.file;
	int fd = memfd_create("module", MFD_CLOEXEC);
	struct err err;

	memset(&room, 0, sizeof room);
	room.code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	room.data = room.code + PAGE;
	assert_true(fd >= 0 && room.code != MAP_FAILED);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	room.inject = (struct inject){ .pid = getpid(), .head = { .magic = FERRY_MAGIC, .slot = { { SLOT, 0 } } } };
	assert_int_equal(inject_memory_open(&room.inject, &err), 0);
	room.target.libc.fd = room.target.loader.fd = -1;
	room.target.program.fd = fd;
	file->gap[0] = (struct inject_gap){ (uint64_t)room.code + 1, PAGE - 1, 1, true };
	file->gap[1] = (struct inject_gap){ (uint64_t)room.data + 1, PAGE - 1, 0, false };
	file->n_gaps = 2;
	*state = &room;
	return 0;
}

static int unprepare(void **state)
{
	struct room *room = *state;

	close(room->inject.memory);
	close(room->target.program.fd);
	return munmap(room->code, 2 * PAGE);
}

/* The state that an earlier injector leaves. */
static void leave(struct room *room)
{
	struct ferry_state done = { .phase = FERRY_DONE };

	inject_code_make((void *)(uintptr_t)room->inject.at, &room->inject.head);
	memcpy((void *)(uintptr_t)room->inject.head.state, &done, sizeof done);
}

static void find(struct room *room)
{
	struct err err;

	room->inject.head.state = 0;
	assert_int_equal(inject_place_find(&room->inject, &room->target, &err), 0);
}

#define CASE(name) TEST_FROM(name, struct room, room, prepare, unprepare)

CASE(free_places_are_found_and_aligned)
{
	find(room);
	assert_true(room->inject.is_new);
	assert_int_equal(room->inject.at, (uint64_t)room->code + 64);
	assert_int_equal(room->inject.head.state, (uint64_t)room->data + 16);
}

CASE(what_somebody_uses_is_no_place)
{
	struct err err;

	room->code[100] = 1;
	find(room);
	assert_int_equal(room->inject.at, (uint64_t)room->code + 64 + inject_code_size());
	room->data[20] = 1;
	assert_int_equal(inject_place_find(&room->inject, &room->target, &err), -ENOSPC);
	memset(room->code, 1, PAGE);
	room->data[20] = 0;
	assert_int_equal(inject_place_find(&room->inject, &room->target, &err), -ENOSPC);
}

CASE(what_an_earlier_injector_left_is_used_again)
{
	uint64_t at, head_state;

	find(room);
	at = room->inject.at;
	head_state = room->inject.head.state;
	leave(room);
	find(room);
	assert_false(room->inject.is_new);
	assert_int_equal(room->inject.at, at);
	assert_int_equal(room->inject.head.state, head_state);
}

/* A second runtime in the same process. */
CASE(another_slot_gets_code_of_its_own_and_the_same_state)
{
	uint64_t at, head_state;

	find(room);
	at = room->inject.at;
	head_state = room->inject.head.state;
	leave(room);
	room->inject.head.slot[0].at = SLOT + 8;
	find(room);
	assert_true(room->inject.is_new);
	assert_int_equal(room->inject.at, at + inject_code_size());
	assert_int_equal(room->inject.head.state, head_state);
}

CASE(code_of_another_make_is_left_alone)
{
	uint64_t at;

	find(room);
	at = room->inject.at;
	leave(room);
	*(char *)(uintptr_t)(at + sizeof(struct ferry_head)) ^= 1;
	find(room);
	assert_true(room->inject.is_new);
	assert_int_equal(room->inject.at, at + inject_code_size());
}

CASE(what_nobody_else_has_room_for_lies_behind_the_loaders_code)
{
	struct inject_part *loader = &room->target.loader;
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(code != MAP_FAILED);
	memset(room->code, 1, PAGE);
	loader->fd = room->target.program.fd;
	loader->file.gap[0] = (struct inject_gap){ (uint64_t)code + 1, PAGE - 1, 1, true };
	loader->file.n_gaps = 1;
	find(room);
	assert_int_equal(room->inject.at, (uint64_t)code + 64);
	munmap(code, PAGE);
}
