// SPDX-License-Identifier: Apache-2.0
/* Tables whose rows and columns are those of a list of the summary (analyze/columns): each value by its type. */
#include "analyze/query/query_in.h"

/* Below 0: not known. */
static void put_known(sqlite3_context *to, int64_t value)
{
	if (value >= 0)
		sqlite3_result_int64(to, value);
}

size_t query_n_columns(const struct query_table *table)
{
	size_t n = 0;

	if (!table->list)
		return table->n_columns;
	while (column_of_query(table->list, n))
		n++;
	return n;
}

size_t query_n_rows(const struct query *query, const struct query_table *table)
{
	return table->list ? column_n_rows(table->list, query->summary) : table->count(query);
}

struct query_column_words query_words(const struct query_table *table, size_t column)
{
	const struct column *of = table->list ? column_of_query(table->list, column) : NULL;
	bool is_text, is_real;

	if (!of)
		return (struct query_column_words){ table->columns[column].name, table->columns[column].type,
						    table->columns[column].what };
	is_text = of->type == COLUMN_TEXT || of->type == COLUMN_MODEL_NAME;
	is_real = of->type == COLUMN_REAL || of->type == COLUMN_SHARE;
	return (struct query_column_words){ of->sql, is_text ? "TEXT" : is_real ? "REAL" : "INTEGER", of->words };
}

const struct query_column *query_column_of(const struct query_table *table, size_t column)
{
	static const struct query_column plain = { .use = QUERY_PLAIN }, row = { .use = QUERY_ROW };

	if (!table->list)
		return &table->columns[column];
	return column_of_query(table->list, column)->type == COLUMN_ROW ? &row : &plain;
}

static void put_model(sqlite3_context *to, const struct query *query, uint32_t model, bool is_name)
{
	if (model >= query->summary->n_models)
		return;
	if (is_name)
		query_put_name(to, query, query->summary->models[model].name);
	else
		query_put_count(to, (uint64_t)model + 1);
}

static void put_share(sqlite3_context *to, uint64_t part, uint64_t whole)
{
	if (whole)
		query_put_real(to, (double)part / (double)whole);
}

static void put_field(sqlite3_context *to, const struct query_at *at, enum column_type type, const void *field)
{
	switch (type) {
	case COLUMN_TEXT:
		query_put_name(to, at->query, *(const uint32_t *)field);
		break;
	case COLUMN_COUNT:
		query_put_count(to, *(const uint64_t *)field);
		break;
	case COLUMN_KNOWN:
		put_known(to, *(const int64_t *)field);
		break;
	case COLUMN_PID:
		put_known(to, *(const int32_t *)field);
		break;
	case COLUMN_NUMBER:
		query_put_count(to, *(const uint32_t *)field);
		break;
	case COLUMN_ID:
		query_put_number(to, *(const uint32_t *)field);
		break;
	case COLUMN_REAL:
		query_put_real(to, *(const double *)field);
		break;
	case COLUMN_FLAG:
		query_put_int(to, *(const bool *)field);
		break;
	case COLUMN_TIME:
	case COLUMN_MONOTONIC:
		if (*(const uint64_t *)field)
			query_put_time(to, *(const uint64_t *)field);
		break;
	case COLUMN_BETWEEN:
		query_put_count(to, ((const uint64_t *)field)[1] - ((const uint64_t *)field)[0]);
		break;
	case COLUMN_PROCESS:
		query_put_number(to, query_process_track(at->query, *(const uint32_t *)field));
		break;
	case COLUMN_MODEL:
	case COLUMN_MODEL_NAME:
		put_model(to, at->query, *(const uint32_t *)field, type == COLUMN_MODEL_NAME);
		break;
	case COLUMN_ORDINAL:
		query_put_count(to, (uint64_t)*(const uint32_t *)field + 1);
		break;
	case COLUMN_ROW:
		query_put_count(to, at->row + 1);
		break;
	case COLUMN_SHARE:
	case COLUMN_SPREAD:
	case COLUMN_SHARE_SO_FAR:
		break;
	}
}

static void put_listed(sqlite3_context *to, const struct column_list *list, const struct query_at *at, size_t place)
{
	const struct column *column = column_of_query(list, place);
	const char *row = column_row(list, at->query->summary, at->row);

	if (!column_is_known(column, row))
		return;
	if (column->type == COLUMN_SHARE)
		put_share(to, *(const uint64_t *)(row + column->at), list->whole(at->query->summary, row));
	else
		put_field(to, at, column->type, row + column->at);
}

static void put_own(sqlite3_context *to, const struct query_column *column, const struct query_at *at)
{
	const char *in = column->in ? column->in(at) : NULL;

	if (column->get)
		column->get(to, at);
	else if (in)
		put_field(to, at, column->field, in + column->offset);
	else if (column->arg)
		query_put_arg(to, at->query, query_arg(at, column->arg));
	else if (column->use == QUERY_NAME)
		query_put_name(to, at->query, column->key(at));
	else if (column->use == QUERY_NUMBER)
		query_put_number(to, column->key(at));
}

void query_put_column(sqlite3_context *to, const struct query_table *table, const struct query_at *at, size_t place)
{
	if (table->list)
		put_listed(to, table->list, at, place);
	else
		put_own(to, &table->columns[place], at);
}
