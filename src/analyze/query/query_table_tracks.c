// SPDX-License-Identifier: Apache-2.0
/* Tables of the lines of a timeline: tracks of all types, threads, counters; and the samples of counters. */
#include <string.h>

#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

static const struct store_track *track_at(const struct query_at *at)
{
	return at->track ? at->track : store_track(at->query->store, (uint32_t)at->row + 1);
}

static size_t count_tracks(const struct query *query)
{
	return store_n_tracks(query->store);
}

static bool has_track(const struct query *query, size_t row)
{
	return store_track(query->store, (uint32_t)row + 1);
}

static bool has_type(const struct query *query, size_t row, enum track_type type)
{
	const struct store_track *track = store_track(query->store, (uint32_t)row + 1);

	return track && track->def.type == type;
}

static bool has_thread(const struct query *query, size_t row)
{
	return has_type(query, row, TRACK_THREAD);
}

static bool has_counter(const struct query *query, size_t row)
{
	return has_type(query, row, TRACK_COUNTER);
}

GET(id)
{
	query_put_count(to, track_at(at)->id);
}

GET(type)
{
	static const char *const names[] = { "process", "thread", "group", "lane", "counter" };
	enum track_type type = track_at(at)->def.type;

	if (type < sizeof names / sizeof *names)
		sqlite3_result_text(to, names[type], -1, SQLITE_STATIC);
}

GET(process)
{
	query_put_number(to, store_process_of(at->query->store, track_at(at)->id));
}

GET(pid)
{
	uint32_t process = store_process_of(at->query->store, track_at(at)->id);
	int32_t pid = process ? store_track(at->query->store, process)->def.pid : track_at(at)->def.pid;

	query_put_number(to, (uint32_t)(pid > 0 ? pid : 0));
}

GET(tid)
{
	int32_t tid = track_at(at)->def.type == TRACK_THREAD ? track_at(at)->def.tid : 0;

	query_put_number(to, (uint32_t)(tid > 0 ? tid : 0));
}

GET(first)
{
	const struct store_track *track = track_at(at);

	if (track->slices.n)
		query_put_count(to, track->slices.begin_ns[0]);
}

static const void *in_track(const struct query_at *at)
{
	return track_at(at);
}

#define TRACK(type, name) .in = in_track, .field = COLUMN_##type, .offset = offsetof(struct store_track, name)
#define RESOURCE(type, name) \
	.in = in_resource, .field = COLUMN_##type, .offset = offsetof(struct summary_resource, name)
#define ID(of) { "id", "INTEGER", "number of the " of ", among all tracks", get_id, QUERY_ROW }
#define OF_PROCESS \
	{ "process_id", "INTEGER", "its process: processes.id; NULL: the machine", get_process }, \
	{ \
		"pid", "INTEGER", "that of its process", get_pid \
	}

static const struct query_column track_columns[] = {
	ID("track"),
	{ "type", "TEXT", "`process`, `thread`, `group`, `lane` or `counter`", get_type },
	{ "name", "TEXT", "its name", TRACK(TEXT, def.name) },
	{ "parent_id", "INTEGER", "the track that it lies below: tracks.id", TRACK(ID, def.parent) },
	OF_PROCESS,
	{ "tid", "INTEGER", "of threads", get_tid },
	{ "slices", "INTEGER", "slices on it", TRACK(COUNT, slices.n) },
};

const struct query_table query_table_tracks = {
	.name = "tracks",
	.what = "Lines of the timeline: processes, threads, lanes of inferences, counters.",
	.rows = QUERY_LIST,
	.count = count_tracks,
	.has = has_track,
	QUERY_COLUMNS(track_columns),
};

static const struct query_column thread_columns[] = {
	ID("thread"),
	{ "tid", "INTEGER", "the kernel's number, which may come again", get_tid },
	{ "name", "TEXT", "its name; `intra-op` and `inter-op` are the runtime's own", TRACK(TEXT, def.name) },
	OF_PROCESS,
	{ "slices", "INTEGER", "slices on its line: operators, mostly", TRACK(COUNT, slices.n) },
	{ "first_ns", "INTEGER", "begin of the first of them", get_first },
};

const struct query_table query_table_threads = {
	.name = "threads",
	.what = "Threads that have a line of their own.",
	.rows = QUERY_LIST,
	.count = count_tracks,
	.has = has_thread,
	QUERY_COLUMNS(thread_columns),
};

/* Counters. */
static const void *in_resource(const struct query_at *at)
{
	const struct summary *summary = at->query->summary;

	for (uint32_t i = 0; i < summary->n_resources; i++)
		if (summary->resources[i].track == track_at(at)->id)
			return &summary->resources[i];
	return NULL;
}

static const struct query_column counter_columns[] = {
	ID("counter"),
	{ "name", "TEXT", "its name: `cpu`, `rss`, `gpu card1 busy` ...", TRACK(TEXT, def.name) },
	{ "unit", "TEXT", "the unit of its values: `%`, `bytes`, `W` ...", TRACK(TEXT, def.unit) },
	OF_PROCESS,
	{ "device", "TEXT", "the GPU or NPU that it measures", RESOURCE(TEXT, device) },
	{ "samples", "INTEGER", "values", TRACK(COUNT, samples.n) },
	{ "mean", "REAL", "mean of its values, in its unit, each weighted with the time since the one before",
	  RESOURCE(REAL, mean) },
	{ "min", "REAL", "smallest value", RESOURCE(REAL, min) },
	{ "max", "REAL", "largest value", RESOURCE(REAL, max) },
	{ "busy_mean", "REAL", "mean while inferences of its process ran (of the machine: any)",
	  RESOURCE(REAL, busy_mean) },
	{ "idle_mean", "REAL", "mean while none did", RESOURCE(REAL, idle_mean) },
};

const struct query_table query_table_counters = {
	.name = "counters",
	.what = "What was measured over time; the values are in `samples`.",
	.rows = QUERY_LIST,
	.count = count_tracks,
	.has = has_counter,
	QUERY_COLUMNS(counter_columns),
};

GET(time)
{
	query_put_count(to, at->track->samples.time_ns[at->row]);
}

GET(value)
{
	query_put_real(to, at->track->samples.value[at->row]);
}

static uint32_t key_counter(const struct query_at *at)
{
	return at->track->id;
}

static uint32_t key_name(const struct query_at *at)
{
	return at->track->def.name;
}

static uint32_t key_process(const struct query_at *at)
{
	return store_process_of(at->query->store, at->track->id);
}

static const struct query_column sample_columns[] = {
	{ "counter_id", "INTEGER", "its counter: counters.id", NULL, QUERY_NUMBER, key_counter },
	{ "time_ns", "INTEGER", "when it was taken, CLOCK_MONOTONIC", get_time, QUERY_BEGIN },
	{ "value", "REAL", "in the unit of its counter", get_value },
	{ "name", "TEXT", "name of the counter", NULL, QUERY_NAME, key_name },
	{ "unit", "TEXT", "unit of the counter", TRACK(TEXT, def.unit) },
	{ "process_id", "INTEGER", "its process: processes.id; NULL: the machine", NULL, QUERY_NUMBER, key_process },
	{ "pid", "INTEGER", "that of its process", get_pid },
};

const struct query_table query_table_samples = {
	.name = "samples",
	.what = "Values of counters. A value that repeats the one before it may be left out.",
	.rows = QUERY_SAMPLES,
	QUERY_COLUMNS(sample_columns),
};
