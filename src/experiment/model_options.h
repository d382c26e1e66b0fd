/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of `inftrace model`: its own, and those of the runner, which are passed on. The rows of the runner are taken
 * from its own table, so that they are said once.
 */
#ifndef EXPERIMENT_MODEL_OPTIONS_H
#define EXPERIMENT_MODEL_OPTIONS_H

#include "experiment/model_ways.h"
#include "model/run/run_opts.h"

struct model_opts {
	struct run_opts run; /* first: the runner's rows point into it */
	struct opt_list
	    ep; /* this and the next: each a value, or several with commas; runs of their own (model_ways.h) */
	struct opt_list runtime, threads, batch, optimization;
	const char *out, *level, *format;
	struct opt_list report;
	const char *baseline, *threshold;
	bool force, json, ascii, all, dry_run, save, quiet;
	uint64_t interval_ns;
	int rounds;
};

extern struct opt model_opt_table[];
/* Adds rows of a command, whose options begin with a struct model_opts. For a constructor without a priority. */
void model_options_append(const struct opt *rows);

/* What one pass of a way has of its own. */
struct model_pass_words {
	const char *program, *result, *outputs; /* outputs NULL: not written */
	uint64_t duration_ns;
	int iterations;
	const char *profiles; /* folder for the provider's profiler */
	const char *label;    /* goes into the names of files that the runner writes; NULL: there is only one way */
};

/* The runner's command line, ended by NULL, in the arena. NULL: out of memory. */
char **model_options_argv(const struct model_opts *opts, const struct model_way *way,
			  const struct model_pass_words *words, struct arena *arena);

#endif
