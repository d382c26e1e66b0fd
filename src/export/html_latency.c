// SPDX-License-Identifier: Apache-2.0
/* Latencies of a model's runs: how they are distributed, and how they went over time. */
#include "export/html_model.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 240, CURVE = 160 };

static bool has_latency(const struct model_run *run)
{
	return run->latency.n > 0;
}

static void put_series(struct html_page *page, const char *kind, const char *name, const struct model_series *series)
{
	if (!series->n)
		return;
	html_row(page->out);
	html_cell(page->out, kind, "%s", name);
	html_cell(page->out, "n", "%s", units_count(series->n).s);
	html_cell(page->out, "n", "%s", units_duration((double)series->min_ns).s);
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
		const struct model_percentile *own = &series->percentile[i];

		if (isnan(own->ns))
			html_cell(page->out, "n off", "needs %s", units_count(own->n_needed).s);
		else
			html_cell(page->out, "n", "%s", units_duration(own->ns).s);
	}
	html_cell(page->out, "n", "%s", units_duration((double)series->max_ns).s);
}

static void put_percentiles(struct html_page *page)
{
	static const char *const headers[] = { "run",  ">count", ">min",   ">p50", ">p90",
					       ">p95", ">p99",	 ">p99.9", ">max", NULL };

	html_table(page->out, "Percentiles are values that occurred; one that needs more inferences is not known",
		   headers);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_run *run = &page->analysis->runs[r];

		put_series(page, "main", page->label[r].s, &run->latency);
		for (uint32_t i = 0; i < run->n_groups; i++)
			put_series(page, "off", html_name(run->groups[i].shape).s, &run->groups[i].latency);
		put_series(page, "off", "with waiting", &run->response);
	}
	html_table_end(page->out);
}

static void draw_bins(struct html_page *page, const struct plot *plot, const struct model_histogram *histogram,
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
	plot_text(plot, plot_x(plot, ns) + 4, plot->top + 12 + 11 * line, "start", "ink", "%s", name);
}

static void draw_histogram(struct html_page *page, uint32_t r)
{
	const struct model_series *series = &page->analysis->runs[r].latency;
	const struct model_histogram *histogram = &series->histogram;
	struct plot plot = plot_of(page->out, 560, 230);
	struct printable title = { "" };
	uint64_t most = histogram->n_above;

	for (uint32_t i = 0; i < histogram->n; i++)
		most = histogram->count[i] > most ? histogram->count[i] : most;
	plot.right -= 30;
	plot.x = plot_axis_of(histogram->edge[0], histogram->edge[histogram->n], histogram->is_log);
	plot.y = plot_axis_of(0, (double)most * 1.08, false);
	html_figure(page, "%s: %s inferences, mean %s; %s%s", page->label[r].s, units_count(series->n).s,
		    units_interval(series->mean_ns, series->interval_ns, false).s, model_drift_words(series->drift),
		    series->is_short ? "; neighbours are so alike that the interval is a guess" : "");
	printable_add(&title, "Histogram of the latency of %s", page->label[r].s);
	plot_begin(&plot, html_plot_id(page).s, title.s, "The percentiles are in the table of this section.");
	plot_draw_x(&plot, html_ns, histogram->is_log ? "latency (logarithmic)" : "latency");
	plot_draw_y(&plot, units_decimal, "inferences");
	draw_bins(page, &plot, histogram, r);
	draw_mark(&plot, series->percentile[0].ns, "p50", 0);
	draw_mark(&plot, series->percentile[3].ns, "p99", 1);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

/* As many points as the eye can use: the n-th of 160 ranks, closer together at the slow end. */
static void draw_curve(struct html_page *page, const struct plot *plot, uint32_t r)
{
	const struct model_series *series = &page->analysis->runs[r].latency;

	fprintf(page->out, "<path class=\"line %s\" d=\"M%.1f %.1f", html_colour(r).s,
		plot_x(plot, (double)series->min_ns), plot_y(plot, 0));
	for (int i = 0; i <= CURVE; i++) {
		double share = 1 - pow(1 - (double)i / CURVE, 2);
		uint64_t at = (uint64_t)(share * (double)(series->n - 1));

		fprintf(page->out, "L%.1f %.1f", plot_x(plot, (double)series->sorted[at]),
			plot_y(plot, model_series_ecdf(series, (double)series->sorted[at])));
	}
	fputs("\"/>\n", page->out);
}

static void draw_ecdf(struct html_page *page)
{
	struct plot plot = plot_of(page->out, 560, 230);
	double low = INFINITY, high = 0;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_series *series = &page->analysis->runs[r].latency;

		if (!series->n)
			continue;
		low = fmin(low, (double)series->min_ns);
		high = fmax(high, (double)series->max_ns);
	}
	plot.x = plot_axis_of(low * 0.95, high * 1.05, high > 5 * low);
	plot.y = plot_axis_of(0, 1, false);
	html_figure(page,
		    "Share of the inferences that take at most so long: further left is faster, steeper is steadier.");
	html_key(page, has_latency);
	plot_begin(&plot, html_plot_id(page).s, "Cumulative distribution of the latency of each run",
		   "The percentiles are in the table of this section.");
	plot_draw_x(&plot, html_ns, plot.x.is_log ? "latency (logarithmic)" : "latency");
	plot_draw_y(&plot, html_share, "inferences");
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (has_latency(&page->analysis->runs[r]))
			draw_curve(page, &plot, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

/* What happened in one column of the plot over time. */
struct column {
	double low, high, sum;
	uint32_t n;
};

static void draw_columns(struct html_page *page, const struct plot *plot, const struct column *column, uint32_t r)
{
	bool is_open = false;

	fprintf(page->out, "<path class=\"soft %s\" d=\"", html_colour(r).s);
	for (int i = 0; i < COLUMNS; i++) {
		double left = plot->left + (plot->right - plot->left) * i / COLUMNS;
		double top = plot_y(plot, column[i].high), bottom = plot_y(plot, column[i].low);

		if (column[i].n)
			fprintf(page->out, "M%.1f %.1fh%.1fV%.1fh-%.1fz", left, top,
				(plot->right - plot->left) / COLUMNS, fmax(bottom, top + 1.2),
				(plot->right - plot->left) / COLUMNS);
	}
	fprintf(page->out, "\"/><path class=\"line %s\" d=\"", html_colour(r).s);
	for (int i = 0; i < COLUMNS; i++) {
		if (!column[i].n)
			continue;
		fprintf(page->out, "%s%.1f %.1f", is_open ? "L" : "M",
			plot->left + (plot->right - plot->left) * (i + 0.5) / COLUMNS,
			plot_y(plot, column[i].sum / column[i].n));
		is_open = true;
	}
	fputs("\"/>\n", page->out);
}

static uint64_t fill_columns(const struct model_result *result, struct column *column)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;

	for (uint32_t i = 0; i < result->n_latencies; i++) {
		begin_ns = result->latencies[i].start_ns < begin_ns ? result->latencies[i].start_ns : begin_ns;
		end_ns = result->latencies[i].start_ns > end_ns ? result->latencies[i].start_ns : end_ns;
	}
	for (uint32_t i = 0; i < result->n_latencies; i++) {
		const struct model_latency *one = &result->latencies[i];
		double at = (double)(one->start_ns - begin_ns) / ((double)(end_ns - begin_ns) + 1) * COLUMNS;
		struct column *to = &column[(int)fmin(at, COLUMNS - 1)];
		double ns = (double)one->duration_ns;

		if (one->status)
			continue;
		to->low = to->n ? fmin(to->low, ns) : ns;
		to->high = to->n ? fmax(to->high, ns) : ns;
		to->sum += ns;
		to->n++;
	}
	return end_ns - begin_ns;
}

static void draw_time(struct html_page *page, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	struct column column[COLUMNS] = { 0 };
	uint64_t long_ns = fill_columns(run->result, column);
	struct plot plot = plot_of(page->out, 560, 200);
	double high = (double)run->latency.max_ns, most = run->latency.percentile[0].ns;
	struct printable title = { "" };

	plot.x = plot_axis_of(0, (double)long_ns, false);
	/* a few far away would press all the others flat */
	plot.y = high > 4 * most ? plot_axis_of((double)run->latency.min_ns * 0.9, high * 1.1, true)
				 : plot_axis_of(0, high * 1.06, false);
	html_figure(page, "%s: mean, and shortest to longest, of each %s", page->label[r].s,
		    units_duration((double)long_ns / COLUMNS).s);
	printable_add(&title, "Latency of %s over time", page->label[r].s);
	plot_begin(&plot, html_plot_id(page).s, title.s, "Whether it drifts is in the table of this section.");
	plot_draw_x(&plot, html_ns, "since the first of these inferences");
	plot_draw_y(&plot, html_ns, plot.y.is_log ? "latency (log)" : "latency");
	draw_columns(page, &plot, column, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_steadiness(struct html_page *page)
{
	static const char *const headers[] = { "run",
					       ">mean \302\261 95 %",
					       ">worth",
					       ">deviation",
					       ">outliers",
					       ">their time",
					       "over time",
					       ">last quarter / first",
					       ">processes (their means)",
					       NULL };

	html_table(page->out,
		   "Worth: how many independent values the inferences in a row come to; outliers lie beyond the middle "
		   "half by "
		   "three times its width",
		   headers);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_series *series = &page->analysis->runs[r].latency;

		if (!series->n)
			continue;
		html_row(page->out);
		html_cell(page->out, "main", "%s", page->label[r].s);
		html_cell(page->out, "n", "%s", units_interval(series->mean_ns, series->interval_ns, false).s);
		html_cell(page->out, "n", "%s",
			  isnan(series->n_effective) ? "-" : units_count((uint64_t)series->n_effective).s);
		html_cell(page->out, "n", "%s", units_duration(series->deviation_ns).s);
		html_cell(page->out, "n", "%s", units_count(series->n_outliers).s);
		html_cell(page->out, "n", "%s", units_percent(series->outlier_share).s);
		html_cell(page->out, series->drift > MODEL_STEADY ? "bad" : "", "%s", model_drift_words(series->drift));
		html_cell(page->out, "n", "%s", units_decimal(series->drift_ratio).s);
		if (page->analysis->runs[r].n_rounds > 1)
			html_cell(page->out, "n", "%u (%s to %s)", page->analysis->runs[r].n_rounds,
				  units_duration(page->analysis->runs[r].round_low_ns).s,
				  units_duration(page->analysis->runs[r].round_high_ns).s);
		else
			html_cell(page->out, "n", "1");
	}
	html_table_end(page->out);
}

void html_latencies(struct html_page *page)
{
	bool has_any = false;

	html_section(page, "latency", "Latency", "Of an inference; the first one and the warm-up are not among them.");
	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_any |= has_latency(&page->analysis->runs[r]);
	if (has_any) {
		put_percentiles(page);
		fputs("<h3>Distribution</h3>\n<div class=\"many\">", page->out);
		draw_ecdf(page);
		for (uint32_t r = 0; r < page->report->n_results; r++)
			if (has_latency(&page->analysis->runs[r]))
				draw_histogram(page, r);
		fputs("</div>\n<h3>Over time</h3>\n<div class=\"many\">", page->out);
		for (uint32_t r = 0; r < page->report->n_results; r++)
			if (has_latency(&page->analysis->runs[r]))
				draw_time(page, r);
		fputs("</div>\n", page->out);
		put_steadiness(page);
	}
	fputs("</section>\n", page->out);
}
