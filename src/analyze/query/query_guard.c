// SPDX-License-Identifier: Apache-2.0
/*
 * What a query may do: read our tables, and compute. Everything else is refused when the statement is compiled: the
 * lists below say what is allowed, and whatever they do not name is not. The database is in memory and empty but for
 * views, what is sorted stays in memory, and there are limits to all that a text could make large.
 */
#include <string.h>

#include "analyze/query/query_in.h"

/* Without `sqlite_compileoption_get` and others that tell of the machine; none of these writes, loads or reads a file.
 */
static const char functions[] =
    " -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count "
    "cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor "
    "format "
    "glob group_concat hex if ifnull iif instr json json_array json_array_length json_error_position json_extract "
    "json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove "
    "json_replace json_set json_type json_valid julianday lag last_value lead length like likelihood likely ln log "
    "log10 log2 lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank percentile pi pow "
    "power printf quote radians random rank replace round row_number rtrim sign sin sinh sqlite_version sqrt "
    "strftime string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex unicode unixepoch "
    "unlikely upper zeroblob ";

/* Besides ours. */
static const char tables[] =
    " json_each json_tree sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema pragma_table_info "
    "pragma_table_xinfo pragma_table_list pragma_function_list ";

static const char pragmas[] = " table_info table_xinfo table_list function_list ";

static const char *const actions[] = {
	[SQLITE_CREATE_INDEX] = "CREATE INDEX",
	[SQLITE_CREATE_TABLE] = "CREATE TABLE",
	[SQLITE_CREATE_TEMP_INDEX] = "CREATE INDEX",
	[SQLITE_CREATE_TEMP_TABLE] = "CREATE TABLE",
	[SQLITE_CREATE_TEMP_TRIGGER] = "CREATE TRIGGER",
	[SQLITE_CREATE_TEMP_VIEW] = "CREATE VIEW",
	[SQLITE_CREATE_TRIGGER] = "CREATE TRIGGER",
	[SQLITE_CREATE_VIEW] = "CREATE VIEW",
	[SQLITE_DELETE] = "DELETE",
	[SQLITE_DROP_INDEX] = "DROP INDEX",
	[SQLITE_DROP_TABLE] = "DROP TABLE",
	[SQLITE_DROP_TEMP_INDEX] = "DROP INDEX",
	[SQLITE_DROP_TEMP_TABLE] = "DROP TABLE",
	[SQLITE_DROP_TEMP_TRIGGER] = "DROP TRIGGER",
	[SQLITE_DROP_TEMP_VIEW] = "DROP VIEW",
	[SQLITE_DROP_TRIGGER] = "DROP TRIGGER",
	[SQLITE_DROP_VIEW] = "DROP VIEW",
	[SQLITE_INSERT] = "INSERT",
	[SQLITE_PRAGMA] = "PRAGMA",
	[SQLITE_READ] = "the table",
	[SQLITE_TRANSACTION] = "a transaction",
	[SQLITE_UPDATE] = "UPDATE",
	[SQLITE_ATTACH] = "ATTACH",
	[SQLITE_DETACH] = "DETACH",
	[SQLITE_ALTER_TABLE] = "ALTER TABLE",
	[SQLITE_REINDEX] = "REINDEX",
	[SQLITE_ANALYZE] = "ANALYZE",
	[SQLITE_CREATE_VTABLE] = "CREATE VIRTUAL TABLE",
	[SQLITE_DROP_VTABLE] = "DROP TABLE",
	[SQLITE_FUNCTION] = "the function",
	[SQLITE_SAVEPOINT] = "SAVEPOINT",
};

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
		if (!sqlite3_strnicmp(at + 1, name, (int)len) && at[1 + len] == ' ')
			return len != 0;
	return false;
}

static bool is_ours(const char *name)
{
	for (size_t i = 0; query_tables[i]; i++)
		if (!sqlite3_stricmp(query_tables[i]->name, name))
			return true;
	for (size_t i = 0; query_views[i].name; i++)
		if (!sqlite3_stricmp(query_views[i].name, name))
			return true;
	return is_listed(tables, name);
}

static bool is_allowed(int action, const char *first, const char *second)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return true;
	case SQLITE_READ:
		/* no column: rows are counted, also those of WITH, whose name is then the table */
		return first && (!*first || (second && !*second) || is_ours(first));
	case SQLITE_FUNCTION:
		return second && is_listed(functions, second);
	case SQLITE_PRAGMA:
		return first && is_listed(pragmas, first);
	default:
		return false;
	}
}

static const char of_sqlite[] = "a table of SQLite itself";

/* What would be changed is a table of the schema: the statement was another one. */
static const char *word_of(int action, const char *first)
{
	bool is_schema =
	    first && (!sqlite3_stricmp(first, "sqlite_master") || !sqlite3_stricmp(first, "sqlite_temp_master"));

	if (is_schema && action == SQLITE_INSERT)
		return "CREATE";
	if (is_schema && action == SQLITE_DELETE)
		return "DROP";
	/* not ALTER, which is asked for as itself: a virtual table of SQLite's own comes to be with its first use */
	if (is_schema && action == SQLITE_UPDATE)
		return of_sqlite;
	/* since 3.41 it is there already */
	if (first && action == SQLITE_READ && !sqlite3_strnicmp(first, "pragma_", 7))
		return of_sqlite;
	return action >= 0 && action < (int)(sizeof actions / sizeof *actions) ? actions[action] : NULL;
}

static int authorize(void *query_, int action, const char *first, const char *second, const char *database,
		     const char *trigger)
{
	struct query *query = query_;
	const char *what = word_of(action, first);
	const char *name = what == of_sqlite				      ? NULL
			   : action == SQLITE_FUNCTION			      ? second
			   : action == SQLITE_PRAGMA || action == SQLITE_READ ? first
									      : NULL;

	if (!query->is_set_up || is_allowed(action, first, second))
		return SQLITE_OK;
	if (!*query->refused)
		sqlite3_snprintf((int)sizeof query->refused, query->refused, "%s%s%.100s", what ? what : "this",
				 name ? " " : "", name ? name : "");
	return SQLITE_DENY;
}

static void set_limits(sqlite3 *db)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 64 << 20 },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, 500 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 200 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 100 },
		{ SQLITE_LIMIT_VDBE_OP, 1000000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 100 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 10 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(db, limits[i].what, limits[i].most);
}

/* SQLite forgets an interruption that comes before the query's first step. */
static int count_steps(void *query_)
{
	struct query *query = query_;

	query->steps += 1000;
	return query->is_interrupted || (query->max_steps && query->steps > query->max_steps);
}

void query_guard_init(struct query *query, const struct query_opts *opts)
{
	static const int off[] = {
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
		SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_DQS_DML,	       SQLITE_DBCONFIG_DQS_DDL
	};

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sqlite3_db_config(query->db, off[i], 0, NULL);
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	set_limits(query->db);
	query->memory_bytes = opts && opts->memory_bytes ? opts->memory_bytes : 1 << 30;
	sqlite3_hard_heap_limit64(query->memory_bytes > INT64_MAX ? INT64_MAX : (sqlite3_int64)query->memory_bytes);
	query->max_steps = opts ? opts->max_steps : 0;
	sqlite3_progress_handler(query->db, 1000, count_steps, query);
	sqlite3_set_authorizer(query->db, authorize, query);
}

void query_guard_close(struct query *query)
{
	sqlite3_exec(query->db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = 1", NULL, NULL, NULL);
	query->is_set_up = true;
}
