/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a run, in one table of rows, used by inftrace-run and by the programs that start it. */
#ifndef MODEL_RUN_RUN_OPTS_H
#define MODEL_RUN_RUN_OPTS_H

#include "base/opt.h"

struct run_opts {
	const char *model; /* the argument */
	/* runtime and providers */
	const char *runtime;
	bool list_runtimes;
	struct opt_list provider, provider_option, provider_library;
	const char *policy;
	const char *select_devices;
	struct opt_list filter_device;
	bool list_devices, no_cpu_fallback;
	const char *ep_profile, *ep_profile_dir;
	/* session */
	int intra_op_threads, inter_op_threads; /* 0: the runtime decides */
	const char *intra_op_affinity;
	bool is_parallel;
	const char *optimization;
	const char *optimized_model, *optimized_data;
	uint64_t optimized_data_min_bytes;
	bool optimized_prepacked;
	struct opt_list dimension, denotation;
	bool no_arena, no_memory_pattern;
	const char *shrink_arena;
	struct opt_list session_config, run_config, custom_ops;
	bool has_extensions, denormals_as_zero, no_spinning, stop_spinning, is_deterministic;
	const char *spin_us, *spin_backoff_max;
	const char *profile;
	bool from_memory;
	const char *compile;
	bool compile_embed, compile_only;
	const char *bind_outputs;
	/* inputs and outputs */
	struct opt_list data, input, shape, range;
	const char *batch_size;
	const char *fill;
	const char *seed;
	const char *outputs;
	const char *absolute_tolerance, *relative_tolerance;
	/* generations; tokens 0: none */
	const char *prompt;
	int tokens;
	/* load */
	uint64_t duration_ns;
	int iterations; /* 0: no limit */
	int concurrency;
	const char *rate;
	uint64_t warm_up_max_ns;
	bool session_only;
	uint64_t hold_ns;
	/* result */
	const char *result;
	bool is_verbose;
};

extern const struct opt run_opt_table[];

/*
 * Parses and checks argv[0..argc-1]; *opts is zeroed first and borrows from argv. 0, OPT_HELP, or -EINVAL and err.
 */
int run_opts_parse(struct run_opts *opts, int argc, char **argv, struct err *err);

/* Checks each option and their combination. 0, or -EINVAL and err. */
int run_opts_check(const struct run_opts *opts, struct err *err);

/* Splits "NAME=VALUE": *len is the length of the name; returns the value. NULL: no '=' or no name. */
const char *run_opts_pair(const char *text, size_t *len);

/* "1,8,32": numbers from 1 up, at most max. Returns how many, or -EINVAL and err. */
int run_opts_numbers(const char *text, int64_t *number, int max, struct err *err);

/*
 * "1x3x224x224" (or "scalar"): dimensions from 0 up. *end: the rest, "" or "/...". Returns how many, or -EINVAL and
 * err.
 */
int run_opts_shape(const char *text, int64_t *dim, int max, const char **end, struct err *err);

/* A number from 0 up, with a fraction: rates, tolerances. */
int run_opts_real(const char *text, double *value, struct err *err);
int run_opts_u64(const char *text, uint64_t *value, struct err *err);

#endif
