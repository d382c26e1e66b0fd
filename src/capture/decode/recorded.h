/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recorded process, read from its agent's segment or from probes: threads, sessions, and the read position. One
 * thread.
 */
#ifndef CAPTURE_DECODE_RECORDED_H
#define CAPTURE_DECODE_RECORDED_H

#include "base/clock.h"
#include "capture/decode/callers.h"
#include "capture/decode/device.h"
#include "capture/decode/lanes.h"
#include "capture/decode/memory.h"
#include "capture/decode/segment.h"
#include "capture/decode/sessions.h"
#include "capture/decode/workers.h"

struct annotation_counter {
	uint32_t name, track;
};

struct annotations {
	struct annotation_lane lane, stages, generators; /* of rings whose thread is unknown */
	uint32_t group, n_counters;
	struct annotation_counter *counter;
};

/* Threads of the runtime: those with a line, and those whose CPU time is read. */
enum { MAX_NAMED = 256, MAX_ROLES = 8192 };
enum { READER_FLOWS = 8, READER_USAGE = 5, READER_READS = 2, FLOW_BITS = 40 };

/* A flow whose slice has not arrived yet. */
struct reader_flow {
	uint64_t time_ns;
	struct arg arg;
};

struct reader {
	uint32_t worker; /* whose ring it is now: number + 1; 0: the thread goes on in another ring, or is not known */
	int32_t tid;	 /* whose it was last; 0: not known */
	uint64_t head;	 /* of the ring, when the round began */
	uint64_t lost;	 /* losses reported so far */
	uint32_t usage_run; /* the run that usage belongs to */
	struct arg usage[READER_USAGE];
	uint32_t reads_run; /* the same of reads */
	struct arg reads[READER_READS];
	uint32_t queued_run;		   /* the run that waited in a pool's queue, */
	uint64_t queued_since_ns;	   /* and since when */
	uint32_t sequences_run, sequences; /* the run that these go into, 0: the next one; a text, 0: none */
	uint32_t n_usage;
	bool is_awake;	       /* the thread did not sleep meanwhile, and its wait is known */
	uint32_t usage_before; /* time before the run that they include, in 65,536ths of its own */
	uint32_t begun_run;    /* the last run that began here, */
	uint64_t begun_ns;     /* and when */
	uint32_t shapes_run;   /* a run whose inputs arrived after its begin had been put */
	struct arg shapes[2];
	uint32_t n_flows;
	struct reader_flow flow[READER_FLOWS];
	uint32_t run_session;	       /* of the run that is open, 0: none */
	uint32_t alloc_node, n_allocs; /* calls to allocators in this node, since it was last complete */
	uint64_t alloc_bytes;
};

enum { RECORDED_OTHERS = 8 };

struct recorded {
	struct segment_map map;
	char path[512];
	pid_t pid;	   /* as seen from here; from NAMESPACE_UNKNOWN on: unknown, the owner may count up */
	bool is_elsewhere; /* its pid namespace is another one */
	int pidfd;	   /* -1: unavailable */
	uint64_t found_ns; /* the caller's: CLOCK_MONOTONIC when it appeared */
	uint32_t track;
	bool is_of_tree;	 /* the track; else it is this process's own, once it has one */
	uint64_t flows_base;	 /* added to the ids of its flows; its owner's, unlike that of others */
	struct clock_map *clock; /* shared by all processes; NULL: records carry CLOCK_MONOTONIC */
	bool has_runtime, is_noted, is_fork_noted, is_memory_noted, is_profile_noted;
	uint64_t profile_due_ns;
	bool is_off_told;     /* that the program made the agent stop, */
	uint32_t filter_cost; /* and what else was said of what it forbids: enum filter_cost */
	bool is_confined_told;
	uint64_t looked_ns; /* the caller's: when it looked for filters */
	struct lanes lanes;
	struct memory memory;
	struct device device;
	struct annotations annotations;
	struct reader reader[SEGMENT_MAX_RINGS];
	struct workers workers;
	uint32_t n_named;
	struct recorded_other {
		uint32_t path, title; /* title 0: by its path */
	} other[RECORDED_OTHERS];     /* libraries of runtimes that are not recorded, to be noted */
	uint32_t n_others;
	struct {
		uint64_t due_ns, sampled_ns;
		uint32_t threads_track, cpu_track, n_threads;
	} pool; /* the caller's: samples of its pool threads */
	struct {
		uint32_t in_use_track, kept_track;
		uint64_t at;
	} heap; /* the caller's: what malloc has */
	struct sessions sessions;
	struct callers callers;
	uint64_t dict_lost, texts_lost, ring_lost, nonsense;
	bool has_lost; /* records, in any ring */
	/* numbers used by earlier programs of this process: exec starts again from 1 */
	uint64_t session_base, run_base, last_session, last_run;
};

/* Opens a segment. The caller fills in pidfd and track. NULL and err: not a valid segment, or out of memory. */
struct recorded *recorded_open(const char *path, struct names *names, struct clock_map *clock, struct err *err);
/*
 * After recorded_open, in the process itself, which shares the segment (capture/agent/share.h): what is read is what is
 * written from now on. 0, -ENOMEM, or the sink's error.
 */
int recorded_share(struct recorded *process, struct sink *out, struct err *err);
/* One without a segment: its records come from elsewhere, with CLOCK_MONOTONIC. NULL and err: out of memory. */
struct recorded *recorded_new(pid_t pid, uint32_t track, struct names *names, struct err *err);
void recorded_close(struct recorded *process);

/* An inference's number in the process. The agent counts in 32 bits: after the last number it begins again. */
static inline uint64_t recorded_run(const struct recorded *process, uint32_t run)
{
	const uint64_t turn = (uint64_t)1 << 32;
	uint64_t number = (process->last_run & ~(turn - 1)) | run;

	if (number + turn / 2 < process->last_run)
		number += turn;
	else if (number > process->last_run + turn / 2 && number >= turn)
		number -= turn;
	return number;
}

static inline uint64_t recorded_ns(const struct recorded *process, uint64_t ticks)
{
	return process->clock ? clock_map_ns(process->clock, ticks) : ticks;
}

/* Its track; defined here if the tree of processes did not know it. */
uint32_t recorded_track(struct recorded *process, struct sink *out);
/*
 * The ring belongs to this thread from now on: to a new one if it is not known, which ends the one before. 0, -ENOMEM,
 * or the sink's error.
 */
int recorded_begin_thread(struct recorded *process, struct reader *reader, int32_t tid, uint64_t begin_ns,
			  struct sink *out, struct err *err);
/* Its thread goes on in another ring: who comes next in this one does not end it. */
void recorded_leave_ring(struct recorded *process, struct reader *reader);
/* The track of the thread whose ring this is, or of the process while the thread is unknown; defined here if new. */
uint32_t recorded_define_thread(struct recorded *process, const struct reader *reader, struct sink *out);
/* Reads new dictionary entries, and writes a note for each runtime found. */
int recorded_read_names(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err);
/* Writes a note for a runtime; entry->text: path, version, armed families, families left out. arm_ns 0: unknown. */
int recorded_tell_runtime(struct recorded *process, const struct segment_entry *entry, uint64_t arm_ns,
			  struct sink *out, uint64_t now_ns, struct err *err);
/* Puts an instant of kind note with the track, time and arguments of `of`. 0, or the error of the sink. */
int recorded_note(struct sink *out, const char *topic, const struct event *of, struct err *err);
/* Writes that `count` events in it are not recorded. */
int recorded_lost(struct recorded *process, struct sink *out, uint64_t now_ns, uint64_t count, const char *where,
		  struct err *err);

/* A run of this thread begins: what was said to go into the next one goes into this one. */
static inline void recorded_begin_sequences(struct reader *reader, uint32_t run)
{
	if (reader->sequences && !reader->sequences_run)
		reader->sequences_run = run;
}

static inline uint32_t recorded_thread_track(struct recorded *process, const struct reader *reader, struct sink *out)
{
	uint32_t track = reader->worker ? process->workers.at[reader->worker - 1].track : 0;

	return track ? track : recorded_define_thread(process, reader, out);
}

#endif
