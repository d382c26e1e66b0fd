/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables about a comparison: what stands in them, for whoever shows them. */
#ifndef SHOW_WORDS_DIFF_DIFF_ROWS_H
#define SHOW_WORDS_DIFF_DIFF_ROWS_H

#include "base/text/table.h"
#include "show/words/diff/diff_words.h"

/* Base, new, change, interval, and what new is. */
void diff_columns(struct table *table);
void diff_cells(struct table *table, const struct diff_value *value, enum diff_unit unit, bool is_time);
enum table_style diff_style(enum diff_says says);

/* Columns, and of each model of the first new run its latency, and the figure by which it is judged. */
void diff_rows_models(struct table *table, const struct diff *diff, bool is_ascii);

#endif
