/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For uprobes.c, uprobe_holder.c, uprobe_group.c and uprobe_levels.c: copies of runtimes, their files, and the links
 * that hold probes.
 *
 * A holder has the probes of one file in one process, or in all that have it. Each further process of a shared one
 * costs an entry in a map and nothing for the others, where a link of its own costs each hit of the others 52 ns.
 */
#ifndef CAPTURE_PROBE_UPROBES_IN_H
#define CAPTURE_PROBE_UPROBES_IN_H

#include <sys/stat.h>

#include "capture/probe/uprobe_counts.h"
#include "capture/probe/uprobe_load.h"
#include "capture/probe/uprobe_pace.h"
#include "capture/proc/file_look.h"
#include "capture/proc/modules.h"

/* PART_WHOLE has all sites, unless levels are chosen by program: then it has those of the creation of sessions. */
enum uprobe_part { PART_WHOLE, PART_RUNS, PART_OPERATORS, N_PARTS };
enum uprobe_part_state { PART_OUT, PART_IN, PART_CLOSING };

enum { MAX_SHARED = 256, MOST_OWN = 16 /* processes of a file that each have links of their own, for their levels */ };

/* A file that was analysed. */
struct analysed {
	uint64_t device, inode, size;
	struct timespec changed;
	const struct analysed *host;
	struct probe_sites sites;
	int code;	   /* of the analysis */
	uint64_t tried_ns; /* when that was */
	struct err err;
	int fd;		   /* -1: nobody has probes in it */
	uint32_t n_copies; /* that are armed */
	bool is_split;	   /* its processes have links of their own, because one of them would cost the others */
	bool must_share, must_split; /* the kernel had no room for the others */
	char armed[800];	     /* what is seen, for people */
	bool has_load, has_weights;
};

struct holder {
	struct analysed *file; /* NULL: it is free */
	struct holder *host;   /* of a provider's library: that of the runtime, whose operators go with its own */
	pid_t pid;	       /* 0: of all processes */
	uint32_t index;	       /* what the cookies of its sites bear */
	uint32_t n_members;
	struct uprobe_links links[N_PARTS];
	enum uprobe_part_state state[N_PARTS];
	uint64_t since_ns; /* when a part began to close */
};

struct uprobes {
	struct uprobes_opts opts;
	struct uprobe_loaded loaded;
	struct modules_seen seen;
	struct analysed **analysed;
	size_t n_analysed;
	struct uprobes_copy copy[UPROBE_MAX_ARMED];
	struct holder shared[MAX_SHARED], own[UPROBE_MAX_ARMED];
	struct holder *holder[UPROBE_MAX_ARMED]; /* of each copy; NULL: none */
	/* The file of a copy that is armed and has no holder, because the kernel had no room for its links. */
	struct analysed *homeless[UPROBE_MAX_ARMED];
	uint64_t again_ns; /* when they are tried again */
	struct uprobe_pace pace[UPROBE_MAX_ARMED];
	struct uprobe_counts counts[UPROBE_MAX_ARMED];
	uint32_t host[UPROBE_MAX_ARMED]; /* of a provider's library: the copy of the runtime; else the copy itself */
	struct {
		uint64_t device, inode;
	} file[UPROBE_MAX_ARMED];
	uint32_t last;		   /* place that was given out last: others first */
	bool is_started, is_final; /* is_final: nothing more can be armed */
	/* Levels by program: */
	struct uprobe_prices prices;
	uint64_t paced_ns;  /* the last step */
	double own_left_ns; /* an account of what levels cost this process */
	uint32_t first;	    /* whose turn it is to be looked at first */
};

/* uprobe_holder.c. The copy gets probes: those that the file has, or new ones. 0, or -errno and err. */
int uprobe_holder_join(struct uprobes *uprobes, uint32_t number, struct analysed *file, struct err *err);
void uprobe_holder_leave(struct uprobes *uprobes, uint32_t number);
/* copy: one of those that it is for. 0, or -errno and err. */
int uprobe_part_put(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part,
		    const struct uprobes_copy *copy, struct err *err);
void uprobe_part_take(struct holder *holder, enum uprobe_part part);
void uprobe_holder_done(struct holder *holder);
bool uprobe_is_kernel(unsigned major_, unsigned minor_);
bool uprobe_filters_processes(const struct uprobes *uprobes);
/* CPU time of a process so far; 0: not known. */
uint64_t uprobe_cpu_ns(pid_t pid);
/* Whether levels are chosen by program, as far as this kernel can. */
bool uprobe_is_paced(const struct uprobes *uprobes);

/* uprobe_group.c. All processes of a file get links of their own, or shared ones, if the kernel has room for them. */
void uprobe_group_move(struct uprobes *uprobes, struct analysed *file, bool is_split, uint64_t now_ns);
void uprobe_group_try_again(struct uprobes *uprobes, uint64_t now_ns);
void uprobe_group_forget(struct uprobes *uprobes, uint32_t number);

/* Inferences of the copy are not seen from now on, or are again. */
static inline void uprobe_copy_close(struct uprobes *uprobes, uint32_t number, uint64_t now_ns)
{
	uprobe_pace_close(&uprobes->pace[number], now_ns, uprobe_cpu_ns(uprobes->copy[number].pid));
	uprobe_counts_close(&uprobes->counts[number], now_ns);
}

static inline void uprobe_copy_open(struct uprobes *uprobes, uint32_t number, uint64_t now_ns)
{
	uprobe_pace_open(&uprobes->pace[number], now_ns, uprobe_cpu_ns(uprobes->copy[number].pid));
	uprobe_counts_open(&uprobes->counts[number], now_ns);
}

/* uprobe_levels.c. Measures what traps cost here. */
void uprobe_levels_begin(struct uprobes *uprobes);

#endif
