// SPDX-License-Identifier: Apache-2.0
/* Tables of instants: losses, notes, and all of them. */
#include "analyze/query/query_in.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

static const struct store_instant *instant_at(const struct query_at *at)
{
	size_t n;

	return store_instants(at->query->store, &n) + at->row;
}

static size_t count(const struct query *query)
{
	size_t n;

	store_instants(query->store, &n);
	return n;
}

static bool has_kind(const struct query *query, size_t row, enum event_kind kind)
{
	size_t n;

	return store_instants(query->store, &n)[row].kind == kind;
}

static bool has_loss(const struct query *query, size_t row)
{
	return has_kind(query, row, KIND_LOST);
}

static bool has_note(const struct query *query, size_t row)
{
	return has_kind(query, row, KIND_NOTE);
}

GET(kind)
{
	const char *name = event_kind_name(instant_at(at)->kind);

	if (*name)
		sqlite3_result_text(to, name, -1, SQLITE_STATIC);
}

GET(process)
{
	query_put_number(to, store_process_of(at->query->store, instant_at(at)->track));
}

GET(pid)
{
	uint32_t process = store_process_of(at->query->store, instant_at(at)->track);
	const struct store_track *track = process ? store_track(at->query->store, process) : NULL;

	query_put_number(to, track && track->def.pid > 0 ? (uint32_t)track->def.pid : 0);
}

GET(args)
{
	query_put_args(to, at->query, &instant_at(at)->args, 1);
}

#define GET_ARG(name, key) \
	GET(name) \
	{ \
		query_put_arg(to, at->query, store_arg(at->query->store, instant_at(at)->args, key)); \
	}
GET_ARG(events, KEY_COUNT)
GET_ARG(where, KEY_WHERE)
GET_ARG(text, KEY_TEXT)
GET_ARG(state, KEY_STATE)
GET_ARG(cycles, KEY_CYCLES)

static const void *in_instant(const struct query_at *at)
{
	return instant_at(at);
}

#define INSTANT(type, name) .in = in_instant, .field = COLUMN_##type, .offset = offsetof(struct store_instant, name)
#define AT_TIME { "time_ns", "INTEGER", "when, CLOCK_MONOTONIC", NULL, QUERY_BEGIN, INSTANT(COUNT, time_ns) }
#define OF_PROCESS \
	{ "process_id", "INTEGER", "its process: processes.id; NULL: none", get_process }, \
	{ \
		"pid", "INTEGER", "that of its process", get_pid \
	}
#define ARGS { "args", "TEXT", "all annotations, as JSON", get_args }

static const struct query_column loss_columns[] = {
	AT_TIME,
	{ "events", "INTEGER", "how many were dropped since the loss before", get_events },
	{ "place", "TEXT", "where they were dropped", get_where },
	OF_PROCESS,
};

const struct query_table query_table_losses = {
	.name = "losses",
	.what = "Events that were dropped, counted where it happened.",
	.rows = QUERY_LIST,
	.count = count,
	.has = has_loss,
	QUERY_COLUMNS(loss_columns),
};

static const struct query_column note_columns[] = {
	AT_TIME,
	{ "topic", "TEXT", "what it is about: `recording`, `created`, `exit`, `cost` ...", INSTANT(TEXT, name) },
	OF_PROCESS,
	{ "state", "TEXT", "its state, of topics that have one", get_state },
	{ "text", "TEXT", "its words, of topics that have some", get_text },
	ARGS,
};

const struct query_table query_table_notes = {
	.name = "notes",
	.what = "Facts about the recording, one topic each.",
	.rows = QUERY_LIST,
	.count = count,
	.has = has_note,
	QUERY_COLUMNS(note_columns),
};

static const struct query_column instant_columns[] = {
	AT_TIME,
	{ "kind", "TEXT", "what it is: `note`, `lost`, `allocation`, `kernel`, `user`", get_kind },
	{ "name", "TEXT", "its name", INSTANT(TEXT, name) },
	{ "track_id", "INTEGER", "the line that it is on: tracks.id", INSTANT(ID, track) },
	OF_PROCESS,
	{ "cycles", "INTEGER", "of nodes on a device whose profiler counts cycles instead of time", get_cycles },
	ARGS,
};

const struct query_table query_table_instants = {
	.name = "instants",
	.what = "Everything that has one time.",
	.rows = QUERY_LIST,
	.count = count,
	QUERY_COLUMNS(instant_columns),
};
