// SPDX-License-Identifier: Apache-2.0
/*
 * For each figure its name and what is said of it, and below them a dot at the change, a bar over its interval. The
 * axis spans the changes, and the intervals as far as they go beyond by no more than as much again: one interval
 * without an end leaves the others room.
 */
#include "show/diff/diff_plot.h"

#include <math.h>

#include "analyze/result/result_words.h"
#include "show/diff/diff_page.h"
#include "show/html/html.h"
#include "show/html/plot.h"

enum { MAX_ROWS = 16, NAME = 34, ROW = 38, TEXT = 17, BAR = 26, MARGIN = 10, WIDTH = 760 };

struct rows {
	const struct diff_value *value[MAX_ROWS];
	struct printable name[MAX_ROWS];
	int n;
};

static void add(struct rows *rows, const struct diff_value *value, struct printable name)
{
	if (rows->n == MAX_ROWS || !isfinite(value->change) || !isfinite(value->low) || !isfinite(value->high))
		return;
	rows->value[rows->n] = value;
	rows->name[rows->n++] = name;
}

/* What the model takes, then its operators: those that are named, then those that matter most. */
static void collect(struct rows *rows, const struct diff_pair *pair)
{
	static const enum diff_figure figures[] = { DIFF_MEDIAN, DIFF_OPERATORS, DIFF_P99, DIFF_FIRST, DIFF_CREATION };

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct printable name = { "" };

		printable_add(&name, "%s", diff_words_of(pair, (int)figures[i]));
		add(rows, &pair->value[figures[i]], name);
	}
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < pair->n_rows; i++)
			if ((pair->rows[i].value.says >= DIFF_WORSE) == !pass)
				add(rows, &pair->rows[i].value, model_text(pair->rows[i].base->node, NAME, false));
}

/* In percent. */
static struct plot_axis axis_of(const struct rows *rows)
{
	double most = 0.05, low = 0, high = 0;

	for (int i = 0; i < rows->n; i++)
		most = fmax(most, fabs(rows->value[i]->change));
	for (int i = 0; i < rows->n; i++) {
		low = fmin(low, fmax(rows->value[i]->low, -2 * most));
		high = fmax(high, fmin(rows->value[i]->high, 2 * most));
	}
	return plot_axis_of(100 * fmin(low, -most / 10), 100 * fmax(high, most / 10), false);
}

static struct units_text percent(double value)
{
	struct units_text text;

	snprintf(text.s, sizeof text.s, value > 0 ? "+%g %%" : "%g %%", value);
	return text;
}

static const char *colour_of(enum diff_says says)
{
	return says == DIFF_WORSE ? "--bad" : says == DIFF_BETTER ? "--good" : "--dim";
}

static void draw(const struct plot *plot, const struct rows *rows, int row)
{
	const struct diff_value *value = rows->value[row];
	double top = plot->top + ROW * row, y = top + BAR, x = plot_x(plot, 100 * value->change);

	plot_text(plot, plot->left, top + TEXT, "start", "ink", "%s", rows->name[row].s);
	plot_text(plot, plot->right, top + TEXT, "end", "", "%s", diff_says_words(value->says, true));
	fprintf(plot->out, "<g style=\"--k:var(%s)\"><path class=\"line\" d=\"M%.1f %.1fH%.1f\"/>",
		colour_of(value->says), plot_x(plot, 100 * value->low), y, plot_x(plot, 100 * value->high));
	fprintf(plot->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></g>", x, y);
	fputc('\n', plot->out);
}

void diff_plot(FILE *out, const struct diff_pair *pair, uint32_t number)
{
	struct rows rows = { .n = 0 };
	struct plot plot;
	char id[24];

	collect(&rows, pair);
	if (!rows.n)
		return;
	plot = plot_of(out, WIDTH, 60 + ROW * rows.n);
	plot.left = MARGIN;
	plot.right = WIDTH - MARGIN;
	plot.x = axis_of(&rows);
	snprintf(id, sizeof id, "changes-%u", number);
	fputs("<figure><figcaption>Change of each figure, new beside base: left of 0 is faster. A bar is the 95 % "
	      "interval; one that ends at the edge goes on.</figcaption>",
	      out);
	plot_begin(&plot, id, "Changes and their intervals", "The figures are in the tables below.");
	plot_draw_x(&plot, percent, "");
	fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>", plot_x(&plot, 0), plot.top, plot.bottom);
	for (int i = 0; i < rows.n; i++)
		draw(&plot, &rows, i);
	plot_end(&plot);
	fputs("</figure>\n", out);
}
