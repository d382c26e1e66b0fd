/* SPDX-License-Identifier: Apache-2.0 */
/* The BPF program (uprobe.bpf.c) in the kernel: loaded for one kind of link, its maps in our memory. One thread. */
#ifndef CAPTURE_PROBE_UPROBE_LOAD_H
#define CAPTURE_PROBE_UPROBE_LOAD_H

#include <stddef.h>

#include "capture/probe/uprobe.h"
#include "capture/probe/uprobe_ring.h"
#include "capture/probe/uprobes.h"

/*
 * Probes on sites of a file by the three ways that kernels have had: sessions (6.13: entry and return in one), one link
 * with many sites (6.6), one perf event per site (any kernel with BPF cookies, 5.15). A link goes when its
 * descriptor is closed, and with the process that holds it.
 */
struct uprobe_site {
	uint64_t offset; /* in the file */
	uint64_t cookie;
	bool has_return; /* its return is wanted, too */
};

/* Where probes go: sites of the file at `path`, for the process pid (0: for all). */
struct uprobe_place {
	const char *path;
	pid_t pid;
	const struct uprobe_site *site;
	size_t n;
};

/* Descriptors of loaded programs; those that the way does not need may be -1. */
struct uprobe_programs {
	int entry, leave, session;
};

struct uprobe_links {
	int *fd;
	size_t n;
	bool is_slow; /* perf events: many, and each takes the kernel some 100 ms to close */
};

/*
 * Does this kernel know the way? Asks it with a small program and a link that cannot be. 0; -EOPNOTSUPP: no; another
 * -errno: it lets us load no program.
 */
int uprobe_link_check(enum uprobe_link_type type);

/* Installs the probes of a place: all of them, or none. 0, or -errno and err. */
int uprobe_links_open(struct uprobe_links *links, enum uprobe_link_type type, const struct uprobe_programs *programs,
		      const struct uprobe_place *place, struct err *err);
/* Many perf events are closed by a process that goes on for as long as that takes (a minute for 700). */
void uprobe_links_close(struct uprobe_links *links);

/* What a program for these links is loaded as: its expected attach type. */
unsigned uprobe_link_attach_type(enum uprobe_link_type type);

/* "uprobe.session", and the kernel that brought it: "6.13". */
const char *uprobe_link_name(enum uprobe_link_type type);
const char *uprobe_link_since(enum uprobe_link_type type);

struct bpf_object;

struct uprobe_loaded {
	struct bpf_object *object;
	enum uprobe_link_type link;
	struct uprobe_programs program;
	struct uprobe_programs empty; /* those that do nothing */
	struct uprobe_armed *armed;   /* UPROBE_MAX_ARMED of them, shared with the program */
	struct uprobe_ring ring;
	int places, strangers;	     /* descriptors of the maps of processes, watched and not */
	const uint64_t *n_strangers; /* by enum stranger_count: so far, shared with the program */
	void *mapped[4];
	size_t mapped_size[4];
};

/*
 * wanted: UPROBE_LINK_ANY takes the first way that works here. 0, or -errno and err with the kernel's words. In the
 * case of a failure nothing stays.
 */
int uprobe_load(struct uprobe_loaded *loaded, enum uprobe_link_type wanted, struct err *err);
/* Hits of this process at probes of all processes in this file are those of the copy. 0 or -errno. */
int uprobe_place_put(const struct uprobe_loaded *loaded, uint32_t file, pid_t pid, uint32_t copy);
void uprobe_place_remove(const struct uprobe_loaded *loaded, uint32_t file, pid_t pid, uint32_t copy);
void uprobe_unload(struct uprobe_loaded *loaded);

#endif
