// SPDX-License-Identifier: Apache-2.0
/* Programs of one file get links of their own, or share some: none is lost where the kernel has no room for them. */
#include <errno.h>
#include <string.h>

#include "capture/probe/uprobes_in.h"
#include "cases.h"

/* In place of uprobe_holder.c: a kernel with room for so many links. */
static int room, shared_links;
static struct holder shared, own[UPROBE_MAX_ARMED];

int uprobe_holder_join(struct uprobes *uprobes, uint32_t number, struct analysed *file, struct err *err)
{
	struct holder *holder = file->is_split ? &own[number] : &shared;

	if (holder->state[PART_WHOLE] == PART_OUT && room < (file->is_split ? 1 : shared_links))
		return err_set(err, EMFILE, "no room");
	if (holder->state[PART_WHOLE] == PART_OUT)
		room -= file->is_split ? 1 : shared_links;
	holder->state[PART_WHOLE] = holder->state[PART_RUNS] = PART_IN;
	holder->file = file;
	holder->n_members++;
	file->n_copies++;
	uprobes->holder[number] = holder;
	return 0;
}

void uprobe_holder_leave(struct uprobes *uprobes, uint32_t number)
{
	struct holder *holder = uprobes->holder[number];

	uprobes->holder[number] = NULL;
	holder->file->n_copies--;
	if (!--holder->n_members && holder != &shared) {
		*holder = (struct holder){ .file = NULL };
		room++;
	}
}

void uprobe_holder_done(struct holder *holder)
{
	*holder = (struct holder){ .file = NULL };
}

uint64_t uprobe_cpu_ns(pid_t pid)
{
	return 1;
}

static struct uprobes uprobes;
static struct analysed file;

static void begin(int room_, bool is_split)
{
	struct err err;

	uprobes = (struct uprobes){ .again_ns = 0 };
	file = (struct analysed){ .is_split = is_split };
	shared = (struct holder){ .file = NULL };
	memset(own, 0, sizeof own);
	room = 100;
	shared_links = 1;
	for (uint32_t i = 0; i < 3; i++) {
		uprobes.copy[i].pid = (pid_t)i + 1;
		assert_int_equal(uprobe_holder_join(&uprobes, i, &file, &err), 0);
	}
	room = room_;
}

static int count_homes(void)
{
	int n = 0;

	for (uint32_t i = 0; i < 3; i++)
		n += uprobes.holder[i] && !uprobes.homeless[i];
	return n;
}

TEST(each_gets_links_of_its_own)
{
	begin(3, false);
	uprobe_group_move(&uprobes, &file, true, 1);
	assert_true(count_homes() == 3 && file.is_split && !file.must_share && uprobes.holder[0] == &own[0]);
	assert_int_equal(file.n_copies, 3);
}

TEST(all_go_on_sharing_where_one_finds_no_room)
{
	begin(2, false);
	uprobe_group_move(&uprobes, &file, true, 1);
	assert_true(count_homes() == 3 && !file.is_split && file.must_share);
	assert_true(uprobes.holder[0] == &shared && uprobes.holder[2] == &shared && shared.n_members == 3);
	assert_int_equal(file.n_copies, 3);
	assert_int_equal(room, 2);
}

TEST(all_keep_their_own_where_shared_ones_find_no_room)
{
	begin(0, true);
	shared_links = 5;
	uprobe_group_move(&uprobes, &file, false, 1);
	assert_true(count_homes() == 3 && file.is_split && file.must_split);
	assert_int_equal(file.n_copies, 3);
}

TEST(one_without_any_is_tried_again)
{
	begin(0, true);
	/* another program takes what they leave */
	shared_links = 1000;
	own[0].state[PART_RUNS] = PART_IN;
	room = -1;
	uprobe_group_move(&uprobes, &file, false, 1);
	assert_int_equal(count_homes(), 2);
	assert_int_equal(file.n_copies, 3); /* the file stays open */
	uprobe_group_try_again(&uprobes, 2);
	assert_int_equal(count_homes(), 2);
	room = 1;
	uprobe_group_try_again(&uprobes, 3);
	assert_int_equal(count_homes(), 2);
	uprobe_group_try_again(&uprobes, UINT64_C(2000000000));
	assert_int_equal(count_homes(), 3);
	assert_int_equal(file.n_copies, 3);
	uprobe_group_forget(&uprobes, 0);
	assert_int_equal(file.n_copies, 3);
}
