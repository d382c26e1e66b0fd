/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording tells of a model besides its inferences: the processes that ran it, the CPUs, other sessions of it.
 * Means of counters are over the time in which the process ran an inference; those of several processes are added up.
 */
#ifndef ANALYZE_RESULT_RECORDING_FACTS_H
#define ANALYZE_RESULT_RECORDING_FACTS_H

#include "analyze/result/program_quota.h"
#include "analyze/summary/summary.h"

/* What is not known is -1 (whole numbers) or NAN (reals). */
struct recording_facts {
	const struct summary *summary; /* borrowed */
	const struct summary_model *model;
	int64_t n_cpus;	   /* of the machine */
	int64_t n_allowed; /* that its process may use, by affinity and quota, rounded up; else as n_cpus */
	double usable;	   /* the same, not rounded; NAN: not known */
	bool is_by_quota;  /* the quota is what limits them */
	struct program_quota quota;
	int64_t n_threads;    /* the most that the process had */
	double cores;	      /* CPUs that the process used */
	double program_cores; /* the same of all recorded processes that ran inferences beside it, and of it */
	double own_share;    /* of what its threads waited for: ran threads of the recorded processes; NAN: not known */
	uint32_t n_beside;   /* processes that ran inferences beside it, and it */
	int64_t n_at_work;   /* threads of these that may work at a time: inferences and pools */
	double all_cores;    /* the same of all recorded processes, */
	double others_cores; /* and of everything else on the machine */
	int64_t n_pool;	     /* threads of the runtime's pools in the process, at most */
	double pool_cores;   /* CPUs that they used, also while no inference ran */
	double pool_busy;    /* share of that time in which one did */
	double pool_cpu_ns;  /* the same in all */
	double pool_work;    /* CPUs that they can have used for inferences, at most */
	double duty; /* inferences of the process by the time from its first to its last; above 1: side by side */
	double memory_per_s;   /* bytes by which the process still grew at the end */
	double rate_per_s;     /* inferences of the process */
	uint32_t n_at_once;    /* sessions of the model that one process used at a time, at most */
	bool is_one_at_a_time; /* the process never ran two inferences at a time */
	bool is_largest;       /* no model of the process took more time: what is found of the process is said of it */
	uint32_t asked, n_asked; /* first provider asked for but the CPU: its place in the model's providers; 0: none */
};

/* The counter of that name, of a process or (SUMMARY_NONE) of the machine; NULL: it was not recorded. */
const struct summary_resource *recording_counter(const struct summary *summary, uint32_t process, const char *name);

/*
 * CPUs that all recorded processes used together while inferences ran; *is_of_runs false: in all, of one that ran none
 * between two samples. NAN: not known.
 */
double recording_cores(const struct summary *summary, bool *is_of_runs);

/*
 * CPUs that each process which ran inferences may use, by affinity and quota; NAN: not known, or they differ from each
 * other.
 */
double recording_usable(const struct summary *summary);
/* Share of the CPUs' time that the host of a virtual machine took while inferences ran; NAN: none, or not known. */
double recording_stolen(const struct summary *summary);
#define RECORDING_MUCH_STOLEN 0.1 /* from here on it is worth a sentence */

/* How much a process that runs inferences stands back for others, at most: 1 to 19; 0: none does, or not known. */
double recording_nice(const struct summary *summary);
/* Half of the inferences or more read 1 MiB or more from a disk, and are blocked for a twentieth of their time then. */
bool recording_reads_again(const struct summary_runs *runs);

struct recording_facts recording_facts_of(const struct summary *summary, uint32_t model);

#endif
