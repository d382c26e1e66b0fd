// SPDX-License-Identifier: Apache-2.0
/*
 * The conditions of a query that a table answers itself: a time range, equality on what has an index, one row by its
 * number; and the order of groups. A plan is a text of pairs, an operation and the letter of its column:
 *
 *	=c	column c is the value: by number of the row, or by index
 *	<c >c	begin or end of slices, time of samples
 *	gc	rows in groups of this column, and of those that follow; it has no value
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"

enum { MAX_PLAN = 2 * (QUERY_MAX_GROUPS + 8) };

struct plan {
	sqlite3_index_info *info;
	const struct query_table *table;
	char text[MAX_PLAN + 2];
	size_t len;
	int n_values;
	double rows; /* about how many there will be */
	bool has_pairs;
};

static char letter_of(int column)
{
	return (char)('0' + column);
}

static bool put(struct plan *plan, char op, int column)
{
	if (plan->len + 2 > MAX_PLAN)
		return false;
	plan->text[plan->len++] = op;
	plan->text[plan->len++] = letter_of(column);
	return true;
}

static void use(struct plan *plan, int constraint, char op)
{
	if (put(plan, op, plan->info->aConstraint[constraint].iColumn))
		plan->info->aConstraintUsage[constraint].argvIndex = ++plan->n_values;
}

static const struct query_column *column_of(const struct plan *plan, int i)
{
	const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[i];

	if (!constraint->usable || constraint->iColumn < 0 || constraint->iColumn >= (int)query_n_columns(plan->table))
		return NULL;
	return query_column_of(plan->table, (size_t)constraint->iColumn);
}

static bool is_binary(const struct plan *plan, int i)
{
	const char *collation = sqlite3_vtab_collation(plan->info, i);

	return !collation || !sqlite3_stricmp(collation, "BINARY");
}

static bool is_word_at(const char *sql, const char *at)
{
	return (at == sql || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
	       !(isalnum((unsigned char)at[2]) || at[2] == '_');
}

bool query_plan_has_pairs(const char *sql)
{
	bool has_comments = strstr(sql, "--") || strstr(sql, "/*");

	for (const char *at = sql; (at = strcasestr(at, "in")); at += 2) {
		const char *before = at;

		while (before > sql && isspace((unsigned char)before[-1]))
			before--;
		if (is_word_at(sql, at) && (has_comments || (before > sql && before[-1] == ')')))
			return true;
	}
	return false;
}

/*
 * Is it a name of (name, ...) IN (SELECT ...)? SQLite gives such a part as an equality, and compares what the list has
 * as a text then: 7 is not "07", as it is in tables of its own.
 */
static bool may_be_of_pair(const struct plan *plan, int i)
{
	return plan->has_pairs && !sqlite3_vtab_in(plan->info, i, -1);
}

/* How well equality with it narrows the rows; 0: not at all. */
static int worth_of(const struct plan *plan, int i)
{
	const struct query_column *column = column_of(plan, i);

	if (!column || plan->info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
		return 0;
	if (column->use == QUERY_ROW)
		return 4;
	if (column->use == QUERY_NUMBER)
		return column->is_rare ? 3 : 1;
	return column->use == QUERY_NAME && is_binary(plan, i) && !may_be_of_pair(plan, i) ? 2 : 0;
}

static bool find_equal(struct plan *plan)
{
	static const double share[] = { 1, 0.3, 0.02, 0.0001, 0 };
	int best = -1, worth = 0;

	for (int i = 0; i < plan->info->nConstraint; i++)
		if (worth_of(plan, i) > worth)
			worth = worth_of(plan, best = i);
	if (best < 0 || (plan->table->rows == QUERY_LIST && worth < 4))
		return false;
	/* all of an IN at once: SQLite 3.40 looks again at one of its numbers as if it were a text */
	if (worth == 2 && sqlite3_vtab_in(plan->info, best, 1))
		use(plan, best, 'i');
	else
		use(plan, best, '=');
	plan->rows = plan->rows * share[worth] + 1;
	return true;
}

static void find_times(struct plan *plan)
{
	for (int i = 0; i < plan->info->nConstraint && plan->len + 2 < MAX_PLAN; i++) {
		const struct query_column *column = column_of(plan, i);
		unsigned char op = plan->info->aConstraint[i].op;
		char side = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE   ? '>'
			    : op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ? '<'
												   : 0;

		if (!column || !side || (column->use != QUERY_BEGIN && column->use != QUERY_END))
			continue;
		use(plan, i, side);
		plan->rows = plan->rows / 3 + 1;
	}
}

static bool is_groupable(const struct plan *plan, int column)
{
	return column >= 0 && column < (int)query_n_columns(plan->table) &&
	       query_column_of(plan->table, (size_t)column)->key;
}

/*
 * Rows that lie together by the values that SQL groups by, and in their order. Older SQLite (3.40) does not tell GROUP
 * BY from the same with an ORDER BY, whose sort it drops.
 */
static bool find_groups(struct plan *plan, const struct query *query)
{
	const sqlite3_index_info *info = plan->info;
	int how = sqlite3_vtab_distinct(plan->info);

	if (plan->table->rows != QUERY_SLICES || !info->nOrderBy || info->nOrderBy > QUERY_MAX_GROUPS ||
	    (how != 1 && how != 2) || query->n_rows >= UINT32_MAX || query->indexes.n > QUERY_MAX_INDEXES / 2)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].desc || !is_groupable(plan, info->aOrderBy[i].iColumn))
			return false;
	for (int i = 0; i < info->nOrderBy; i++)
		put(plan, 'g', info->aOrderBy[i].iColumn);
	return true;
}

/* Rows come in the order of their numbers unless an index of groups is walked, or instants by their times. */
static bool is_in_order(const struct plan *plan)
{
	const sqlite3_index_info *info = plan->info;

	if (plan->table->rows == QUERY_LIST && (strchr(plan->text, '<') || strchr(plan->text, '>')))
		return false;
	return info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn >= 0 &&
	       info->aOrderBy[0].iColumn < (int)query_n_columns(plan->table) &&
	       query_column_of(plan->table, (size_t)info->aOrderBy[0].iColumn)->use == QUERY_ROW;
}

static double count_rows(const struct query *query, const struct query_table *table)
{
	if (table->rows == QUERY_LIST)
		return (double)query_n_rows(query, table);
	if (table->rows == QUERY_SAMPLES)
		return (double)store_counts(query->store)->n_samples;
	return (double)query->n_rows;
}

int query_plan_find(struct query *query, const struct query_table *table, sqlite3_index_info *info)
{
	struct plan plan = {
		.info = info, .table = table, .rows = count_rows(query, table) + 1, .has_pairs = query->has_pairs
	};
	bool is_equal = find_equal(&plan);

	if (!is_equal || table->rows != QUERY_LIST)
		find_times(&plan);
	if (is_in_order(&plan) || (!is_equal && find_groups(&plan, query)))
		info->orderByConsumed = 1;
	info->estimatedCost = plan.rows * (info->orderByConsumed ? 1.5 : 1);
	info->estimatedRows = (sqlite3_int64)plan.rows;
	info->idxStr = sqlite3_mprintf("%s", plan.text);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* A number that the value stands for; false: it is not a whole one above 0. */
static bool number_of(sqlite3_value *value, uint64_t *number)
{
	int type = sqlite3_value_numeric_type(value);
	sqlite3_int64 whole = type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;

	if (type == SQLITE_FLOAT && sqlite3_value_double(value) >= 1 && sqlite3_value_double(value) < 9e15)
		whole = (sqlite3_int64)sqlite3_value_double(value);
	*number = whole > 0 ? (uint64_t)whole : 0;
	return whole > 0;
}

/* The id of the text, or 0: it occurs nowhere. */
static bool name_of(const struct query *query, sqlite3_value *value, uint32_t *id)
{
	const char *text;

	if (sqlite3_value_type(value) == SQLITE_NULL || sqlite3_value_type(value) == SQLITE_BLOB)
		return false;
	text = (const char *)sqlite3_value_text(value);
	*id = text ? names_find(query->names, text, (size_t)sqlite3_value_bytes(value)) : 0;
	return *id;
}

static int take_equal(struct query_scan *scan, int column, sqlite3_value *value)
{
	const struct query_column *of = query_column_of(scan->table, (size_t)column);
	const struct query_index *index;
	int type = sqlite3_value_type(value);
	uint64_t number = 0;

	/* a column of numbers makes numbers of the texts that it is compared with: 7 is "07" then, too */
	if (of->use == QUERY_NAME && (type == SQLITE_INTEGER || type == SQLITE_FLOAT))
		return SQLITE_OK;
	if (of->use == QUERY_NAME)
		scan->is_empty |= !name_of(scan->query, value, &scan->key);
	else
		scan->is_empty |= !number_of(value, &number);
	if (of->use == QUERY_ROW) {
		scan->one = number;
		return SQLITE_OK;
	}
	if (of->use == QUERY_NUMBER) {
		scan->is_empty |= number > UINT32_MAX;
		scan->key = (uint32_t)number;
	}
	scan->key_column = column;
	if (scan->is_empty || scan->table->rows == QUERY_SAMPLES)
		return SQLITE_OK;
	index = query_index_of(scan->query, scan->table, &column, 1);
	/* without an index all rows are shown, and SQLite picks those that are wanted */
	if (index) {
		query_index_rows(index, scan->key, &scan->rows, &scan->n_rows);
		scan->is_empty |= !scan->rows;
	}
	return SQLITE_OK;
}

static int by_row(const void *a_, const void *b_)
{
	const uint32_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

static bool is_number(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_INTEGER || sqlite3_value_type(value) == SQLITE_FLOAT;
}

static bool add_rows(struct query_scan *scan, const struct query_index *index, sqlite3_value *value)
{
	const uint32_t *rows = NULL;
	uint32_t key = 0, *all;
	size_t n = 0;

	if (name_of(scan->query, value, &key))
		query_index_rows(index, key, &rows, &n);
	if (!rows || !n)
		return true;
	all = realloc(scan->own_rows, (scan->n_rows + n) * sizeof *all);
	if (!all)
		return false;
	memcpy(all + scan->n_rows, rows, n * sizeof *all);
	scan->own_rows = all;
	scan->n_rows += n;
	return true;
}

/* Rows with any of these names, in their order. A number equals several texts: with one, all rows are looked at. */
static int take_in(struct query_scan *scan, int column, sqlite3_value *list)
{
	const struct query_index *index =
	    scan->table->rows == QUERY_SLICES ? query_index_of(scan->query, scan->table, &column, 1) : NULL;
	sqlite3_value *value = NULL;
	int code;

	if (!index)
		return SQLITE_OK;
	for (code = sqlite3_vtab_in_first(list, &value); code == SQLITE_OK && value;
	     code = sqlite3_vtab_in_next(list, &value)) {
		if (is_number(value)) {
			scan->n_rows = 0;
			return SQLITE_OK;
		}
		if (!add_rows(scan, index, value))
			return SQLITE_NOMEM;
	}
	scan->is_empty |= !scan->n_rows;
	scan->rows = scan->own_rows;
	if (scan->n_rows)
		qsort(scan->own_rows, scan->n_rows, sizeof *scan->own_rows, by_row);
	return SQLITE_OK;
}

/* A bound, rounded to where it leaves out less; false: nothing can be compared with it. */
static bool bound_of(sqlite3_value *value, bool is_upper, uint64_t *bound)
{
	int type = sqlite3_value_numeric_type(value);
	double real = sqlite3_value_double(value);

	*bound = is_upper ? UINT64_MAX : 0;
	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_INTEGER) {
		sqlite3_int64 whole = sqlite3_value_int64(value);

		/* beyond the largest number of SQL all times look alike */
		if (!is_upper || whole < INT64_MAX)
			*bound = whole < 0 ? 0 : (uint64_t)whole;
		return !is_upper || whole >= 0;
	}
	if (type == SQLITE_FLOAT && real >= 0 && real < 9e18)
		*bound = (uint64_t)(is_upper ? ceil(real) + 1024 : real > 1024 ? floor(real) - 1024 : 0);
	return true;
}

static void take_time(struct query_scan *scan, enum query_use use, char side, sqlite3_value *value)
{
	uint64_t bound;

	scan->is_empty |= !bound_of(value, side == '<', &bound);
	if (side == '<')
		scan->to_ns = bound < scan->to_ns ? bound : scan->to_ns; /* an end before it has its begin there, too */
	else if (use == QUERY_BEGIN)
		scan->from_ns = bound > scan->from_ns ? bound : scan->from_ns;
	else
		scan->end_from_ns = bound > scan->end_from_ns ? bound : scan->end_from_ns;
}

int query_plan_take(struct query_scan *scan, const char *plan, int n, sqlite3_value **values)
{
	int groups[QUERY_MAX_GROUPS], n_groups = 0, at = 0;
	const struct query_index *index;

	scan->from_ns = scan->end_from_ns = scan->one = 0;
	scan->to_ns = UINT64_MAX;
	scan->is_empty = false;
	scan->rows = NULL;
	scan->n_rows = 0;
	scan->key_column = -1;
	for (; plan && *plan; plan += 2) {
		int column = plan[1] - '0';

		if (*plan == 'g')
			groups[n_groups++] = column;
		else if (at >= n)
			return SQLITE_ERROR;
		else if (*plan == '=')
			take_equal(scan, column, values[at++]);
		else if (*plan == 'i') {
			if (take_in(scan, column, values[at++]))
				return SQLITE_NOMEM;
		} else
			take_time(scan, query_column_of(scan->table, (size_t)column)->use, *plan, values[at++]);
	}
	if (!n_groups || scan->is_empty)
		return SQLITE_OK;
	index = query_index_of(scan->query, scan->table, groups, (size_t)n_groups);
	if (!index)
		return SQLITE_NOMEM;
	scan->rows = index->rows;
	scan->n_rows = index->n_rows;
	return SQLITE_OK;
}
