// SPDX-License-Identifier: Apache-2.0
/* Opens the tables of a recording, and runs texts of SQL over them, statement by statement. */
#include "analyze/query/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"
#include "base/near.h"
#include "base/text/units.h"

enum { MAX_VALUES = 500 };

const struct summary_opts query_looks = { .slowest = 20, .max_sessions = 1 << 20, .with_tokens = true };

static int open_db(struct query *query, const struct query_opts *opts, struct err *err)
{
	int code = sqlite3_open_v2(
	    ":memory:", &query->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);

	if (code)
		return err_set(err, ENOMEM, "cannot prepare queries: %s", sqlite3_errstr(code));
	query_guard_init(query, opts);
	code = query_functions_add(query);
	if (!code)
		code = query_module_add(query);
	if (code)
		return err_set(err, ENOMEM, "cannot prepare queries: %s", sqlite3_errmsg(query->db));
	query_guard_close(query);
	return 0;
}

struct query *query_new(const struct summary *summary, const struct query_opts *opts, struct err *err)
{
	struct query *query = calloc(1, sizeof *query);

	if (!query || !summary->store) {
		err_set(err, query ? EINVAL : ENOMEM, "cannot prepare queries: %s",
			query ? "the recording is not kept in memory" : "out of memory");
		free(query);
		return NULL;
	}
	query->summary = summary;
	query->store = summary->store;
	query->names = summary->names;
	if (query_tracks_init(query) || store_halts_find(&query->halts, query->store) || query_stacks_init(query)) {
		err_no_memory(err, "cannot prepare queries");
		query_free(query);
		return NULL;
	}
	if (open_db(query, opts, err)) {
		query_free(query);
		return NULL;
	}
	return query;
}

void query_free(struct query *query)
{
	if (!query)
		return;
	sqlite3_close(query->db);
	sqlite3_hard_heap_limit64(0);
	query_indexes_done(query);
	query_times_done(query);
	query_stacks_done(query);
	query_tracks_done(query);
	store_halts_done(&query->halts);
	free(query->why);
	free(query);
}

void query_interrupt(struct query *query)
{
	query->is_interrupted = 1;
	sqlite3_interrupt(query->db);
}

bool query_is_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

static const char *near_table(const char *name)
{
	struct query_table_words table;
	struct near near;

	near_init(&near, name, strlen(name));
	for (size_t i = 0; query_table_at(i, &table); i++)
		near_offer(&near, table.name);
	return near_best(&near);
}

static const char *near_column(const char *name)
{
	const char *dot = strrchr(name, '.');
	struct query_table_words table;
	struct near near;

	name = dot ? dot + 1 : name;
	near_init(&near, name, strlen(name));
	for (size_t i = 0; query_table_at(i, &table); i++)
		for (size_t k = 0; k < table.n_columns; k++)
			near_offer(&near, query_column_at(i, k).name);
	return near_best(&near);
}

/* The first table or view that has a column, NULL: none has. */
static const char *table_with(const char *column)
{
	struct query_table_words table;

	for (size_t i = 0; query_table_at(i, &table); i++)
		for (size_t k = 0; k < table.n_columns; k++)
			if (!strcasecmp(query_column_at(i, k).name, column))
				return table.name;
	return NULL;
}

static int say_wrong_column(const char *message, const char *name, struct err *err)
{
	const char *dot = strrchr(name, '.'), *table = table_with(dot ? dot + 1 : name);
	const char *meant = table ? NULL : near_column(name);

	if (table)
		return err_set(err, EINVAL, "cannot run the query: %.300s; %s has it", message, table);
	return err_set(err, EINVAL, "cannot run the query: %.300s%s%s%s", message, meant ? "; did you mean " : "",
		       meant ? meant : "", meant ? "?" : "");
}

/* SQL that is wrong: SQLite's words, and what may have been meant. */
static int say_wrong(const struct query *query, struct err *err)
{
	static const char table[] = "no such table: ", column[] = "no such column: ";
	const char *message = sqlite3_errmsg(query->db), *meant = NULL;

	if (!strncmp(message, table, sizeof table - 1))
		meant = near_table(message + sizeof table - 1);
	else if (!strncmp(message, column, sizeof column - 1))
		return say_wrong_column(message, message + sizeof column - 1, err);
	return err_set(err, EINVAL, "cannot run the query: %.300s%s%s%s", message, meant ? "; did you mean " : "",
		       meant ? meant : "", meant ? "?" : "");
}

/* SQLite does not tell where a table is that does not exist, nor that the end of a text is where more must come. */
static void find_place(const struct query *query, const char *sql, size_t at, struct query_place *place)
{
	static const char words[] = "no such table: ";
	const char *message = sqlite3_errmsg(query->db), *found;

	if (!strcmp(message, "incomplete input")) {
		size_t end = strlen(sql);

		while (end > at && strchr(" \t\r\n", sql[end - 1]))
			end--;
		*place = (struct query_place){ true, end };
	}
	if (strncmp(message, words, sizeof words - 1) != 0)
		return;
	found = strstr(sql + at, message + sizeof words - 1);
	if (found)
		*place = (struct query_place){ true, (size_t)(found - sql) };
}

/* at: where the statement begins in the text. */
static int fail(const struct query *query, const char *sql, size_t at, struct query_place *place, struct err *err)
{
	int code = sqlite3_errcode(query->db), offset = sqlite3_error_offset(query->db);

	if (offset >= 0)
		*place = (struct query_place){ true, at + (size_t)offset };
	else
		find_place(query, sql, at, place);
	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		return err_set(err, EINTR, "%s",
			       query->max_steps && query->steps > query->max_steps ? "the query took too many steps"
										   : "the query was interrupted");
	case SQLITE_NOMEM:
		return err_set(err, ENOMEM,
			       "cannot run the query: it needs more than %s of memory; add a WHERE, sort fewer rows, "
			       "or give --memory SIZE",
			       units_bytes((double)query->memory_bytes).s);
	case SQLITE_AUTH:
		return err_set(err, EPERM, "cannot run the query: the tables are read-only, and %s is not allowed",
			       *query->refused ? query->refused : "this");
	case SQLITE_READONLY:
		return err_set(err, EPERM, "cannot run the query: the tables are read-only");
	default:
		if (*query->refused)
			return err_set(err, EPERM,
				       "cannot run the query: the tables are read-only, and %s is not allowed",
				       query->refused);
		return say_wrong(query, err);
	}
}

static struct query_value value_of(sqlite3_stmt *statement, int i)
{
	static const enum query_type types[] = { [SQLITE_INTEGER] = QUERY_INT,
						 [SQLITE_FLOAT] = QUERY_REAL,
						 [SQLITE_TEXT] = QUERY_TEXT,
						 [SQLITE_BLOB] = QUERY_BYTES,
						 [SQLITE_NULL] = QUERY_NULL };
	struct query_value value = { .type = types[sqlite3_column_type(statement, i)] };

	if (value.type == QUERY_INT) {
		value.integer = sqlite3_column_int64(statement, i);
	} else if (value.type == QUERY_REAL) {
		value.real = sqlite3_column_double(statement, i);
	} else if (value.type != QUERY_NULL) {
		value.text = value.type == QUERY_TEXT ? (const char *)sqlite3_column_text(statement, i)
						      : sqlite3_column_blob(statement, i);
		value.len = value.text ? (size_t)sqlite3_column_bytes(statement, i) : 0;
	}
	return value;
}

static enum query_type documented_type(const char *word)
{
	static const char *const words[] = { "", "INTEGER", "REAL", "TEXT", "BLOB" };

	for (size_t i = 1; word && i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return (enum query_type)i;
	return QUERY_NULL;
}

static int begin(sqlite3_stmt *statement, const struct query_taker *to, size_t n, struct err *err)
{
	struct query_heading columns[MAX_VALUES];

	for (size_t i = 0; i < n; i++) {
		columns[i] = (struct query_heading){ sqlite3_column_name(statement, (int)i),
						     documented_type(sqlite3_column_decltype(statement, (int)i)) };
		if (!columns[i].name)
			return err_no_memory(err, "cannot run the query");
	}
	return to->begin(to->ctx, columns, n, err);
}

/* 1: there was an error of SQLite. */
static int run_one(sqlite3_stmt *statement, const struct query_taker *to, struct err *err)
{
	struct query_value values[MAX_VALUES];
	size_t n = (size_t)sqlite3_column_count(statement);
	int step, code = 0;

	if (!n || n > MAX_VALUES)
		return sqlite3_step(statement) == SQLITE_DONE ? 0 : 1;
	step = sqlite3_step(statement);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return 1;
	for (code = begin(statement, to, n, err); !code && step == SQLITE_ROW; step = sqlite3_step(statement)) {
		for (size_t i = 0; i < n; i++)
			values[i] = value_of(statement, (int)i);
		code = to->row(to->ctx, values, n, err);
		if (code)
			return code;
	}
	if (!code && to->end)
		code = to->end(to->ctx, err);
	return code ? code : step != SQLITE_DONE;
}

static int run_all(struct query *query, const char *sql, const struct query_taker *to, struct query_place *place,
		   struct err *err)
{
	int code = 0;

	*place = (struct query_place){ 0 };
	query_indexes_trim(query);
	for (const char *at = sql, *next; !code && *at; at = next) {
		sqlite3_stmt *statement = NULL;

		*query->refused = 0;
		query->steps = 0;
		query->has_pairs = query_plan_has_pairs(at);
		if (sqlite3_prepare_v3(query->db, at, -1, 0, &statement, &next))
			return fail(query, sql, (size_t)(at - sql), place, err);
		if (!statement)
			continue;
		/* the guard has let it through: this cannot happen */
		if (!sqlite3_stmt_readonly(statement)) {
			sqlite3_finalize(statement);
			return err_set(err, EPERM, "cannot run the query: the tables are read-only");
		}
		code = run_one(statement, to, err);
		if (code > 0)
			code = fail(query, sql, (size_t)(at - sql), place, err);
		sqlite3_finalize(statement);
	}
	return code;
}

int query_run(struct query *query, const char *sql, const struct query_taker *to, struct query_place *place,
	      struct err *err)
{
	int code = run_all(query, sql, to, place, err);

	query->is_interrupted = 0;
	return code;
}

const struct query_table_words *query_table_at(size_t i, struct query_table_words *words)
{
	size_t n = 0;

	for (; query_tables[n]; n++)
		if (n == i) {
			*words = (struct query_table_words){ query_tables[n]->name, query_tables[n]->what, false, NULL,
							     query_n_columns(query_tables[n]) };
			return words;
		}
	for (size_t k = 0; query_views[k].name; k++, n++)
		if (n == i) {
			*words = (struct query_table_words){ query_views[k].name, query_views[k].what, true,
							     query_views[k].sql, query_views[k].n_columns };
			return words;
		}
	return NULL;
}

struct query_column_words query_column_at(size_t table, size_t column)
{
	size_t n = 0;

	while (query_tables[n] && n < table)
		n++;
	if (query_tables[n])
		return query_words(query_tables[n], column);
	return query_views[table - n].columns[column];
}
