// SPDX-License-Identifier: Apache-2.0
/* Latencies of a model's runs: how they are distributed, and how steady they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"

/* What a latency is of. */
static const char *model_per_run(const struct html_page *page)
{
	return strcmp(model_per(page->analysis), "token") ? "inference" : "token";
}

static void put_percentiles(struct html_page *page)
{
	const struct stats_series *first = &page->analysis->runs[0].latency;
	struct model_view view = html_view(page);
	struct printable caption = { "Percentiles are values that occurred; ?: not known from so few: " };
	struct table table = { 0 };

	for (int i = 0; i < STATS_N_PERCENTILES; i++)
		printable_add(&caption, "%s%s needs %s", i ? ", " : "", first->percentile[i].name,
			      units_count(first->percentile[i].n_needed).s);
	model_rows_latency(&table, &view);
	html_table_of(page->out, caption.s, &table);
}

static void draw_bins(struct html_page *page, const struct plot *plot, const struct stats_histogram *histogram,
		      uint32_t r)
{
	double beyond = plot->y.low;

	for (uint32_t i = 0; i < histogram->n; i++) {
		double left = plot_x(plot, histogram->edge[i]), right = plot_x(plot, histogram->edge[i + 1]);
		double top = plot_y(plot, (double)histogram->count[i]);

		if (!histogram->count[i])
			continue;
		fprintf(page->out,
			"<rect class=\"fill %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s to ",
			html_colour(r).s, left, top, fmax(right - left - 1, 0.7), plot->bottom - top,
			units_duration(histogram->edge[i]).s);
		fprintf(page->out, "%s: %s</title></rect>", units_duration(histogram->edge[i + 1]).s,
			units_count(histogram->count[i]).s);
	}
	if (histogram->n_above) {
		beyond = plot_y(plot, (double)histogram->n_above);
		fprintf(page->out, "<rect class=\"soft %s\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"%.1f\"/>",
			html_colour(r).s, plot->right + 8, beyond, fmax(plot->bottom - beyond, 1));
		plot_text(plot, plot->right + 15, fmin(beyond, plot->bottom - 2) - 4, "middle", "", "%s",
			  units_count(histogram->n_above).s);
		plot_text(plot, plot->right + 15, plot->bottom + 31, "middle", "", "more");
	}
	fputc('\n', page->out);
}

/* A line from top to bottom with its name above. */
static void draw_mark(const struct plot *plot, double ns, const char *name, int line)
{
	if (!isfinite(ns) || ns > plot->x.high)
		return;
	fprintf(plot->out, "<path class=\"roof dash\" d=\"M%.1f %.1fV%.1f\"/>", plot_x(plot, ns),
		plot->top + 4 + 11 * line, plot->bottom);
	if (plot_x(plot, ns) > plot->right - 50)
		plot_text(plot, plot_x(plot, ns) - 4, plot->top + 12 + 11 * line, "end", "ink", "%s", name);
	else
		plot_text(plot, plot_x(plot, ns) + 4, plot->top + 12 + 11 * line, "start", "ink", "%s", name);
}

/* Histograms of all runs have one axis, so that they can be compared by eye. */
static struct plot_axis shared_axis(const struct html_page *page)
{
	double low = INFINITY, high = 0;
	bool is_log = false;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct stats_histogram *own = &page->analysis->runs[r].latency.histogram;

		if (!own->n)
			continue;
		low = fmin(low, own->edge[0]);
		high = fmax(high, own->edge[own->n]);
		is_log |= own->is_log;
	}
	return plot_axis_of(low, high, (is_log && high > 3 * low) || high > 8 * low);
}

static void draw_histogram(struct html_page *page, uint32_t r)
{
	const struct stats_series *series = &page->analysis->runs[r].latency;
	const struct stats_histogram *histogram = &series->histogram;
	struct plot plot = plot_of(page->out, 560, page->report->n_results > 2 ? 150 : 230);
	struct printable title = { "" };
	uint64_t most = histogram->n_above;

	for (uint32_t i = 0; i < histogram->n; i++)
		most = histogram->count[i] > most ? histogram->count[i] : most;
	plot.right -= 30;
	plot.x = shared_axis(page);
	plot.y = plot_axis_of(0, (double)most * 1.25, false);
	html_figure(page, "%s: %s, mean %s; %s%s", page->label[r].s, printable_count(series->n, model_per_run(page)).s,
		    units_interval(series->mean_ns, series->interval_ns, false).s, model_drift_words(series->drift),
		    series->is_short ? "; neighbours are so alike that the interval is only a guess" : "");
	printable_add(&title, "Histogram of the latency of %s", page->label[r].s);
	plot_begin(&plot, html_plot_id(page).s, title.s, "The percentiles are in the table of this section.");
	plot_draw_x(&plot, html_ns, plot.x.is_log ? "latency (logarithmic)" : "latency");
	plot_draw_y(&plot, units_decimal, strcmp(model_per_run(page), "token") ? "inferences" : "tokens");
	draw_bins(page, &plot, histogram, r);
	draw_mark(&plot, series->percentile[0].ns, "median", 0);
	draw_mark(&plot, series->percentile[3].ns, "p99", 1);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

/* As many points as the eye can use. */
static void draw_curve(struct html_page *page, const struct plot *plot, uint32_t r)
{
	const struct stats_series *series = &page->analysis->runs[r].latency;

	fprintf(page->out, "<path class=\"line %s\" d=\"M%.1f %.1f", html_colour(r).s,
		plot_x(plot, (double)series->min_ns), plot_y(plot, 0));
	for (int i = 0; i <= STATS_CURVE; i++)
		fprintf(page->out, "L%.1f %.1f", plot_x(plot, series->curve_ns[i]), plot_y(plot, stats_curve_share(i)));
	fputs("\"/>\n", page->out);
}

static void draw_ecdf(struct html_page *page)
{
	struct plot plot = plot_of(page->out, 560, 230);
	double low = INFINITY, high = 0;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct stats_series *series = &page->analysis->runs[r].latency;

		if (!series->n)
			continue;
		low = fmin(low, (double)series->min_ns);
		high = fmax(high, (double)series->max_ns);
	}
	plot.x = plot_axis_of(low * 0.95, high * 1.05, high > 5 * low);
	plot.y = plot_axis_of(0, 1, false);
	html_figure(page, "Share of the %ss that take at most so long: further left is faster, steeper is steadier.",
		    model_per_run(page));
	html_key(page, model_has_latency);
	plot_begin(&plot, html_plot_id(page).s, "Cumulative distribution of the latency of each run",
		   "The percentiles are in the table of this section.");
	plot_draw_x(&plot, html_ns, plot.x.is_log ? "latency (logarithmic)" : "latency");
	plot_draw_y(&plot, html_share, strcmp(model_per_run(page), "token") ? "inferences" : "tokens");
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_latency(&page->analysis->runs[r]))
			draw_curve(page, &plot, r);
	if (page->report->n_results == 1) {
		draw_mark(&plot, page->analysis->runs[0].latency.percentile[0].ns, "median", 0);
		draw_mark(&plot, page->analysis->runs[0].latency.percentile[3].ns, "p99", 1);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_steadiness_of(struct table *table, const struct html_page *page, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	const struct stats_series *series = &run->latency;

	table_cell(table, TABLE_BOLD, "%s", page->label[r].s);
	table_cell(table, TABLE_PLAIN, "%s", units_interval(series->mean_ns, series->interval_ns, false).s);
	table_cell(table, TABLE_PLAIN, "%s",
		   isnan(series->n_effective) ? "-" : units_count((uint64_t)series->n_effective).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration(series->deviation_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(series->n_outliers).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(series->outlier_share).s);
	table_cell(table, series->drift > STATS_STEADY ? TABLE_RED : TABLE_PLAIN, "%s",
		   model_drift_words(series->drift));
	table_cell(table, TABLE_PLAIN, "%s", units_decimal(series->drift_ratio).s);
	if (run->n_rounds > 1)
		table_cell(table, TABLE_PLAIN, "%u (%s to %s)", run->n_rounds, units_duration(run->round_low_ns).s,
			   units_duration(run->round_high_ns).s);
	else
		table_cell(table, TABLE_PLAIN, "1");
}

static void put_steadiness(struct html_page *page)
{
	static const struct {
		const char *header;
		int flags;
	} columns[] = { { "run", TABLE_LEFT },
			{ "mean \302\261 95 %", TABLE_RIGHT },
			{ "worth", TABLE_RIGHT },
			{ "deviation", TABLE_RIGHT },
			{ "outliers", TABLE_RIGHT },
			{ "their time", TABLE_RIGHT },
			{ "inside a process", TABLE_LEFT },
			{ "last quarter / first", TABLE_RIGHT },
			{ "processes (their means)", TABLE_RIGHT } };
	struct table table = { 0 };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		table_column(&table, columns[i].header, columns[i].flags);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_latency(&page->analysis->runs[r]))
			put_steadiness_of(&table, page, r);
	html_table_of(
	    page->out,
	    "Worth: number of independent values that the series is worth. Outliers lie beyond the middle half by "
	    "three times its width",
	    &table);
}

/* What was to be measured and was not. */
static void put_missing(struct html_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];

	if (result->ended_early) {
		fputs("<p>", page->out);
		html_words(page->out, "%s: ended early: %s.", page->label[r].s, result->ended_early);
		fputs("</p>\n", page->out);
	}
	if (result->n_unserved > 0) {
		fputs("<p>", page->out);
		html_words(page->out,
			   "%s: %s could not be served in time and are in no figure; waiting was longer than these "
			   "figures show.",
			   page->label[r].s, printable_count((uint64_t)result->n_unserved, "request").s);
		fputs("</p>\n", page->out);
	}
}

static void draw_distributions(struct html_page *page)
{
	/* one above the other, on the same axis */
	fputs("<h3>Distribution</h3>\n<div class=\"many\"><div>", page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_latency(&page->analysis->runs[r]) && page->analysis->runs[r].latency.histogram.n)
			draw_histogram(page, r);
	fputs("</div><div>", page->out);
	draw_ecdf(page);
	fputs("</div></div>\n", page->out);
	if (html_has_over_time(page)) {
		fputs("<h3>Over time</h3>\n", page->out);
		html_over_time(page);
	}
	put_steadiness(page);
}

void html_latencies(struct html_page *page)
{
	bool has_any = false;

	html_section(page, "latency", "Latency", "%s",
		     !strcmp(model_per(page->analysis), "token")
			 ? "Between tokens: since the end of the token before; the warm-up is excluded."
		     : page->part ? "Of an inference; the first of each session, and failed ones, are excluded."
				  : "Of an inference; the first one and the warm-up are excluded.");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		has_any |= model_has_latency(&page->analysis->runs[r]);
		put_missing(page, r);
	}
	if (has_any) {
		put_percentiles(page);
		draw_distributions(page);
	}
	fputs("</section>\n", page->out);
}
