/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that several tables of slices have in common. Private to this room. */
#ifndef ANALYZE_QUERY_QUERY_COLUMNS_H
#define ANALYZE_QUERY_QUERY_COLUMNS_H

#include "analyze/query/query_in.h"

/* Columns that several tables of slices have. */
void query_get_id(sqlite3_context *to, const struct query_at *at);
void query_get_kind(sqlite3_context *to, const struct query_at *at);
void query_get_begin(sqlite3_context *to, const struct query_at *at);
void query_get_end(sqlite3_context *to, const struct query_at *at);
void query_get_duration(sqlite3_context *to, const struct query_at *at);
void query_get_depth(sqlite3_context *to, const struct query_at *at);
void query_get_pid(sqlite3_context *to, const struct query_at *at);
void query_get_args(sqlite3_context *to, const struct query_at *at);

/* The halts of its process, and for how long it was halted, at least. */
const struct halts *query_halts(const struct query_at *at);
void query_get_halted(sqlite3_context *to, const struct query_at *at);

/* The keys of those that have one: see struct query_column. */
uint32_t query_key_name(const struct query_at *at);
uint32_t query_key_op_type(const struct query_at *at);
uint32_t query_key_provider(const struct query_at *at);
uint32_t query_key_session(const struct query_at *at);
uint32_t query_key_inference(const struct query_at *at);
uint32_t query_key_track(const struct query_at *at);
uint32_t query_key_process(const struct query_at *at);
uint32_t query_key_parent(const struct query_at *at);
uint32_t query_key_model(const struct query_at *at);
uint32_t query_key_tid(const struct query_at *at);

#define QUERY_TIMES(of) \
	{ "begin_ns", "INTEGER", "begin of the " of ", CLOCK_MONOTONIC", query_get_begin, QUERY_BEGIN }, \
	    { "end_ns", "INTEGER", "its end; NULL: it was cut off", query_get_end, QUERY_END }, \
	{ \
		"duration_ns", "INTEGER", "end_ns - begin_ns", query_get_duration \
	}
#define QUERY_WHERE_IT_RAN \
	{ "process_id", "INTEGER", "its process: processes.id", NULL, QUERY_NUMBER, query_key_process }, \
	    { "pid", "INTEGER", "that of its process", query_get_pid }, \
	{ \
		"track_id", "INTEGER", "the line that it is on: tracks.id", NULL, QUERY_NUMBER, query_key_track \
	}

#endif
