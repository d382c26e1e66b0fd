// SPDX-License-Identifier: Apache-2.0
/* Sorts, cuts and writes tables; see view_table.h. */
#include "show/view/view_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_sort(struct view_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].name, name)) {
			table->query.sort = i;
			return true;
		}
	return false;
}

static bool copy_text(char *to, size_t size, const char *text)
{
	if (text && strlen(text) >= size)
		return false;
	memcpy(to, text ? text : "", text ? strlen(text) + 1 : 1);
	return true;
}

bool view_table_init(struct view_table *table, const struct view_table_column *columns,
		     const struct http_request *request, struct http_answer *answer)
{
	const char *sort = http_request_text(request, "sort"), *dir = http_request_text(request, "dir");
	uint64_t limit = 100, offset = 0;

	*table = (struct view_table){ .columns = columns };
	while (columns[table->n_columns].name)
		table->n_columns++;
	if (sort && !find_sort(table, sort))
		http_say(answer, 400, "the table has no column of the name in sort");
	else if (dir && strcmp(dir, "asc") && strcmp(dir, "desc"))
		http_say(answer, 400, "dir must be asc or desc");
	else if (!http_request_count(request, "limit", TABLE_MAX_LIMIT, &limit) ||
		 !http_request_count(request, "offset", TABLE_MAX_OFFSET, &offset))
		http_say(answer, 400, "limit must be at most %d, offset at most %d", TABLE_MAX_LIMIT, TABLE_MAX_OFFSET);
	else if (!copy_text(table->query.model, sizeof table->query.model, http_request_text(request, "model")) ||
		 !copy_text(table->query.text, sizeof table->query.text, http_request_text(request, "q")))
		http_say(answer, 400, "model and q must be shorter than %zu bytes", sizeof table->query.text);
	else {
		table->query.is_ascending = dir && !strcmp(dir, "asc");
		table->query.limit = (uint32_t)limit;
		table->query.offset = (uint32_t)offset;
		return true;
	}
	return false;
}

void view_table_done(struct view_table *table)
{
	array_done(&table->cells, sizeof(struct view_table_cell));
}

struct view_table_cell *view_table_row(struct view_table *table)
{
	size_t first = table->cells.n;

	if (table->n_rows++ >= TABLE_MAX_ROWS || table->has_failed)
		return NULL;
	for (uint32_t i = 0; i < table->n_columns; i++) {
		struct view_table_cell *cell = array_add(&table->cells, sizeof *cell);

		if (!cell) {
			table->has_failed = true;
			return NULL;
		}
		cell->number = NAN;
	}
	return (struct view_table_cell *)table->cells.data + first;
}

bool view_table_wants(const struct view_table *table, const char *model, const char *a, const char *b)
{
	const struct view_table_query *query = &table->query;

	if (*query->model && strcmp(query->model, model ? model : ""))
		return false;
	return !*query->text || (a && strcasestr(a, query->text)) || (b && strcasestr(b, query->text));
}

/* What is missing comes last, whatever the direction. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct view_table *table = ctx;
	const struct view_table_cell *a = (const struct view_table_cell *)table->cells.data +
					  *(const uint32_t *)left * (size_t)table->n_columns + table->query.sort;
	const struct view_table_cell *b = (const struct view_table_cell *)table->cells.data +
					  *(const uint32_t *)right * (size_t)table->n_columns + table->query.sort;
	int sign = table->query.is_ascending ? 1 : -1;

	if (a->text && b->text)
		return sign * strcmp(a->text, b->text);
	if (isnan(a->number) || isnan(b->number))
		return isnan(a->number) - isnan(b->number);
	return a->number == b->number ? 0 : a->number < b->number ? -sign : sign;
}

static void put_columns(struct json *json, const struct view_table *table)
{
	json_array(json, "columns");
	for (uint32_t i = 0; i < table->n_columns; i++) {
		json_object(json, NULL);
		json_text(json, "name", table->columns[i].name);
		json_text(json, "title", table->columns[i].title);
		json_text(json, "unit", table->columns[i].unit);
		json_text(json, "type", table->columns[i].type);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_row(struct json *json, const struct view_table *table, const struct view_table_cell *cell)
{
	json_array(json, NULL);
	for (uint32_t i = 0; i < table->n_columns; i++)
		if (cell[i].text)
			json_text(json, NULL, cell[i].text);
		else if (cell[i].number == floor(cell[i].number) && fabs(cell[i].number) < 0x1p53)
			json_int(json, NULL, (int64_t)cell[i].number);
		else
			json_real(json, NULL, cell[i].number);
	json_end(json, ']');
}

void view_table_write(const struct view_table *table, const struct view_table_cell *cells, size_t n_rows,
		      struct http_answer *answer)
{
	struct view_text text;

	if (table->has_failed) {
		view_say_no_memory(answer);
		return;
	}
	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		put_columns(&text.json, table);
		json_array(&text.json, "rows");
		for (size_t i = 0; i < n_rows; i++)
			put_row(&text.json, table, cells + i * table->n_columns);
		json_end(&text.json, ']');
		json_count(&text.json, "total", table->n_rows);
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
}

void view_table_finish(struct view_table *table, struct http_answer *answer)
{
	size_t n = table->cells.n / table->n_columns, n_out = 0,
	       size = table->n_columns * sizeof(struct view_table_cell);
	uint32_t *order = malloc((n + 1) * sizeof *order);
	struct view_table_cell *out = malloc((table->query.limit + 1) * size);

	if (!order || !out)
		table->has_failed = true;
	for (size_t i = 0; order && i < n; i++)
		order[i] = (uint32_t)i;
	if (!table->has_failed) {
		qsort_r(order, n, sizeof *order, compare, table);
		for (size_t i = table->query.offset; i < n && n_out < table->query.limit; i++)
			memcpy(out + n_out++ * table->n_columns,
			       (const struct view_table_cell *)table->cells.data + order[i] * (size_t)table->n_columns,
			       size);
	}
	view_table_write(table, out, n_out, answer);
	free(order);
	free(out);
}
