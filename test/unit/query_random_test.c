// SPDX-License-Identifier: Apache-2.0
/*
 * Random queries answer as they do on plain tables: every table of a recording is copied into a database of SQLite's
 * own, and both get the same SQL. QUERY_SEED and QUERY_COUNT choose others, and more, of them.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "plain_tables.h"
#include "stream.h"

enum { N_QUERIES = 4000, MAX_TABLES = 48, MAX_COLUMNS = 48, MAX_ROWS = 4000, SQL = 2000 };

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 16) % n);
}

/* ---- a recording in which nothing comes in order: names, numbers, processes, times of instants */

/* some are numbers: what is text here is a number where SQL compares it with one */
static const char *const types[] = { "MatMul", "Add", "Conv", "add", "7", "Gather", "a b", "Z" };
static const char *const nodes[] = { "mm_2", "07", "Add", "2.0", "'quoted'", "conv", "x%y", "_" };

static void put_run(struct stream *s, uint32_t lane, uint32_t thread, const char *model, int session, int number,
		    uint64_t us)
{
	stream_text(s, KEY_MODEL, model);
	if (below(8))
		stream_int(s, KEY_SESSION, session);
	stream_int(s, KEY_ID, number);
	stream_int(s, KEY_INFERENCE, number);
	if (below(2))
		stream_text(s, KEY_SHAPES, below(2) ? "float[1x3]" : "float[2x3]");
	stream_begin(s, lane, us, KIND_INFERENCE, model);
	for (uint32_t i = below(5); i; i--) {
		stream_operator(s, thread, us + 10 * i, nodes[below(8)], types[below(8)], below(9) ? number : 0);
		stream_end(s, thread, us + 10 * i + 5);
	}
	if (!below(9))
		return; /* cut off */
	stream_text(s, KEY_STATUS, below(6) ? "ok" : "it failed");
	stream_end(s, lane, us + 100);
}

static void put_process(struct stream *s, int32_t pid, const char *name)
{
	static const char *const models[] = { "resnet", "bert", "Alpha", "zeta" };
	uint32_t process = stream_process(s, pid, name);

	for (int m = 0; m < 3; m++) {
		const char *model = models[below(4)];
		uint32_t lane = stream_lane(s, process, model), thread = stream_thread(s, process, pid + 50 - m * 7);
		uint32_t counter = stream_counter(s, process, m ? "memory" : "cpu", m ? "bytes" : "%");

		stream_int(s, KEY_SESSION, m + 1);
		stream_text(s, KEY_MODEL, model);
		stream_begin(s, lane, 10, KIND_SESSION, model);
		stream_begin(s, lane, 20, KIND_SPECIALIZE, nodes[below(8)]);
		stream_end(s, lane, 40);
		stream_end(s, lane, 60);
		for (int i = 1; i <= 12; i++)
			put_run(s, lane, thread, model, m + 1, m * 100 + i, (uint64_t)(i * 1000 + m * 10));
		for (int i = 0; i < 12; i++)
			stream_sample(s, counter, (uint64_t)i * 700, below(40));
	}
	for (int i = 0; i < 6; i++) {
		stream_int(s, KEY_COUNT, below(9));
		stream_text(s, KEY_WHERE, nodes[below(8)]);
		stream_instant(s, process, 9000 - below(8000), KIND_LOST, "lost");
		stream_text(s, KEY_TEXT, types[below(8)]);
		stream_instant(s, process, 9000 - below(8000), KIND_NOTE, EVENT_NOTE_STOPPED);
	}
}

/* ---- answers */

struct answer {
	char *row[MAX_ROWS]; /* values, each with its type and a byte 1 behind it */
	size_t n;
	bool is_wrong;
	char error[400];
};

static void take(struct answer *to, char *row)
{
	if (to->n < MAX_ROWS)
		to->row[to->n++] = row;
	else
		free(row);
}

static int query_row(void *answer, const struct query_value *values, size_t n, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++) {
		if (values[i].type == QUERY_INT)
			fprintf(out, "i%lld", (long long)values[i].integer);
		else if (values[i].type == QUERY_REAL)
			fprintf(out, "r%.12g", values[i].real);
		else if (values[i].type == QUERY_NULL)
			fputc('n', out);
		else
			fprintf(out, "t%.*s", (int)values[i].len, values[i].text);
		fputc(1, out);
	}
	fclose(out);
	take(answer, text);
	return 0;
}

static void ask_query(struct query *query, const char *sql, struct answer *to)
{
	struct query_taker taker = { .ctx = to, .begin = plain_begin, .row = query_row };
	struct query_place place;
	struct err err = { 0 };

	to->is_wrong = query_run(query, sql, &taker, &place, &err) != 0;
	snprintf(to->error, sizeof to->error, "%s", err.msg);
}

static void ask_plain(sqlite3 *db, const char *sql, struct answer *to)
{
	sqlite3_stmt *statement = NULL;
	struct query_value values[MAX_COLUMNS];

	to->is_wrong = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK;
	while (!to->is_wrong && sqlite3_step(statement) == SQLITE_ROW) {
		int n = sqlite3_column_count(statement);

		for (int i = 0; i < n; i++) {
			static const enum query_type of[] = { [SQLITE_INTEGER] = QUERY_INT,
							      [SQLITE_FLOAT] = QUERY_REAL,
							      [SQLITE_TEXT] = QUERY_TEXT,
							      [SQLITE_BLOB] = QUERY_TEXT,
							      [SQLITE_NULL] = QUERY_NULL };

			values[i] = (struct query_value){ .type = of[sqlite3_column_type(statement, i)],
							  .integer = sqlite3_column_int64(statement, i),
							  .real = sqlite3_column_double(statement, i),
							  .text = (const char *)sqlite3_column_text(statement, i),
							  .len = (size_t)sqlite3_column_bytes(statement, i) };
		}
		query_row(to, values, (size_t)n, NULL);
	}
	snprintf(to->error, sizeof to->error, "%s", sqlite3_errmsg(db));
	sqlite3_finalize(statement);
}

static void answer_done(struct answer *answer)
{
	for (size_t i = 0; i < answer->n; i++)
		free(answer->row[i]);
}

/* ---- the plain tables */

struct table {
	const char *name;
	size_t n_columns;
	struct query_column_words columns[MAX_COLUMNS];
};

struct fixture {
	struct stream s;
	struct summary *summary;
	struct query *query;
	sqlite3 *plain;
	struct table tables[MAX_TABLES];
	size_t n_tables;
};

/* ---- random SQL */

struct sql {
	char text[SQL];
	size_t len;
	size_t n_order; /* the first columns of the answer are those that it is ordered by */
};

static void __attribute__((format(printf, 2, 3))) put(struct sql *sql, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sql->len += (size_t)vsnprintf(sql->text + sql->len, SQL - sql->len, format, args);
	va_end(args);
	assert_true(sql->len < SQL);
}

static const struct table *any_table(const struct fixture *f)
{
	/* those that have plans of their own, mostly */
	static const char *const planned[] = { "operators", "inferences", "slices", "samples", "notes", "sessions" };
	const char *name = below(3) ? planned[below(6)] : NULL;

	for (size_t i = 0; name && i < f->n_tables; i++)
		if (!strcmp(f->tables[i].name, name))
			return &f->tables[i];
	return &f->tables[below((uint32_t)f->n_tables)];
}

static const char *any_column(const struct table *table)
{
	return table->columns[below((uint32_t)table->n_columns)].name;
}

/* A value that the column has, as a literal of SQL. */
static void put_value(struct fixture *f, struct sql *sql, const struct table *table, const char *column)
{
	char *text =
	    sqlite3_mprintf("SELECT quote(\"%w\") FROM \"%w\" LIMIT 1 OFFSET %u", column, table->name, below(30));
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(f->plain, text, -1, &statement, NULL), SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW)
		put(sql, "%.120s", (const char *)sqlite3_column_text(statement, 0));
	else
		put(sql, "%u", below(3));
	sqlite3_finalize(statement);
	sqlite3_free(text);
}

static void put_condition(struct fixture *f, struct sql *sql, const struct table *table, const char *of)
{
	static const char *const ops[] = { "=", "<", ">", "<=", ">=", "<>", "IS", "IS NOT" };
	const char *column = any_column(table);

	put(sql, "%s\"%s\" ", of, column);
	switch (below(8)) {
	case 0:
		put(sql, below(2) ? "IS NULL" : "IS NOT NULL");
		break;
	case 1:
		put(sql, "IN (");
		put_value(f, sql, table, column);
		put(sql, ", ");
		put_value(f, sql, table, column);
		put(sql, ")");
		break;
	case 2:
		put(sql, "BETWEEN ");
		put_value(f, sql, table, column);
		put(sql, " AND ");
		put_value(f, sql, table, column);
		break;
	case 3:
		put(sql, below(2) ? "LIKE 'a%%'" : "GLOB '*1*'");
		break;
	default:
		put(sql, "%s ", ops[below(8)]);
		put_value(f, sql, table, column);
	}
}

static void put_where(struct fixture *f, struct sql *sql, const struct table *table, const char *of)
{
	static const char *const joined[] = { " AND ", " OR " };

	for (uint32_t i = 0, n = below(4); i < n; i++) {
		put(sql, "%s", i ? joined[below(4) == 0] : " WHERE ");
		put_condition(f, sql, table, of);
	}
}

static void put_order(struct sql *sql, uint32_t n)
{
	sql->n_order = n;
	for (uint32_t i = 1; i <= n; i++)
		put(sql, "%s%u%s", i == 1 ? " ORDER BY " : ", ", i, below(3) ? "" : " DESC");
}

static void put_columns(struct sql *sql, const struct table *table, uint32_t n, const char *of)
{
	for (uint32_t i = 0; i < n; i++)
		put(sql, "%s%s\"%s\"", i ? ", " : "", of, any_column(table));
}

static void plain_select(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f);
	uint32_t n = 1 + below(3), is_distinct = below(3) == 0, ordered = below(n + 1);

	put(sql, "SELECT %s", is_distinct ? "DISTINCT " : "");
	put_columns(sql, table, n, "");
	put(sql, " FROM \"%s\"", table->name);
	put_where(f, sql, table, "");
	put_order(sql, ordered);
	if (ordered == n && below(2))
		put(sql, " LIMIT %u OFFSET %u", 1 + below(9), below(5));
}

static void groups(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f);
	const char *column[3], *number = NULL;
	uint32_t n = 1 + below(3);

	for (size_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].type, "INTEGER") && (!number || !below(3)))
			number = table->columns[i].name;
	put(sql, "SELECT ");
	for (uint32_t i = 0; i < n; i++)
		put(sql, "\"%s\", ", column[i] = any_column(table));
	put(sql, "count(*)");
	if (number)
		put(sql, ", min(\"%s\"), max(\"%s\"), count(DISTINCT \"%s\"), sum(\"%s\" %% 1000)", number, number,
		    number, number);
	put(sql, " FROM \"%s\"", table->name);
	put_where(f, sql, table, "");
	put(sql, " GROUP BY ");
	for (uint32_t i = 0; i < n; i++)
		put(sql, "%s\"%s\"", i ? ", " : "", column[i]);
	if (!below(4))
		put(sql, " HAVING count(*) > %u", below(4));
	put_order(sql, below(n + 2));
}

static void join(struct fixture *f, struct sql *sql)
{
	static const char *const pairs[][4] = {
		{ "operators", "inference_id", "inferences", "id" }, { "inferences", "session_id", "sessions", "id" },
		{ "operators", "op_type", "operators", "op_type" },  { "slices", "parent_id", "slices", "id" },
		{ "inferences", "model_id", "models", "id" },	     { "slices", "process_id", "processes", "id" },
		{ "samples", "counter_id", "counters", "id" }
	};
	const char *const *pair = pairs[below(7)];
	const struct table *left = NULL, *right = NULL;
	uint32_t n = 1 + below(2);

	for (size_t i = 0; i < f->n_tables; i++) {
		left = strcmp(f->tables[i].name, pair[0]) ? left : &f->tables[i];
		right = strcmp(f->tables[i].name, pair[2]) ? right : &f->tables[i];
	}
	assert_true(left && right);
	put(sql, "SELECT ");
	put_columns(sql, left, n, "a.");
	put(sql, ", ");
	put_columns(sql, right, 1, "b.");
	put(sql, " FROM \"%s\" a %sJOIN \"%s\" b ON a.\"%s\" = b.\"%s\"", left->name, below(2) ? "LEFT " : "",
	    right->name, pair[1], pair[3]);
	put_where(f, sql, left, "a.");
	put(sql, "%s", strstr(sql->text, " WHERE ") ? " AND " : " WHERE ");
	put(sql, "a.\"%s\" IS NOT NULL AND ", pair[1]);
	put_condition(f, sql, left, "a.");
	put_order(sql, below(n + 2));
}

static void inside(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f), *other = any_table(f);
	const char *column = any_column(table);

	if (below(2)) {
		put(sql, "SELECT count(*), count(\"%s\") FROM (SELECT DISTINCT \"%s\" FROM \"%s\"", column, column,
		    table->name);
		put_where(f, sql, table, "");
		put(sql, ")");
		return;
	}
	put(sql, "SELECT \"%s\" FROM \"%s\"", column, table->name);
	put_where(f, sql, table, "");
	put(sql, " %s SELECT \"%s\" FROM \"%s\"",
	    below(2)   ? "UNION"
	    : below(2) ? "EXCEPT"
		       : "INTERSECT",
	    any_column(other), other->name);
	put_where(f, sql, other, "");
	put_order(sql, 1);
}

/* ---- what fewer queries have */

/* A column of a type: 0 if the table has none. */
static const char *column_of(const struct table *table, const char *type)
{
	const char *found = NULL;
	uint32_t n = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].type, type) && !below(++n))
			found = table->columns[i].name;
	return found;
}

/* A whole number below 1000 that each row has: sums of it do not overflow, and are the same in any order. */
static void put_number(struct sql *sql, const struct table *table, const char *of)
{
	const char *number = column_of(table, "INTEGER");

	if (number)
		put(sql, "coalesce(%s\"%s\" %% 1000, -1)", of, number);
	else
		put(sql, "length(%s\"%s\")", of, any_column(table));
}

/* Values of any type on both sides: columns of the table, of another type than the value, or turned into text. */
static void put_mixed(struct fixture *f, struct sql *sql, const struct table *table, const char *of)
{
	static const char *const ops[] = { "=", "<", ">", "<=", ">=", "<>", "IS", "==" };
	const char *column = any_column(table);

	put(sql, "%s\"%s\"%s %s ", of, column, below(4) ? "" : " COLLATE NOCASE", ops[below(8)]);
	switch (below(6)) {
	case 0:
		put(sql, "%s\"%s\"", of, any_column(table));
		break;
	case 1:
		put(sql, "'%u'", below(120));
		break;
	case 2:
		put(sql, "%u.%u", below(9), below(2) * 5);
		break;
	case 3:
		put(sql, "CAST(");
		put_value(f, sql, table, column);
		put(sql, " AS %s)", below(2) ? "TEXT" : "REAL");
		break;
	case 4:
		put(sql, "(SELECT %s(\"%s\") FROM \"%s\")", below(2) ? "min" : "max", column, table->name);
		break;
	default:
		put_value(f, sql, table, any_column(table));
	}
}

static void mixed(struct fixture *f, struct sql *sql)
{
	static const char *const wholes[] = { "count(*)", "count(DISTINCT \"%s\")", "min(\"%s\")",
					      "max(typeof(\"%s\"))" };
	const struct table *table = any_table(f);

	put(sql, "SELECT ");
	put(sql, wholes[below(4)], any_column(table));
	put(sql, ", count(*) FILTER (WHERE ");
	put_mixed(f, sql, table, "");
	put(sql, "), sum(CASE WHEN ");
	put_mixed(f, sql, table, "");
	put(sql, " THEN 1 WHEN ");
	put_condition(f, sql, table, "");
	put(sql, " THEN 3 END) FROM \"%s\" WHERE %s(", table->name, below(3) ? "" : "NOT ");
	put_mixed(f, sql, table, "");
	put(sql, below(2) ? " AND " : " OR ");
	put_condition(f, sql, table, "");
	put(sql, ")");
}

static void windows(struct fixture *f, struct sql *sql)
{
	static const char *const what[] = { "rank()", "dense_rank()", "count(*)", "percent_rank()" };
	const struct table *table = any_table(f);
	const char *column = any_column(table);

	put(sql, "SELECT \"%s\", %s OVER w, sum(", column, what[below(4)]);
	put_number(sql, table, "");
	put(sql, ") OVER w, max(\"%s\") OVER (PARTITION BY \"%s\") FROM \"%s\"", any_column(table), column,
	    table->name);
	put_where(f, sql, table, "");
	put(sql, " WINDOW w AS (");
	if (below(2))
		put(sql, "PARTITION BY \"%s\" ", column);
	put(sql, "ORDER BY \"%s\"%s", any_column(table), below(2) ? "" : " DESC");
	if (!below(3))
		put(sql, " GROUPS BETWEEN 1 PRECEDING AND %u FOLLOWING", below(3));
	put(sql, ")");
	put_order(sql, below(2));
}

/* Any two tables by any two columns, of which only sums are shown. */
static void outer_join(struct fixture *f, struct sql *sql)
{
	static const char *const how[] = { "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN" };
	static const char *const ops[] = { "=", "=", "IS", "<", ">=" };
	const struct table *left = any_table(f), *right = any_table(f);

	put(sql, "SELECT count(*), count(a.\"%s\"), count(DISTINCT b.\"%s\"), sum(", any_column(left),
	    any_column(right));
	put_number(sql, left, "a.");
	put(sql, ") FROM \"%s\" a %s \"%s\" b ON a.\"%s\" ", left->name, how[below(5)], right->name, any_column(left));
	put(sql, "%s b.\"%s\"", ops[below(5)], any_column(right));
	if (below(2)) {
		put(sql, " AND ");
		put_condition(f, sql, right, "b.");
	}
	put_where(f, sql, left, "a.");
}

static void correlated(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f), *other = any_table(f);
	const char *column = any_column(table);

	put(sql, "SELECT \"%s\", (SELECT %s FROM \"%s\" b WHERE b.\"%s\" = a.\"%s\") FROM \"%s\" a WHERE ", column,
	    below(2) ? "count(*)" : "1", other->name, any_column(other), any_column(table), table->name);
	if (below(2))
		put(sql, "%sEXISTS (SELECT 1 FROM \"%s\" c WHERE c.\"%s\" = a.\"%s\" AND ", below(2) ? "NOT " : "",
		    other->name, any_column(other), any_column(table));
	else
		put(sql, "a.\"%s\" %sIN (SELECT c.\"%s\" FROM \"%s\" c WHERE ", any_column(table),
		    below(2) ? "NOT " : "", any_column(other), other->name);
	put_condition(f, sql, other, "c.");
	put(sql, ")");
	put_order(sql, below(2));
}

static void common_tables(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f), *other = any_table(f);

	put(sql, "WITH x(k, n) AS %s(SELECT \"%s\", count(*) FROM \"%s\"", below(2) ? "" : "MATERIALIZED ",
	    any_column(table), table->name);
	put_where(f, sql, table, "");
	put(sql, " GROUP BY 1), y(k, n) AS (SELECT \"%s\", max(", any_column(other));
	put_number(sql, other, "");
	put(sql, ") FROM \"%s\" GROUP BY 1) SELECT x.k, x.n, y.n FROM x %s y ON x.k %s y.k", other->name,
	    below(2) ? "JOIN" : "LEFT JOIN", below(2) ? "=" : "IS");
	put_order(sql, below(3));
}

static void collated(struct fixture *f, struct sql *sql)
{
	const struct table *table = any_table(f);
	const char *column = column_of(table, "TEXT");

	column = column ? column : any_column(table);
	put(sql, "SELECT lower(\"%s\"), count(*) FROM \"%s\" WHERE ", column, table->name);
	if (below(2))
		put(sql, "\"%s\" %sLIKE '%s'", column, below(2) ? "NOT " : "", below(2) ? "%d%" : "A_D");
	else
		put_mixed(f, sql, table, "");
	put(sql, " GROUP BY \"%s\" COLLATE NOCASE ORDER BY \"%s\" COLLATE NOCASE", column, column);
	if (!below(3))
		put(sql, " DESC");
}

/* Pairs of values, of any types. */
static void pairs(struct fixture *f, struct sql *sql)
{
	static const char *const how[] = { "IN", "IN", "NOT IN", "=", "IS" };
	const struct table *table = any_table(f), *other = any_table(f);
	const char *a = any_column(table), *b = any_column(table);

	put(sql, "SELECT \"%s\", \"%s\" FROM \"%s\" WHERE (\"%s\", \"%s\") ", a, b, table->name, a, b);
	if (below(4)) {
		/* of the same column in the same table, many are equal */
		other = below(2) ? other : table;
		put(sql, "%s (SELECT \"%s\", \"%s\" FROM \"%s\"", how[below(5)], any_column(other),
		    other == table ? b : any_column(other), other->name);
		put_where(f, sql, other, "");
		put(sql, ")");
	} else {
		put(sql, "%s (", below(2) ? ">=" : "<");
		put_value(f, sql, table, a);
		put(sql, ", ");
		put_value(f, sql, table, b);
		put(sql, ")");
	}
	put_order(sql, below(3));
}

/* ---- comparison */

/* The values that the answer is ordered by. */
static size_t order_len(const char *row, size_t n)
{
	size_t len = 0;

	for (; n; n--)
		len += strcspn(row + len, "\1") + 1;
	return len;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_equal(struct answer *a, struct answer *b, size_t n_order)
{
	if (a->is_wrong != b->is_wrong || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		size_t len = order_len(a->row[i], n_order);

		if (len != order_len(b->row[i], n_order) || memcmp(a->row[i], b->row[i], len))
			return false;
	}
	qsort(a->row, a->n, sizeof *a->row, by_text);
	qsort(b->row, b->n, sizeof *b->row, by_text);
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->row[i], b->row[i]))
			return false;
	return true;
}

static void check(struct fixture *f, const struct sql *sql)
{
	static struct answer ours, plain;

	ours.n = plain.n = 0;
	ask_query(f->query, sql->text, &ours);
	ask_plain(f->plain, sql->text, &plain);
	if (!is_equal(&ours, &plain, sql->n_order))
		fail_msg("%s\n%s\n%s\n%zu rows and %zu on plain tables; \"%s\", \"%s\"", sql->text,
			 ours.n ? ours.row[0] : "", plain.n ? plain.row[0] : "", ours.n, plain.n, ours.error,
			 plain.error);
	answer_done(&ours);
	answer_done(&plain);
}

static uint64_t setting(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : usual;
}

static void begin(struct fixture *f)
{
	struct query_table_words words;
	struct summary_file file = { .path = "made" };

	*f = (struct fixture){ 0 };
	stream_init(&f->s);
	put_process(&f->s, 300, "zebra");
	put_process(&f->s, 100, "ant");
	put_process(&f->s, 200, "zebra");
	f->summary = stream_summary(&f->s, &file);
	f->query = query_new(f->summary, &(struct query_opts){ .memory_bytes = 256 << 20 }, &(struct err){ 0 });
	assert_non_null(f->query);
	assert_int_equal(sqlite3_open(":memory:", &f->plain), SQLITE_OK);
	for (size_t t = 0; query_table_at(t, &words); t++) {
		struct table *table = &f->tables[f->n_tables++];

		assert_in_range(f->n_tables, 1, MAX_TABLES);
		*table = (struct table){ .name = words.name, .n_columns = words.n_columns };
		for (size_t i = 0; i < words.n_columns; i++)
			table->columns[i] = query_column_at(t, i);
		plain_copy(f->plain, f->query, t);
	}
}

TEST(random_queries_answer_as_on_plain_tables)
{
	static void (*const kinds[])(struct fixture *, struct sql *) = {
		plain_select, groups,	  groups,     join,	     inside,   mixed,
		windows,      outer_join, correlated, common_tables, collated, pairs,
	};
	uint64_t first = setting("QUERY_SEED", 1), count = setting("QUERY_COUNT", N_QUERIES);
	struct fixture fixture, *f = &fixture;

	seed = 0x9e3779b97f4a7c15u;
	begin(f);
	for (uint64_t i = first; i < first + count; i++) {
		struct sql sql = { .len = 0 };

		seed = i * 0x9e3779b97f4a7c15u;
		below(2);
		kinds[below(sizeof kinds / sizeof *kinds)](f, &sql);
		check(f, &sql);
	}
	sqlite3_close(f->plain);
	query_free(f->query);
	summary_free(f->summary);
	stream_done(&f->s);
}
