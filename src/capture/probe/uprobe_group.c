// SPDX-License-Identifier: Apache-2.0
/*
 * Which processes of a file share links, or have their own. Where the kernel has no room for the links that are wanted,
 * as where no more files may be open, all go on with those that they had, and whoever cannot even have these is tried
 * again. Does not choose: uprobe_levels.c does.
 */
#include "base/clock.h"
#include "capture/probe/uprobes_in.h"

#define AGAIN_NS UINT64_C(1000000000)

static bool is_of(const struct analysed *its, const struct analysed *file, bool is_library)
{
	return its && (is_library ? its->host : its) == file;
}

static bool join(struct uprobes *uprobes, uint32_t number, struct analysed *file, bool is_library)
{
	struct err ignored;

	if (uprobe_holder_join(uprobes, number, file, &ignored)) {
		/* its file stays open */
		file->n_copies++;
		uprobes->homeless[number] = file;
		return false;
	}
	if (!is_library)
		uprobe_copy_open(uprobes, number, clock_ns());
	return true;
}

void uprobe_group_forget(struct uprobes *uprobes, uint32_t number)
{
	struct analysed *file = uprobes->homeless[number];

	if (file)
		file->n_copies--;
	uprobes->homeless[number] = NULL;
}

static void leave(struct uprobes *uprobes, uint32_t number, bool is_library, uint64_t now_ns)
{
	const struct holder *holder = uprobes->holder[number];
	struct uprobe_pace *pace = &uprobes->pace[number];

	if (!holder)
		return;
	if (!is_library && holder->state[PART_RUNS] == PART_IN)
		uprobe_copy_close(uprobes, number, now_ns);
	pace->must_cut = true;
	uprobe_holder_leave(uprobes, number);
}

/* All copies of the file, and of its providers' libraries. False: not all of them have links now. */
static bool move(struct uprobes *uprobes, struct analysed *file, bool is_split, uint64_t now_ns)
{
	bool have_all = true;

	file->is_split = is_split;
	for (int is_library = 0; is_library < 2; is_library++)
		for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
			struct analysed *its = uprobes->holder[i] ? uprobes->holder[i]->file : uprobes->homeless[i];

			if (!is_of(its, file, is_library))
				continue;
			leave(uprobes, i, is_library, now_ns);
			uprobe_group_forget(uprobes, i);
			have_all = join(uprobes, i, its, is_library) && have_all;
		}
	return have_all;
}

void uprobe_group_move(struct uprobes *uprobes, struct analysed *file, bool is_split, uint64_t now_ns)
{
	if (!move(uprobes, file, is_split, now_ns)) {
		file->must_share = is_split;
		file->must_split = !is_split;
		move(uprobes, file, !is_split, now_ns);
	}
	for (uint32_t i = 0; i < MAX_SHARED && file->is_split; i++)
		if (!uprobes->shared[i].n_members && uprobes->shared[i].file &&
		    (uprobes->shared[i].file == file || uprobes->shared[i].file->host == file))
			uprobe_holder_done(&uprobes->shared[i]);
}

void uprobe_group_try_again(struct uprobes *uprobes, uint64_t now_ns)
{
	if (now_ns < uprobes->again_ns)
		return;
	uprobes->again_ns = now_ns + AGAIN_NS;
	for (int is_library = 0; is_library < 2; is_library++)
		for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
			struct analysed *file = uprobes->homeless[i];

			if (!file || (file->host != NULL) != is_library)
				continue;
			uprobe_group_forget(uprobes, i);
			join(uprobes, i, file, is_library);
		}
}
