/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of one model that was run in several ways (on several providers, devices, policies), or that was seen in a
 * recording: what was measured and what is known of the model, in plain fields, before any statistics
 * (model_analysis.h). `inftrace model` fills it (src/experiment), and recording_result.h.
 *
 * What is not known is NULL (texts), -1 (whole numbers), NAN (reals) or n == 0 (arrays), never a zero value:
 * start from model_report_init and model_result_init. Texts and arrays are borrowed for the report's life; texts come
 * from strangers' files and may hold any bytes. Times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef ANALYZE_RESULT_MODEL_RESULT_H
#define ANALYZE_RESULT_MODEL_RESULT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "analyze/result/model/machine_peak.h"
#include "analyze/result/model/model_facts.h"
#include "analyze/result/model/model_latency.h"
#include "analyze/result/recording_facts.h"
#include "analyze/summary/summary.h"

struct model_machine {
	const char *cpu, *kernel, *host;  /* "AMD EPYC", "6.1.0", NULL: not to be told */
	int64_t n_cpus;			  /* that we may use, by affinity and the quota of a cgroup, rounded up */
	double usable_cpus;		  /* the same, not rounded; NAN: not known */
	bool is_by_quota;		  /* the quota is what limits them */
	int64_t n_all_cpus, memory_bytes; /* of the machine */
	struct machine_peak peak;	  /* machine_peak_init: not measured */
};

/* What runs of a report may differ in. */
enum model_axis {
	MODEL_AXIS_MODEL,
	MODEL_AXIS_RUNTIME,
	MODEL_AXIS_PROVIDER, /* or policy */
	MODEL_AXIS_THREADS,
	MODEL_AXIS_BATCH,
	MODEL_AXIS_OPTIMIZATION,
	N_MODEL_AXES
};

/* How it was asked for, in words: "duration", "10 s". */
struct model_setting {
	const char *name, *value;
};

/* A step of the run: "runtime loaded", "session created", "first inference", "warm-up", "steady" ... in order. */
struct model_step {
	const char *name;
	int64_t begin_ns, end_ns;
	int64_t rss_bytes, peak_bytes; /* resident after it; the most until then */
};

/* A part of session creation; they add up to the whole with what model_result.creation_ns has more. */
struct model_phase {
	const char *name;
	int64_t ns, n;
};

/* A graph transformer, all calls together, without others inside. */
struct model_transformer {
	const char *name;
	int64_t ns, n;
};

/* A node of the graph as it ran: names are those of the runtime's optimised graph. */
struct model_operator {
	const char *name, *op_type, *provider, *shapes;
	uint64_t n;		     /* calls */
	double mean_ns, interval_ns; /* of a call: mean +- interval with 95 % confidence */
	double p50_ns;
	double share_ns;      /* of all calls; of all operators they add up, see struct summary_operator */
	int64_t flops, bytes; /* of a call, where it is known better than by its source node; else -1 */
};

/* Where nodes ran: from what ran, not from what was promised. */
struct model_placement {
	const char *provider;
	int64_t n_nodes, n_calls;
	double share_ns;
};

/* What the provider's own profiler saw run inside the operators, all rows of one name together. */
struct model_kernel {
	const char *name, *op_type, *implementation; /* "conv_1", "Convolution", "brgconv_avx512" */
	const char *source_ops;			     /* nodes of the model that it was made from, ';' between them */
	int64_t n;
	double time_ns; /* of all of them; NAN: the profiler counts cycles */
	int64_t cycles; /* -1: the profiler tells times */
	double share;	/* of the cycles, or the time, of all kernels; NAN: of a whole */
	bool is_whole;	/* not a kernel: the execution as a whole, as the provider sees it ("QNN (execute) time") */
};

/* A counter while the steady inferences ran: "gpu card1 power", "W". */
struct model_counter {
	const char *name, *unit;
	double mean, max;
	uint32_t n; /* rounds that it was seen in */
};

/* A GPU or NPU that was used, while the steady inferences ran. */
struct model_device {
	const char *name, *description; /* "gpu card1", "amdgpu 1002:744C at 0000:03:00.0" or NULL */
	double busy_pct, busy_max_pct;
	const char *busy_of;		  /* "device", or whose and of what: "process, compute"; NULL: nothing tells */
	double process_bytes, used_bytes; /* the most that the process had, and that was in use of the whole device */
	double watts, joules;
	const char *energy_missing; /* why joules is not known, where the device has a meter */
	uint32_t n;		    /* rounds that it was seen in */
};

/* An output of the first inference beside the same output of `against`. */
struct model_output {
	const char *name, *type, *shape;
	int64_t n_elements, n_different;     /* beyond the tolerance, or NaN in one of them only */
	double max_abs, max_rel, cosine;     /* cosine: similarity of the two as vectors, -1 to 1 */
	const char *where;		     /* of the largest difference: "[0,17]" */
	const char *problem;		     /* why they cannot be compared; NULL: they could */
	bool is_equal;			     /* within the tolerance */
	double tolerance_abs, tolerance_rel; /* at most the sum of the two, the second of the value; NAN: not known */
};

struct model_result {
	const char *label; /* tells it from the others of the report: "cpu", "4 threads", "int8.onnx, 2 threads" */
	const struct model_facts *facts; /* of its model, for its shapes; NULL: those of the report */
	const char
	    *differs[N_MODEL_AXES]; /* what it has of each thing that the runs differ in: "4"; NULL: of the rest */

	/* asked for; device "CPU" (of any provider) lets its operators be held against this machine's peaks */
	const char *provider, *device, *policy, *options; /* "openvino", "GPU", "prefer-npu", "device_type=GPU" */
	int64_t concurrency, n_threads; /* inferences at a time; intra-op threads of one (-1: default) */
	const char *optimization;	/* NULL: not known */
	int64_t n_items;		/* of one inference: the batch size; -1: not asked for */
	int64_t n_tokens;  /* generations: tokens that each makes of each sequence; 0: inferences were measured */
	double rate_per_s; /* open loop; NAN: closed */

	/* what came of it */
	const char *error, *failed_in; /* the runtime's or runner's words, and the step; NULL: it ran to its end */
	const char *advice;	       /* what to do about the error; NULL: not known */
	const char *runtime, *version, *runtime_path, *available; /* available: the providers, "CPU, OpenVINO" */
	const char *recording, *operator_recording;		  /* files */
	int64_t n_lost;						  /* events missing from the recordings */
	double event_ns;					  /* measured cost of one, in the program */

	const struct model_step *steps;
	int64_t creation_ns;	   /* of the session; of several, the mean */
	int64_t n_creations;	   /* sessions that were created: of a recording; else -1 */
	int64_t n_processes;	   /* that they were in: of a recording; else 0 */
	int64_t n_planner_lookups; /* of shapes, in one session: two for each comparison of the memory planner; -1: not
				      known */
	const struct model_memory *memory; /* of a recording: what its sessions keep (model_memory.h); else NULL */
	const struct model_phase *phases;
	const struct model_transformer *transformers;
	int64_t first_ns; /* the first inference */

	int64_t n_warmup;
	const char *warmup_words;		/* how it was decided that it was enough: "until 3 groups agreed" */
	const struct model_latency *latencies;	/* of the steady phase, by start */
	const struct summary_runs *runs;	/* of a recording: its inferences in figures, for n_latencies == 0 */
	const struct recording_facts *recorded; /* of a recording: its process and machine; NULL: it was measured */
	const char *asked_provider; /* of a recording: the first one asked for, unless it is the CPU's; NULL: none */
	const char *idle_providers; /* of a recording: asked for, but ran nothing; NULL: none */
	const char *const *shapes;  /* "1x3x224x224", one per shape group */
	const struct model_latency *first_tokens; /* generations */
	const int64_t *prompts;			  /* generations: tokens of the prompt of each shape */
	const char *ended_early;		  /* why the steady phase did before its time; NULL: it did not */
	int64_t n_unserved; /* open loop: requests that were due in it and were not started; -1: closed */
	int64_t steady_ns, cpu_user_ns, cpu_system_ns; /* of the steady phase: wall, and CPU of the process */
	int64_t run_queue_ns;			       /* and how long its threads waited for a CPU */
	double others_cpu_ns;			       /* of all other programs in the steady phase; NAN: not known */
	int64_t peak_bytes;			       /* resident, of the whole run */
	double energy_joules;			       /* of the steady phase */
	const char *energy_scope, *energy_missing;     /* "package 0"; why it is not known */
	const struct model_counter *counters;	       /* of devices, and of the process's use of them */
	const struct model_device *devices;
	const char *devices_missing; /* why there may be more than these; NULL: nothing went wrong */

	/* operators: of a pass of its own, or of the same */
	const char *operators_missing;		   /* why there are none */
	int64_t n_operator_runs;		   /* inferences that they are of */
	double operators_wall_ns, unattributed_ns; /* of these inferences, all together; what no operator explains */
	const struct model_operator *operators;	   /* largest share first */
	const struct model_placement *placements;

	bool is_kernels_asked;		    /* the provider's profiler was to run */
	const char *kernels_source;	    /* "QNN profile" */
	const char *kernels_missing;	    /* why there are none */
	const char *kernels_note;	    /* what is wrong with them; NULL: nothing */
	int64_t n_kernel_runs;		    /* executions of operators that they are of */
	int64_t n_kernel_slices;	    /* kernels that are in the recording of the operators */
	const struct model_kernel *kernels; /* wholes first, then by share */

	const char *outputs_missing; /* why none are compared; NULL: they are, or they are the measure */
	const char *against; /* what the outputs are compared with: "cpu", "expected"; NULL: they are the measure */
	const struct model_output *outputs;

	uint32_t n_steps, n_phases, n_transformers, n_latencies, n_first_tokens, n_shapes, n_counters, n_devices,
	    n_operators, n_placements, n_kernels, n_outputs; /* elements of the arrays */
};

struct diff;

struct model_report {
	struct model_facts model;
	struct model_machine machine;
	const struct model_setting *settings;
	const struct model_result *results; /* the first is the one that others are compared with */
	const struct diff
	    *baseline; /* these runs, as new, beside an earlier report (analyze/diff); NULL: there is none */
	uint32_t n_settings, n_results;
	int64_t start_realtime_ns; /* since 1970 */
	const char *version;	   /* of inftrace */
	const char *command;	   /* as typed */
};

static inline void model_result_init(struct model_result *result)
{
	memset(result, 0, sizeof *result);
	result->concurrency = result->n_threads = result->n_lost = result->creation_ns = result->first_ns = -1;
	result->n_creations = result->n_items = result->n_planner_lookups = -1;
	result->n_warmup = result->n_unserved = result->steady_ns = result->cpu_user_ns = result->cpu_system_ns = -1;
	result->run_queue_ns = -1;
	result->peak_bytes = result->n_operator_runs = result->n_kernel_runs = result->n_kernel_slices = -1;
	result->rate_per_s = result->event_ns = result->energy_joules = result->others_cpu_ns = NAN;
	result->operators_wall_ns = result->unattributed_ns = NAN;
}

static inline void model_report_init(struct model_report *report)
{
	memset(report, 0, sizeof *report);
	model_facts_init(&report->model);
	report->machine.n_cpus = report->machine.n_all_cpus = report->machine.memory_bytes = -1;
	report->start_realtime_ns = -1;
	report->machine.usable_cpus = NAN;
	machine_peak_init(&report->machine.peak);
}

/* The facts of the model of one run. */
static inline const struct model_facts *model_facts_of(const struct model_report *report, uint32_t result)
{
	return report->results[result].facts ? report->results[result].facts : &report->model;
}

#endif
