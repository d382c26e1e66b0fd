/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that run a model, as rows for every format of report. */
#ifndef SHOW_WORDS_WORKER_ROWS_H
#define SHOW_WORDS_WORKER_ROWS_H

#include "analyze/summary/summary.h"
#include "base/text/table.h"

/* Fills the table with up to n_most of them, the slowest first. It stays empty where one process runs the model. */
void worker_rows(struct table *table, const struct summary *summary, const struct summary_model *model,
		 uint32_t n_most);

#endif
