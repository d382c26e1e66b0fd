// SPDX-License-Identifier: Apache-2.0
/* Rows of tables about a comparison, and its models beside each other. Computes nothing. */
#include "show/words/diff/diff_rows.h"

#include <math.h>

#include "analyze/result/result_words.h"

enum { NAME = 80 };

enum table_style diff_style(enum diff_says says)
{
	return says == DIFF_WORSE ? TABLE_RED : says == DIFF_BETTER ? TABLE_GREEN : TABLE_PLAIN;
}

void diff_cells(struct table *table, const struct diff_value *value, enum diff_unit unit, bool is_time)
{
	enum table_style style = diff_style(value->says);

	table_cell(table, TABLE_PLAIN, "%s", diff_amount(value->base, unit).s);
	table_cell(table, TABLE_PLAIN, "%s", diff_amount(value->fresh, unit).s);
	table_cell(table, style, "%s", diff_change(value->change).s);
	table_cell(table, TABLE_PLAIN, "%s", diff_interval(value).s);
	table_cell(table, style, "%s", diff_says_words(value->says, is_time));
}

void diff_columns(struct table *table)
{
	table_column(table, "base", TABLE_RIGHT);
	table_column(table, "new", TABLE_RIGHT);
	table_column(table, "change", TABLE_RIGHT);
	table_column(table, "95 % interval", TABLE_RIGHT);
	table_column(table, "new is", TABLE_LEFT);
}

static void put_figure(struct table *table, const char *name, const struct diff_pair *pair, int figure)
{
	static const struct diff_value missing = { NAN, NAN, NAN, NAN, NAN, NAN, DIFF_MISSING, 0, 0 };

	table_cell(table, TABLE_BOLD, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", pair ? diff_words_of(pair, figure) : "-");
	diff_cells(table, pair ? &pair->value[figure] : &missing, DIFF_NS, true);
}

/* Its latency, and what it is judged by where that is something else. */
static void put_model(struct table *table, const struct diff_model *model, const struct diff_pair *pair, bool is_ascii)
{
	struct printable name = model_text(model->label ? model->label : model->name, NAME, is_ascii);

	put_figure(table, name.s, pair, DIFF_MEDIAN);
	if (pair && diff_headline(pair) != DIFF_MEDIAN)
		put_figure(table, "", pair, (int)diff_headline(pair));
}

void diff_rows_models(struct table *table, const struct diff *diff, bool is_ascii)
{
	const struct diff_run *run = diff->fresh.runs;

	table_column(table, "", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(table, "", TABLE_LEFT | TABLE_OPTIONAL);
	diff_columns(table);
	for (uint32_t i = 0; i < run->n_models; i++)
		put_model(table, &run->models[i], diff_pair_of(diff, i), is_ascii);
}
