// SPDX-License-Identifier: Apache-2.0
/* Tables as SQLite's virtual tables: declares their columns, and hands conditions to plans and rows out of scans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"

struct vtab {
	sqlite3_vtab base;
	struct query *query;
	const struct query_table *table;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_scan scan;
};

/* What a module of one table is made with. */
struct source {
	struct query *query;
	const struct query_table *table;
};

static char *declaration_of(const struct query_table *table)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, "CREATE TABLE t(");
	for (size_t i = 0; i < query_n_columns(table); i++) {
		const struct query_column_words words = query_words(table, i);

		sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", words.name, words.type);
	}
	sqlite3_str_appendchar(text, 1, ')');
	return sqlite3_str_finish(text);
}

static int table_connect(sqlite3 *db, void *source_, int argc, const char *const *argv, sqlite3_vtab **vtab,
			 char **message)
{
	const struct source *source = source_;
	char *declaration = declaration_of(source->table);
	struct vtab *made = sqlite3_malloc(sizeof *made);
	int code = declaration && made ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;

	sqlite3_free(declaration);
	if (code) {
		sqlite3_free(made);
		return code;
	}
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	*made = (struct vtab){ .query = source->query, .table = source->table };
	*vtab = &made->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

static int table_best_index(sqlite3_vtab *vtab_, sqlite3_index_info *info)
{
	const struct vtab *vtab = (const struct vtab *)vtab_;

	return query_plan_find(vtab->query, vtab->table, info);
}

static int cursor_open(sqlite3_vtab *vtab_, sqlite3_vtab_cursor **cursor)
{
	const struct vtab *vtab = (const struct vtab *)vtab_;
	struct cursor *made = sqlite3_malloc(sizeof *made);

	if (!made)
		return SQLITE_NOMEM;
	*made = (struct cursor){ .scan = { .query = vtab->query, .table = vtab->table } };
	*cursor = &made->base;
	return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *cursor)
{
	free(((struct cursor *)cursor)->scan.own_rows);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *cursor, int number, const char *plan, int n, sqlite3_value **values)
{
	struct query_scan *scan = &((struct cursor *)cursor)->scan;
	int code = query_plan_take(scan, plan, n, values);

	if (!code)
		query_scan_begin(scan);
	return code;
}

static int cursor_next(sqlite3_vtab_cursor *cursor)
{
	query_scan_next(&((struct cursor *)cursor)->scan);
	return SQLITE_OK;
}

static int cursor_is_end(sqlite3_vtab_cursor *cursor)
{
	return ((const struct cursor *)cursor)->scan.is_end;
}

static int cursor_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const struct query_scan *scan = &((const struct cursor *)cursor)->scan;

	if (column >= 0)
		query_put_column(to, scan->table, &scan->at, (size_t)column);
	return SQLITE_OK;
}

/* Unique in its table: SQLite tells by it which rows the parts of an OR have in common. */
static int cursor_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	const struct query_scan *scan = &((const struct cursor *)cursor)->scan;

	if (scan->table->rows == QUERY_SAMPLES)
		*id = (sqlite3_int64)scan->next << 32 | (sqlite3_int64)(scan->at.row + 1);
	else
		*id = (sqlite3_int64)((scan->at.in ? scan->at.in->base : 0) + scan->at.row + 1);
	return SQLITE_OK;
}

/* No method that writes: the tables cannot be changed. */
static const sqlite3_module module = {
	.iVersion = 3,
	.xConnect = table_connect, /* without xCreate: each table is there, and none can be created */
	.xBestIndex = table_best_index,
	.xDisconnect = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_is_end,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

static int add_table(struct query *query, const struct query_table *table)
{
	struct source *source = sqlite3_malloc(sizeof *source);

	if (!source)
		return SQLITE_NOMEM;
	*source = (struct source){ query, table };
	return sqlite3_create_module_v2(query->db, table->name, &module, source, sqlite3_free);
}

static int add_view(struct query *query, const struct query_view *view)
{
	char *sql = sqlite3_mprintf("CREATE VIEW \"%w\" AS %s", view->name, view->sql);
	int code = sql ? sqlite3_exec(query->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code;
}

/* A table is declared when it is first named, by statements that no query may contain: now is the time. */
static int name_once(struct query *query, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 0", table);
	int code = sql ? sqlite3_exec(query->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code;
}

static int name_all(struct query *query)
{
	static const char *const others[] = { "json_each",	    "json_tree",	 "pragma_table_info",
					      "pragma_table_xinfo", "pragma_table_list", "pragma_function_list" };
	int code = SQLITE_OK;

	for (size_t i = 0; !code && query_tables[i]; i++)
		code = name_once(query, query_tables[i]->name);
	for (size_t i = 0; !code && query_views[i].name; i++)
		code = name_once(query, query_views[i].name);
	/* those that this SQLite was built with */
	for (size_t i = 0; !code && i < sizeof others / sizeof *others; i++)
		if (name_once(query, others[i]) == SQLITE_NOMEM)
			code = SQLITE_NOMEM;
	return code;
}

int query_module_add(struct query *query)
{
	int code = SQLITE_OK;

	for (size_t i = 0; !code && query_tables[i]; i++)
		code = add_table(query, query_tables[i]);
	for (size_t i = 0; !code && query_views[i].name; i++)
		code = add_view(query, &query_views[i]);
	return code ? code : name_all(query);
}
