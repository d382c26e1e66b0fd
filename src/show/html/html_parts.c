// SPDX-License-Identifier: Apache-2.0
/* Session creation, memory and outputs of a model's runs. */
#include <math.h>
#include <string.h>

#include "show/html/html_model.h"

enum { MAX_TRANSFORMERS = 8 };

static const double mebibyte = 1 << 20;

static bool has_steps(const struct model_run *run)
{
	return run->result->n_steps > 0;
}

void html_bar(const struct plot *plot, double y, double from_ns, double ns, const char *kind, const char *name)
{
	double left = plot_x(plot, from_ns), right = plot_x(plot, from_ns + ns);

	if (!(ns > 0))
		return;
	fprintf(plot->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\"><title>", kind, left,
		y - 11, fmax(right - left, 0.5));
	html_words(plot->out, "%s: %s", html_name(name).s, units_duration(ns).s);
	fputs("</title></rect>", plot->out);
}

static void put_phase_key(struct html_page *page, const struct model_names *names)
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t i = 0; i < names->n; i++) {
		fprintf(page->out, "<li class=\"%s\">", html_phase_colour(i).s);
		html_words(page->out, "%s", html_name(names->name[i]).s);
		fputs("</li>", page->out);
	}
	fputs("<li style=\"--k:var(--line)\">unattributed</li></ul>\n", page->out);
}

static void draw_creation(struct html_page *page, const struct model_names *names)
{
	uint32_t n = page->report->n_results;
	struct plot plot = plot_of(page->out, 560, 62 + 34 * (double)n);
	double most = 0;

	for (uint32_t r = 0; r < n; r++)
		most = fmax(most, (double)page->report->results[r].creation_ns);
	plot.left = n > 1 ? 184 : 14;
	plot.right = 460;
	plot.x = plot_axis_of(0, most * 1.02, false);
	html_figure(page, "Phases of session creation, end to end.");
	put_phase_key(page, names);
	plot_begin(&plot, html_plot_id(page).s, "Phases of session creation of each run",
		   "The figures are in the table with it.");
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t r = 0; r < n; r++) {
		const struct model_result *result = &page->report->results[r];
		double y = plot.top + 34 * (double)r + 17, at_ns = 0;

		if (n > 1)
			plot_text(&plot, plot.left - 8, y + 4, "end", "ink", "%s",
				  model_text(result->label, 18, false).s);
		for (uint32_t i = 0; i < names->n; i++) {
			double ns = model_phase_ns(result, names->name[i]);
			struct printable kind = { "fill " };

			printable_add(&kind, "%s", html_phase_colour(i).s);
			html_bar(&plot, y, at_ns, ns, kind.s, names->name[i]);
			at_ns += ns > 0 ? ns : 0;
		}
		html_bar(&plot, y, at_ns, (double)result->creation_ns - at_ns, "rest", "unattributed");
		if (result->creation_ns >= 0)
			plot_text(&plot, plot_x(&plot, (double)result->creation_ns) + 7, y + 4, "start", "ink", "%s",
				  units_duration((double)result->creation_ns).s);
		fputc('\n', page->out);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_transformers(struct html_page *page)
{
	struct table table = { 0 };

	if (page->report->n_results > 1)
		table_column(&table, "run", TABLE_LEFT);
	table_column(&table, "transformer", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		for (uint32_t i = 0; i < result->n_transformers && i < MAX_TRANSFORMERS; i++) {
			const struct model_transformer *own = &result->transformers[i];

			if (page->report->n_results > 1)
				table_cell(&table, TABLE_BOLD, "%s", i ? "" : page->label[r].s);
			table_cell(&table, TABLE_PLAIN, "%s", html_name(own->name).s);
			table_cell(&table, TABLE_PLAIN, "%s", own->n < 0 ? "-" : units_count((uint64_t)own->n).s);
			table_cell(&table, TABLE_PLAIN, "%s", units_duration(own->ns < 0 ? NAN : (double)own->ns).s);
		}
	}
	html_table_of(page->out, "Graph transformers that took most", &table);
}

void html_creation(struct html_page *page)
{
	struct model_view view = html_view(page);
	struct model_names names = model_phase_names(&view);

	html_section(page, "creation", "Session creation", "%s",
		     names.n ? "From the model's bytes to a session that is ready to run."
			     : "Its phases were not recorded.");
	if (names.n) {
		html_pair(page);
		fputs("<div>", page->out);
		draw_creation(page, &names);
		if (page->report->n_results == 1)
			put_transformers(page);
		fputs("</div><div>", page->out);
		for (view.end = 0; html_view_next(&view);) {
			struct table table = { 0 };

			model_rows_creation(&table, &view);
			html_table_of(page->out, "Time of each phase, without others inside of it, and its share",
				      &table);
		}
		fputs("</div></div>\n", page->out);
		if (page->report->n_results > 1)
			put_transformers(page);
	}
	fputs("</section>\n", page->out);
}

static void draw_rss(struct html_page *page, const struct plot *plot, const struct model_names *names, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	bool is_open = false;

	fprintf(page->out, "<path class=\"line %s\" d=\"", html_colour(r).s);
	for (uint32_t i = 0; i < names->n; i++) {
		double bytes = model_rss_after(result, names->name[i]);

		if (isnan(bytes))
			continue;
		fprintf(page->out, "%s%.1f %.1f", is_open ? "L" : "M", plot_x(plot, i), plot_y(plot, bytes / mebibyte));
		is_open = true;
	}
	/* a path must begin somewhere */
	fprintf(page->out, "%s\"/>", is_open ? "" : "M0 0");
	for (uint32_t i = 0; i < names->n; i++)
		if (!isnan(model_rss_after(result, names->name[i])))
			fprintf(page->out, "<circle class=\"fill %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
				html_colour(r).s, plot_x(plot, i),
				plot_y(plot, model_rss_after(result, names->name[i]) / mebibyte));
	if (result->peak_bytes >= 0 && is_open)
		fprintf(page->out, "<path class=\"line dash %s\" d=\"M%.1f %.1fH%.1f\"/>", html_colour(r).s,
			plot_x(plot, 0), plot_y(plot, (double)result->peak_bytes / mebibyte),
			plot_x(plot, names->n - 1));
	fputc('\n', page->out);
}

static void draw_memory(struct html_page *page, const struct model_names *names)
{
	struct plot plot = plot_of(page->out, 560, 280);
	double most = 0;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		most = fmax(most, (double)page->report->results[r].peak_bytes);
		for (uint32_t i = 0; i < names->n; i++)
			most = fmax(most, model_rss_after(&page->report->results[r], names->name[i]));
	}
	plot.right -= 30;
	plot.bottom -= 16;
	plot.x = plot_axis_of(0, (double)names->n - 1, false);
	/* in MiB, so that ticks are round */
	plot.y = plot_axis_of(0, most * 1.06 / mebibyte, false);
	html_figure(page, "Resident memory after each step; the dashed line is the peak.");
	html_key(page, has_steps);
	plot_begin(&plot, html_plot_id(page).s, "Resident memory after each step of each run",
		   "The figures are in the table with it.");
	plot_draw_y(&plot, html_mebibytes, "");
	for (uint32_t i = 0; i < names->n; i++) {
		fprintf(page->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", plot_x(&plot, i), plot.top,
			plot.bottom);
		plot_text(&plot, plot_x(&plot, i), plot.bottom + 15 + 15 * (i % 3), "middle", "", "%s",
			  model_text(model_step_words(names->name[i],
						      page->report->n_results && page->report->results->n_tokens > 0),
				     18, false)
			      .s);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++)
		draw_rss(page, &plot, names, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_devices(struct html_page *page)
{
	struct model_view view = html_view(page);
	struct table table = { 0 };

	model_rows_devices(&table, &view);
	html_table_of(page->out, "GPUs and NPUs in the steady phase", &table);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		for (uint32_t i = 0; i < page->report->results[r].n_devices; i++) {
			struct printable words = model_device_words(&view, r, &page->report->results[r].devices[i]);

			if (*words.s)
				html_paragraph(page, "%s.", words.s);
		}
		if (page->report->results[r].devices_missing)
			html_paragraph(page, "%s.", model_devices_missing(&view, r).s);
	}
}

void html_memory(struct html_page *page)
{
	struct model_view view = html_view(page);
	struct model_names names = model_step_names(&view);

	html_section(page, "memory", "Memory, CPU and energy",
		     "Memory of the process after each step; CPUs and energy of the steady phase.");
	html_pair(page);
	if (names.n)
		draw_memory(page, &names);
	fputs("<div>", page->out);
	for (view.end = 0; html_view_next(&view);) {
		struct table table = { 0 };

		model_rows_memory(&table, &view);
		html_table_of(page->out, "Resident memory, CPU and energy", &table);
	}
	fputs("</div></div>\n", page->out);
	put_devices(page);
	for (uint32_t i = 0; i < page->report->n_results; i++) {
		struct printable words = model_energy_words(page->analysis, i, false);

		if (*words.s)
			html_paragraph(page, "%s.", words.s);
	}
	fputs("</section>\n", page->out);
}

bool html_has_outputs(const struct html_page *page)
{
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (page->report->results[r].n_outputs)
			return true;
	return false;
}

void html_outputs(struct html_page *page)
{
	struct model_view view = html_view(page);
	struct table table = { 0 };

	model_rows_outputs(&table, &view);
	html_section(page, "outputs", "Outputs", "Of the first inference, with the same inputs.");
	html_table_of(page->out, "Largest absolute and relative difference, and where the largest is", &table);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		for (uint32_t i = 0; i < page->report->results[r].n_outputs; i++) {
			struct printable tolerance = model_tolerance(page->report, r, i, false);

			if (*tolerance.s)
				html_paragraph(page, "%s.", tolerance.s);
		}
		if (page->report->results[r].outputs_missing)
			html_paragraph(page, "%s.", model_outputs_missing(page->report, r, false).s);
	}
	fputs("</section>\n", page->out);
}
