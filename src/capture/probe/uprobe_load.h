/* SPDX-License-Identifier: Apache-2.0 */
/* The BPF program (uprobe.bpf.c) in the kernel: loaded for one kind of link, its maps in our memory. One thread. */
#ifndef CAPTURE_PROBE_UPROBE_LOAD_H
#define CAPTURE_PROBE_UPROBE_LOAD_H

#include "capture/probe/uprobe.h"
#include "capture/probe/uprobe_link.h"
#include "capture/probe/uprobe_ring.h"

struct bpf_object;

struct uprobe_loaded {
	struct bpf_object *object;
	enum uprobe_link_type link;
	struct uprobe_programs program;
	struct uprobe_programs empty; /* those that do nothing */
	struct uprobe_armed *armed;   /* UPROBE_MAX_ARMED of them, shared with the program */
	struct uprobe_ring ring;
	int places; /* descriptor of the map of processes */
	void *mapped[3];
	size_t mapped_size[3];
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
