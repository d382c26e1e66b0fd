// SPDX-License-Identifier: Apache-2.0
/* Session creation, memory and outputs of a model's runs. */
#include "export/html_model.h"

#include <math.h>
#include <string.h>

enum { MAX_TRANSFORMERS = 8 };

static const double mebibyte = 1 << 20;

static bool has_phases(const struct model_run *run)
{
	return run->result->n_phases > 0;
}

static bool has_steps(const struct model_run *run)
{
	return run->result->n_steps > 0;
}

/* All names that occur, in the order of the run that has most; what others have besides comes after. */
struct name_list {
	const char *name[32];
	uint32_t n;
};

static void add_name(struct name_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (!strcmp(list->name[i], name))
			return;
	if (list->n < sizeof list->name / sizeof *list->name)
		list->name[list->n++] = name;
}

static struct name_list phase_names(const struct html_page *page)
{
	struct name_list list = { .n = 0 };

	for (uint32_t r = 0; r < page->report->n_results; r++)
		for (uint32_t i = 0; i < page->report->results[r].n_phases; i++)
			add_name(&list, page->report->results[r].phases[i].name);
	return list;
}

static double phase_ns(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_phases; i++)
		if (!strcmp(result->phases[i].name, name) && result->phases[i].ns >= 0)
			return (double)result->phases[i].ns;
	return NAN;
}

static void draw_part(struct html_page *page, const struct plot *plot, double y, double from_ns, double ns,
		      const char *kind, const char *name)
{
	double left = plot_x(plot, from_ns), right = plot_x(plot, from_ns + ns);

	if (!(ns > 0))
		return;
	fprintf(page->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\"><title>", kind, left,
		y - 11, fmax(right - left, 0.5));
	html_words(page->out, "%s: %s", html_name(name).s, units_duration(ns).s);
	fputs("</title></rect>", page->out);
}

static void put_phase_key(struct html_page *page, const struct name_list *names)
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t i = 0; i < names->n; i++) {
		fprintf(page->out, "<li class=\"%s\">", html_colour(i).s);
		html_words(page->out, "%s", html_name(names->name[i]).s);
		fputs("</li>", page->out);
	}
	fputs("<li style=\"--k:var(--line)\">unattributed</li></ul>\n", page->out);
}

static void draw_creation(struct html_page *page, const struct name_list *names)
{
	uint32_t n = page->report->n_results;
	struct plot plot = plot_of(page->out, 560, 62 + 34 * (double)n);
	double most = 0;

	for (uint32_t r = 0; r < n; r++)
		most = fmax(most, (double)page->report->results[r].creation_ns);
	plot.left = 124;
	plot.right = 490;
	plot.x = plot_axis_of(0, most * 1.02, false);
	html_figure(page, "Phases of session creation, end to end.");
	put_phase_key(page, names);
	plot_begin(&plot, html_plot_id(page).s, "Phases of session creation of each run",
		   "The figures are in the table beside it.");
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t r = 0; r < n; r++) {
		const struct model_result *result = &page->report->results[r];
		double y = plot.top + 34 * (double)r + 17, at_ns = 0;

		plot_text(&plot, plot.left - 8, y + 4, "end", "ink", "%s", model_text(result->label, 18, false).s);
		for (uint32_t i = 0; i < names->n; i++) {
			double ns = phase_ns(result, names->name[i]);
			struct printable kind = { "fill " };

			printable_add(&kind, "%s", html_colour(i).s);
			draw_part(page, &plot, y, at_ns, ns, kind.s, names->name[i]);
			at_ns += ns > 0 ? ns : 0;
		}
		draw_part(page, &plot, y, at_ns, (double)result->creation_ns - at_ns, "rest", "unattributed");
		if (result->creation_ns >= 0)
			plot_text(&plot, plot_x(&plot, (double)result->creation_ns) + 7, y + 4, "start", "ink", "%s",
				  units_duration((double)result->creation_ns).s);
		fputc('\n', page->out);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

/* The i-th phase of a run; behind the last one what no phase explains, and behind that all of it. */
static double part_ns(const struct html_page *page, const struct name_list *names, uint32_t i, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	int64_t ns = i == names->n ? run->creation_rest_ns : run->result->creation_ns;

	return i < names->n ? phase_ns(run->result, names->name[i]) : ns < 0 ? NAN : (double)ns;
}

static void put_phases(struct html_page *page, const struct name_list *names)
{
	html_table(page->out, "Time of each phase, without others inside of it, and its share", NULL);
	html_run_headers(page, "phase", has_phases);
	for (uint32_t i = 0; i < names->n + 2; i++) {
		html_row(page->out);
		html_cell(page->out, i > names->n ? "main" : "", "%s",
			  i < names->n	  ? html_name(names->name[i]).s
			  : i == names->n ? "unattributed"
					  : "all of it");
		for (uint32_t r = 0; r < page->report->n_results; r++) {
			double ns = part_ns(page, names, i, r), whole_ns = part_ns(page, names, names->n + 1, r);

			if (!has_phases(&page->analysis->runs[r]))
				continue;
			if (isnan(ns))
				html_cell(page->out, "n off", "-");
			else if (i > names->n || !(whole_ns > 0))
				html_cell(page->out, "n main", "%s", units_duration(ns).s);
			else
				html_cell(page->out, "n", "%s (%.0f %%)", units_duration(ns).s, 100 * ns / whole_ns);
		}
	}
	html_table_end(page->out);
}

static void put_transformers(struct html_page *page)
{
	static const char *const headers[] = { "run", "transformer", ">calls", ">time", NULL };
	bool has_any = false;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_any |= page->report->results[r].n_transformers > 0;
	if (!has_any)
		return;
	html_table(page->out, "Graph transformers that took most", headers);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		for (uint32_t i = 0; i < result->n_transformers && i < MAX_TRANSFORMERS; i++) {
			html_row(page->out);
			html_cell(page->out, "main", "%s", i ? "" : page->label[r].s);
			html_cell(page->out, "name", "%s", html_name(result->transformers[i].name).s);
			html_cell(page->out, "n", "%s",
				  result->transformers[i].n < 0 ? "-"
								: units_count((uint64_t)result->transformers[i].n).s);
			html_cell(page->out, "n", "%s", units_duration((double)result->transformers[i].ns).s);
		}
	}
	html_table_end(page->out);
}

void html_creation(struct html_page *page)
{
	struct name_list names = phase_names(page);

	html_section(page, "creation", "Session creation", "%s",
		     names.n ? "From the model's bytes to a session that is ready to run."
			     : "Its phases were not recorded.");
	if (names.n) {
		fputs("<div class=\"pair\">", page->out);
		draw_creation(page, &names);
		put_phases(page, &names);
		fputs("</div>\n", page->out);
		put_transformers(page);
	}
	fputs("</section>\n", page->out);
}

static struct name_list step_names(const struct html_page *page)
{
	struct name_list list = { .n = 0 };

	for (uint32_t r = 0; r < page->report->n_results; r++)
		for (uint32_t i = 0; i < page->report->results[r].n_steps; i++)
			add_name(&list, page->report->results[r].steps[i].name);
	return list;
}

static double rss_after(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_steps; i++)
		if (!strcmp(result->steps[i].name, name) && result->steps[i].rss_bytes >= 0)
			return (double)result->steps[i].rss_bytes;
	return NAN;
}

static void draw_rss(struct html_page *page, const struct plot *plot, const struct name_list *names, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	bool is_open = false;

	fprintf(page->out, "<path class=\"line %s\" d=\"", html_colour(r).s);
	for (uint32_t i = 0; i < names->n; i++) {
		double bytes = rss_after(result, names->name[i]);

		if (isnan(bytes))
			continue;
		fprintf(page->out, "%s%.1f %.1f", is_open ? "L" : "M", plot_x(plot, i), plot_y(plot, bytes / mebibyte));
		is_open = true;
	}
	/* a path must begin somewhere */
	fprintf(page->out, "%s\"/>", is_open ? "" : "M0 0");
	for (uint32_t i = 0; i < names->n; i++)
		if (!isnan(rss_after(result, names->name[i])))
			fprintf(page->out, "<circle class=\"fill %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
				html_colour(r).s, plot_x(plot, i),
				plot_y(plot, rss_after(result, names->name[i]) / mebibyte));
	if (result->peak_bytes >= 0 && is_open)
		fprintf(page->out, "<path class=\"line dash %s\" d=\"M%.1f %.1fH%.1f\"/>", html_colour(r).s,
			plot_x(plot, 0), plot_y(plot, (double)result->peak_bytes / mebibyte),
			plot_x(plot, names->n - 1));
	fputc('\n', page->out);
}

static void draw_memory(struct html_page *page, const struct name_list *names)
{
	struct plot plot = plot_of(page->out, 560, 280);
	double most = 0;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		most = fmax(most, (double)page->report->results[r].peak_bytes);
		for (uint32_t i = 0; i < names->n; i++)
			most = fmax(most, rss_after(&page->report->results[r], names->name[i]));
	}
	plot.right -= 30;
	plot.left += 20;
	plot.x = plot_axis_of(0, (double)names->n - 1, false);
	/* in MiB, so that ticks are round */
	plot.y = plot_axis_of(0, most * 1.06 / mebibyte, false);
	html_figure(page, "Resident memory after each step; the dashed line is the peak.");
	html_key(page, has_steps);
	plot_begin(&plot, html_plot_id(page).s, "Resident memory after each step of each run",
		   "The figures are in the table beside it.");
	plot_draw_y(&plot, html_mebibytes, "");
	for (uint32_t i = 0; i < names->n; i++) {
		fprintf(page->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", plot_x(&plot, i), plot.top,
			plot.bottom);
		plot_text(&plot, plot_x(&plot, i), plot.bottom + (i % 2 ? 28 : 15), "middle", "", "%s",
			  model_text(names->name[i], 18, false).s);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++)
		draw_rss(page, &plot, names, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_memory(struct html_page *page, const struct name_list *names)
{
	html_table(page->out, "Resident memory, CPU and energy", NULL);
	html_run_headers(page, "after", has_steps);
	for (uint32_t i = 0; i < names->n; i++) {
		html_row(page->out);
		html_cell(page->out, "", "%s", html_name(names->name[i]).s);
		for (uint32_t r = 0; r < page->report->n_results; r++)
			if (has_steps(&page->analysis->runs[r]))
				html_cell(page->out, "n", "%s",
					  units_bytes(rss_after(&page->report->results[r], names->name[i])).s);
	}
	html_row(page->out);
	html_cell(page->out, "main", "peak");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		int64_t bytes = page->report->results[r].peak_bytes;

		if (has_steps(&page->analysis->runs[r]))
			html_cell(page->out, "n main", "%s", units_bytes(bytes < 0 ? NAN : (double)bytes).s);
	}
	html_row(page->out);
	html_cell(page->out, "", "CPUs in use");
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (has_steps(&page->analysis->runs[r]))
			html_cell(page->out, "n", "%s", units_decimal(page->analysis->runs[r].cores).s);
	html_row(page->out);
	html_cell(page->out, "", "energy an inference");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_run *run = &page->analysis->runs[r];

		if (!has_steps(run))
			continue;
		if (isfinite(run->energy_joules))
			html_cell(page->out, "n", "%s", model_metric(run->energy_joules * 1000, "mJ").s);
		else
			html_cell(page->out, "n off", "not known");
	}
	html_table_end(page->out);
}

static void put_counters(struct html_page *page)
{
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		if (!result->n_counters && !result->energy_missing && !result->energy_scope)
			continue;
		fputs("<p>", page->out);
		html_words(page->out, "%s", page->label[r].s);
		for (uint32_t i = 0; i < result->n_counters; i++) {
			html_words(page->out, "%s%s %s", i ? ", " : ": ", html_name(result->counters[i].name).s,
				   units_decimal(result->counters[i].mean).s);
			html_words(page->out, " %s (%s at most)", html_name(result->counters[i].unit).s,
				   units_decimal(result->counters[i].max).s);
		}
		if (result->energy_scope)
			html_words(page->out, "%s energy of %s", result->n_counters ? ";" : ":",
				   html_name(result->energy_scope).s);
		if (result->energy_missing)
			html_words(page->out, "%s no energy: %s", result->n_counters ? ";" : ":",
				   model_text(result->energy_missing, 400, false).s);
		fputs("</p>\n", page->out);
	}
}

void html_memory(struct html_page *page)
{
	struct name_list names = step_names(page);

	html_section(page, "memory", "Memory, CPU and energy",
		     "Memory of the process after each step; CPUs and energy of the steady phase.");
	fputs("<div class=\"pair\">", page->out);
	if (names.n)
		draw_memory(page, &names);
	put_memory(page, &names);
	fputs("</div>\n", page->out);
	put_counters(page);
	fputs("</section>\n", page->out);
}

static void put_output(struct html_page *page, uint32_t r, const struct model_output *output)
{
	html_row(page->out);
	html_cell(page->out, "main", "%s", page->label[r].s);
	html_cell(page->out, "name", "%s", html_name(output->name).s);
	html_cell(page->out, "", "%s[%s]", html_name(output->type).s, html_name(output->shape).s);
	html_cell(page->out, "", "%s", html_name(page->report->results[r].against).s);
	html_cell(page->out, output->is_equal ? "good" : "bad", "%s",
		  output->problem    ? html_name(output->problem).s
		  : output->is_equal ? "agrees"
				     : "differs");
	html_cell(page->out, "n", "%s", output->n_different < 0 ? "-" : units_count((uint64_t)output->n_different).s);
	html_cell(page->out, "n", "%s", output->n_elements < 0 ? "-" : units_count((uint64_t)output->n_elements).s);
	html_cell(page->out, "n", isfinite(output->max_abs) ? "%.3g" : "-", output->max_abs);
	html_cell(page->out, "n", isfinite(output->max_rel) ? "%.3g" : "-", output->max_rel);
	html_cell(page->out, "", "%s", html_name(output->where).s);
}

void html_outputs(struct html_page *page)
{
	static const char *const headers[] = { "run", "output",	   "type",	"against", "",	">different",
					       ">of", ">absolute", ">relative", "where",   NULL };
	bool has_any = false;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_any |= page->report->results[r].n_outputs > 0;
	html_section(page, "outputs", "Outputs", "%s",
		     has_any ? "Of the first inference, with the same inputs." : "They were not compared.");
	if (has_any) {
		html_table(page->out, "Largest absolute and relative difference, and where the largest is", headers);
		for (uint32_t r = 0; r < page->report->n_results; r++)
			for (uint32_t i = 0; i < page->report->results[r].n_outputs; i++)
				put_output(page, r, &page->report->results[r].outputs[i]);
		html_table_end(page->out);
	}
	fputs("</section>\n", page->out);
}
