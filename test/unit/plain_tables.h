/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a recording, copied into a database of SQLite's own. */
#ifndef TEST_UNIT_PLAIN_TABLES_H
#define TEST_UNIT_PLAIN_TABLES_H

#include <sqlite3.h>
#include <stdlib.h>

#include "analyze/query/query.h"

static inline int plain_begin(void *insert, const struct query_heading *columns, size_t n, struct err *err)
{
	return 0;
}

static inline int plain_row(void *insert, const struct query_value *values, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int at = (int)i + 1;

		if (values[i].type == QUERY_INT)
			sqlite3_bind_int64(insert, at, values[i].integer);
		else if (values[i].type == QUERY_REAL)
			sqlite3_bind_double(insert, at, values[i].real);
		else if (values[i].type == QUERY_NULL)
			sqlite3_bind_null(insert, at);
		else
			sqlite3_bind_text(insert, at, values[i].text, (int)values[i].len, SQLITE_TRANSIENT);
	}
	if (sqlite3_step(insert) != SQLITE_DONE)
		abort();
	sqlite3_reset(insert);
	return 0;
}

/* table: its number, as of query_table_at. */
static inline void plain_copy(sqlite3 *to, struct query *query, size_t table)
{
	sqlite3_str *columns = sqlite3_str_new(NULL), *places = sqlite3_str_new(NULL);
	struct query_table_words words;
	sqlite3_stmt *insert;
	char *make, *put, *all;

	query_table_at(table, &words);
	for (size_t i = 0; i < words.n_columns; i++) {
		struct query_column_words column = query_column_at(table, i);

		sqlite3_str_appendf(columns, "%s\"%w\" %s", i ? ", " : "", column.name, column.type);
		sqlite3_str_appendall(places, i ? ", ?" : "?");
	}
	make = sqlite3_mprintf("CREATE TABLE \"%w\"(%s)", words.name, sqlite3_str_value(columns));
	put = sqlite3_mprintf("INSERT INTO \"%w\" VALUES(%s)", words.name, sqlite3_str_value(places));
	all = sqlite3_mprintf("SELECT * FROM \"%w\"", words.name);
	if (sqlite3_exec(to, make, NULL, NULL, NULL) || sqlite3_prepare_v2(to, put, -1, &insert, NULL) ||
	    query_run(query, all, &(struct query_taker){ .ctx = insert, .begin = plain_begin, .row = plain_row },
		      &(struct query_place){ 0 }, &(struct err){ 0 }))
		abort();
	sqlite3_finalize(insert);
	sqlite3_free(make);
	sqlite3_free(put);
	sqlite3_free(all);
	sqlite3_free(sqlite3_str_finish(columns));
	sqlite3_free(sqlite3_str_finish(places));
}

#endif
