/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of the inferences of a range, by model: for the table of models, and the histogram. */
#ifndef SHOW_VIEW_LATENCIES_H
#define SHOW_VIEW_LATENCIES_H

#include "analyze/stats/stats.h"
#include "analyze/store/keys.h"
#include "show/view/model_of.h"
#include "show/view/view_scan.h"

struct latency {
	uint32_t model, process; /* track */
	uint64_t n, n_failed, n_open, first_ns, last_ns, wall_ns;
	struct stats stats; /* of those that count, see model_of.h */
	uint64_t n_sessions, creation_ns;
};

struct latencies {
	struct view_scan scan;
	struct keys keys;  /* model, process */
	struct array rows; /* struct latency */
	struct model_cache cache;
	char model[256]; /* this one alone; "": all */
	bool as_one;	 /* all models together */
	/* All were taken. */
	void (*finished)(struct latencies *latencies, struct http_answer *answer);
	void (*freed)(struct latencies *latencies); /* may be NULL */
};

/* size bytes with a struct latencies first. NULL: the answer says why. */
void *latencies_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer);

#endif
