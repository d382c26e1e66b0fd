// SPDX-License-Identifier: Apache-2.0
/* The recording as a whole: one row. */
#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

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
