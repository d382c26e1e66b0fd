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

static const void *in_summary(const struct query_at *at)
{
	return at->query->summary;
}

#define SUMMARY(type, name) .in = in_summary, .field = COLUMN_##type, .offset = offsetof(struct summary, name)

static const struct query_column recording_columns[] = {
	{ "path", "TEXT", "the file", get_path },
	{ "bytes", "INTEGER", "its size", SUMMARY(COUNT, file.bytes) },
	{ "cut_at_byte", "INTEGER", "where it was cut off; NULL: it is complete", get_cut_at },
	{ "version", "TEXT", "version of inftrace that recorded it; NULL: another program wrote it",
	  SUMMARY(TEXT, recording.version) },
	{ "command", "TEXT", "the command that was recorded", SUMMARY(TEXT, recording.command) },
	{ "level", "TEXT", "`inference`, `operator` or `detail`", SUMMARY(TEXT, recording.level) },
	{ "machine", "TEXT", "processor, CPUs, memory, kernel", SUMMARY(TEXT, recording.machine) },
	{ "cpus", "INTEGER", "CPUs of the machine", SUMMARY(KNOWN, recording.n_cpus) },
	{ "begin_ns", "INTEGER", "first event, CLOCK_MONOTONIC", get_begin },
	{ "end_ns", "INTEGER", "last event", get_end },
	{ "duration_ns", "INTEGER", "end_ns - begin_ns", get_duration },
	{ "start_realtime_ns", "INTEGER", "wall clock when recording began, since 1970",
	  SUMMARY(KNOWN, recording.start_realtime_ns) },
	{ "clock_error_ns", "INTEGER", "largest error of times", SUMMARY(KNOWN, recording.clock_error_ns) },
	{ "interval_ns", "INTEGER", "time between samples of counters", SUMMARY(KNOWN, recording.interval_ns) },
	{ "sessions", "INTEGER", "sessions that were created or used", SUMMARY(COUNT, n_all_sessions) },
	{ "inferences", "INTEGER", "inferences", SUMMARY(COUNT, n_inferences) },
	{ "inferences_failed", "INTEGER", "of these, those that failed", SUMMARY(COUNT, n_inferences_failed) },
	{ "operators", "INTEGER", "calls of operators", SUMMARY(COUNT, n_operators) },
	{ "busy_ns", "INTEGER", "time with at least one inference", SUMMARY(COUNT, busy_ns) },
	{ "lost_events", "INTEGER", "events that were dropped: see `losses`", SUMMARY(COUNT, n_lost) },
};

const struct query_table query_table_recording = {
	.name = "recording",
	.what = "The recording as a whole: one row.",
	.rows = QUERY_LIST,
	.count = count_one,
	QUERY_COLUMNS(recording_columns),
};
