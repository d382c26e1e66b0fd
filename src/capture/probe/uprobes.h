/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes in running processes, from outside: a BPF program on sites of their runtimes' files (runtime/probe_sites.h).
 * Nothing is written into or loaded by the processes but the kernel's breakpoints, and those go when their owner
 * goes, however it ends.
 *
 *   command: uprobes_open ... uprobes_arm of what is known ... target->uprobes = it; recorder_run ... uprobes_close
 *   source_uprobe: arms what else is in target->tree, opens the gates at its start, reads, closes them at its end
 *   whoever holds a new process (next): uprobes_arm, then lets it go
 *
 * A gate is one word that the probes look at: opened after the last probe of a process is in, closed before the first
 * goes, so that what is recorded is whole. One thread.
 */
#ifndef CAPTURE_PROBE_UPROBES_H
#define CAPTURE_PROBE_UPROBES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum uprobe_link_type {
	UPROBE_LINK_ANY,     /* the first of these that works here */
	UPROBE_LINK_SESSION, /* kernel 6.13: one link has entries and returns */
	UPROBE_LINK_MULTI,   /* kernel 6.6: one link has many sites */
	UPROBE_LINK_PERF,    /* one perf event for each site: slow to go */
};

/* The first that this kernel has; ANY: none, or that cannot be told without rights. */
enum uprobe_link_type uprobes_link_here(void);

/*
 * Could uprobes_open work here, as far as the rights of this process, the kernel and this build decide it? 0, or -errno
 * and err with what is missing. Leaves nothing behind.
 */
int uprobes_check(struct err *err);

struct uprobes_opts {
	enum uprobe_link_type link;
	bool has_operators;	 /* level operator and up */
	bool is_shared;		 /* one link for a file, for all processes that have it */
	bool shares_late;	 /* only when many have it: others than those that are watched pay for it, too */
	bool is_paced;		 /* probes come and go, so that each process loses less than 1 % of its time */
	bool is_empty;		 /* probes that do nothing: what they cost by themselves */
	uint32_t sample;	 /* record one inference of so many; 0 and 1: each */
	uint64_t max_per_second; /* inferences of one process that are recorded; 0: all */
};

struct uprobes;

/*
 * Loads the program into the kernel. NULL and err when that cannot be done here, with what is missing and how to get
 * it (rights.h). Built without libbpf: always NULL.
 */
struct uprobes *uprobes_open(const struct uprobes_opts *opts, struct err *err);

/*
 * Puts probes on every copy of the runtime that this process has mapped and that has none yet. How many copies of it
 * are armed now (0: it has none mapped so far, which is no error), or -errno and err: it is gone, its memory map may
 * not be read, its runtime is not understood, the kernel says no. The gate of what is new is open if uprobes_start
 * was called. A failure leaves nothing behind.
 *
 * start_ticks: field 22 of /proc/PID/stat, with the pid the identity of the process: one that has the number of a
 * process that has ended is -ESRCH. 0: whoever has the number now.
 *
 * *looked: the modules of the process (modules_mark) when all of them were looked at last, updated; 0: never. The same
 * modules are not opened again. NULL: they are.
 */
int uprobes_arm(struct uprobes *uprobes, pid_t pid, uint64_t start_ticks, uint64_t *looked, struct err *err);

/* Takes the probes of this copy out again; it is none from now on. */
void uprobes_disarm(struct uprobes *uprobes, uint32_t number);

/* Opens, closes all gates. */
void uprobes_start(struct uprobes *uprobes);
void uprobes_stop(struct uprobes *uprobes);

/* Which link is used, for people: "uprobe.session". Slow: one that the kernel takes seconds to a minute to take out. */
const char *uprobes_link_name(const struct uprobes *uprobes);
bool uprobes_is_slow(const struct uprobes *uprobes);

/*
 * Gives up the rights that are needed only to open and arm, where nothing more is going to be armed: all capabilities
 * of this process. Reading on works without. uprobes_arm then only tells what is armed, and EPERM where nothing is. Not
 * after a fork that shares memory.
 */
int uprobes_drop_rights(struct uprobes *uprobes, struct err *err);

/* Takes all probes out. NULL is fine. */
void uprobes_close(struct uprobes *uprobes);

/* ---- for source_uprobe ---- */

struct uprobe_armed;
struct uprobe_counts;
struct uprobe_pace;
struct uprobe_ring;

/* One copy of the runtime in one process; its place in the list is what its records bear. Zeroed: none. */
struct uprobes_copy {
	pid_t pid;				     /* 0: none, or taken out */
	uint64_t start_ticks;			     /* of the process */
	const char *runtime;			     /* its name in the table of runtimes */
	char *path;				     /* as the process sees it */
	char version[32], armed[800], left_out[480]; /* what is seen, what is not and why */
	char cwd[512];				     /* of the process */
	bool has_load;				     /* the beginning of creations is seen */
	bool has_weights;			     /* each weight of them is */
	bool is_headless;			     /* the first thread of the process has ended */
	bool is_old_string, is_new;		     /* is_new: nobody was told of it so far */
	uint64_t arm_ns;
};

/* How many processes without a copy here have come to a probe that all processes share. */
uint64_t uprobes_n_strangers(const struct uprobes *uprobes);
/* Inferences of those; 0 where it is wanted that others are not watched. */
uint64_t uprobes_n_stranger_runs(const struct uprobes *uprobes);
/* NULL: the number is none. */
struct uprobes_copy *uprobes_copy(struct uprobes *uprobes, uint32_t number);
/* The account that the copy's hits are charged to (uprobe_pace.h); NULL: they are not. */
struct uprobe_pace *uprobes_pace(struct uprobes *uprobes, uint32_t number);
/* What the runtime of the copy counts itself (uprobe_counts.h); NULL: that is not asked for. */
struct uprobe_counts *uprobes_counts(struct uprobes *uprobes, uint32_t number);
/* Whether it is the library of a provider, which is seen as its runtime is. */
bool uprobes_is_part(const struct uprobes *uprobes, uint32_t number);
/* How many inferences of the copy ran unseen since the last call: an estimate. */
uint64_t uprobes_unseen(struct uprobes *uprobes, uint32_t number);
/* Puts probes in and takes them out, as the accounts say; n_records: that were read since the last call. */
void uprobes_choose_levels(struct uprobes *uprobes, uint64_t n_records);
struct uprobe_armed *uprobes_armed(struct uprobes *uprobes, uint32_t number);
struct uprobe_ring *uprobes_ring(struct uprobes *uprobes);

#endif
