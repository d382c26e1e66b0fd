/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of `inftrace model`: its own, and those of the runner, which are passed on. The rows of the runner are taken
 * from its own table, so that they are said once.
 */
#ifndef EXPERIMENT_MODEL_OPTIONS_H
#define EXPERIMENT_MODEL_OPTIONS_H

#include "base/arena.h"
#include "model/run/run_opts.h"

struct model_opts {
	struct run_opts run; /* first: the runner's rows point into it */
	struct opt_list ep;  /* each: NAME, or several with commas */
	const char *out, *level, *format;
	struct opt_list report;
	bool force, json, ascii, all, dry_run, save, quiet;
	uint64_t interval_ns;
	int rounds;
};

extern struct opt model_opt_table[];

/* One of the ways in which the model is run, beside the others. */
struct model_way {
	const char *label;    /* "cpu", "prefer-npu" */
	const char *provider; /* as the runner knows it; NULL: the runtime's choice */
	const char *policy;   /* NULL: none */
};

/* What one pass of a way has of its own. */
struct model_pass_words {
	const char *program, *model, *result, *outputs; /* outputs NULL: not written */
	uint64_t duration_ns;
	int iterations;
	const char *profiles; /* folder for the provider's profiler */
	const char *label;    /* goes into the names of files that the runner writes; NULL: there is only one way */
};

bool model_way_is_cpu(const struct model_way *way);
/*
 * The ways that the options ask for, at most max of them: --ep, then --policy, else the CPU. Their number, or -errno
 * and err. Texts lie in the arena.
 */
int model_options_ways(const struct model_opts *opts, struct model_way *ways, int max, struct arena *arena,
		       struct err *err);
/* The runner's command line, ended by NULL, in the arena. NULL: out of memory. */
char **model_options_argv(const struct model_opts *opts, const struct model_way *way,
			  const struct model_pass_words *words, struct arena *arena);

#endif
