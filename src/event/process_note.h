/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on forks and on the memory of processes, names of their halts, and the keys that came with them. */
#ifndef EVENT_PROCESS_NOTE_H
#define EVENT_PROCESS_NOTE_H

#include "event/device_note.h"
#include "event/run_trait.h"

/*
 * Names of KIND_HALT slices: why a process could not run. The slice is the time in which it was seen so. from_ns of its
 * begin and until_ns of its end: when it was seen running before and after; absent: not known. pid, text: a tracer's
 */
#define EVENT_HALT_STOPPED "stopped" /* by a signal */
#define EVENT_HALT_TRACED "traced"   /* by a debugger or tracer */
#define EVENT_HALT_FROZEN "frozen"   /* its cgroup */

/* pid, parent_pid: a fork of that process, whose agent and sessions it inherited */
#define EVENT_NOTE_FORKED "forked"

/* count [path, limit_bytes, peak_bytes]: so many processes were killed because there was no memory: path: of the cgroup
 * whose limit was reached; without it, the machine's. peak_bytes: the most that the cgroup had */
#define EVENT_NOTE_OUT_OF_MEMORY "out of memory"
/* pid, peak_bytes, bytes: resident memory at a normal exit, the most and the last. peak_bytes of EVENT_NOTE_EXIT: the
 * most of that process, or of one that it waited for */
#define EVENT_NOTE_MEMORY_END "memory at the end"

/* model, session, runtime: of one that runs and whose creation is not recorded */
#define EVENT_NOTE_SESSION "session"

/* pid, runtime, path [version]: the process has loaded a runtime whose inferences are not recorded */
#define EVENT_NOTE_OTHER_RUNTIME "other runtime"
/* pid, path: the runtime's own profiler is on, and writes into that file */
#define EVENT_NOTE_PROFILED "profiled"
/* source, text: why a source could not run; once for each */
#define EVENT_NOTE_MISSING "missing"

/* The last rows of EVENT_KEYS (event.h): rows are only ever added at the end. */
#define EVENT_PROCESS_KEYS(F) \
	F(PARENT_PID, "parent_pid")	  /* of the process that a process was forked from */ \
	F(KEPT, "run_kept_bytes")	  /* of run_end_bytes, what the four last inferences did not take, */ \
	F(BLOCKS_KEPT, "run_kept_blocks") /* in so many blocks */ \
	F(POOLED, "pooled")		  /* on inferences: 1: a thread of the runtime's pool ran it (RunAsync) */ \
	F(LIMIT, "limit_bytes")		  /* of a cgroup's memory */ \
	F(POOL_QUEUE_NS, "pool_queue_ns") /* on inferences: before, in the queue of the runtime's pool; absent: none \
					   */ \
	F(UNTIL_NS, "until_ns")		  /* CLOCK_MONOTONIC: where the stretch that a slice is in ends */ \
	F(MODEL_FILE, "model_file")	  /* text: device, bytes and last change of the file below model_path */ \
	EVENT_TRAIT_KEYS(F) \
	EVENT_DEVICE_KEYS(F)

#endif
