// SPDX-License-Identifier: Apache-2.0
/* Tables of what was recorded as a whole: the recording, processes, runtimes. */
#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

/* The recording: one row. */
GET(path)
{
	const char *path = at->query->summary->file.path;

	if (path)
		sqlite3_result_text(to, path, -1, SQLITE_STATIC);
}

#define OF_RECORDING(F) \
	F(version, name, recording.version) \
	F(command, name, recording.command) \
	F(level, name, recording.level) \
	F(machine, name, recording.machine) \
	F(cpus, known, recording.n_cpus) \
	F(interval_ns, known, recording.interval_ns) \
	F(start_realtime_ns, known, recording.start_realtime_ns) \
	F(clock_error_ns, known, recording.clock_error_ns) \
	F(n_inferences, count, n_inferences) \
	F(n_failed, count, n_inferences_failed) \
	F(n_operators, count, n_operators) \
	F(n_sessions, count, n_all_sessions) \
	F(busy_ns, count, busy_ns) \
	F(lost, count, n_lost) \
	F(bytes, count, file.bytes)
#define PUT_name(value) query_put_name(to, at->query, value)
#define PUT_known(value) query_put_known(to, value)
#define PUT_count(value) query_put_count(to, value)
#define GET_OF_RECORDING(name, how, field) \
	GET(recording_##name) \
	{ \
		PUT_##how(at->query->summary->field); \
	}
OF_RECORDING(GET_OF_RECORDING)

static bool has_events(const struct query_at *at)
{
	return at->query->summary->recording.begin_ns <= at->query->summary->recording.end_ns;
}

GET(begin)
{
	if (has_events(at))
		query_put_count(to, at->query->summary->recording.begin_ns);
}

GET(end)
{
	if (has_events(at))
		query_put_count(to, at->query->summary->recording.end_ns);
}

GET(duration)
{
	if (has_events(at))
		query_put_count(to, at->query->summary->recording.end_ns - at->query->summary->recording.begin_ns);
}

GET(cut_at)
{
	if (at->query->summary->file.is_cut)
		query_put_count(to, at->query->summary->file.cut_at);
}

static size_t count_one(const struct query *query)
{
	return 1;
}

static const struct query_column recording_columns[] = {
	{ "path", "TEXT", "the file", get_path },
	{ "bytes", "INTEGER", "its size", get_recording_bytes },
	{ "cut_at_byte", "INTEGER", "where it was cut off; NULL: it is complete", get_cut_at },
	{ "version", "TEXT", "version of inftrace that recorded it; NULL: another program wrote it",
	  get_recording_version },
	{ "command", "TEXT", "the command that was recorded", get_recording_command },
	{ "level", "TEXT", "`inference`, `operator` or `detail`", get_recording_level },
	{ "machine", "TEXT", "processor, CPUs, memory, kernel", get_recording_machine },
	{ "cpus", "INTEGER", "CPUs of the machine", get_recording_cpus },
	{ "begin_ns", "INTEGER", "first event, CLOCK_MONOTONIC", get_begin },
	{ "end_ns", "INTEGER", "last event", get_end },
	{ "duration_ns", "INTEGER", "end_ns - begin_ns", get_duration },
	{ "start_realtime_ns", "INTEGER", "wall clock when recording began, since 1970",
	  get_recording_start_realtime_ns },
	{ "clock_error_ns", "INTEGER", "largest error of times", get_recording_clock_error_ns },
	{ "interval_ns", "INTEGER", "time between samples of counters", get_recording_interval_ns },
	{ "sessions", "INTEGER", "sessions that were created or used", get_recording_n_sessions },
	{ "inferences", "INTEGER", "inferences", get_recording_n_inferences },
	{ "inferences_failed", "INTEGER", "of these, those that failed", get_recording_n_failed },
	{ "operators", "INTEGER", "calls of operators", get_recording_n_operators },
	{ "busy_ns", "INTEGER", "time with at least one inference", get_recording_busy_ns },
	{ "lost_events", "INTEGER", "events that were dropped: see `losses`", get_recording_lost },
};

const struct query_table query_table_recording = {
	.name = "recording",
	.what = "The recording as a whole: one row.",
	.rows = QUERY_LIST,
	.count = count_one,
	QUERY_COLUMNS(recording_columns),
};

/* Processes. */
static const struct summary_process *process_at(const struct query_at *at)
{
	return &at->query->summary->processes[at->row];
}

static size_t count_processes(const struct query *query)
{
	return query->summary->n_processes;
}

#define OF_PROCESS(F) \
	F(id, count, track) \
	F(name, name, name) \
	F(pid, known, pid) \
	F(exe, name, exe) \
	F(command, name, command) \
	F(exit_status, known, exit_status) \
	F(signal, known, signal) \
	F(sessions, count, n_sessions) \
	F(inferences, count, n_inferences) \
	F(sampled_out, count, n_sampled_out) \
	F(state, name, state)
#define GET_OF_PROCESS(name, how, field) \
	GET(process_##name) \
	{ \
		PUT_##how(process_at(at)->field); \
	}
OF_PROCESS(GET_OF_PROCESS)

GET(process_start)
{
	if (process_at(at)->start_ns)
		query_put_count(to, process_at(at)->start_ns);
}

GET(process_exit)
{
	if (process_at(at)->exit_ns)
		query_put_count(to, process_at(at)->exit_ns);
}

static const struct query_column process_columns[] = {
	{ "id", "INTEGER", "number of the process: that of its track", get_process_id },
	{ "pid", "INTEGER", "the kernel's number, which may come again", get_process_pid },
	{ "name", "TEXT", "name of the program", get_process_name },
	{ "exe", "TEXT", "path of the program", get_process_exe },
	{ "command", "TEXT", "its command line", get_process_command },
	{ "start_ns", "INTEGER", "when it was started, CLOCK_MONOTONIC", get_process_start },
	{ "exit_ns", "INTEGER", "when it ended", get_process_exit },
	{ "exit_status", "INTEGER", "as it said; NULL: a signal ended it, or it was not seen",
	  get_process_exit_status },
	{ "signal", "INTEGER", "the signal that ended it", get_process_signal },
	{ "sessions", "INTEGER", "sessions that it created or used", get_process_sessions },
	{ "inferences", "INTEGER", "inferences that were recorded", get_process_inferences },
	{ "inferences_left_out", "INTEGER", "inferences that --sample or --rate left out", get_process_sampled_out },
	{ "state", "TEXT", "why no runtime was seen in it", get_process_state },
};

const struct query_table query_table_processes = {
	.name = "processes",
	.what = "Processes that were recorded.",
	.rows = QUERY_LIST,
	.count = count_processes,
	QUERY_COLUMNS(process_columns),
};

/* Runtimes. */
static size_t count_runtimes(const struct query *query)
{
	return query->summary->n_runtimes;
}

static const struct summary_runtime *runtime_at(const struct query_at *at)
{
	return &at->query->summary->runtimes[at->row];
}

#define OF_RUNTIME(F) \
	F(runtime, name, runtime) \
	F(version, name, version) \
	F(path, name, path) \
	F(armed, name, armed) \
	F(left_out, name, left_out) \
	F(arm_ns, known, arm_ns)
#define GET_OF_RUNTIME(name, how, field) \
	GET(runtime_##name) \
	{ \
		PUT_##how(runtime_at(at)->field); \
	}
OF_RUNTIME(GET_OF_RUNTIME)

GET(runtime_process)
{
	query_put_number(to, query_process_track(at->query, runtime_at(at)->process));
}

static const struct query_column runtime_columns[] = {
	{ "process_id", "INTEGER", "the process that it is in: processes.id", get_runtime_process },
	{ "runtime", "TEXT", "its name: `onnxruntime`", get_runtime_runtime },
	{ "version", "TEXT", "its version", get_runtime_version },
	{ "path", "TEXT", "the file", get_runtime_path },
	{ "armed", "TEXT", "what is seen of it", get_runtime_armed },
	{ "left_out", "TEXT", "what is not, and why", get_runtime_left_out },
	{ "arm_ns", "INTEGER", "time that arming it took in the process", get_runtime_arm_ns },
};

const struct query_table query_table_runtimes = {
	.name = "runtimes",
	.what = "Runtimes in the processes.",
	.rows = QUERY_LIST,
	.count = count_runtimes,
	QUERY_COLUMNS(runtime_columns),
};

static size_t count_others(const struct query *query)
{
	return query->summary->n_other_runtimes;
}

static const struct summary_other_runtime *other_at(const struct query_at *at)
{
	return &at->query->summary->other_runtimes[at->row];
}

GET(other_process)
{
	query_put_number(to, query_process_track(at->query, other_at(at)->process));
}

GET(other_runtime)
{
	PUT_name(other_at(at)->runtime);
}

GET(other_version)
{
	PUT_name(other_at(at)->version);
}

GET(other_path)
{
	PUT_name(other_at(at)->path);
}

static const struct query_column other_columns[] = {
	{ "process_id", "INTEGER", "the process that it is in: processes.id", get_other_process },
	{ "runtime", "TEXT", "its name: `ncnn`", get_other_runtime },
	{ "version", "TEXT", "its version; NULL: not known", get_other_version },
	{ "path", "TEXT", "its library", get_other_path },
};

const struct query_table query_table_other_runtimes = {
	.name = "other_runtimes",
	.what = "Runtimes in the processes whose inferences are not recorded.",
	.rows = QUERY_LIST,
	.count = count_others,
	QUERY_COLUMNS(other_columns),
};
