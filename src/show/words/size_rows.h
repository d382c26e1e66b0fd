/* SPDX-License-Identifier: Apache-2.0 */
/* Latency by the size of inputs, as rows for every format of report. */
#ifndef SHOW_WORDS_SIZE_ROWS_H
#define SHOW_WORDS_SIZE_ROWS_H

#include "analyze/summary/summary.h"
#include "base/text/table.h"

enum { SIZE_ROWS = 10 };

/*
 * Fills the table with those of up to n_most sizes of a model that take most of the time, the smallest first. Returns
 * how many sizes are left out. The table stays empty where all inputs are of one size.
 */
uint32_t size_rows(struct table *table, const struct summary *summary, const struct summary_model *model,
		   uint32_t n_most);

#endif
