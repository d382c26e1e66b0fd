/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds an operator: its FLOPs and bytes beside what the machine can do at most. An operator cannot take less
 * time than its FLOPs at the peak of FLOPs, nor than its bytes at the peak of bytes; the larger of the two bounds it.
 * One that takes far longer than both is held up by something else: its own overhead, or a kernel that is no good.
 */
#ifndef ANALYZE_RESULT_MODEL_ROOFLINE_H
#define ANALYZE_RESULT_MODEL_ROOFLINE_H

#include "analyze/result/model/model_result.h"

enum model_bound_by {
	MODEL_BOUND_UNKNOWN, /* FLOPs, bytes or peaks are not known, or it did not run on this CPU; share may be known
			      */
	MODEL_BOUND_COMPUTE,
	MODEL_BOUND_MEMORY,
	MODEL_BOUND_OVERHEAD, /* below a tenth of the possible */
	N_MODEL_BOUNDS
};

#define MODEL_OVERHEAD 0.1

struct model_bound {
	enum model_bound_by by;
	double flops_per_s, bytes_per_s; /* achieved; NAN: not known */
	double intensity;		 /* FLOPs to a byte */
	double possible_ns;		 /* the least time that the machine allows */
	double share;	/* of the possible: possible_ns / mean_ns; above 1: caches did better than memory; without
			   bytes what FLOPs alone allow, which is the least that it can be */
	bool is_cached; /* its bytes fit into the caches of the cores: their speed is the measure */
};

/* Time of operators by what bounds them. */
struct model_bound_sums {
	double ns[N_MODEL_BOUNDS], total_ns;
	uint32_t n[N_MODEL_BOUNDS];
	double possible_ns[N_MODEL_BOUNDS]; /* the least time that the machine allows them, of rated_ns together */
	double rated_ns;		    /* of those whose share of the possible is known */
};

/* flops, bytes: of one call, -1: not known. n_threads: of one operator; 0 or less: one on each CPU. */
struct model_bound model_bound_of(int64_t flops, int64_t bytes, double mean_ns, const struct machine_peak *peak,
				  int64_t n_threads);
void model_bound_add(struct model_bound_sums *sums, const struct model_bound *bound, double share_ns);

#endif
