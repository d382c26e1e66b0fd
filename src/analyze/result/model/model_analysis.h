/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from the facts of model_result.h: statistics of each run, its operators beside those of the other
 * runs, and what bounds them. Borrows the report; the rest lies in one arena.
 */
#ifndef ANALYZE_RESULT_MODEL_MODEL_ANALYSIS_H
#define ANALYZE_RESULT_MODEL_MODEL_ANALYSIS_H

#include "analyze/result/finding.h"
#include "analyze/result/model/model_compare.h"
#include "analyze/result/model/model_result.h"
#include "analyze/stats/stats_series.h"
#include "base/err.h"

/*
 * What bounds an operator: its FLOPs and bytes beside what the machine can do at most. An operator cannot take less
 * time than its FLOPs at the peak of FLOPs, nor than its bytes at the peak of bytes; the larger of the two bounds it.
 * One that takes far longer than both is held up by something else: its own overhead, or a kernel that is no good.
 */
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

/* One shape group of a run. */
struct model_group {
	const char *shape;
	struct stats_series latency;
	struct stats_series first_token; /* generations; else n == 0 */
};

struct model_run {
	const struct model_result *result;
	struct stats_series latency;  /* inferences that did not fail; the first and the warm-up are not among them */
	struct stats_series response; /* open loop: since it should have started; n == 0: closed loop */
	struct stats_series first_token; /* generations, since they should have begun; else n == 0 */
	struct model_group *groups;	 /* n_groups == 0: all had one shape, and made no tokens */
	uint32_t n_groups;
	uint64_t n_failed;
	uint32_t n_rounds; /* processes that the latencies are of; from 2 on, what differs between them widens the
			      interval */
	double round_low_ns, round_high_ns; /* lowest and highest mean of one of them */
	double
	    rate_per_s; /* ended ones, or tokens, from the first begin to the last end of each round; NAN: not known */
	double waited;	/* share of the time that its threads could have run in and waited for a CPU; NAN: not known */
	double cores;	/* CPU time by wall time; NAN: not known */
	double others_cores;	  /* the same of all other programs meanwhile; NAN: not known */
	double energy_joules;	  /* of one inference; NAN: not known */
	int64_t creation_rest_ns; /* what no phase explains; -1: not known */
	double weights_per_s;	  /* generations: bytes of weights read for tokens but the first ones; NAN: not known */
	double weights_share;	  /* of what this machine's memory reaches; NAN: not known, or not in its memory */
	double items;		  /* that the speeds count with: of one inference, or 1 if all runs have as many */
	double items_per_s;	  /* NAN: no batch size was asked for, or the rate is not known */
	/* different: of one process each, the medians must differ by 3 % as well */
	struct stats_ratio speed; /* the mean of the first run by this one's, of an item: above 1 this one is faster */
	bool is_apart;		  /* each of its processes is slower (faster) than all of the first run */
	double typical_speed;	  /* the same of the medians: outliers do not count; NAN: not known */
	struct model_bound *bounds; /* one for each operator */
	struct model_bound_sums bound_sums;
};

struct model_analysis {
	const struct model_report *report;
	struct model_run *runs; /* report->n_results */
	bool is_per_item;	/* the runs have different batch sizes: speeds compare the times of an item */
	struct model_comparison comparison;
	struct finding *findings; /* by insights_find (analyze/insight): those that promise most first */
	uint32_t n_findings;
	struct arena *arena, own;
};

/*
 * Without findings (see insights_analyse). The report is borrowed until model_analysis_free and must not change. NULL
 * and err: out of memory.
 */
struct model_analysis *model_analysis_new(const struct model_report *report, struct err *err);
/* The same in memory of the caller's, with all that it points to in the caller's arena. 0, or -ENOMEM. */
int model_analysis_init(struct model_analysis *analysis, const struct model_report *report, struct arena *arena);
void model_analysis_free(struct model_analysis *analysis); /* NULL does nothing */

/* How many times as fast run b is as run a, of an item, as model_run.speed is of run b and the first. */
struct stats_ratio model_speed_of(const struct model_run *a, const struct model_run *b);
/* The fastest other run that run a is not surely faster than; MODEL_NONE: it is surely the fastest. */
uint32_t model_rival(const struct model_analysis *analysis, uint32_t a);

/* Joules of the steady phase for each of its inferences; NAN: not known. */
double model_energy_each(const struct model_run *run, double joules);

/* The node of the model that an operator of a run is, by name; else the operator's own name, which may be NULL. */
static inline const char *model_operator_name(const struct model_analysis *analysis, uint32_t run, uint32_t i)
{
	uint32_t node = analysis->comparison.node_of[run][i];

	return node == MODEL_NONE ? analysis->report->results[run].operators[i].name
				  : model_facts_of(analysis->report, run)->nodes[node].name;
}

#endif
