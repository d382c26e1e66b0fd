/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a summary by name and type, as many as there is room for; what comes after these is counted. */
#ifndef ANALYZE_SUMMARY_SUM_ROWS_H
#define ANALYZE_SUMMARY_SUM_ROWS_H

#include "analyze/summary/sum_in.h"

struct sum_rows {
	struct array rows;
	struct keys keys;
	size_t size;  /* of a row */
	uint32_t max; /* rows */
	uint64_t n_left_out;
};

/*
 * *row: that of the name and the type, zeroed if it is new; NULL if there is no room, which is counted. *name is kept
 * with the names of the summary. 0, or -ENOMEM.
 */
int sum_rows_find(struct summary_maker *maker, struct sum_rows *rows, uint32_t *name, uint32_t type, void **row);
void sum_rows_done(struct sum_rows *rows);

#endif
