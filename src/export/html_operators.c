// SPDX-License-Identifier: Apache-2.0
/* Where nodes ran, operators of a model's runs side by side, and the roofline. */
#include "export/html_model.h"

#include <math.h>
#include <string.h>

enum { MAX_BARS = 14, MAX_ROWS = 400, MAX_DOTS = 600, MAX_BOUNDS = 16 };

static bool has_operators(const struct model_run *run)
{
	return run->result->n_operators > 0;
}

static bool has_any(const struct html_page *page, bool (*has)(const struct model_run *run))
{
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (has(&page->analysis->runs[r]))
			return true;
	return false;
}

static void put_places(struct html_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	const struct model_reach *reach = &page->analysis->comparison.reach[r];
	double total_ns = 0;

	for (uint32_t i = 0; i < result->n_placements; i++)
		total_ns += result->placements[i].share_ns;
	for (uint32_t i = 0; i < result->n_placements; i++) {
		const struct model_placement *place = &result->placements[i];
		bool is_own = model_is_provider(result->provider, place->provider);

		html_row(page->out);
		html_cell(page->out, "main", "%s", i ? "" : page->label[r].s);
		html_cell(page->out, is_own ? "" : "off", "%s", model_provider(place->provider, 40, false).s);
		html_cell(page->out, "n", "%s", place->n_nodes < 0 ? "-" : units_count((uint64_t)place->n_nodes).s);
		if (!page->report->model.n_listed || result->n_placements > 2)
			html_cell(page->out, "n off", "-");
		else
			html_cell(page->out, "n", "%u", is_own ? reach->n_own_nodes : reach->n_other_nodes);
		html_cell(page->out, "n", "%s", units_percent(total_ns > 0 ? place->share_ns / total_ns : NAN).s);
	}
	if (!result->n_placements) {
		html_row(page->out);
		html_cell(page->out, "main", "%s", page->label[r].s);
		html_cell(page->out, "off", "%s",
			  result->operators_missing ? html_name(result->operators_missing).s : "not known");
		for (int i = 0; i < 3; i++)
			html_cell(page->out, "n off", "-");
	}
}

void html_placement(struct html_page *page)
{
	static const char *const headers[] = {
		"run", "ran on", ">operators", ">nodes of the model", ">share of their time", NULL
	};

	html_section(page, "placement", "Where nodes ran",
		     "From what ran, not from what was asked for. One operator may stand for many nodes of the model.");
	html_table(page->out, "Operators and nodes of the model by provider", headers);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		put_places(page, r);
	html_table_end(page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable not_found = model_not_found(page->analysis, r);

		if (!*not_found.s)
			continue;
		fputs("<p>", page->out);
		html_words(page->out, "%s: %s.", page->label[r].s, not_found.s);
		fputs("</p>\n", page->out);
	}
	fputs("</section>\n", page->out);
}

static bool is_alone(const struct model_join *join)
{
	return join->how == MODEL_SAME || join->how == MODEL_RENAMED;
}

static double time_of(const struct html_page *page, const struct model_row *row, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];

	if (!is_alone(&row->join[r]) || result->n_operator_runs < 1)
		return NAN;
	return result->operators[row->join[r].at].share_ns / (double)result->n_operator_runs;
}

static void draw_bars(struct html_page *page)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	uint32_t n = comparison->n_rows < MAX_BARS ? comparison->n_rows : MAX_BARS, n_runs = 0;
	struct plot plot;
	double y;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		n_runs += has_operators(&page->analysis->runs[r]);
	plot = plot_of(page->out, 560, 66 + n * (8.0 + 9 * n_runs));
	plot.left = 176;
	plot.right = 530;
	plot.x = plot_axis_of(0, n ? comparison->rows[0].weight_ns * 1.03 : 1, false);
	html_figure(page, "Time of one inference in the nodes that take most, run by run.");
	html_key(page, has_operators);
	plot_begin(&plot, html_plot_id(page).s, "Time of the slowest nodes in each run",
		   "The figures are in the table below.");
	plot_draw_x(&plot, html_ns, "");
	y = plot.top + 4;
	for (uint32_t i = 0; i < n; i++, y += 8) {
		plot_text(&plot, plot.left - 8, y + 4.5 * n_runs + 4, "end", "ink", "%s",
			  model_text(comparison->rows[i].name, 23, false).s);
		for (uint32_t r = 0; r < page->report->n_results; r++) {
			double ns = time_of(page, &comparison->rows[i], r);

			if (!has_operators(&page->analysis->runs[r]))
				continue;
			if (isfinite(ns))
				fprintf(page->out,
					"<rect class=\"fill %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\">"
					"<title>%s</title></rect>",
					html_colour(r).s, plot.left, y, fmax(plot_x(&plot, ns) - plot.left, 0.6),
					units_duration(ns).s);
			y += 9;
		}
		fputc('\n', page->out);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_types(struct html_page *page)
{
	const struct model_comparison *comparison = &page->analysis->comparison;

	html_table(page->out, "By type: time of one inference (how many)", NULL);
	html_run_headers(page, "type", has_operators);
	for (uint32_t i = 0; i < comparison->n_types; i++) {
		const struct model_type_row *row = &comparison->types[i];

		html_row(page->out);
		html_cell(page->out, "name", "%s", html_name(row->op_type).s);
		for (uint32_t r = 0; r < page->report->n_results; r++) {
			if (!has_operators(&page->analysis->runs[r]))
				continue;
			if (isnan(row->share_ns[r]))
				html_cell(page->out, "n off", "-");
			else
				html_cell(page->out, "n", "%s (%u)", units_duration(row->share_ns[r]).s,
					  row->n_operators[r]);
		}
	}
	html_table_end(page->out);
}

static void put_join(struct html_page *page, const struct model_row *row, uint32_t r)
{
	static const char *const words[] = { "-", "", "", "fused", "subgraph" };
	const struct model_join *join = &row->join[r];
	const struct model_operator *op = &page->report->results[r].operators[join->at];
	uint32_t n = join->how == MODEL_NOT_RUN ? 0 : page->analysis->comparison.n_nodes_of[r][join->at];

	if (!is_alone(join)) {
		html_cell(page->out, "n off", "%s", words[join->how]);
		return;
	}
	fputs("<td class=\"n\">", page->out);
	html_words(page->out, "%s", units_duration(op->mean_ns).s);
	if (n > 1 && row->node != MODEL_NONE)
		html_words(page->out, " [%u]", n);
	if (row->speed[r].is_known && row->speed[r].is_different) {
		fprintf(page->out, "<br/><span class=\"dim\">%.2f x</span>", row->speed[r].value);
	} else if (row->speed[r].is_known) {
		fputs("<br/><span class=\"dim\">no difference</span>", page->out);
	}
	fputs("</td>", page->out);
}

static void put_nodes(struct html_page *page)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	uint32_t n = comparison->n_rows < MAX_ROWS ? comparison->n_rows : MAX_ROWS;

	html_table(page->out,
		   "By node of the model: mean of a call; [n] stands for n nodes; fused: part of such a one; subgraph: "
		   "taken with others as a "
		   "whole; * made by the runtime, or its name does not tell which node it is",
		   NULL);
	html_header(page->out, false, "node");
	html_run_headers(page, "type", has_operators);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_row *row = &comparison->rows[i];

		html_row(page->out);
		html_cell(page->out, "name", "%s%s", html_name(row->name).s,
			  row->node == MODEL_NONE && page->report->model.n_listed ? " *" : "");
		html_cell(page->out, "name", "%s", html_name(row->op_type).s);
		for (uint32_t r = 0; r < page->report->n_results; r++)
			if (has_operators(&page->analysis->runs[r]))
				put_join(page, row, r);
	}
	html_table_end(page->out);
	if (n < comparison->n_rows)
		fprintf(page->out, "<p>%u more are in the CSV and JSON exports.</p>\n", comparison->n_rows - n);
}

void html_operators(struct html_page *page)
{
	bool is_known = has_any(page, has_operators);

	html_section(
	    page, "operators", "Operators", "%s",
	    is_known ? "Side by side, by the nodes of the model; ratios are the first run's mean by that of the run."
		     : "None were recorded.");
	if (is_known) {
		fputs("<div class=\"pair\">", page->out);
		draw_bars(page);
		put_types(page);
		fputs("</div>\n", page->out);
		put_nodes(page);
	}
	fputs("</section>\n", page->out);
}

static bool has_bounds(const struct model_run *run)
{
	return run->bound_sums.total_ns > run->bound_sums.ns[MODEL_BOUND_UNKNOWN];
}

/* The lowest and highest of all operators, with the roof's corner. */
static void find_axes(const struct html_page *page, struct plot *plot)
{
	const struct machine_peak *peak = &page->report->machine.peak;
	double corner = peak->flops.high / peak->bytes.high, low_x = corner / 2, high_x = corner * 4;
	double low_y = peak->flops.high / 100;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_run *run = &page->analysis->runs[r];

		for (uint32_t i = 0; i < run->result->n_operators && i < MAX_DOTS; i++) {
			const struct model_bound *bound = &run->bounds[i];

			if (bound->by == MODEL_BOUND_UNKNOWN || !(bound->intensity > 0))
				continue;
			low_x = fmin(low_x, bound->intensity);
			high_x = fmax(high_x, bound->intensity);
			low_y = fmin(low_y, bound->flops_per_s);
		}
	}
	plot->x = plot_axis_of(low_x / 1.6, high_x * 1.6, true);
	plot->y = plot_axis_of(low_y / 1.6, peak->flops.high * 2.2, true);
}

static void draw_roof(const struct plot *plot, double bytes_per_s, double flops_per_s, bool is_upper)
{
	double corner = flops_per_s / bytes_per_s, begin = fmax(plot->x.low, plot->y.low / bytes_per_s);

	fprintf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>", is_upper ? "roof dash" : "roof",
		plot_x(plot, begin), plot_y(plot, begin * bytes_per_s), plot_x(plot, corner), plot_y(plot, flops_per_s),
		plot->right);
	/* beside the slope: the upper one to its left, the lower one to its right */
	plot_text(plot, (plot_x(plot, begin) + plot_x(plot, corner)) / 2 + (is_upper ? -8 : 8),
		  (plot_y(plot, begin * bytes_per_s) + plot_y(plot, flops_per_s)) / 2 + (is_upper ? -6 : 14),
		  is_upper ? "end" : "start", "", "%s %s", is_upper ? "caches" : "memory",
		  model_metric(bytes_per_s, "B/s").s);
}

static struct units_text intensity_words(double value)
{
	return units_decimal(value);
}

static struct units_text flops_words(double value)
{
	return model_metric(value, "");
}

static void draw_dots(struct html_page *page, const struct plot *plot, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];

	for (uint32_t i = 0; i < run->result->n_operators && i < MAX_DOTS; i++) {
		const struct model_bound *bound = &run->bounds[i];
		const struct model_operator *op = &run->result->operators[i];
		double radius = 3 + 16 * sqrt(fmin(fmax(op->share_ns / run->bound_sums.total_ns, 0), 1));

		if (bound->by == MODEL_BOUND_UNKNOWN || !(bound->intensity > 0))
			continue;
		fprintf(page->out, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>",
			html_colour(r).s, plot_x(plot, bound->intensity), plot_y(plot, bound->flops_per_s), radius);
		html_words(page->out, "%s, %s: %s", page->label[r].s,
			   html_name(model_operator_name(page->analysis, r, i)).s,
			   model_metric(bound->flops_per_s, "FLOP/s").s);
		html_words(page->out, ", %s of the possible", units_percent(bound->share).s);
		fputs("</title></circle>", page->out);
	}
	fputc('\n', page->out);
}

static void draw_roofline(struct html_page *page)
{
	const struct machine_peak *peak = &page->report->machine.peak;
	struct plot plot = plot_of(page->out, 560, 380);

	find_axes(page, &plot);
	html_figure(page, "Each operator under the roof of this machine; a larger dot takes more of the time.");
	html_key(page, has_bounds);
	plot_begin(&plot, html_plot_id(page).s, "Roofline of the operators",
		   "Operations per second over operations per byte; the figures are in the table beside it.");
	plot_draw_x(&plot, intensity_words, "float operations per byte moved");
	plot_draw_y(&plot, flops_words, "FLOP/s");
	draw_roof(&plot, peak->cache_bytes.high, peak->flops.high, true);
	draw_roof(&plot, peak->bytes.high, peak->flops.high, false);
	plot_text(&plot, plot.right - 4, plot_y(&plot, peak->flops.high) - 6, "end", "", "float32 %s",
		  model_metric(peak->flops.high, "FLOP/s").s);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (has_bounds(&page->analysis->runs[r]))
			draw_dots(page, &plot, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_sums(struct html_page *page)
{
	static const char *const headers[] = { "run",	     ">compute",	 ">memory", ">overhead",
					       ">not known", ">of the possible", NULL };
	static const enum model_bound_by order[] = { MODEL_BOUND_COMPUTE, MODEL_BOUND_MEMORY, MODEL_BOUND_OVERHEAD,
						     MODEL_BOUND_UNKNOWN };

	html_table(page->out,
		   "Share of the operators' time by what bounds them; overhead is below a tenth of the possible",
		   headers);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_bound_sums *sums = &page->analysis->runs[r].bound_sums;
		double known_ns = sums->total_ns - sums->ns[MODEL_BOUND_UNKNOWN];

		if (!has_bounds(&page->analysis->runs[r]))
			continue;
		html_row(page->out);
		html_cell(page->out, "main", "%s", page->label[r].s);
		for (int i = 0; i < N_MODEL_BOUNDS; i++)
			html_cell(page->out, "n", "%s", units_percent(sums->ns[order[i]] / sums->total_ns).s);
		html_cell(page->out, "n", "%s", units_percent(sums->possible_ns / known_ns).s);
	}
	html_table_end(page->out);
}

static void put_bounds(struct html_page *page, uint32_t r)
{
	static const char *const headers[] = {
		"operator", ">mean", ">FLOP/s", ">B/s", ">of possible", "bound by", NULL
	};
	const struct model_run *run = &page->analysis->runs[r];
	struct printable caption = { "" };

	printable_add(&caption, "Slowest operators of %s", page->label[r].s);
	html_table(page->out, caption.s, headers);
	for (uint32_t i = 0; i < run->result->n_operators && i < MAX_BOUNDS; i++) {
		const struct model_bound *bound = &run->bounds[i];

		html_row(page->out);
		html_cell(page->out, "name", "%s", html_name(model_operator_name(page->analysis, r, i)).s);
		html_cell(page->out, "n", "%s", units_duration(run->result->operators[i].mean_ns).s);
		html_cell(page->out, "n", "%s", model_metric(bound->flops_per_s, "").s);
		html_cell(page->out, "n", "%s", model_metric(bound->bytes_per_s, "").s);
		html_cell(page->out, "n", "%s", units_percent(bound->share).s);
		html_cell(page->out, bound->by == MODEL_BOUND_UNKNOWN ? "off" : "", "%s", model_bound_words(bound->by));
	}
	html_table_end(page->out);
}

void html_roofline(struct html_page *page)
{
	bool is_known = has_any(page, has_bounds) && page->report->machine.peak.bytes.high > 0;
	uint32_t first;

	html_section(page, "roofline", "Roofline", "%s",
		     is_known ? "What operators reach beside what this machine can do at most. FLOPs and bytes follow "
				"from the model's shapes."
			      : "FLOPs, bytes or the machine's peaks are not known.");
	if (is_known) {
		fputs("<div class=\"pair\">", page->out);
		draw_roofline(page);
		fputs("<div>", page->out);
		put_sums(page);
		for (first = 0; !has_bounds(&page->analysis->runs[first]);)
			first++;
		put_bounds(page, first);
		fputs("</div></div>\n<div class=\"many\">", page->out);
		for (uint32_t r = first + 1; r < page->report->n_results; r++) {
			if (!has_bounds(&page->analysis->runs[r]))
				continue;
			fputs("<div>", page->out);
			put_bounds(page, r);
			fputs("</div>", page->out);
		}
		fputs("</div>\n", page->out);
	}
	fputs("</section>\n", page->out);
}
