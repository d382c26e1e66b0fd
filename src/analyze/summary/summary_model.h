/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a model in a summary: its sessions, inferences and operators. What is not known: see summary.h. */
#ifndef ANALYZE_SUMMARY_SUMMARY_MODEL_H
#define ANALYZE_SUMMARY_SUMMARY_MODEL_H

#include <math.h>
#include <stdint.h>

#include "analyze/stats/stats.h"
#include "analyze/stats/stats_series.h"
#include "analyze/stats/stats_typical.h"
#include "analyze/summary/part/summary_compiling.h"
#include "analyze/summary/part/summary_device.h"
#include "analyze/summary/part/summary_generation.h"
#include "analyze/summary/part/summary_slow.h"
#include "analyze/summary/part/summary_tally.h"
#include "event/event.h"

#define SUMMARY_NONE UINT32_MAX /* index of no process, no model */
enum { SUMMARY_BUCKETS = 32, SUMMARY_DEVICES = 64 };

/* In the order in which they come, as far as they have one. */
enum summary_phase {
	PHASE_SET_UP, /* of the session: options, pool threads, creation of transformers; and what comes last */
	PHASE_LOAD,   /* what is not one of the next three */
	PHASE_READ,
	PHASE_PARSE,
	PHASE_BUILD,
	PHASE_PROVIDERS,
	PHASE_REGISTER,
	PHASE_TRANSFORM,
	PHASE_RESOLVE,
	PHASE_PARTITION,
	PHASE_COMPILE,
	PHASE_LOOK_UP,
	PHASE_PLAN,
	PHASE_WEIGHTS,
	PHASE_KERNELS,
	PHASE_PREPACK,
	PHASE_HASH,
	PHASE_PROVIDER,
	PHASE_OTHER,
	PHASE_HALTED,	    /* what was at hand when the process was stopped, traced or frozen */
	PHASE_WAITING,	    /* its thread waited for a CPU, whichever phase it was in */
	PHASE_UNATTRIBUTED, /* what no slice inside the session explains */
	N_PHASES
};

struct summary_session {
	uint32_t process, model;
	int64_t number;						 /* in its process; -1: unknown */
	uint32_t name, path, providers, options, status, caller; /* caller: as KEY_CALLER; 0: not known */
	uint32_t runtime;					 /* its name; 0: not known */
	uint32_t n_replaced; /* how often another file had been loaded from its path before */
	int64_t bytes;
	bool has_slice;		      /* its creation was recorded */
	bool is_failed, has_waits;    /* has_waits: PHASE_WAITING is known */
	uint64_t begin_ns, end_ns;    /* of the creation; STORE_OPEN: cut off */
	uint64_t released_ns;	      /* 0: not seen */
	uint64_t last_ns;	      /* end of its last inference; 0: none */
	uint64_t phase_ns[N_PHASES];  /* add up to end_ns - begin_ns */
	uint64_t phase_n[N_PHASES];   /* slices */
	uint64_t n_prepacked;	      /* weights that a kernel has put into a layout of its own */
	uint64_t n_capabilities;      /* groups of nodes that providers have asked for */
	uint64_t n_compared;	      /* shapes that the memory planner looked up to compare values */
	uint64_t n_pool, pool_cpu_ns; /* threads started for the runtime's pools; CPU that they used meanwhile */
	uint32_t made_in; /* the process that created it, before a fork; SUMMARY_NONE: its own, or unknown */
	uint64_t made_ns; /* begin of that creation */
	uint64_t n_runs, n_runs_failed;
	uint64_t runs_wall_ns;
	uint64_t runs_begin_ns, runs_end_ns; /* of the first, of the last that began; 0: none */
	struct summary_spread latency;	     /* like struct summary_runs; n == 0 when there are too many sessions */
};

/* A graph transformer, in all sessions of a model. Its time is without that of others inside it. */
struct summary_transformer {
	uint32_t model, name;
	uint64_t n, n_told, n_changed; /* calls; of those that tell whether they changed the graph */
	uint64_t self_ns;
};

struct summary_creation {
	uint64_t n, n_recorded, n_failed, n_open, n_waits; /* n_waits: of which waits for a CPU are known */
	struct summary_spread duration;			   /* finished, not failed; the phases are of the same */
	uint64_t phase_ns[N_PHASES], phase_n[N_PHASES];
	uint64_t n_prepacked, n_capabilities, n_compared;
	uint64_t n_pool, pool_cpu_ns;
};

/* Inferences whose thread's use of the CPU is known, and how long it neither ran nor waited for one; one at most. */
struct summary_blocked {
	uint64_t n, wall_ns, blocked_ns, longest_ns;
};

/* Inferences after a pause of their session, or in a row. */
struct summary_pause {
	uint64_t n, p25_ns, p50_ns, p75_ns;
};

/*
 * Threads that take turns: the stretches between two inferences of a thread in which others ran one of the same
 * session, and how much of them these inferences fill.
 */
struct summary_turns {
	uint64_t n, between_ns, filled_ns;
	uint64_t n_beside; /* inferences that began while another one of their session ran */
};

struct summary_runs {
	uint64_t n, n_failed, n_open, n_partial, n_first, n_without_status;
	uint64_t begin_ns, end_ns;     /* first begin, last end */
	double rate;		       /* finished ones per second between the two; NAN: fewer than 2 */
	uint64_t n_all;		       /* n, and about how many that were left out on request */
	struct summary_spread latency; /* finished, not failed, not partial, not the first of a session */
	struct stats_series series;    /* the same more closely */
	struct stats_typical typical;  /* the same; if summary_opts.with_typical */
	struct summary_spread first;
	struct summary_spread queue;		   /* in a pool's queue, before they began */
	uint64_t n_behind;			   /* of these, asked for before another one of their session ended */
	uint64_t bucket[SUMMARY_BUCKETS];	   /* how latencies lie between min and max, see stats_buckets */
	uint64_t wall_ns;			   /* of all finished ones */
	uint64_t inner_ns;			   /* of inferences that began in these, on their threads */
	uint64_t first_inner_ns, typical_inner_ns; /* the same of first ones, and of those in the latency */
	uint64_t open_ns; /* of those that did not end, until the end of the recording or their process */
	uint32_t max_concurrent, n_threads;
	uint64_t n_usage;						     /* those whose thread's usage is known */
	uint64_t thread_cpu_ns, faults, switches, usage_wall_ns, faults_p50; /* faults_p50: of one */
	struct summary_reads reads;
	uint64_t n_waits; /* those whose wait for a CPU is known */
	uint64_t run_queue_ns, waits_wall_ns;
	uint64_t longest_wait_ns;		    /* of one */
	uint64_t first_wait_ns, n_first_waits;	    /* of the first of sessions, as far as it is known */
	uint64_t n_subnormal, subnormal_wall_ns;    /* typical ones whose thread computed with subnormal numbers */
	struct summary_device device, first_device; /* of typical ones; of the first of sessions */
	struct summary_turns turns;
	uint64_t n_first_halted, n_halted, halted_ns; /* finished while their process was halted; how long, at least */
	/* of which the next two are known; whose results can be differentiated; computed as in training */
	uint64_t n_with_traits, n_gradients, n_training_mode;
	uint64_t n_timed;	 /* the runtime itself times each operator of them */
	uint64_t n_pooled;	 /* run by a thread of the runtime's pool, as RunAsync asks for */
	uint64_t first_usual_ns; /* median of those whose inputs are of the size of the first one's; 0: not known */
	bool is_first_alone;	 /* no later one's inputs are of the size of the first one's */
	double size_drift; /* median of the last quarter by that of the first, within sizes of inputs; NAN: not known */
	struct summary_pause after_pause, close; /* after 10 ms without one; within 1 ms of the one before */
	struct summary_blocked alone, beside;	 /* beside inferences of other sessions of the process, or not */
};

/* With those that did not end, without others within these: what shares of time are of. */
static inline uint64_t summary_runs_ns(const struct summary_runs *runs)
{
	uint64_t ns = stats_sum(runs->wall_ns, runs->open_ns);
	return ns > runs->inner_ns ? ns - runs->inner_ns : 0;
}

/* The share of their time that inferences waited for a CPU; NAN: not known, or of less than half of them. */
static inline double summary_waited(const struct summary_runs *runs)
{
	if (!runs->waits_wall_ns || 2 * runs->n_waits < runs->latency.n)
		return NAN;
	return (double)runs->run_queue_ns / (double)runs->waits_wall_ns;
}

/*
 * How much of the inferences is explained; over those that have operators and count for the latency. If there
 * are none of these (only a first one, say), over all finished ones that have operators.
 */
struct summary_coverage {
	uint64_t n, n_parallel;					   /* parallel: operators on more than one thread */
	uint64_t wall_ns, operators_ns, setup_ns, unattributed_ns; /* wall = the sum of the others, and of */
	uint64_t halted_ns;			       /* operators and setup that were halted, or a halt in neither */
	uint64_t operators_p50_ns, turn_ns, behind_ns; /* of one; of unattributed_ns: waited for others; at the end */
	uint64_t n_without; /* inferences that count for the latency and have no operators, if others have some */
};

/* Of inferences that were part of training: their results went into a backward pass. */
struct summary_training {
	uint64_t n_runs, n_passes, passes_ns;
};

struct summary_model {
	uint32_t process;
	uint32_t n_processes;			 /* of the same program, which it was in; 0: in that process alone */
	uint32_t name, path, providers, options; /* as asked for */
	uint32_t runtime;    /* its name: that of its sessions, or the only one in its process; 0: not known */
	uint32_t n_replaced; /* as of its sessions */
	int64_t bytes;
	struct summary_creation creation;
	struct summary_runs runs;
	struct summary_training training;
	struct summary_compiling compiling;
	struct summary_generations generations; /* n 0: none were found */
	struct summary_coverage coverage;
	uint32_t course; /* in courses, + 1: how its inferences went; 0: not known */
	struct summary_range sessions, transformers, types, nodes, ran_on, idle, tallies, sizes, slowest;
	struct summary_range coarse_sizes; /* as sizes, by the elements of all inputs alone; n 0: sizes are those */
	bool are_sizes_mixed; /* they had to be those, so inferences of one differ in the elements of each input */
	uint32_t n_tail;      /* from slowest.first on: those in slowest, and more for findings */
};

enum summary_where {
	WHERE_INFERENCE,  /* in an inference of the coverage */
	WHERE_APART,	  /* in a finished one that is not: the first of a session, a failed one */
	WHERE_UNFINISHED, /* in one that was cut off */
	WHERE_UNKNOWN,	  /* its inference is not in the file */
	WHERE_CREATION,	  /* outside any, while a session was created: constant folding */
	WHERE_OUTSIDE,	  /* outside any */
	N_WHERE
};

/*
 * Operators of one type, or of one node. share_ns: every moment of an inference belongs to the innermost
 * operator that runs, in equal parts if there are several on different threads, so that shares add up to
 * coverage.operators_ns. self_ns: without the operators inside. typical_ns: the share if each call of a node had taken
 * that node's median: a thread that lost its CPU once makes no operator slow. Lists are in this order.
 */
struct summary_operator {
	uint32_t process, model;
	enum summary_where where;
	uint32_t name; /* 0 in types */
	uint32_t op_type, provider, shapes;
	uint64_t n, n_open, n_failed; /* n: finished, without n_halted */
	uint64_t n_halted, halted_ns; /* during which the process was halted: in no other figure; their own time */
	uint64_t self_ns, share_ns, typical_ns;
	struct summary_spread duration;
	struct stats_typical typical;			  /* of duration, if summary_opts.with_typical */
	uint32_t order;					  /* in which they ran first, by thread */
	bool has_children, has_more_shapes, lacks_matrix; /* lacks_matrix: matrix_bytes of one are not known */
	int64_t bytes;					  /* all calls together */
	uint64_t matrix_bytes;				  /* store/matrix_bytes.h, of all calls in self_ns */
	double read_rate;				  /* the same, in bytes a second of self_ns; NAN: not known */
	int64_t allocated;	       /* taken from allocators, all calls together; -1: nothing, or not known */
	uint64_t n_kernels, device_ns; /* of a device, that its finished calls asked for, added up */
};

struct summary_provider {
	uint32_t model, provider;
	uint64_t n_nodes, n_calls, share_ns;
};

/* A provider that was asked for but ran no node, while others did. */
struct summary_idle {
	uint32_t model, at, len; /* at, len: its name, in the text of model->providers */
};

struct summary;
struct summary_runtime;
/* The copy of its runtime that runs a model; NULL: not known, because there is none, or there are several versions. */
const struct summary_runtime *summary_runtime_of(const struct summary *summary, const struct summary_model *model);

#endif
