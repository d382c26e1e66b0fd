/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up slices by their place in a tree of frames, for flame graphs. Memory grows with the number of different
 * places, not of slices.
 *
 * process;model;inference;operator type;operator    an operator of a known inference
 * process;model;session creation;load               all else on a model's lanes: slices below slices
 * process;model;session creation;ConstantFolding;operator type;operator
 *                                                   an operator that the thread ran while it created a session
 * process;thread;slice                              slices of the program itself, operators of unknown inferences
 * process (device);operator;kernel                  kernels: their time overlaps that of the host
 * process (samples);thread;frames;state             samples of threads, callers first; state: other than to run
 */
#ifndef TRACE_EXPORT_STACKS_H
#define TRACE_EXPORT_STACKS_H

#include "event/callstack.h"
#include "trace/export/pairing.h"
#include "trace/perfetto/perfetto_map.h"

enum { STACKS_DEPTH = 128, STACKS_NODES = 1 << 20, STACKS_RUNNING = 1 << 14 };

/* A place. Parents come before their children. Node 0 is the root. */
struct stacks_node {
	uint32_t parent, name; /* name: id for good */
	uint64_t total_ns, n;  /* of slices; n is 0 for frames that are none */
	uint64_t self_ns;      /* after stacks_finish: without what lies below; 0 if more does */
	uint32_t depth;
};

/* Where an inference's operators go, or those of a session creation: below what is open on its lane. */
struct stacks_running {
	uint64_t key;
	uint32_t node, lane; /* lane 0: an inference */
};

struct stacks {
	struct pairing pairing;
	struct array nodes;	   /* struct stacks_node */
	struct perfetto_map index; /* hash of parent and name: a node of it */
	struct stacks_running running[STACKS_RUNNING];
	uint64_t n_deep; /* slices that stand for themselves in no node: too deep, or too many places */
	uint64_t first_ns, last_ns, start_realtime_ns;
};

/* "resize (Image.py:2193)", "memcpy (libc.so.6)", "libc.so.6 + 0x10fe10" */
uint32_t stacks_frame_name(struct names *names, const struct frame *frame);
/* What a thread did other than to run: "recvfrom", "slept"; 0: it ran. */
uint32_t stacks_state_name(struct names *names, const struct event_sample *sample);
/* NULL and err: out of memory. */
struct stacks *stacks_new(int fd, struct names *names, uint32_t *last_track, struct err *err);
/* Adds up. 0, or -errno and err. */
int stacks_finish(struct stacks *stacks, struct export_losses *losses, struct err *err);
void stacks_free(struct stacks *stacks);

#endif
