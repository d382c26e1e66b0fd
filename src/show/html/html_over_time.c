// SPDX-License-Identifier: Apache-2.0
/* How latencies went over time: mean, and shortest to longest, of as many columns as the eye can use. */
#include <math.h>

#include "show/html/html_model.h"

enum { COLUMNS = 240, LONGEST_STEP = 6, SHORT_RUN = 3, MEANS = COLUMNS > COURSE_COLUMNS ? COLUMNS : COURSE_COLUMNS };

/* The mean of a column. */
struct mean {
	double x, y;
	bool is_first; /* no line leads to it */
};

static uint32_t run_of(const struct mean *mean, uint32_t n)
{
	uint32_t run = 1;

	while (run < n && !mean[run].is_first)
		run++;
	return run;
}

/* A line through means. Those between gaps are dots, too: a line through one of them would show nothing. */
static void draw_means(FILE *out, const char *colour, const struct mean *mean, uint32_t n)
{
	uint32_t run;

	fprintf(out, "<path class=\"line %s\" d=\"", colour);
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%c%.1f %.1f", mean[i].is_first ? 'M' : 'L', mean[i].x, mean[i].y);
	fprintf(out, "\"/><path class=\"line means %s\" d=\"", colour);
	for (uint32_t i = 0; i < n; i += run) {
		run = run_of(mean + i, n - i);
		for (uint32_t k = i; run <= SHORT_RUN && k < i + run; k++)
			fprintf(out, "M%.1f %.1fh0", mean[k].x, mean[k].y);
	}
	fputs("\"/>\n", out);
}

/* What happened in one column of the plot over time. */
struct column {
	double low, high, sum;
	uint32_t n, round; /* round: of the first one */
};

static void draw_columns(struct html_page *page, const struct plot *plot, const struct column *column, uint32_t r)
{
	double width = (plot->right - plot->left) / COLUMNS;
	const struct column *before = NULL;
	struct mean mean[MEANS];
	uint32_t n = 0;

	fprintf(page->out, "<path class=\"soft %s\" d=\"", html_colour(r).s);
	for (int i = 0; i < COLUMNS; i++) {
		double top = plot_y(plot, column[i].high), bottom = plot_y(plot, column[i].low);

		if (column[i].n)
			fprintf(page->out, "M%.1f %.1fh%.1fV%.1fh-%.1fz", plot->left + width * i, top, width,
				fmax(bottom, top + 1.2), width);
	}
	fputs("\"/>", page->out);
	/* another process is another line */
	for (int i = 0; i < COLUMNS; i++) {
		if (!column[i].n)
			continue;
		mean[n++] = (struct mean){ plot->left + width * (i + 0.5), plot_y(plot, column[i].sum / column[i].n),
					   !before || before->round != column[i].round };
		before = &column[i];
	}
	draw_means(page->out, html_colour(r).s, mean, n);
}

/* Time that was measured: processes one behind the other, without what lay between them. Latencies are in their order.
 */
struct stretch {
	uint64_t begin_ns;  /* of its first inference */
	uint64_t before_ns; /* of all stretches before */
};

static struct stretch next_stretch(const struct model_result *result, uint32_t i, const struct stretch *last)
{
	struct stretch next = { .begin_ns = result->latencies[i].start_ns };

	if (i)
		next.before_ns = last->before_ns + (result->latencies[i - 1].start_ns - last->begin_ns) +
				 result->latencies[i - 1].duration_ns;
	return next;
}

static bool begins_round(const struct model_result *result, uint32_t i)
{
	return !i || result->latencies[i].round != result->latencies[i - 1].round;
}

static uint64_t measured_ns(const struct model_result *result)
{
	struct stretch stretch = { 0, 0 };

	for (uint32_t i = 0; i < result->n_latencies; i++)
		if (begins_round(result, i))
			stretch = next_stretch(result, i, &stretch);
	return next_stretch(result, result->n_latencies - 1, &stretch).begin_ns - stretch.begin_ns + stretch.before_ns;
}

static void fill_columns(const struct model_result *result, struct column *column, uint64_t all_ns)
{
	struct stretch stretch = { 0, 0 };

	for (uint32_t i = 0; i < result->n_latencies; i++) {
		const struct model_latency *one = &result->latencies[i];
		double ns = (double)one->duration_ns, at;
		struct column *to;

		if (begins_round(result, i))
			stretch = next_stretch(result, i, &stretch);
		at = (double)(stretch.before_ns + (one->start_ns - stretch.begin_ns)) / ((double)all_ns + 1) * COLUMNS;
		to = &column[(int)fmin(at, COLUMNS - 1)];
		if (one->status)
			continue;
		to->round = to->n ? to->round : one->round;
		to->low = to->n ? fmin(to->low, ns) : ns;
		to->high = to->n ? fmax(to->high, ns) : ns;
		to->sum += ns;
		to->n++;
	}
}

/* Where one process ends and the next begins. */
static void draw_rounds(const struct model_result *result, const struct plot *plot)
{
	struct stretch stretch = { 0, 0 };

	for (uint32_t i = 0; i < result->n_latencies; i++) {
		if (!begins_round(result, i))
			continue;
		stretch = next_stretch(result, i, &stretch);
		if (i)
			fprintf(plot->out, "<path class=\"axis dash\" d=\"M%.1f %.1fV%.1f\"/>",
				plot_x(plot, (double)stretch.before_ns), plot->top, plot->bottom);
	}
}

static void draw_time(struct html_page *page, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	struct column column[COLUMNS] = { 0 };
	uint64_t long_ns = measured_ns(run->result);
	bool is_alone = page->report->n_results == 1;
	struct plot plot = plot_of(page->out, is_alone ? 1120 : 560, 200);
	double low = 0, high = 0, most = 0;
	struct printable title = { "" };

	/* one axis for all runs */
	for (uint32_t i = 0; i < page->report->n_results; i++) {
		const struct stats_series *own = &page->analysis->runs[i].latency;

		low = own->n ? low > 0 ? fmin(low, (double)own->min_ns) : (double)own->min_ns : low;
		high = own->n ? fmax(high, (double)own->max_ns) : high;
		most = own->n ? fmax(most, own->percentile[0].ns) : most;
	}
	plot.kind = is_alone ? "long" : NULL;
	fill_columns(run->result, column, long_ns);
	plot.x = plot_axis_of(0, (double)long_ns, false);
	/* a few far away would press all the others flat */
	plot.y = high > 4 * most ? plot_axis_of(low * 0.9, high * 1.1, true) : plot_axis_of(0, high * 1.06, false);
	html_figure(page, "%s: mean, and shortest to longest, of each %s", page->label[r].s,
		    units_duration((double)long_ns / COLUMNS).s);
	printable_add(&title, "Latency of %s over time", page->label[r].s);
	plot_begin(&plot, html_plot_id(page).s, title.s, "Whether it drifts is in the table of this section.");
	plot_draw_x(&plot, html_ns,
		    run->n_rounds > 1 ? "time measured; dashed: the next process begins"
				      : "since the first of these inferences");
	plot_draw_y(&plot, html_ns, plot.y.is_log ? "latency (logarithmic)" : "latency");
	draw_rounds(run->result, &plot);
	draw_columns(page, &plot, column, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static bool has_samples(const struct model_run *run)
{
	return run->result->n_latencies > 0;
}

static const struct course *course_of(const struct html_page *page)
{
	uint32_t course = page->summary ? page->summary->models[page->model].course : 0;

	return course ? &page->summary->courses[course - 1] : NULL;
}

/* A few far away would press all the others flat. */
static struct plot_axis axis_of(const struct course *course, double usual_ns)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < course->n; i++) {
		if (!course->cell[i].n_values)
			continue;
		low = fmin(low, course->cell[i].low);
		high = fmax(high, course->cell[i].high);
	}
	return high > 4 * usual_ns ? plot_axis_of(low * 0.9, high * 1.1, true) : plot_axis_of(0, high * 1.06, false);
}

static void draw_course_column(const struct plot *plot, const struct course *course, uint32_t i, uint64_t begin_ns)
{
	const struct course_cell *cell = &course->cell[i];
	uint64_t at_ns = (course->first + i) << course->shift;
	double from_ns = at_ns > begin_ns ? (double)(at_ns - begin_ns) : 0;
	double left = plot_x(plot, from_ns), right = plot_x(plot, from_ns + (double)(1ull << course->shift));
	double top = plot_y(plot, cell->high), bottom = fmax(plot_y(plot, cell->low), top + 1.2);

	if (!cell->n_values)
		return;
	fprintf(plot->out,
		"<rect class=\"soft s0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: ", left, top,
		fmax(right - left, 0.8), bottom - top, html_ns(from_ns).s);
	fprintf(plot->out, "%s, mean %s", printable_count(cell->n_values, "inference").s,
		units_duration(cell->sum / (double)cell->n_values).s);
	fprintf(plot->out, ", %s", units_duration(cell->low).s);
	fprintf(plot->out, " to %s</title></rect>", units_duration(cell->high).s);
}

static void draw_course_means(const struct plot *plot, const struct course *course, uint64_t begin_ns)
{
	struct mean mean[MEANS];
	uint32_t last = 0, n = 0;

	for (uint32_t i = 0; i < course->n; i++) {
		const struct course_cell *cell = &course->cell[i];
		double middle_ns = ((double)(course->first + i) + 0.5) * (double)(1ull << course->shift);

		if (!cell->n_values)
			continue;
		mean[n] =
		    (struct mean){ plot_x(plot, middle_ns - (double)begin_ns),
				   plot_y(plot, cell->sum / (double)cell->n_values), !n || i - last > LONGEST_STEP };
		n++;
		last = i;
	}
	draw_means(plot->out, "s0", mean, n);
}

/* A level with its name beside it, so much higher. */
static void draw_usual(const struct plot *plot, double ns, const char *name, double higher)
{
	if (!isfinite(ns))
		return;
	fprintf(plot->out, "<path class=\"axis dash\" d=\"M%.1f %.1fH%.1f\"/>", plot->left, plot_y(plot, ns),
		plot->right);
	plot_text(plot, plot->right + 6, plot_y(plot, ns) + 4 - fmax(higher, 0), "start", "ink", "%s", name);
}

static void draw_course(struct html_page *page, const struct course *course)
{
	const struct summary_recording *recording = &page->summary->recording;
	const struct stats_series *series = &page->analysis->runs[0].latency;
	const struct stats_quantile *p99 = &series->percentile[3];
	struct plot plot = plot_of(page->out, 1120, 210);

	plot.kind = "long";
	plot.right = 1060;
	plot.x = plot_axis_of(0, (double)(recording->end_ns - recording->begin_ns), false);
	plot.y = axis_of(course, series->percentile[0].ns);
	html_figure(page, "Line: mean of %s each; band: shortest to longest; dashed: median and p99 of all.",
		    units_duration((double)(1ull << course->shift)).s);
	plot_begin(&plot, html_plot_id(page).s, "Latency over time",
		   "The percentiles are in the table of this section.");
	plot_draw_x(&plot, html_ns, "since the recording began");
	plot_draw_y(&plot, html_ns, plot.y.is_log ? "latency (logarithmic)" : "latency");
	for (uint32_t i = 0; i < course->n; i++)
		draw_course_column(&plot, course, i, recording->begin_ns);
	draw_course_means(&plot, course, recording->begin_ns);
	draw_usual(&plot, series->percentile[0].ns, "median", 0);
	draw_usual(&plot, p99->ns, "p99",
		   fmin(plot_y(&plot, p99->ns) - plot_y(&plot, series->percentile[0].ns) + 14, 14));
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

bool html_has_over_time(const struct html_page *page)
{
	struct model_view view = html_view(page);

	return model_view_has(&view, has_samples) ||
	       (course_of(page) && !page->summary->recording.has_no_begins && page->analysis->runs[0].latency.n > 1);
}

void html_over_time(struct html_page *page)
{
	if (course_of(page)) {
		draw_course(page, course_of(page));
		return;
	}
	fputs(page->report->n_results > 1 ? "<div class=\"many\">" : "<div>", page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_latency(&page->analysis->runs[r]))
			draw_time(page, r);
	fputs("</div>\n", page->out);
}
