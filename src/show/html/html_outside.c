// SPDX-License-Identifier: Apache-2.0
/* What was done while no model ran: a table of what and where, and calling paths as a flame graph that hangs down. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"
#include "show/words/time_words.h"

enum { WIDTH = 1120, ROW = 18, MAX_DEPTH = 40, MAX_ROWS = 60, CHARACTER = 7, WIDE = 12, LEAST = 4 };

static const double least_share = 0.005, least_width = 0.7;

/* A row's place in the figure. */
struct box {
	double x, width, used; /* used: of its width, by children so far */
};

static const char *colour_of(const struct summary_outside *row)
{
	if (row->is.kind == OUTSIDE_UNATTRIBUTED || row->is.kind == OUTSIDE_OTHERS)
		return "f9";
	return row->is.ran_ns * 2 > row->is.ns ? "f3" : "f2";
}

/* Pixels of a text, rather too many: letters of the page's font differ by a factor of three. */
static double width_of(const char *text)
{
	double width = 0;

	for (; *text; text++)
		if ((unsigned char)*text >= 0xc0)
			width += WIDE;
		else if ((unsigned char)*text < 0x80)
			width += strchr("mwMW@%", *text) ? WIDE : CHARACTER;
	return width;
}

/* Where a frame's line has no room, its function is what matters. */
static struct printable short_name(const char *name, int columns)
{
	const char *bracket = strstr(name, " (");
	size_t len = strlen(name);

	if (bracket && len > (size_t)columns)
		len = (size_t)(bracket - name);
	return printable_text(name, len, columns, false);
}

static void draw_row(const struct plot *plot, const struct html_page *page, const struct summary_outside *row,
		     const struct box *box)
{
	const char *name = names_text(page->summary->names, row->is.name);
	double y = (double)row->is.depth * ROW;
	int columns = (int)((box->width - 6) / CHARACTER);

	while (columns >= LEAST && width_of(short_name(name, columns).s) > box->width - 6)
		columns--;
	fprintf(plot->out, "<rect class=\"tree %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>",
		colour_of(row), box->x, y, fmax(box->width - 1, 0.4), ROW - 1);
	html_words(plot->out, "%s: %s", html_name(name).s, units_duration((double)row->is.ns).s);
	html_words(plot->out, ", %s", units_percent(row->share).s);
	if (row->is.kind == OUTSIDE_FRAME)
		html_words(plot->out, ", on a CPU for %s", units_duration((double)row->is.ran_ns).s);
	fputs("</title></rect>", plot->out);
	if (columns >= LEAST)
		plot_text(plot, box->x + 4, y + 12.5, "start", "on", "%s", short_name(name, columns).s);
	fputc('\n', plot->out);
}

/* Where it lies: behind what its parent has so far. False: it is too narrow, or too deep. */
static bool place_row(const struct summary *summary, uint32_t i, struct box *box, double *used)
{
	const struct summary_outside *row = &summary->outside[i];
	bool is_top = row->is.parent == OUTSIDE_NONE;
	double at = is_top ? 0 : box[row->is.parent].x, *to = is_top ? used : &box[row->is.parent].used;

	box[i].width = row->share * WIDTH;
	box[i].x = at + *to;
	*to += box[i].width;
	return row->is.depth < MAX_DEPTH && box[i].width >= least_width;
}

static uint32_t depth_of(const struct summary *summary)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < summary->n_outside; i++) {
		const struct summary_outside *row = &summary->outside[i];

		if (row->is.view == OUTSIDE_BY_PATH && row->is.depth < MAX_DEPTH && row->is.depth >= depth &&
		    row->share * WIDTH >= least_width)
			depth = row->is.depth + 1;
	}
	return depth;
}

static void draw_paths(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct plot plot = plot_of(page->out, WIDTH, ROW * (double)depth_of(summary));
	struct box *box = calloc(summary->n_outside, sizeof *box);
	double used = 0;

	if (!box)
		return;
	plot.kind = "long";
	html_figure(page, "By calling path, callers above. Warm: mostly on a CPU; cold: mostly waiting.");
	fputs("<div class=\"wide\">", page->out);
	plot_begin(&plot, html_plot_id(page).s, "What was done outside of models, by calling path",
		   "The largest places are in the table above.");
	for (uint32_t i = 0; i < summary->n_outside; i++)
		if (summary->outside[i].is.view == OUTSIDE_BY_PATH && place_row(summary, i, box, &used))
			draw_row(&plot, page, &summary->outside[i], &box[i]);
	plot_end(&plot);
	fputs("</div></figure>\n", page->out);
	free(box);
}

static void put_view(struct html_page *page, enum outside_view view, const char *caption)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "what", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	table_column(&table, "samples", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_outside && table_n_rows(&table) < MAX_ROWS; i++) {
		const struct summary_outside *row = &summary->outside[i];
		struct printable name = { "" };

		if (row->is.view != view || row->share < least_share)
			continue;
		for (uint32_t k = 0; k < row->is.depth; k++)
			printable_add(&name, "\302\240\302\240\302\240");
		printable_add(&name, "%s", html_name(names_text(summary->names, row->is.name)).s);
		table_cell(&table, row->is.depth ? TABLE_PLAIN : TABLE_BOLD, "%s", name.s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)row->is.ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(row->share).s);
		table_cell(&table, TABLE_PLAIN, "%s", row->is.n ? units_count(row->is.n).s : "-");
	}
	html_table_of(page->out, caption, &table);
}

/* More than one that matters. */
static bool has_threads(const struct summary *summary)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_outside; i++)
		n += summary->outside[i].is.kind == OUTSIDE_THREAD_ROW && summary->outside[i].share >= least_share;
	return n > 1;
}

void html_outside(struct html_page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->n_outside)
		return;
	html_section(page, "outside", time_outside_title(summary), "%s%s, by samples of %s.",
		     units_duration((double)summary->time.outside_ns).s,
		     time_has_unseen_models(summary) ? "" : " in which no model ran",
		     time_has_unseen_models(summary) ? "the first thread of the process that worked most"
						     : "the threads that ran the next inference");
	put_view(page, OUTSIDE_BY_WHAT, "What was done");
	draw_paths(page);
	if (has_threads(summary)) {
		fputs("<details><summary>The same by thread</summary>", page->out);
		put_view(page, OUTSIDE_BY_THREAD, "What each thread did");
		fputs("</details>\n", page->out);
	}
	fputs("</section>\n", page->out);
}
