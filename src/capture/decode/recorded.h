/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recorded process, as its agent's segment tells or the probes in it: threads, sessions, and what was read so far.
 * One thread.
 */
#ifndef CAPTURE_DECODE_RECORDED_H
#define CAPTURE_DECODE_RECORDED_H

#include "base/clock.h"
#include "capture/decode/lanes.h"
#include "capture/decode/memory.h"
#include "capture/decode/segment.h"

/* Where slices and instants of a program that annotates itself lie: one per thread. */
struct annotation_lane {
	uint32_t track; /* 0: not defined yet */
	uint32_t depth;
};

struct annotation_counter {
	uint32_t name, track;
};

struct annotations {
	struct annotation_lane lane; /* of rings whose thread is not known */
	uint32_t group, n_counters;
	struct annotation_counter *counter;
};

/* A thread of the target, from what its ring says. */
struct worker {
	int32_t tid;
	int32_t inner_tid; /* as the agent tells it: another number in another pid namespace */
	uint32_t track;	   /* 0: nothing to show so far */
	uint32_t role;	   /* name id */
	struct annotation_lane annotations;
};

enum { MAX_NAMED = 256, READER_FLOWS = 8 };

/* A flow whose slice has not come yet. */
struct reader_flow {
	uint64_t time_ns;
	struct arg arg;
};

struct reader {
	uint32_t worker;    /* whose ring it is now: index + 1 */
	uint64_t lost;	    /* losses told of so far */
	uint32_t usage_run; /* the run that usage belongs to */
	struct arg usage[4];
	uint32_t begun_run;  /* the last run that began here, */
	uint64_t begun_ns;   /* and when */
	uint32_t shapes_run; /* inputs that came when their run's begin was gone already */
	struct arg shapes[2];
	uint32_t n_flows;
	struct reader_flow flow[READER_FLOWS];
	uint32_t alloc_node, n_allocs; /* calls to allocators in this node, since it was last complete */
	uint64_t alloc_bytes;
};

struct session {
	uint32_t model, creating; /* name of the group, now and while it is being created */
	uint32_t path, providers, options;
	int64_t bytes;
};

struct recorded {
	struct segment_map map;
	char path[512];
	pid_t pid;	   /* as seen from here; NAMESPACE_UNKNOWN: not known, the owner may count on from there */
	bool is_elsewhere; /* its pid namespace is not ours */
	int pidfd;	   /* -1: cannot be had */
	uint32_t track;
	const struct clock_map *clock; /* NULL: records carry CLOCK_MONOTONIC */
	bool has_runtime, is_noted;
	struct lanes lanes;
	struct memory memory;
	struct annotations annotations;
	struct reader reader[SEGMENT_MAX_RINGS];
	struct worker *worker;
	uint32_t n_workers, n_named;
	struct session *session; /* by number */
	uint32_t n_sessions;
	uint64_t dict_lost, ring_lost;
	/* numbers that earlier programs of this process have used: exec starts again from 1 */
	uint32_t session_base, run_base, last_session, last_run;
};

/* Reads a segment. pidfd and track are the caller's to fill in. NULL and err: not a segment of ours, no memory. */
struct recorded *recorded_open(const char *path, struct names *names, const struct clock_map *clock, struct err *err);
/* One without a segment: its records come from elsewhere, with CLOCK_MONOTONIC. NULL and err: no memory. */
struct recorded *recorded_new(pid_t pid, uint32_t track, struct names *names, struct err *err);
void recorded_close(struct recorded *process);

uint64_t recorded_ns(const struct recorded *process, uint64_t ticks);
/* Its track; defined here if the tree of processes did not know it. */
uint32_t recorded_track(struct recorded *process, struct sink *out);
/* NULL: memory is out. Good until the next call. */
struct worker *recorded_worker(struct recorded *process, int32_t tid);
/* The track of the thread whose ring this is. */
uint32_t recorded_thread_track(struct recorded *process, struct reader *reader, struct sink *out);
/* By number; one that makes no sense is number 0. NULL: memory is out. Good until the next call. */
struct session *recorded_session(struct recorded *process, uint32_t number);
/* Puts what was gathered from several threads, up to until_ns, in the order of time. 0, -ENOMEM, or the sink's error.
 */
int recorded_put(struct recorded *process, struct sink *out, uint64_t until_ns, struct err *err);
/* Reads on in the dictionary, and tells of runtimes found. */
int recorded_read_names(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err);
/* Tells of a runtime; entry->text: path, version, what was armed, what was left out. arm_ns 0: not known. */
int recorded_tell_runtime(struct recorded *process, const struct segment_entry *entry, uint64_t arm_ns,
			  struct sink *out, uint64_t now_ns, struct err *err);
/* Puts an instant of kind note with the track, time and arguments of `of`. 0, or the error of the sink. */
int recorded_note(struct sink *out, const char *topic, const struct event *of, struct err *err);
/* That `count` of what happened in it is not recorded. */
int recorded_lost(struct recorded *process, struct sink *out, uint64_t now_ns, uint64_t count, const char *where,
		  struct err *err);

#endif
