/* SPDX-License-Identifier: Apache-2.0 */
/* What the source of the agent reads beside the rings. Private to this room. */
#ifndef CAPTURE_SOURCE_AGENT_SOURCE_AGENT_IN_H
#define CAPTURE_SOURCE_AGENT_SOURCE_AGENT_IN_H

#include <stdbool.h>

#include "base/array.h"
#include "capture/code/code_reader.h"
#include "capture/decode/recorded.h"
#include "capture/source/source.h"

/*
 * What malloc had in a process when its agent last looked: process counters "malloc in use" and "malloc free", of
 * which the latter is what it keeps resident.
 */

/* Puts what the agent has found since the last call. 0, or the error of the sink. */
int malloc_heap_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err);

/*
 * CPU time of the threads that the runtime has made for its pools, as the agent reports them: process counters "pool
 * threads" (how many, when that changes) and "cpu of pool threads" (percent of one core, all together).
 */

/* Samples a process when it is due. 0, or the error of the sink. */
int pool_cpu_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		    struct err *err);

/* Whether a process writes a profile of ONNX Runtime's own: its profiler was left on, and slows each operator down. */

/* Is it named as the runtime names a profile: "..._2026-11-28_13-01-52_441.json", without the last number before 1.22?
 */
bool profile_file_is_one(const char *path);
/* Looks at the files that the process has open, and notes the first one. 0, or the error of the sink. */
int profile_file_look(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		      struct err *err);

/* Reports that a program has forbidden itself, by death, what recording all of it takes. */

/* Writes a note if the program has confined itself, or further, since the last call. */
int confined_tell(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err);

/*
 * Looks, a few times a second, whether the kernel knows of more filters than the agent, and then says so to both: a
 * filter may be set by an instruction that no hook sees. Until then, a system call of the agent may end the program.
 */
int confined_look(struct recorded *process, const char *sysroot, struct sink *out, uint64_t now_ns, struct err *err);

/*
 * Lines of native programs that ask for inferences: what is at an address that the agent saw. A child without rights
 * reads the files (capture/code/code_reader.h), one question after the other; rings are read meanwhile. One thread.
 */

/* Zeroed: no question so far. */
struct caller_places {
	struct code_reader reader;
	struct array file, asked; /* private */
	size_t n_answered;	  /* of asked, in order */
	uint32_t n_sent;
	bool is_sent; /* the question after those */
	uint64_t sent_ns;
};

/*
 * callers_finder's find; ctx is a struct caller_places. "main (/src/app.c:42)", or without a line "main
 * (/usr/bin/app+0x1234)". A file that takes longer than two seconds is not asked about again.
 */
uint32_t caller_place_find(const struct callers_finder *finder, struct names *names, uint32_t caller, bool waits);
/* Whether questions are open: answers come within milliseconds. */
static inline bool caller_places_wait(const struct caller_places *places)
{
	return places->n_answered < places->asked.n;
}
void caller_places_done(struct caller_places *places);

/*
 * Finds programs in the tree of processes that have no agent, and why: a process that called exec under a limit, in
 * another mount namespace or without the environment; a statically linked one. A fork without exec does not count: its
 * agent appears only when it has something to record. Starts from a zeroed struct unseen; one thread.
 */
struct unseen {
	struct unseen_program *program; /* the programs of the living processes, in the order of the tree */
	size_t n, capacity;
	struct unseen_file *seen;		 /* programs with an agent */
	size_t n_seen, seen_capacity, n_lasting; /* n_lasting: without a pid, as of the last look */
	bool has_other_version; /* set it when a segment was found that another version's agent has written */
};

/* The reason when nothing in the program's file explains it. */
extern const char unseen_unknown[];

/* An agent has reported its program's file; 0, 0: unknown; pid 0: unknown. False: out of memory. */
bool unseen_has_agent(struct unseen *unseen, pid_t pid, uint64_t device, uint64_t inode);

/*
 * Checks the programs of the processes. A program without an agent gets a note of the topic "process" when it ends or
 * is replaced, and when target->is_ending. 0 or -errno and err.
 */
int unseen_update(struct unseen *unseen, const struct target *target, struct sink *out, uint64_t now_ns,
		  struct err *err);

/* The program that this process runs now has its note already. */
void unseen_is_told(struct unseen *unseen, pid_t pid);

void unseen_done(struct unseen *unseen);

#endif
