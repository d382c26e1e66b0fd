/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a slow inference in a summary. What is not known: see summary.h. */
#ifndef ANALYZE_SUMMARY_SUMMARY_SLOW_H
#define ANALYZE_SUMMARY_SUMMARY_SLOW_H

#include <stdbool.h>
#include <stdint.h>

enum { SUMMARY_SLOWEST = 5, SUMMARY_TAIL = 16, SUMMARY_MOST_SLOW = 1000, SUMMARY_OTHERS = 8, SUMMARY_SLOW_NODES = 4 };

/* What is usual of inferences like a slow one: medians. Not known: -1. */
struct summary_usual {
	uint64_t n;	  /* inferences that it is of; 0: nothing is known, nor anything else in the struct */
	bool is_of_shape; /* of those with the same input shapes alone */
	bool is_of_size;  /* of those with about as many input elements */
	uint64_t p50_ns;
	int64_t thread_cpu_ns, run_queue_ns, faults; /* of those whose usage is known */
	int64_t overlap_ns;
	int64_t kernels_ns; /* of those that have kernels of a device */
};

/* Counters that may say why an inference was slow; of its process, unless it is of the machine. */
enum summary_gauge {
	SUMMARY_CPU,		 /* % of one CPU */
	SUMMARY_WAITING,	 /* %: the waits of all its threads for a CPU, of the time that passed */
	SUMMARY_THROTTLED,	 /* %: its cgroup was out of CPU quota, of the time that passed, summed over CPUs */
	SUMMARY_READS,		 /* bytes per second from disks */
	SUMMARY_MACHINE_CPU,	 /* % of all CPUs together */
	SUMMARY_STOLEN,		 /* the same: the host of a virtual machine gave to others */
	SUMMARY_MEMORY_PRESSURE, /* %: some task of the machine waited for memory */
	SUMMARY_FREQUENCY,	 /* MHz: mean of the machine's CPUs */
	SUMMARY_TEMPERATURE,	 /* degrees Celsius: the hottest zone of the machine */
	SUMMARY_DEVICE,		 /* %: a GPU or NPU worked, for any process */
	SUMMARY_DEVICE_OWN,	 /* %: the same for its process */
	SUMMARY_OTHER_PROGRAM,	 /* % of one CPU: a program that is not recorded; only in others[] */
	SUMMARY_RAN_INSTEAD,	 /* %: who ran on the CPUs that its threads waited for; only in others[] */
	N_SUMMARY_GAUGES
};

struct summary_gauged {
	uint64_t span_ns; /* of the samples that touch the inference; 0: none does, and the others mean nothing */
	double mean;	  /* while it ran */
	double amount;	  /* value times seconds, of all of span_ns */
	double usual;	  /* mean while inferences ran */
};

/* Who else used CPUs at the time. */
struct summary_other {
	uint32_t name;		  /* "other program stress-ng", as the counter's */
	enum summary_gauge gauge; /* SUMMARY_OTHER_PROGRAM, SUMMARY_RAN_INSTEAD */
	struct summary_gauged gauged;
};

/* An operator that took longer than its median. With others inside: they count for it. */
struct summary_slow_node {
	uint32_t name;
	uint64_t ns, p50_ns;
};

/* Why an inference was slow; the model's own numbers are the measure. */
struct summary_slow {
	uint32_t process, model;
	int64_t session, id, number, tid;
	uint64_t begin_ns, duration_ns;
	int64_t run_queue_ns, thread_cpu_ns, faults, switches;
	int64_t operators_ns; /* of the coverage; -1: it has none */
	uint32_t node;	      /* the operator that took most more than its median; 0: unknown */
	uint64_t node_ns, node_p50_ns;
	bool is_in_creation;   /* a session of the process was being created at the time */
	uint32_t n_concurrent; /* other inferences of the process at the time */
	bool is_failed;
	/* what analyze/why goes by */
	struct summary_usual usual;
	int64_t major_faults, read_bytes; /* of the thread; -1: none, or not known */
	uint64_t turn_ns;      /* for which it waited for another one of its session before its first operator */
	uint64_t compile_ns;   /* for which the runtime compiled in it */
	int64_t pool_queue_ns; /* before it, in a pool's queue; -1: it was in none, or not known */
	uint32_t shapes;       /* of its inputs; 0: not known */
	uint64_t elements;     /* of its inputs; 0: not known */
	uint32_t size;	       /* shapes_size */
	uint64_t n_shapes, n_of_shape; /* different ones of the model so far; inferences with its own, in all */
	bool is_new_shape;	       /* the first with it, and not the first of all */
	uint32_t other_model;	       /* the inference that overlapped most: name of its model; 0: none did */
	int64_t other_session;	       /* the same; -1: not known */
	uint32_t other_process;	       /* index in processes */
	int64_t kernels_ns;	       /* kernels of a device, added up; -1: not recorded */
	uint32_t device;	       /* what SUMMARY_DEVICE and _OWN are of: a counter's name; 0: none */
	uint64_t overlap_ns;	       /* time of all others in its own, added up */
	uint64_t creation_ns;	       /* for which a session of the process was being created */
	struct summary_slow_node nodes[SUMMARY_SLOW_NODES]; /* most above their median first */
	uint64_t nodes_ns;		    /* of all nodes: above their median, less those inside others */
	uint32_t halted, halted_by;	    /* how its process was halted meanwhile: EVENT_HALT_*, 0: not; a tracer */
	uint64_t halted_ns, halted_most_ns; /* for how long, at least and at most */
	struct summary_gauged gauged[N_SUMMARY_GAUGES];
	struct summary_other others[SUMMARY_OTHERS]; /* who ran instead, then largest mean first; name 0: no more */
};

#endif
