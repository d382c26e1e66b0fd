/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress and result of inftrace-run, in memory shared with the program that started it:
 *
 *  | struct run_result (fixed) | struct run_latency 0 | 1 | 2 | ... up to latency_capacity |
 *
 * The parent makes the memory; the runner maps it and writes as it goes. A runner that a provider crashes leaves its
 * phase, its latencies so far and the runtime's last messages. Fixed-width, no pointers; texts end with a NUL inside
 * their array and are truncated to fit. Times are nanoseconds of CLOCK_MONOTONIC. 0 means "unknown" or "did not happen"
 * unless the comment says otherwise. Readers get a checked copy and trust no byte of the original.
 */
#ifndef MODEL_RUN_RUN_RESULT_H
#define MODEL_RUN_RUN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RUN_RESULT_MAGIC 0x31544c5552464e49ull /* "INFRULT1" */

enum {
	RUN_RESULT_VERSION = 3,
	RUN_NAME = 256,
	RUN_TEXT = 1024,
	RUN_PATH = 4096,
	RUN_LOG = 16384,
	RUN_MAX_PROVIDERS = 64, /* available, requested, placed */
	RUN_MAX_DEVICES = 64,
	RUN_MAX_GROUPS = 64,
	RUN_MAX_TENSORS = 1024, /* inputs and outputs, over all groups */
	RUN_MAX_DIMS = 64,
	RUN_LATENCIES = 1 << 22 /* default for run_result_make: 128 MiB when full */
};

/* In this order; each is entered at most once. */
enum run_phase_id {
	RUN_LOAD_RUNTIME, /* dlopen of the runtime, its table */
	RUN_ENVIRONMENT,  /* CreateEnv */
	RUN_LIBRARIES,	  /* register provider libraries, list devices */
	RUN_SESSION,	  /* CreateSession: load, optimize, specialize */
	RUN_INPUTS,	  /* inputs generated or read */
	RUN_FIRST,	  /* the first inference of each shape group, outputs written and compared */
	RUN_WARM_UP,
	RUN_STEADY, /* the measured part */
	RUN_UNLOAD, /* session, libraries and environment released; all figures are complete before */
	RUN_N_PHASES
};

enum run_phase_state { RUN_NOT_REACHED, RUN_BEGUN, RUN_ENDED, RUN_FAILED_HERE, RUN_N_PHASE_STATES };

struct run_phase {
	uint64_t start_ns, end_ns;
	uint64_t rss_bytes, peak_rss_bytes;  /* of the process at the end of the phase, less the pages of this result */
	uint64_t cpu_user_ns, cpu_system_ns; /* spent in the phase by all threads */
	uint32_t state;			     /* enum run_phase_state */
	uint32_t major_faults;		     /* pages read from disk in the phase */
};

enum run_outcome {
	RUN_UNFINISHED, /* still running, or crashed in `phase` */
	RUN_DONE,	/* every figure is complete; RUN_UNLOAD may still have crashed: see its state */
	RUN_FAILED,	/* `error` says why */
	RUN_N_OUTCOMES
};

/* Why the measured part ended. */
enum run_stop {
	RUN_STOP_NOT_YET,
	RUN_STOP_DURATION,
	RUN_STOP_ITERATIONS,
	RUN_STOP_FULL,
	RUN_STOP_SIGNAL,
	RUN_STOP_FAILED,
	RUN_N_STOPS
};

struct run_provider {
	char name[RUN_NAME];	/* "CPUExecutionProvider" */
	char options[RUN_TEXT]; /* "KEY=VALUE KEY=VALUE" */
	char library[RUN_PATH]; /* of a plugin provider: the file that was registered; "" none */
	uint32_t n_nodes;	/* placed only: nodes that run on it */
	uint32_t n_subgraphs;
};

enum run_device_type { RUN_DEVICE_CPU, RUN_DEVICE_GPU, RUN_DEVICE_NPU, RUN_DEVICE_OTHER, RUN_N_DEVICE_TYPES };

struct run_device {
	char provider[RUN_NAME];
	char provider_vendor[RUN_NAME];
	char vendor[RUN_NAME];	 /* of the hardware */
	char metadata[RUN_TEXT]; /* "KEY=VALUE KEY=VALUE": the provider's and the hardware's */
	uint32_t type;		 /* enum run_device_type */
	uint32_t is_chosen;	 /* 1: the session was set to use it */
};

/* The variation from inference to inference: a set of shapes, a batch size, a folder of test data. */
struct run_group {
	char text[RUN_TEXT]; /* "data 1x3x224x224" or the folder's name */
	uint64_t first_ns;   /* duration of its first inference, or of the first token of its first generation */
	int64_t batch;	     /* -1: no batch size was requested */
	int64_t prompt;	     /* generations: tokens that go in; else 0 */
	uint32_t n_sets;     /* sets of input values that take turns */
	uint32_t pad;
};

enum run_compared { RUN_NOT_COMPARED, RUN_SAME, RUN_DIFFERENT, RUN_NOT_COMPARABLE, RUN_N_COMPARED };

struct run_tensor {
	char name[RUN_NAME];
	char file[RUN_NAME]; /* outputs: the file below the --outputs folder, "0.npy"; "" not written */
	uint32_t is_output;
	uint32_t group;
	uint32_t type;	/* ONNX element type (TensorProto.DataType) */
	int32_t n_dims; /* -1: not a tensor */
	int64_t dim[RUN_MAX_DIMS];
	uint64_t bytes;
	/* outputs with an expected value */
	uint32_t compared; /* enum run_compared */
	uint32_t pad;
	uint64_t n_elements, n_different;
	double max_abs, max_rel; /* NaN: one side is NaN or infinite where the other is not */
	double cosine;		 /* similarity of the two as vectors, of all sets the least; NaN: not known */
	char why[RUN_NAME];	 /* RUN_DIFFERENT, RUN_NOT_COMPARABLE: the reason */
};

enum run_latency_status {
	RUN_LATENCY_EMPTY,
	RUN_LATENCY_IN_FLIGHT,
	RUN_LATENCY_OK,
	RUN_LATENCY_FAILED,
	RUN_N_LATENCY_STATUSES
};

struct run_latency {
	uint64_t start_ns;    /* Run was called */
	uint64_t queued_ns;   /* open loop: when it should have started; closed loop: 0 */
	uint64_t duration_ns; /* of Run only; of a token: since the end of the one before, or since the prompt */
	uint16_t group, thread;
	uint8_t status; /* enum run_latency_status */
	uint8_t phase;	/* RUN_FIRST, RUN_WARM_UP or RUN_STEADY */
	uint16_t set;	/* which set of input values; generations: which token, 0 the first one */
};

struct run_result {
	uint64_t magic;
	uint32_t version, header_size; /* RUN_RESULT_VERSION, sizeof(struct run_result) */
	uint32_t latency_size, pid;    /* sizeof(struct run_latency); 0: the runner has not got this far */
	uint64_t latency_capacity;
	uint64_t n_latencies; /* started, the last ones may be in flight; above capacity: not kept */

	uint32_t outcome, phase; /* enum run_outcome, enum run_phase_id */
	struct run_phase phases[RUN_N_PHASES];
	int32_t exit_status;
	uint32_t pad;
	char error[400];   /* one line; "" nothing failed */
	char log[RUN_LOG]; /* the runtime's warnings and errors, a line each, the oldest dropped */

	char runtime_path[RUN_PATH], runtime_version[64];
	char runtime_found[RUN_TEXT]; /* how it was found: "option --runtime" */
	uint32_t n_available, n_asked, n_placed;
	uint32_t n_devices, n_groups, n_tensors;
	char available[RUN_MAX_PROVIDERS][RUN_NAME]; /* providers built in or registered */
	struct run_provider asked[RUN_MAX_PROVIDERS], placed[RUN_MAX_PROVIDERS];
	char policy[64]; /* "prefer-npu"; "" none */
	struct run_device devices[RUN_MAX_DEVICES];
	struct run_group groups[RUN_MAX_GROUPS];
	struct run_tensor tensors[RUN_MAX_TENSORS];

	/* load */
	uint32_t concurrency, is_open_loop;
	double rate_hz; /* open loop: requested arrivals per second */
	uint64_t seed;
	uint64_t n_warm_up;
	uint32_t is_steady, stop;	     /* 1: warm-up ended because it was steady; enum run_stop */
	char warm_up_text[RUN_TEXT];	     /* how that was decided */
	uint64_t n_steady, n_failed;	     /* inferences, or generations, of the measured part; n_failed of all */
	uint64_t n_unserved;		     /* open loop: arrivals of the measured part that were not started */
	uint64_t wall_ns;		     /* of the measured part: first start to last end */
	uint64_t cpu_user_ns, cpu_system_ns; /* of the process in that time */
	uint64_t run_queue_ns;		     /* that its threads waited for a CPU in that time */
	uint32_t is_llama, unused;	     /* 1: llama.cpp ran it, not ONNX Runtime */
	uint32_t has_run_queue;		     /* 1: the kernel reports it */
	uint32_t n_tokens;		     /* that each generation makes; 0: inferences were measured */

	char outputs_dir[RUN_PATH], profile_path[RUN_PATH];    /* the runtime's own profile */
	char provider_profile_path[RUN_PATH];		       /* the provider's own profile */
	char optimized_path[RUN_PATH], context_path[RUN_PATH]; /* models written during the run */
} __attribute__((aligned(64)));

/*
 * Makes memory for a result with room for `capacity` latencies. Returns a file descriptor (close-on-exec), or -errno
 * and err.
 */
int run_result_make(uint64_t capacity, struct err *err);
/* The path for a child's --result: valid while this process lives and keeps the descriptor open. */
void run_result_name(int fd, char *path, size_t size);

/* For the runner: maps the memory for writing. NULL and err: not made by run_result_make. */
struct run_result *run_result_map(const char *path, struct err *err);
void run_result_unmap(struct run_result *result);
static inline struct run_latency *run_result_latencies(struct run_result *result)
{
	return (struct run_latency *)(result + 1);
}

/*
 * For the reader: a checked copy. Every count is within its table, every text ends, every enum is valid and latencies
 * refer to existing groups; unwritten latencies have status RUN_LATENCY_EMPTY. Free with run_result_free. -EBADMSG and
 * err with the byte if a check fails.
 */
struct run_record {
	struct run_result *head;
	struct run_latency *latency;
	uint64_t n_latencies;
};

int run_result_read(int fd, struct run_record *record, struct err *err);
void run_result_free(struct run_record *record);

/* "create the session": the activity of a phase, to follow "cannot" or "while trying to". */
const char *run_result_phase_text(uint32_t phase);
/* "session": a short stable name. */
const char *run_result_phase_name(uint32_t phase);
/* Why the measured part ended early: "a signal ended it". NULL: it did not. */
const char *run_result_stop_text(uint32_t stop);

#endif
