// SPDX-License-Identifier: Apache-2.0
/* Models, what their inferences come to, and their sessions. */
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_model, field)

static const struct column models[] = {
	{ NULL, "id", "number of the model: 1 has most inference time", COLUMN_ROW },
	{ NULL, "name", "its name", COLUMN_TEXT, AT(name) },
	{ NULL, "path", "its file", COLUMN_TEXT, AT(path) },
	{ NULL, "bytes", "size of the model, if the program had it in memory; NULL: it was read from a file",
	  COLUMN_KNOWN, AT(bytes) },
	{ NULL, "replaced", "how often another file had been loaded from its path before", COLUMN_NUMBER,
	  AT(n_replaced) },
	{ NULL, "providers", "execution providers that were asked for", COLUMN_TEXT, AT(providers) },
	{ NULL, "options", "session options that differ from the default", COLUMN_TEXT, AT(options) },
	{ NULL, "process_id", "the first process that used it: processes.id", COLUMN_PROCESS, AT(process) },
	{ NULL, "sessions", "sessions of it", COLUMN_COUNT, AT(creation.n) },
	{ NULL, "inferences", "inferences of it", COLUMN_COUNT, AT(runs.n) },
	{ NULL, "inferences_failed", "of these, those that failed", COLUMN_COUNT, AT(runs.n_failed) },
	{ NULL, "runtime", "the runtime that ran it, as in runtimes.runtime; NULL: not known", COLUMN_TEXT,
	  AT(runtime) },
};

const struct column_list columns_models = { COLUMN_ROWS(models), COLUMN_LIST(models) };

/* What there is none of without typical inferences, and without operators. */
#define OF_LATENCY(field) AT(runs.latency.field), .if_any = AT(runs.latency.n)
#define OF_COVERAGE(field) AT(coverage.field), .if_any = AT(coverage.n)

static const struct column stats[] = {
	{ NULL, "model_id", "models.id", COLUMN_ROW },
	{ NULL, "model", "name of the model", COLUMN_TEXT, AT(name) },
	{ NULL, "inferences", "all inferences", COLUMN_COUNT, AT(runs.n) },
	{ NULL, "inferences_failed", "of these, those that failed", COLUMN_COUNT, AT(runs.n_failed) },
	{ NULL, "inferences_open", "those that were cut off", COLUMN_COUNT, AT(runs.n_open) },
	{ NULL, "inferences_partial", "those in which recording began or ended", COLUMN_COUNT, AT(runs.n_partial) },
	{ NULL, "inferences_first", "first ones of a session", COLUMN_COUNT, AT(runs.n_first) },
	{ NULL, "inferences_typical", "all other inferences; latency columns cover only these", COLUMN_COUNT,
	  AT(runs.latency.n) },
	{ NULL, "inferences_halted", "finished ones during which their process was halted", COLUMN_COUNT,
	  AT(runs.n_halted) },
	{ NULL, "halted_ns", "for how long that was, at least", COLUMN_COUNT, AT(runs.halted_ns) },
	{ NULL, "total_ns", "sum of the durations of typical ones", COLUMN_COUNT, OF_LATENCY(total_ns) },
	{ NULL, "mean_ns", "mean", COLUMN_REAL, OF_LATENCY(mean_ns) },
	{ NULL, "mean_interval_ns", "the mean is right to this, plus or minus, with 95 % confidence", COLUMN_REAL,
	  OF_LATENCY(interval_ns) },
	{ NULL, "min_ns", "shortest", COLUMN_COUNT, OF_LATENCY(min_ns) },
	{ NULL, "p50_ns", "median", COLUMN_COUNT, OF_LATENCY(p50_ns) },
	{ NULL, "p90_ns", "90th percentile, as all percentiles a nearest rank", COLUMN_COUNT, OF_LATENCY(p90_ns) },
	{ NULL, "p99_ns", "99th percentile", COLUMN_COUNT, OF_LATENCY(p99_ns) },
	{ NULL, "max_ns", "longest", COLUMN_COUNT, OF_LATENCY(max_ns) },
	{ NULL, "is_exact", "1: percentiles are exact; 0: off by 0.4 % at most", COLUMN_FLAG,
	  AT(runs.latency.is_exact) },
	{ NULL, "first_p50_ns", "median of first inferences", COLUMN_COUNT, AT(runs.first.p50_ns),
	  .if_any = AT(runs.first.n) },
	{ NULL, "pool_queue_p50_ns", "median time that inferences waited in the queue of the runtime's pool",
	  COLUMN_COUNT, AT(runs.queue.p50_ns), .if_any = AT(runs.queue.n) },
	{ NULL, "creation_p50_ns", "median of session creations", COLUMN_COUNT, AT(creation.duration.p50_ns),
	  .if_any = AT(creation.duration.n) },
	{ NULL, "rate_per_s", "finished inferences per second, between the first and the last", COLUMN_REAL,
	  AT(runs.rate) },
	{ NULL, "begin_ns", "begin of the first, CLOCK_MONOTONIC", COLUMN_COUNT, AT(runs.begin_ns) },
	{ NULL, "end_ns", "end of the last", COLUMN_COUNT, AT(runs.end_ns) },
	{ NULL, "wall_ns", "sum of the durations of all finished ones", COLUMN_COUNT, AT(runs.wall_ns) },
	{ NULL, "not_ended_ns", "total time of those that did not end", COLUMN_COUNT, AT(runs.open_ns) },
	{ NULL, "threads", "threads that called it", COLUMN_NUMBER, AT(runs.n_threads) },
	{ NULL, "max_concurrent", "most at one time", COLUMN_NUMBER, AT(runs.max_concurrent) },
	{ NULL, "explained_inferences", "inferences with operators; the next five columns cover only these",
	  COLUMN_COUNT, OF_COVERAGE(n) },
	{ NULL, "explained_ns", "sum of their durations, and of the next four", COLUMN_COUNT, OF_COVERAGE(wall_ns) },
	{ NULL, "operators_ns", "time in which operators ran", COLUMN_COUNT, OF_COVERAGE(operators_ns) },
	{ NULL, "setup_ns", "time in which inputs were checked or copied", COLUMN_COUNT, OF_COVERAGE(setup_ns) },
	{ NULL, "halted_parts_ns",
	  "time during which the process was halted: within operators, within setup, or outside both", COLUMN_COUNT,
	  OF_COVERAGE(halted_ns) },
	{ NULL, "unattributed_ns", "time that nothing explains", COLUMN_COUNT, OF_COVERAGE(unattributed_ns) },
	{ NULL, "thread_cpu_ns", "CPU time of their threads, where it was read", COLUMN_COUNT, AT(runs.thread_cpu_ns),
	  .if_any = AT(runs.n_usage) },
	{ NULL, "run_queue_ns", "time that they waited for a CPU, where it was read", COLUMN_COUNT,
	  AT(runs.run_queue_ns), .if_any = AT(runs.n_waits) },
	{ NULL, "inner_ns", "time of inferences that began in them, on the same thread: no part of their own",
	  COLUMN_COUNT, AT(runs.inner_ns) },
};

const struct column_list columns_inference_stats = { COLUMN_ROWS(models), COLUMN_LIST(stats) };

#undef AT
#define AT(field) offsetof(struct summary_session, field)

static bool has_creation(const void *row)
{
	return ((const struct summary_session *)row)->has_slice;
}

static bool is_created(const void *row)
{
	return has_creation(row) && ((const struct summary_session *)row)->end_ns != STORE_OPEN;
}

static const struct column sessions[] = {
	{ NULL, "id", "number of the session in this table", COLUMN_ROW },
	{ NULL, "model", "name of its model", COLUMN_TEXT, AT(name) },
	{ NULL, "model_id", "its model: models.id", COLUMN_MODEL, AT(model) },
	{ NULL, "session", "its number in its process, from 1", COLUMN_KNOWN, AT(number) },
	{ NULL, "process_id", "its process: processes.id", COLUMN_PROCESS, AT(process) },
	{ NULL, "begin_ns", "begin of its creation, CLOCK_MONOTONIC; NULL: it was not recorded", COLUMN_COUNT,
	  AT(begin_ns), .is_known = has_creation },
	{ NULL, "end_ns", "end of its creation; NULL: it was cut off", COLUMN_COUNT, AT(end_ns),
	  .is_known = is_created },
	{ NULL, "duration_ns", "how long its creation took", COLUMN_BETWEEN, AT(begin_ns), .is_known = is_created },
	{ NULL, "unattributed_ns", "of it, time that no phase explains", COLUMN_COUNT, AT(phase_ns[PHASE_UNATTRIBUTED]),
	  .is_known = is_created },
	{ NULL, "released_ns", "when it was released; NULL: that was not seen", COLUMN_TIME, AT(released_ns) },
	{ NULL, "is_failed", "1: its creation failed; else 0", COLUMN_FLAG, AT(is_failed) },
	{ NULL, "status", "`ok`, or the runtime's message", COLUMN_TEXT, AT(status) },
	{ NULL, "path", "the model's file", COLUMN_TEXT, AT(path) },
	{ NULL, "bytes", "size of the model, if the program had it in memory; NULL: it was read from a file",
	  COLUMN_KNOWN, AT(bytes) },
	{ NULL, "providers", "execution providers that were asked for", COLUMN_TEXT, AT(providers) },
	{ NULL, "options", "session options that differ from the default", COLUMN_TEXT, AT(options) },
	{ NULL, "pool_threads", "threads that its creation started for the runtime's pools", COLUMN_COUNT, AT(n_pool),
	  .is_known = is_created },
	{ NULL, "inferences", "inferences of it", COLUMN_COUNT, AT(n_runs) },
	{ NULL, "inferences_failed", "of these, those that failed", COLUMN_COUNT, AT(n_runs_failed) },
	{ NULL, "inferences_ns", "sum of the durations of finished ones", COLUMN_COUNT, AT(runs_wall_ns) },
	{ NULL, "runtime", "its runtime, as in runtimes.runtime; NULL: not known", COLUMN_TEXT, AT(runtime) },
	{ NULL, "caller", "line of the program that created it: `function (file:line)`; NULL: not known", COLUMN_TEXT,
	  AT(caller) },
};

const struct column_list columns_sessions = { COLUMN_ROWS(sessions), COLUMN_LIST(sessions) };
