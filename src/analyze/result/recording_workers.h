/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that run a model beside each other: how alike they are. */
#ifndef ANALYZE_RESULT_RECORDING_WORKERS_H
#define ANALYZE_RESULT_RECORDING_WORKERS_H

#include "analyze/summary/summary.h"

/* One process: its session of the model that ran most. */
struct recording_worker {
	uint32_t process; /* SUMMARY_NONE: none */
	uint64_t n_runs;  /* of all its sessions of the model */
	uint64_t n, p50_ns, p90_ns;
};

struct recording_workers {
	uint32_t n; /* with a latency: its session ran often enough, and is listed */
	uint64_t least_runs, most_runs;
	struct recording_worker quickest, slowest; /* by median */
	struct recording_worker usual;		   /* the one in the middle */
};

struct recording_workers recording_workers_of(const struct summary *summary, const struct summary_model *model);

enum { RECORDING_WORKERS = 256 };

/*
 * The first of them, those with the least median first; n 0: none of its inferences count for a latency. Returns 0
 * where too many sessions are recorded for each to be listed.
 */
uint32_t recording_workers_list(const struct summary *summary, const struct summary_model *model,
				struct recording_worker all[RECORDING_WORKERS]);

#endif
