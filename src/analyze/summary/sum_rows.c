// SPDX-License-Identifier: Apache-2.0
/* Finds the row of a name and a type, or makes one. */
#include "analyze/summary/sum_rows.h"

#include <errno.h>

int sum_rows_find(struct summary_maker *maker, struct sum_rows *rows, uint32_t *name, uint32_t type, void **row)
{
	uint32_t known = (uint32_t)rows->rows.n, index;
	bool has_room = known < rows->max;

	*row = NULL;
	if (names_is_passing(*name) && !has_room) {
		rows->n_left_out++;
		return 0;
	}
	*name = names_keep(maker->names, *name);
	index = has_room ? keys_number(&rows->keys, *name, type) : keys_find(&rows->keys, *name, type);
	if (index == KEYS_NONE && has_room)
		return -ENOMEM;
	if (index == KEYS_NONE) {
		rows->n_left_out++;
		return 0;
	}
	if (index == known && !array_add(&rows->rows, rows->size))
		return -ENOMEM;
	*row = (char *)rows->rows.data + index * rows->size;
	return 0;
}

void sum_rows_done(struct sum_rows *rows)
{
	array_done(&rows->rows, rows->size);
	keys_done(&rows->keys);
}
