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

GET(name)
{
	query_put_name(to, at->query, track_at(at)->def.name);
}

GET(unit)
{
	query_put_name(to, at->query, track_at(at)->def.unit);
}

GET(parent)
{
	query_put_number(to, track_at(at)->def.parent);
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

GET(slices)
{
	query_put_count(to, track_at(at)->slices.n);
}

GET(first)
{
	const struct store_track *track = track_at(at);

	if (track->slices.n)
		query_put_count(to, track->slices.begin_ns[0]);
}

#define ID(of) { "id", "INTEGER", "number of the " of ", among all tracks", get_id, QUERY_ROW }
#define OF_PROCESS \
	{ "process_id", "INTEGER", "its process: processes.id; NULL: the machine", get_process }, \
	{ \
		"pid", "INTEGER", "that of its process", get_pid \
	}

static const struct query_column track_columns[] = {
	ID("track"),
	{ "type", "TEXT", "`process`, `thread`, `group`, `lane` or `counter`", get_type },
	{ "name", "TEXT", "its name", get_name },
	{ "parent_id", "INTEGER", "the track that it lies below: tracks.id", get_parent },
	OF_PROCESS,
	{ "tid", "INTEGER", "of threads", get_tid },
	{ "slices", "INTEGER", "slices on it", get_slices },
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
	{ "name", "TEXT", "its name; `intra-op` and `inter-op` are the runtime's own", get_name },
	OF_PROCESS,
	{ "slices", "INTEGER", "slices on its line: operators, mostly", get_slices },
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
static const struct summary_resource *resource_of(const struct query_at *at)
{
	const struct summary *summary = at->query->summary;

	for (uint32_t i = 0; i < summary->n_resources; i++)
		if (summary->resources[i].track == track_at(at)->id)
			return &summary->resources[i];
	return NULL;
}

GET(samples)
{
	query_put_count(to, track_at(at)->samples.n);
}

#define GET_OF_RESOURCE(name) \
	GET(name) \
	{ \
		const struct summary_resource *resource = resource_of(at); \
\
		if (resource) \
			query_put_real(to, resource->name); \
	}
GET_OF_RESOURCE(mean)
GET_OF_RESOURCE(min)
GET_OF_RESOURCE(max)
GET_OF_RESOURCE(busy_mean)
GET_OF_RESOURCE(idle_mean)

GET(device)
{
	const struct summary_resource *resource = resource_of(at);

	if (resource)
		query_put_name(to, at->query, resource->device);
}

static const struct query_column counter_columns[] = {
	ID("counter"),
	{ "name", "TEXT", "its name: `cpu`, `rss`, `gpu card1 busy` ...", get_name },
	{ "unit", "TEXT", "the unit of its values: `%`, `bytes`, `W` ...", get_unit },
	OF_PROCESS,
	{ "device", "TEXT", "the GPU or NPU that it measures", get_device },
	{ "samples", "INTEGER", "values", get_samples },
	{ "mean", "REAL", "mean of its values, in its unit, each weighted with the time since the one before",
	  get_mean },
	{ "min", "REAL", "smallest value", get_min },
	{ "max", "REAL", "largest value", get_max },
	{ "busy_mean", "REAL", "mean while inferences of its process ran (of the machine: any)", get_busy_mean },
	{ "idle_mean", "REAL", "mean while none did", get_idle_mean },
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
	{ "counter_id", "INTEGER", "its counter: counters.id", get_id, QUERY_NUMBER, key_counter },
	{ "time_ns", "INTEGER", "when it was taken, CLOCK_MONOTONIC", get_time, QUERY_BEGIN },
	{ "value", "REAL", "in the unit of its counter", get_value },
	{ "name", "TEXT", "name of the counter", get_name, QUERY_NAME, key_name },
	{ "unit", "TEXT", "unit of the counter", get_unit },
	{ "process_id", "INTEGER", "its process: processes.id; NULL: the machine", get_process, QUERY_NUMBER,
	  key_process },
	{ "pid", "INTEGER", "that of its process", get_pid },
};

const struct query_table query_table_samples = {
	.name = "samples",
	.what = "Values of counters. A value that repeats the one before it may be left out.",
	.rows = QUERY_SAMPLES,
	QUERY_COLUMNS(sample_columns),
};
