// SPDX-License-Identifier: Apache-2.0
/* In place of uprobes.c where inftrace is built without libbpf or a clang for BPF: says so. */
#include <errno.h>
#include <stddef.h>

#include "capture/probe/uprobes.h"

int uprobes_check(struct err *err)
{
	return err_set(err, ENOTSUP, "cannot probe running programs: this inftrace was built without libbpf or clang");
}

struct uprobes *uprobes_open(const struct uprobes_opts *opts, struct err *err)
{
	uprobes_check(err);
	return NULL;
}

int uprobes_arm(struct uprobes *uprobes, pid_t pid, uint64_t start_ticks, uint64_t *looked, struct err *err)
{
	return err_set(err, ENOTSUP, "cannot probe process %d: this inftrace was built without probes", (int)pid);
}

void uprobes_disarm(struct uprobes *uprobes, uint32_t number)
{
}

void uprobes_start(struct uprobes *uprobes)
{
}

void uprobes_stop(struct uprobes *uprobes)
{
}

const char *uprobes_link_name(const struct uprobes *uprobes)
{
	return "";
}

enum uprobe_link_type uprobes_link_here(void)
{
	return UPROBE_LINK_ANY;
}

bool uprobes_is_slow(const struct uprobes *uprobes)
{
	return false;
}

int uprobes_drop_rights(struct uprobes *uprobes, struct err *err)
{
	return 0;
}

void uprobes_close(struct uprobes *uprobes)
{
}

uint64_t uprobes_n_stranger_runs(const struct uprobes *uprobes)
{
	return 0;
}

uint64_t uprobes_n_strangers(const struct uprobes *uprobes)
{
	return 0;
}

struct uprobes_copy *uprobes_copy(struct uprobes *uprobes, uint32_t number)
{
	return NULL;
}

struct uprobe_armed *uprobes_armed(struct uprobes *uprobes, uint32_t number)
{
	return NULL;
}

struct uprobe_ring *uprobes_ring(struct uprobes *uprobes)
{
	return NULL;
}

struct uprobe_pace *uprobes_pace(struct uprobes *uprobes, uint32_t number)
{
	return NULL;
}

struct uprobe_counts *uprobes_counts(struct uprobes *uprobes, uint32_t number)
{
	return NULL;
}

bool uprobes_is_part(const struct uprobes *uprobes, uint32_t number)
{
	return false;
}

uint64_t uprobes_unseen(struct uprobes *uprobes, uint32_t number)
{
	return 0;
}

void uprobes_choose_levels(struct uprobes *uprobes, uint64_t n_records)
{
}
