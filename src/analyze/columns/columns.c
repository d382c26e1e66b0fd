// SPDX-License-Identifier: Apache-2.0
/* Finds rows and columns. */
#include "analyze/columns/columns.h"

uint32_t column_n_rows(const struct column_list *list, const struct summary *summary)
{
	return *(const uint32_t *)((const char *)summary + list->n_rows);
}

const void *column_row(const struct column_list *list, const struct summary *summary, size_t row)
{
	return *(const char *const *)((const char *)summary + list->rows) + row * list->row_size;
}

bool column_is_known(const struct column *column, const void *row)
{
	if (column->if_any && !*(const uint64_t *)((const char *)row + column->if_any))
		return false;
	return !column->is_known || column->is_known(row);
}

bool column_is_in(const struct column_list *list, const struct column *column)
{
	return list->have_all || !column->is_for_some;
}

const struct column *column_of_query(const struct column_list *list, size_t place)
{
	for (size_t i = 0; i < list->n_columns; i++)
		if (list->columns[i].sql && column_is_in(list, &list->columns[i]) && !place--)
			return &list->columns[i];
	return NULL;
}
