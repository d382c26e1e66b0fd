// SPDX-License-Identifier: Apache-2.0
/*
 * Resources over events on one time axis: what processes used above, sessions and inferences of each model below. The
 * columns are those of the summary (course.h), so that the picture is as large for an hour as for a second. Where
 * several things share a column, its title says how many.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/model/recording_result.h"
#include "analyze/result/phase_names.h"
#include "show/html/html_model.h"
#include "show/words/resource_words.h"
#include "show/words/slow_words.h"

enum { WIDTH = 1120, LEFT = 190, RIGHT = 1098, PANEL = 78, LANE = 40, GAP = 12, MAX_SERIES = 4, MAX_LANES = 12 };

/* The counters of one panel, in its unit. */
struct series {
	const struct summary_resource *of;
	const struct course *course;
	double scale; /* of a value */
};

struct panel {
	const char *name;
	plot_format format;
	struct series series[MAX_SERIES];
	uint32_t n, n_left_out;
};

struct chart {
	struct html_page *page;
	struct plot plot; /* x: time since begin_ns; top, bottom: of the panel or lane at hand */
	uint64_t begin_ns, end_ns;
	struct panel panel[4];
	uint32_t n_panels;
	const struct summary_model *lane[MAX_LANES];
	uint32_t n_lanes, n_lanes_left_out;
	double y; /* where the next panel or lane begins */
};

static const char *text_of(const struct chart *chart, uint32_t id)
{
	return names_text(chart->page->summary->names, id);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), size = strlen(end);

	return len >= size && !strcmp(text + len - size, end);
}

static struct units_text watt_words(double watts)
{
	return units_metric(watts, "W");
}

static void add_series(struct panel *panel, const struct series *series)
{
	if (panel->n < MAX_SERIES)
		panel->series[panel->n++] = *series;
	else
		panel->n_left_out++;
}

static struct panel *panel_of(struct chart *chart, int which)
{
	static const struct {
		const char *name;
		plot_format format;
	} kinds[] = { { "CPUs in use", units_decimal },
		      { "Memory", html_mebibytes },
		      { "GPU, NPU", html_share },
		      { "Power", watt_words } };

	chart->panel[which].name = kinds[which].name;
	chart->panel[which].format = kinds[which].format;
	return &chart->panel[which];
}

/* The machine as a whole comes first, then processes in the order of their begin. */
static void add_counter(struct chart *chart, const struct summary_resource *own)
{
	const struct summary *summary = chart->page->summary;
	const char *name = text_of(chart, own->name), *unit = text_of(chart, own->unit);
	bool is_machine = own->process == SUMMARY_NONE;
	struct series series = { own, own->course ? &summary->courses[own->course - 1] : NULL, 1 };

	if (!series.course)
		return;
	if (!strcmp(name, "cpu") && !strcmp(unit, "%")) {
		series.scale = is_machine ? (double)summary->recording.n_cpus / 100 : 0.01;
		if (!is_machine || summary->recording.n_cpus > 0)
			add_series(panel_of(chart, 0), &series);
	} else if (!is_machine && !strcmp(name, "rss")) {
		series.scale = 1.0 / (1 << 20);
		add_series(panel_of(chart, 1), &series);
	} else if (is_machine && own->device && !strcmp(unit, "%") &&
		   (ends_with(name, " busy") || ends_with(name, " awake"))) {
		series.scale = 0.01;
		add_series(panel_of(chart, 2), &series);
	} else if (!strcmp(unit, "W")) {
		add_series(panel_of(chart, 3), &series);
	}
}

static struct printable series_name(const struct chart *chart, const struct series *series, int columns)
{
	const struct summary *summary = chart->page->summary;
	struct printable text = { "" };

	if (series->of->process == SUMMARY_NONE) {
		const char *name = text_of(chart, series->of->name);

		printable_add(&text, "%s", strcmp(name, "cpu") ? model_text(name, columns, false).s : "machine");
		return text;
	}
	printable_add(&text, "%s",
		      model_text(text_of(chart, summary->processes[series->of->process].name), columns - 8, false).s);
	printable_add(&text, " %d", summary->processes[series->of->process].pid);
	return text;
}

static double x_of(const struct chart *chart, uint64_t time_ns)
{
	return plot_x(&chart->plot, time_ns > chart->begin_ns ? (double)(time_ns - chart->begin_ns) : 0);
}

static uint64_t column_ns(const struct course *course, uint32_t i)
{
	return (course->first + i) << course->shift;
}

/* Mean of a column; NAN: no value stands for it. */
static double cell_value(const struct series *series, const struct course_cell *cell)
{
	double value = cell->covered_ns > 0 ? cell->weighted_ns / cell->covered_ns
		       : cell->n_values	    ? cell->sum / (double)cell->n_values
					    : NAN;

	return value * series->scale;
}

static double panel_most(const struct panel *panel)
{
	double most = 0;

	for (uint32_t s = 0; s < panel->n; s++)
		for (uint32_t i = 0; i < panel->series[s].course->n; i++)
			if (panel->series[s].course->cell[i].n_values)
				most = fmax(most, panel->series[s].course->cell[i].high * panel->series[s].scale);
	return most;
}

static void draw_series(const struct chart *chart, const struct series *series, uint32_t colour)
{
	const struct plot *plot = &chart->plot;
	bool is_open = false;

	fprintf(plot->out, "<path class=\"line thin %s\" d=\"", html_colour(colour).s);
	for (uint32_t i = 0; i < series->course->n; i++) {
		double value = cell_value(series, &series->course->cell[i]);

		if (isnan(value)) {
			is_open = false;
			continue;
		}
		fprintf(plot->out, "%c%.1f %.1fH%.1f", is_open ? 'L' : 'M', x_of(chart, column_ns(series->course, i)),
			plot_y(plot, value), x_of(chart, column_ns(series->course, i + 1)));
		is_open = true;
	}
	/* a path must begin somewhere */
	fprintf(plot->out, "%s\"/>\n", series->course->n ? "" : "M0 0");
}

static void draw_names(const struct chart *chart, const struct panel *panel)
{
	const struct plot *plot = &chart->plot;

	plot_text(plot, 0, plot->top + 11, "start", "strong", "%s", panel->name);
	for (uint32_t s = 0; s < panel->n; s++) {
		double y = plot->top + 27 + 14 * s;

		fprintf(plot->out, "<rect class=\"fill %s\" x=\"1\" y=\"%.1f\" width=\"9\" height=\"9\" rx=\"2\"/>",
			html_colour(s).s, y - 8);
		plot_text(plot, 15, y, "start", "", "%s", series_name(chart, &panel->series[s], 18).s);
	}
	if (panel->n_left_out && panel->n < MAX_SERIES + 1)
		plot_text(plot, 90, plot->top + 11, "start", "", "%u more", panel->n_left_out);
}

static void draw_panel(struct chart *chart, const struct panel *panel)
{
	struct plot *plot = &chart->plot;
	double most = panel_most(panel);

	plot->top = chart->y;
	plot->bottom = chart->y + PANEL - GAP;
	plot->y = plot_axis_of(0, most > 0 ? most * 1.05 : 1, false);
	chart->y += PANEL;
	fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1fM%.1f %.1fH%.1f\"/>", plot->left, plot->top,
		plot->right, plot->left, plot->bottom, plot->right);
	plot_text(plot, plot->left - 6, plot->top + 9, "end", "", "%s", panel->format(most).s);
	draw_names(chart, panel);
	for (uint32_t s = panel->n; s > 0; s--)
		draw_series(chart, &panel->series[s - 1], s - 1);
}

/* All values of a column as its title. */
static void put_hits(const struct chart *chart, double top, double bottom)
{
	const struct course *course = NULL;

	for (uint32_t p = 0; p < 4; p++)
		for (uint32_t s = 0; s < chart->panel[p].n; s++)
			if (!course || chart->panel[p].series[s].course->n > course->n)
				course = chart->panel[p].series[s].course;
	for (uint32_t i = 0; course && i < course->n; i++) {
		uint64_t at_ns = column_ns(course, i);
		double left = x_of(chart, at_ns), right = x_of(chart, column_ns(course, i + 1));

		fprintf(chart->plot.out,
			"<rect class=\"hit\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s", left, top,
			right - left, bottom - top,
			html_ns(at_ns > chart->begin_ns ? (double)(at_ns - chart->begin_ns) : 0).s);
		for (uint32_t p = 0; p < 4; p++) {
			for (uint32_t s = 0; s < chart->panel[p].n; s++) {
				const struct series *series = &chart->panel[p].series[s];
				uint64_t k = (at_ns >> series->course->shift) - series->course->first;
				double value =
				    k < series->course->n ? cell_value(series, &series->course->cell[k]) : NAN;

				if (isnan(value))
					continue;
				html_words(chart->plot.out, "\n%s, %s: ", chart->panel[p].name,
					   series_name(chart, series, 30).s);
				fputs(chart->panel[p].format(value).s, chart->plot.out);
			}
		}
		fputs("</title></rect>\n", chart->plot.out);
	}
}

static struct printable creation_words(const struct summary_session *session)
{
	struct printable text = { "" };
	uint32_t longest = PHASE_UNATTRIBUTED;

	printable_add(&text, "session %lld created in %s", (long long)session->number,
		      units_duration((double)(session->end_ns - session->begin_ns)).s);
	for (uint32_t i = 0; i < N_PHASES; i++)
		if (session->phase_ns[i] > session->phase_ns[longest])
			longest = i;
	if (longest != PHASE_UNATTRIBUTED && session->phase_ns[longest])
		printable_add(&text, ", most in %s: %s", phase_names[longest].words,
			      units_duration((double)session->phase_ns[longest]).s);
	return text;
}

/* Those that would lie on each other become one. */
static void draw_creations(const struct chart *chart, const struct summary_model *model)
{
	const struct summary_session *session = chart->page->summary->sessions + model->sessions.first;
	const struct plot *plot = &chart->plot;

	for (uint32_t i = 0, n; i < model->sessions.n; i += n) {
		uint64_t sum_ns = 0;
		double left, right;

		n = 1;
		if (!session[i].has_slice || session[i].end_ns == STORE_OPEN || session[i].end_ns < chart->begin_ns)
			continue;
		left = x_of(chart, session[i].begin_ns);
		right = fmax(x_of(chart, session[i].end_ns), left + 1.5);
		sum_ns = session[i].end_ns - session[i].begin_ns;
		for (; i + n < model->sessions.n && session[i + n].has_slice && session[i + n].end_ns != STORE_OPEN &&
		       x_of(chart, session[i + n].begin_ns) < right + 0.5;
		     n++) {
			right = fmax(right, x_of(chart, session[i + n].end_ns));
			sum_ns += session[i + n].end_ns - session[i + n].begin_ns;
		}
		fprintf(plot->out, "<rect class=\"fill %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"6\"><title>",
			html_phase_colour(0).s, left, plot->top, right - left);
		if (n == 1)
			html_words(plot->out, "%s", creation_words(&session[i]).s);
		else
			html_words(plot->out, "%s created, %s in all", printable_count(n, "session").s,
				   units_duration((double)sum_ns).s);
		fputs("</title></rect>\n", plot->out);
	}
}

static void put_column_title(const struct chart *chart, const struct course *course, uint32_t i)
{
	const struct course_cell *cell = &course->cell[i];
	uint64_t at_ns = column_ns(course, i);

	html_words(chart->plot.out,
		   "%s, for %s: ", html_ns(at_ns > chart->begin_ns ? (double)(at_ns - chart->begin_ns) : 0).s,
		   units_duration((double)(1ull << course->shift)).s);
	if (!cell->n) {
		fputs("one ran that had begun before", chart->plot.out);
		return;
	}
	fputs(printable_count(cell->n, "inference").s, chart->plot.out);
	if (cell->n_values > 1)
		html_words(chart->plot.out, ", mean %s, ", units_duration(cell->sum / (double)cell->n_values).s);
	if (cell->n_values)
		html_words(chart->plot.out, "%s%s", cell->n_values > 1 ? "longest " : ", ",
			   units_duration(cell->high).s);
	if (cell->n_failed)
		html_words(chart->plot.out, ", %s failed", units_count(cell->n_failed).s);
}

static void draw_inferences(struct chart *chart, const struct course *course)
{
	struct plot *plot = &chart->plot;
	double most = 1, width_ns = (double)(1ull << course->shift);

	for (uint32_t i = 0; i < course->n; i++)
		most = fmax(most, course->cell[i].covered_ns / width_ns);
	plot->y = plot_axis_of(0, most, false);
	for (uint32_t i = 0; i < course->n; i++) {
		const struct course_cell *cell = &course->cell[i];
		double left = x_of(chart, column_ns(course, i)), right = x_of(chart, column_ns(course, i + 1));
		double top = fmin(plot_y(plot, cell->covered_ns / width_ns), plot->bottom - 1.5);

		if (!cell->n && !(cell->covered_ns > 0))
			continue;
		if (cell->n_failed) { /* nobody looks for a dot */
			top = fmin(top, plot->bottom - 10);
			right = fmax(right, left + 2.5);
		}
		fprintf(plot->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
			cell->n_failed ? "broken" : "ran", left, top, fmax(right - left, 0.8), plot->bottom - top);
		put_column_title(chart, course, i);
		fputs("</title></rect>\n", plot->out);
	}
}

static void draw_slow(const struct chart *chart, const struct summary_model *model)
{
	const struct summary *summary = chart->page->summary;
	const struct plot *plot = &chart->plot;

	for (uint32_t i = 0; i < model->slowest.n && i < 20; i++) {
		const struct summary_slow *slow = &summary->slowest[model->slowest.first + i];
		double x = x_of(chart, slow->begin_ns);

		if (model->runs.latency.n < 3 || !slow_is_slow(model, slow))
			continue;
		fprintf(plot->out, "<path class=\"slow\" d=\"M%.1f %.1fL%.1f %.1fh8z\"><title>", x, plot->top + 14,
			x - 4, plot->top + 7);
		html_words(plot->out, "%s: %s", units_duration((double)slow->duration_ns).s,
			   slow_words(summary, slow, false).s);
		fputs("</title></path>\n", plot->out);
	}
}

static void draw_lane(struct chart *chart, const struct summary_model *model, const char *name)
{
	const struct summary *summary = chart->page->summary;
	struct plot *plot = &chart->plot;

	plot->top = chart->y;
	plot->bottom = chart->y + LANE - GAP;
	chart->y += LANE;
	plot_text(plot, 0, plot->top + 12, "start", "strong", "%s", name);
	plot_text(plot, 0, plot->top + 26, "start", "", "%s", printable_count(model->runs.n, "inference").s);
	fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", plot->left, plot->bottom, plot->right);
	draw_creations(chart, model);
	plot->top += 8;
	if (model->course)
		draw_inferences(chart, &summary->courses[model->course - 1]);
	plot->top -= 8;
	draw_slow(chart, model);
}

static void find_panels(struct chart *chart)
{
	const struct summary *summary = chart->page->summary;

	for (uint32_t i = 0; i < summary->n_resources; i++)
		add_counter(chart, &summary->resources[i]);
	for (uint32_t p = 0; p < 4; p++)
		chart->n_panels += chart->panel[p].n > 0;
}

static void put_key(struct html_page *page)
{
	fprintf(page->out,
		"<ul class=\"key\"><li class=\"%s\">session created</li><li style=\"--k:var(--run)\">inferences: the "
		"share of the time in which one ran</li><li style=\"--k:var(--bad)\">one of them failed</li>"
		"<li style=\"--k:var(--c1)\">\342\226\274 slow, and why</li></ul>\n",
		html_phase_colour(0).s);
}

static void draw(struct chart *chart, const uint32_t *model)
{
	struct plot *plot = &chart->plot;
	double bottom = 8 + PANEL * (double)chart->n_panels + LANE * (double)chart->n_lanes + 4, top_of_hits;

	*plot = plot_of(chart->page->out, WIDTH, bottom + 38);
	plot->kind = "long";
	plot->left = LEFT;
	plot->right = RIGHT;
	plot->top = 8;
	plot->bottom = bottom;
	plot->x = plot_axis_of(0, (double)(chart->end_ns - chart->begin_ns), false);
	plot_begin(plot, html_plot_id(chart->page).s, "Resources and inferences over time",
		   "The figures are in the tables of resources and models.");
	plot_draw_x(plot, html_ns, "since the recording began");
	chart->y = top_of_hits = 8;
	for (uint32_t p = 0; p < 4; p++)
		if (chart->panel[p].n)
			draw_panel(chart, &chart->panel[p]);
	if (chart->n_panels)
		put_hits(chart, top_of_hits, chart->y - GAP);
	for (uint32_t i = 0; i < chart->n_lanes; i++)
		draw_lane(chart, chart->lane[i], recording_result_label(chart->page->summary, model[i], 24, false).s);
	plot_end(plot);
}

void html_course(struct html_page *page, const struct report *report)
{
	const struct summary *summary = page->summary;
	const struct summary_recording *recording = &summary->recording;
	struct chart chart = { .page = page, .begin_ns = recording->begin_ns, .end_ns = recording->end_ns };
	uint32_t model[MAX_LANES];

	if (summary->part.from_ns)
		chart.begin_ns += summary->part.from_ns;
	if (summary->part.to_ns && recording->begin_ns + summary->part.to_ns < chart.end_ns)
		chart.end_ns = recording->begin_ns + summary->part.to_ns;
	find_panels(&chart);
	for (uint32_t i = 0; i < report->n_analyses; i++) {
		if (!report_shows(report, i))
			continue;
		if (chart.n_lanes == MAX_LANES) {
			chart.n_lanes_left_out++;
			continue;
		}
		model[chart.n_lanes] = i;
		chart.lane[chart.n_lanes++] = &summary->models[i];
	}
	if (chart.end_ns <= chart.begin_ns || recording->has_no_begins || !(chart.n_panels + chart.n_lanes))
		return;
	html_section(page, "course", "What happened when",
		     "Resources above, sessions and inferences below, on one axis of time.");
	html_figure(page, "Point at a column for its figures.");
	put_key(page);
	draw(&chart, model);
	fputs("</figure>\n", page->out);
	if (chart.n_lanes_left_out)
		html_paragraph(page, "Not drawn: %s more, which ran for less time.",
			       printable_count(chart.n_lanes_left_out, "model").s);
	fputs("</section>\n", page->out);
}
