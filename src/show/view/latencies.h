/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of the inferences of a range: for the tables of models and of sizes of inputs, and the histogram. */
#ifndef SHOW_VIEW_LATENCIES_H
#define SHOW_VIEW_LATENCIES_H

#include "analyze/stats/stats.h"
#include "analyze/store/keys.h"
#include "show/view/model_of.h"
#include "show/view/view_scan.h"

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
	struct stats stats; /* of those that count, see model_of.h */
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
