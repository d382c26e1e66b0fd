// SPDX-License-Identifier: Apache-2.0
/* Tables of models and sessions, and what their inferences come to: the figures of the report. */
#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)
#define PUT_name(value) query_put_name(to, at->query, value)
#define PUT_known(value) query_put_known(to, value)
#define PUT_count(value) query_put_count(to, value)
#define PUT_real(value) query_put_real(to, value)
#define PUT_flag(value) query_put_int(to, value)

static const struct summary_model *model_at(const struct query_at *at)
{
	return &at->query->summary->models[at->row];
}

static size_t count_models(const struct query *query)
{
	return query->summary->n_models;
}

GET(row_id)
{
	query_put_count(to, at->row + 1);
}

#define OF_MODEL(F) \
	F(name, name, name) \
	F(path, name, path) \
	F(runtime, name, runtime) \
	F(providers, name, providers) \
	F(options, name, options) \
	F(bytes, known, bytes) \
	F(replaced, count, n_replaced) \
	F(sessions, count, creation.n) \
	F(inferences, count, runs.n) \
	F(failed, count, runs.n_failed) \
	F(open, count, runs.n_open) \
	F(halted, count, runs.n_halted) \
	F(halted_ns, count, runs.halted_ns) \
	F(partial, count, runs.n_partial) \
	F(first, count, runs.n_first) \
	F(rate, real, runs.rate) \
	F(threads, count, runs.n_threads) \
	F(max_concurrent, count, runs.max_concurrent) \
	F(wall, count, runs.wall_ns) \
	F(open_ns, count, runs.open_ns) \
	F(typical, count, runs.latency.n) \
	F(is_exact, flag, runs.latency.is_exact) \
	F(begin, count, runs.begin_ns) \
	F(end, count, runs.end_ns)
#define GET_OF_MODEL(name, how, field) \
	GET(model_##name) \
	{ \
		PUT_##how(model_at(at)->field); \
	}
OF_MODEL(GET_OF_MODEL)

/* Figures that there are none of without inferences. */
#define OF_LATENCY(F) \
	F(latency_total, count, latency.total_ns) \
	F(latency_mean, real, latency.mean_ns) \
	F(latency_interval, real, latency.interval_ns) \
	F(latency_min, count, latency.min_ns) \
	F(latency_p50, count, latency.p50_ns) \
	F(latency_p90, count, latency.p90_ns) \
	F(latency_p99, count, latency.p99_ns) \
	F(latency_max, count, latency.max_ns)
#define GET_OF_LATENCY(name, how, field) \
	GET(name) \
	{ \
		if (model_at(at)->runs.latency.n) \
			PUT_##how(model_at(at)->runs.field); \
	}
OF_LATENCY(GET_OF_LATENCY)

GET(first_p50)
{
	if (model_at(at)->runs.first.n)
		query_put_count(to, model_at(at)->runs.first.p50_ns);
}

GET(pool_queue_p50)
{
	if (model_at(at)->runs.queue.n)
		query_put_count(to, model_at(at)->runs.queue.p50_ns);
}

GET(creation_p50)
{
	if (model_at(at)->creation.duration.n)
		query_put_count(to, model_at(at)->creation.duration.p50_ns);
}

#define OF_COVERAGE(F) \
	F(explained_n, n) \
	F(explained_ns, wall_ns) \
	F(operators_ns, operators_ns) \
	F(setup_ns, setup_ns) \
	F(halted_parts_ns, halted_ns) \
	F(unattributed_ns, unattributed_ns)
#define GET_OF_COVERAGE(name, field) \
	GET(name) \
	{ \
		if (model_at(at)->coverage.n) \
			query_put_count(to, model_at(at)->coverage.field); \
	}
OF_COVERAGE(GET_OF_COVERAGE)

GET(thread_cpu)
{
	if (model_at(at)->runs.n_usage)
		query_put_count(to, model_at(at)->runs.thread_cpu_ns);
}

GET(run_queue)
{
	if (model_at(at)->runs.n_waits)
		query_put_count(to, model_at(at)->runs.run_queue_ns);
}

GET(model_process)
{
	query_put_number(to, query_process_track(at->query, model_at(at)->process));
}

static const struct query_column model_columns[] = {
	{ "id", "INTEGER", "number of the model: 1 has most inference time", get_row_id, QUERY_ROW },
	{ "name", "TEXT", "its name", get_model_name },
	{ "path", "TEXT", "its file", get_model_path },
	{ "bytes", "INTEGER", "size of the model, if the program had it in memory; NULL: it was read from a file",
	  get_model_bytes },
	{ "replaced", "INTEGER", "how often another file had been loaded from its path before", get_model_replaced },
	{ "providers", "TEXT", "execution providers that were asked for", get_model_providers },
	{ "options", "TEXT", "session options that differ from the default", get_model_options },
	{ "process_id", "INTEGER", "the first process that used it: processes.id", get_model_process },
	{ "sessions", "INTEGER", "sessions of it", get_model_sessions },
	{ "inferences", "INTEGER", "inferences of it", get_model_inferences },
	{ "inferences_failed", "INTEGER", "of these, those that failed", get_model_failed },
	{ "runtime", "TEXT", "the runtime that ran it, as in runtimes.runtime; NULL: not known", get_model_runtime },
};

const struct query_table query_table_models = {
	.name = "models",
	.what = "Models that were loaded or run.",
	.rows = QUERY_LIST,
	.count = count_models,
	QUERY_COLUMNS(model_columns),
};

static const struct query_column stats_columns[] = {
	{ "model_id", "INTEGER", "models.id", get_row_id, QUERY_ROW },
	{ "model", "TEXT", "name of the model", get_model_name },
	{ "inferences", "INTEGER", "all inferences", get_model_inferences },
	{ "inferences_failed", "INTEGER", "of these, those that failed", get_model_failed },
	{ "inferences_open", "INTEGER", "those that were cut off", get_model_open },
	{ "inferences_partial", "INTEGER", "those that recording began or ended in", get_model_partial },
	{ "inferences_first", "INTEGER", "first ones of a session", get_model_first },
	{ "inferences_typical", "INTEGER", "the others: the latency is of these", get_model_typical },
	{ "inferences_halted", "INTEGER", "finished ones during which their process was halted", get_model_halted },
	{ "halted_ns", "INTEGER", "for how long that was, at least", get_model_halted_ns },
	{ "total_ns", "INTEGER", "sum of the durations of typical ones", get_latency_total },
	{ "mean_ns", "REAL", "mean", get_latency_mean },
	{ "mean_interval_ns", "REAL", "the mean is right to this, plus or minus, with 95 % confidence",
	  get_latency_interval },
	{ "min_ns", "INTEGER", "shortest", get_latency_min },
	{ "p50_ns", "INTEGER", "median", get_latency_p50 },
	{ "p90_ns", "INTEGER", "90th percentile, as all percentiles a nearest rank", get_latency_p90 },
	{ "p99_ns", "INTEGER", "99th percentile", get_latency_p99 },
	{ "max_ns", "INTEGER", "longest", get_latency_max },
	{ "is_exact", "INTEGER", "1: percentiles are exact; 0: off by 0.4 % at most", get_model_is_exact },
	{ "first_p50_ns", "INTEGER", "median of first inferences", get_first_p50 },
	{ "pool_queue_p50_ns", "INTEGER", "median time that inferences waited in the queue of the runtime's pool",
	  get_pool_queue_p50 },
	{ "creation_p50_ns", "INTEGER", "median of session creations", get_creation_p50 },
	{ "rate_per_s", "REAL", "finished inferences per second, between the first and the last", get_model_rate },
	{ "begin_ns", "INTEGER", "begin of the first, CLOCK_MONOTONIC", get_model_begin },
	{ "end_ns", "INTEGER", "end of the last", get_model_end },
	{ "wall_ns", "INTEGER", "sum of the durations of all finished ones", get_model_wall },
	{ "not_ended_ns", "INTEGER", "how long those that did not end had lasted, added up", get_model_open_ns },
	{ "threads", "INTEGER", "threads that called it", get_model_threads },
	{ "max_concurrent", "INTEGER", "most at one time", get_model_max_concurrent },
	{ "explained_inferences", "INTEGER", "those that the next five are of: they have operators", get_explained_n },
	{ "explained_ns", "INTEGER", "sum of their durations, and of the next four", get_explained_ns },
	{ "operators_ns", "INTEGER", "time in which operators ran", get_operators_ns },
	{ "setup_ns", "INTEGER", "time in which inputs were checked or copied", get_setup_ns },
	{ "halted_parts_ns", "INTEGER",
	  "time of operators and setup during which the process was halted, or of a halt in neither",
	  get_halted_parts_ns },
	{ "unattributed_ns", "INTEGER", "time that nothing explains", get_unattributed_ns },
	{ "thread_cpu_ns", "INTEGER", "CPU time of their threads, where it was read", get_thread_cpu },
	{ "run_queue_ns", "INTEGER", "time that they waited for a CPU, where it was read", get_run_queue },
};

const struct query_table query_table_inference_stats = {
	.name = "inference_stats",
	.what = "The inferences of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.count = count_models,
	QUERY_COLUMNS(stats_columns),
};

/* Sessions. */
static const struct summary_session *session_at(const struct query_at *at)
{
	return &at->query->summary->sessions[at->row];
}

static size_t count_sessions(const struct query *query)
{
	return query->summary->n_sessions;
}

#define OF_SESSION(F) \
	F(number, known, number) \
	F(name, name, name) \
	F(path, name, path) \
	F(runtime, name, runtime) \
	F(providers, name, providers) \
	F(options, name, options) \
	F(status, name, status) \
	F(bytes, known, bytes) \
	F(is_failed, flag, is_failed) \
	F(inferences, count, n_runs) \
	F(inferences_failed, count, n_runs_failed) \
	F(inferences_ns, count, runs_wall_ns)
#define GET_OF_SESSION(name, how, field) \
	GET(session_##name) \
	{ \
		PUT_##how(session_at(at)->field); \
	}
OF_SESSION(GET_OF_SESSION)

static bool is_created(const struct query_at *at)
{
	return session_at(at)->has_slice && session_at(at)->end_ns != STORE_OPEN;
}

GET(session_begin)
{
	if (session_at(at)->has_slice)
		query_put_count(to, session_at(at)->begin_ns);
}

GET(session_end)
{
	if (is_created(at))
		query_put_count(to, session_at(at)->end_ns);
}

GET(session_duration)
{
	if (is_created(at))
		query_put_count(to, session_at(at)->end_ns - session_at(at)->begin_ns);
}

GET(session_unattributed)
{
	if (is_created(at))
		query_put_count(to, session_at(at)->phase_ns[PHASE_UNATTRIBUTED]);
}

GET(session_released)
{
	if (session_at(at)->released_ns)
		query_put_count(to, session_at(at)->released_ns);
}

GET(session_process)
{
	query_put_number(to, query_process_track(at->query, session_at(at)->process));
}

GET(session_model)
{
	if (session_at(at)->model < at->query->summary->n_models)
		query_put_count(to, (uint64_t)session_at(at)->model + 1);
}

GET(session_pool_threads)
{
	if (is_created(at))
		query_put_count(to, session_at(at)->n_pool);
}

static const struct query_column session_columns[] = {
	{ "id", "INTEGER", "number of the session in this table", get_row_id, QUERY_ROW },
	{ "model", "TEXT", "name of its model", get_session_name },
	{ "model_id", "INTEGER", "its model: models.id", get_session_model },
	{ "session", "INTEGER", "its number in its process, from 1", get_session_number },
	{ "process_id", "INTEGER", "its process: processes.id", get_session_process },
	{ "begin_ns", "INTEGER", "begin of its creation, CLOCK_MONOTONIC; NULL: it was not recorded",
	  get_session_begin },
	{ "end_ns", "INTEGER", "end of its creation; NULL: it was cut off", get_session_end },
	{ "duration_ns", "INTEGER", "how long its creation took", get_session_duration },
	{ "unattributed_ns", "INTEGER", "of it, time that no phase explains", get_session_unattributed },
	{ "released_ns", "INTEGER", "when it was released; NULL: that was not seen", get_session_released },
	{ "is_failed", "INTEGER", "1: its creation failed; else 0", get_session_is_failed },
	{ "status", "TEXT", "`ok`, or the runtime's message", get_session_status },
	{ "path", "TEXT", "the model's file", get_session_path },
	{ "bytes", "INTEGER", "size of the model, if the program had it in memory; NULL: it was read from a file",
	  get_session_bytes },
	{ "providers", "TEXT", "execution providers that were asked for", get_session_providers },
	{ "options", "TEXT", "session options that differ from the default", get_session_options },
	{ "pool_threads", "INTEGER", "threads that its creation started for the runtime's pools",
	  get_session_pool_threads },
	{ "inferences", "INTEGER", "inferences of it", get_session_inferences },
	{ "inferences_failed", "INTEGER", "of these, those that failed", get_session_inferences_failed },
	{ "inferences_ns", "INTEGER", "sum of the durations of finished ones", get_session_inferences_ns },
	{ "runtime", "TEXT", "its runtime, as in runtimes.runtime; NULL: not known", get_session_runtime },
};

const struct query_table query_table_sessions = {
	.name = "sessions",
	.what = "Loaded instances of models, and how their creation went.",
	.rows = QUERY_LIST,
	.count = count_sessions,
	QUERY_COLUMNS(session_columns),
};
