/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the slices of a recording that begin in a range of time, for answers that need each of them. It is a job
 * of the server, which goes on a few milliseconds at a time, so that nobody waits for it but who asked.
 */
#ifndef SHOW_VIEW_VIEW_SCAN_H
#define SHOW_VIEW_VIEW_SCAN_H

#include "analyze/stats/stats.h"
#include "analyze/store/keys.h"
#include "analyze/store/store_halts.h"
#include "show/view/view_in.h"

struct view_scan {
	struct http_job job; /* must be first */
	struct view *view;
	uint64_t from_ns, to_ns; /* slices that begin from .. to - 1 */
	uint64_t version;	 /* of the view; positions are of no use in another one */
	uint32_t track;		 /* where it is */
	size_t at;
	bool is_in_track, has_failed; /* out of memory */

	/* Takes slices at..end-1 of a track. */
	void (*take)(struct view_scan *scan, const struct store_track *track, size_t at, size_t end);
	/* Everything was taken: fills the answer. */
	void (*finish)(struct view_scan *scan, struct http_answer *answer);
	/* Frees what the owner has in it, but not the scan. May be NULL. */
	void (*done)(struct view_scan *scan);
};

/*
 * Begins a walk: size bytes, zeroed, with a struct view_scan first. The caller sets the three functions. NULL: the
 * answer says why, as it does when the range of the request makes no sense.
 */
void *view_scan_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer);

/* Which model a slice belongs to, and which inferences count for a latency. */
/* The last track and inference that were looked for: slices of one come behind each other. Zeroed to begin with. */
struct model_cache {
	uint32_t track, process, inference, model;
};

/* A name; 0: not known. An operator has no model of its own: that of the inference around it, in any track. */
uint32_t model_of(const struct view *view, struct model_cache *cache, const struct store_track *track, size_t at);

/* Of an inference: like the report, without those that failed, were cut off, or were the first of a session. */
bool model_counts(const struct view *view, const struct store_track *track, size_t at);
/* Its status is another one than "ok". */
bool model_failed(const struct view *view, const struct store_track *track, size_t at);

/*
 * Slices of a range, summed up by model, name and class, with the time that none of their own kind inside them took.
 * The tables of operators and phases, and the icicle, are made of it.
 */
enum { GROUPS_DEPTH = 64, GROUPS_MOST = 1 << 20 };

struct group {
	uint32_t model, name;
	uint16_t class;
	enum event_kind kind;
	uint32_t provider; /* of the first */
	uint64_t n, total_ns, self_ns, min_ns, max_ns;
	uint64_t n_halted, halted_ns; /* of operators and setup during which the process was halted; not in the above */
	uint64_t device_ns;	      /* of kernels that these operators have asked for */
};

struct groups {
	struct view_scan scan; /* its take, finish and done are set by groups_new */
	uint32_t kinds;	       /* bits of enum event_kind: which slices */
	bool by_type;	       /* name is 0: all operators of a type are one group */
	bool with_device;      /* kernels add to the device_ns of their operators */
	struct model_cache cache;
	struct keys keys;  /* (model, name), (class, kind) */
	struct array rows; /* struct group */
	uint32_t *last;	   /* by name: one more than the group that its last slice was in; 0: none */
	uint32_t n_last;
	struct store_halts halts;
	uint32_t track;		      /* whose slices these are: */
	const struct halts *of_track; /* of its process */
	struct {
		uint32_t group; /* KEYS_NONE: of no group */
		bool is_halted;
		uint64_t end_ns;
	} open[GROUPS_DEPTH];
	/* All were taken. */
	void (*finished)(struct groups *groups, struct http_answer *answer);
	void (*freed)(struct groups *groups); /* may be NULL */
};

/* size bytes with a struct groups first. NULL: the answer says why. */
void *groups_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer);

/* Latencies of the inferences of a range: for the tables of models and of sizes of inputs, and the histogram. */
enum latencies_by {
	LATENCIES_BY_MODEL,   /* what the processes of a program run under one name */
	LATENCIES_BY_PROCESS, /* of a model */
	LATENCIES_BY_SIZE,    /* of the inputs of a model, where it is known; of those that count */
	LATENCIES_AS_ONE
};

struct latency {
	uint32_t model, process; /* process: the track of the first one */
	uint32_t n_processes;
	uint32_t group;	   /* a model of a program, or of a process */
	uint32_t shapes;   /* of one of a size */
	uint64_t elements; /* by size: of all, added up */
	uint64_t n, n_failed, n_open, first_ns, last_ns, wall_ns;
	struct stats stats; /* of those that count, see model_of */
	uint64_t n_sessions, creation_ns;
};

struct latencies {
	struct view_scan scan;
	enum latencies_by by;
	struct keys keys;    /* what by says */
	struct keys groups;  /* model, program or process */
	struct keys members; /* row, process */
	struct array rows;   /* struct latency */
	struct model_cache cache;
	char model[256]; /* this one alone; "": all */
	/* All were taken. */
	void (*finished)(struct latencies *latencies, struct http_answer *answer);
	void (*freed)(struct latencies *latencies); /* may be NULL */
};

/* size bytes with a struct latencies first. NULL: the answer says why. */
void *latencies_new(struct view *view, size_t size, enum latencies_by by, const struct http_request *request,
		    struct http_answer *answer);

#endif
