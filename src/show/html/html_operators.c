// SPDX-License-Identifier: Apache-2.0
/* Where nodes ran, operators of a model's runs side by side, and the roofline. */
#include <math.h>
#include <string.h>

#include "show/html/html_model.h"
#include "show/words/operator_words.h"

enum { MAX_BARS = 14, MAX_TYPES = 40, FIRST_ROWS = 30, MAX_ROWS = 400, MAX_DOTS = 600, MAX_BOUNDS = 16, MAX_MAPS = 2 };

static bool has_any(const struct html_page *page, bool (*has)(const struct model_run *run))
{
	struct model_view view = html_view(page);

	return model_view_has(&view, has);
}

void html_placement(struct html_page *page)
{
	struct model_view view = html_view(page);
	struct table table = { 0 };

	html_section(page, "placement", "Where nodes ran",
		     "From what ran, not from what was asked for. One operator may stand for many nodes of the model.");
	model_rows_placement(&table, &view);
	html_table_of(page->out, "Operators and nodes of the model by provider", &table);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const char *missing = page->report->results[r].operators_missing;
		struct printable not_found = model_not_found(page->analysis, r);

		if (missing)
			html_paragraph(page, "%s: %s.", page->label[r].s, html_name(missing).s);
		else if (*not_found.s)
			html_paragraph(page, "%s: %s.", page->label[r].s, not_found.s);
	}
	fputs("</section>\n", page->out);
}

static void draw_bars(struct html_page *page)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	uint32_t n = comparison->n_rows < MAX_BARS ? comparison->n_rows : MAX_BARS, n_runs = 0;
	struct plot plot;
	double y;

	for (uint32_t r = 0; r < page->report->n_results; r++)
		n_runs += model_has_operators(&page->analysis->runs[r]);
	plot = plot_of(page->out, 560, 66 + n * (8.0 + 9 * n_runs));
	plot.left = 176;
	plot.right = 530;
	plot.x = plot_axis_of(0, n ? comparison->rows[0].weight_ns * 1.03 : 1, false);
	html_figure(page, "Time of a typical inference in the nodes that take most: median of a call, times calls.");
	html_key(page, model_has_operators);
	plot_begin(&plot, html_plot_id(page).s, "Time of the slowest nodes in each run",
		   "The figures are in the table below.");
	plot_draw_x(&plot, html_ns, "");
	y = plot.top + 4;
	for (uint32_t i = 0; i < n; i++, y += 8) {
		plot_text(&plot, plot.left - 8, y + 4.5 * n_runs + 4, "end", "ink", "%s",
			  model_text(comparison->rows[i].name, 15, false).s);
		for (uint32_t r = 0; r < page->report->n_results; r++) {
			double ns = model_row_ns(page->analysis, &comparison->rows[i], r);

			if (!model_has_operators(&page->analysis->runs[r]))
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
	struct model_view view = html_view(page);

	for (view.end = 0; html_view_next(&view);) {
		struct table table = { 0 };

		model_rows_types(&table, &view, MAX_TYPES);
		html_table_of(page->out,
			      "By type: time of one inference, its share (how many); unattributed: what no operator "
			      "explains",
			      &table);
	}
}

static void put_rest(struct table *table, const char *what, double ns, double wall_ns)
{
	table_cell(table, TABLE_DIM, "%s", what);
	table_cell(table, TABLE_DIM, "%s", "");
	table_cell(table, TABLE_DIM, "%s", units_duration(ns).s);
	table_cell(table, TABLE_DIM, "%s", units_percent(ns / wall_ns).s);
}

/* Of a run that is alone: its share is a bar. */
static void put_types_of_one(struct html_page *page)
{
	const struct model_comparison *comparison = &page->analysis->comparison;
	const struct model_result *result = page->report->results;
	double n = fmax((double)result->n_operator_runs, 1), wall_ns = result->operators_wall_ns / n;
	struct operators_rest rest[OPERATORS_REST];
	struct table table = { 0 };

	table_column(&table, "type", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "operators", TABLE_RIGHT);
	table_column(&table, result->n_tokens ? "time of a step" : "time of an inference", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	for (uint32_t i = 0; i < comparison->n_types && i < MAX_TYPES; i++) {
		table_cell(&table, TABLE_PLAIN, "%s", html_name(comparison->types[i].op_type).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(comparison->types[i].n_operators[0]).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration(comparison->types[i].share_ns[0]).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(comparison->types[i].share_ns[0] / wall_ns).s);
	}
	if (!result->recorded)
		put_rest(&table, "unattributed", result->unattributed_ns / n, wall_ns);
	else
		for (unsigned i = 0, parts = operators_rest(&result->recorded->model->coverage, rest); i < parts; i++)
			put_rest(&table, rest[i].what, (double)rest[i].ns / n, wall_ns);
	html_table_of(page->out, "By type", &table);
}

static void put_nodes_from(struct html_page *page, uint32_t first, uint32_t end)
{
	struct model_view view = html_view(page);

	for (view.end = 0; html_view_next(&view);) {
		struct table table = { 0 };

		model_rows_nodes(&table, &view, first, end);
		html_table_of(
		    page->out,
		    first ? "Nodes that take less"
		    : page->report->n_results == 1
			? "By node of the model: median and mean of a call; [n] stands for n nodes; fused: part of "
			  "such "
			  "a node; subgraph: taken with others as a whole; * made by the runtime, or its name "
			  "does not identify a node"
			: "By node of the model: median and mean of a call, and the ratio of the first run's mean "
			  "to this one where it is certain; [n] stands for n nodes; fused: part of such a node; "
			  "subgraph: taken with others as a whole; * made by the runtime, or its name does not "
			  "identify a node",
		    &table);
	}
}

/* The first ones at once, more for who asks, the rest where machines read it. */
static void put_nodes(struct html_page *page)
{
	uint32_t n_rows = page->analysis->comparison.n_rows, n = n_rows < MAX_ROWS ? n_rows : MAX_ROWS;
	uint32_t n_first = n <= FIRST_ROWS + 5 ? n : FIRST_ROWS;

	put_nodes_from(page, 0, n_first);
	if (n_first < n) {
		fprintf(page->out, "<details><summary>%s more of %s</summary>\n", units_count(n - n_first).s,
			units_count(n_rows).s);
		put_nodes_from(page, n_first, n);
		fputs("</details>\n", page->out);
	}
	if (n < n_rows)
		html_paragraph(page, "%s more are in the CSV and JSON exports.", units_count(n_rows - n).s);
}

static void put_maps(struct html_page *page)
{
	for (uint32_t r = 0; r < page->report->n_results && r < MAX_MAPS; r++)
		if (model_has_operators(&page->analysis->runs[r]))
			html_treemap(page, r);
}

/* What the figures do not contain. */
static void put_remarks(struct html_page *page)
{
	struct printable words;

	if (page->summary) {
		words = operators_without(page->summary, &page->summary->models[page->model]);
		if (*words.s)
			html_paragraph(page, "%s.", words.s);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		words = model_deferred_words(page->analysis, r, false);
		if (*words.s)
			html_paragraph(page, "%s.", words.s);
	}
}

void html_operators(struct html_page *page)
{
	bool is_known = has_any(page, model_has_operators);

	html_section(page, "operators", "Operators", "%s",
		     !is_known			   ? "None were recorded."
		     : page->report->n_results > 1 ? "Side by side, by the nodes of the model; ratios are the first "
						     "run's mean by that of the run."
						   : "By type, and by node of the model.");
	if (is_known) {
		put_maps(page);
		if (page->report->n_results > 1) {
			html_pair(page);
			draw_bars(page);
			put_types(page);
			fputs("</div>\n", page->out);
		} else {
			put_types_of_one(page);
		}
		put_remarks(page);
		if (page->summary)
			html_nodes(page);
		else
			put_nodes(page);
	}
	fputs("</section>\n", page->out);
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
	bool is_caches = is_upper;
	double corner = flops_per_s / bytes_per_s, begin = fmax(plot->x.low, plot->y.low / bytes_per_s);

	fprintf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>", is_upper ? "roof dash" : "roof",
		plot_x(plot, begin), plot_y(plot, begin * bytes_per_s), plot_x(plot, corner), plot_y(plot, flops_per_s),
		plot->right);
	/* beside the slope: the upper one to its left as long as there is room, the lower one to its right */
	if (plot_x(plot, corner) - plot->left < 160)
		is_upper = false;
	plot_text(plot, (plot_x(plot, begin) + plot_x(plot, corner)) / 2 + (is_upper ? -8 : 8),
		  (plot_y(plot, begin * bytes_per_s) + plot_y(plot, flops_per_s)) / 2 + (is_upper ? -6 : 14),
		  is_upper ? "end" : "start", "", "%s %s", is_caches ? "caches" : "memory",
		  units_metric(bytes_per_s, "B/s").s);
}

static struct units_text intensity_words(double value)
{
	return units_decimal(value);
}

static struct units_text flops_words(double value)
{
	return units_metric(value, "");
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
			   units_metric(bound->flops_per_s, "FLOP/s").s);
		html_words(page->out, ", %s of the possible", units_percent(bound->share).s);
		fputs("</title></circle>", page->out);
	}
	fputc('\n', page->out);
}

/* The largest ones of each run; the one with most room for improvement is among them if it takes much. */
static void name_dots(struct html_page *page, const struct plot *plot, uint32_t r)
{
	const struct model_run *run = &page->analysis->runs[r];
	uint32_t n_most = page->report->n_results > 2 ? 1 : 3, n = 0;
	double last_y = -100;

	for (uint32_t i = 0; i < run->result->n_operators && i < MAX_DOTS && n < n_most; i++) {
		const struct model_bound *bound = &run->bounds[i];
		double x = plot_x(plot, bound->intensity), y = plot_y(plot, bound->flops_per_s);

		if (bound->by == MODEL_BOUND_UNKNOWN || !(bound->intensity > 0) || fabs(y - last_y) < 15)
			continue;
		plot_text(plot, x > (plot->left + plot->right) / 2 ? x - 12 : x + 12, y + 4,
			  x > (plot->left + plot->right) / 2 ? "end" : "start", "ink", "%s",
			  model_text(model_operator_name(page->analysis, r, i), 22, false).s);
		last_y = y;
		n++;
	}
	fputc('\n', page->out);
}

static void draw_roofline(struct html_page *page)
{
	const struct machine_peak *peak = &page->report->machine.peak;
	struct plot plot = plot_of(page->out, 560, 380);

	find_axes(page, &plot);
	html_figure(page, "Each operator under the roof of this machine; a larger dot takes more of the time.");
	html_key(page, model_has_bounds);
	plot_begin(&plot, html_plot_id(page).s, "Roofline of the operators",
		   "Operations per second over operations per byte; the figures are in the table with it.");
	plot_draw_x(&plot, intensity_words, "float operations per byte moved");
	plot_draw_y(&plot, flops_words, "FLOP/s");
	draw_roof(&plot, peak->cache_bytes.high, peak->flops.high, true);
	draw_roof(&plot, peak->bytes.high, peak->flops.high, false);
	plot_text(&plot, plot.right - 4, plot_y(&plot, peak->flops.high) - 6, "end", "", "float32 %s",
		  units_metric(peak->flops.high, "FLOP/s").s);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_bounds(&page->analysis->runs[r]))
			draw_dots(page, &plot, r);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (model_has_bounds(&page->analysis->runs[r]))
			name_dots(page, &plot, r);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_sums(struct html_page *page)
{
	static const enum model_bound_by order[] = { MODEL_BOUND_COMPUTE, MODEL_BOUND_MEMORY, MODEL_BOUND_OVERHEAD,
						     MODEL_BOUND_UNKNOWN };
	struct table table = { 0 };

	table_column(&table, "run", TABLE_LEFT);
	for (int i = 0; i < N_MODEL_BOUNDS; i++)
		table_column(&table, model_bound_words(order[i]), TABLE_RIGHT);
	table_column(&table, "of the possible", TABLE_RIGHT);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_bound_sums *sums = &page->analysis->runs[r].bound_sums;
		double possible_ns = 0;

		if (!model_has_bounds(&page->analysis->runs[r]))
			continue;
		table_cell(&table, TABLE_BOLD, "%s", page->label[r].s);
		for (int by = 0; by < N_MODEL_BOUNDS; by++)
			possible_ns += sums->possible_ns[by];
		for (int i = 0; i < N_MODEL_BOUNDS; i++)
			table_cell(&table, TABLE_PLAIN, "%s", units_percent(sums->ns[order[i]] / sums->total_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent(possible_ns / sums->rated_ns).s);
	}
	html_table_of(page->out,
		      "Share of the operators' time by what bounds them; overhead is below a tenth of the possible",
		      &table);
}

static void put_bounds(struct html_page *page, uint32_t r)
{
	uint32_t n = page->report->results[r].n_operators;
	struct model_view view = html_view(page);
	struct printable caption = { "" };
	struct table table = { 0 };

	printable_add(&caption, "Slowest operators of %s", page->label[r].s);
	model_rows_bounds(&table, &view, r, n < MAX_BOUNDS ? n : MAX_BOUNDS);
	html_table_of(page->out, caption.s, &table);
}

void html_roofline(struct html_page *page)
{
	bool is_known = has_any(page, model_has_bounds) && page->report->machine.peak.bytes.high > 0;

	if (page->part)
		return;
	html_section(page, "roofline", "Roofline", "%s",
		     is_known ? "What operators reach beside what this machine can do at most. FLOPs and bytes follow "
				"from the model's shapes."
			      : "FLOPs, bytes or the machine's peaks are not known.");
	if (is_known) {
		html_pair(page);
		draw_roofline(page);
		put_sums(page);
		fputs("</div>\n", page->out);
		if (model_was_busy(page->analysis))
			html_paragraph(
			    page,
			    "Other programs used this machine at the same time: its peaks may be higher than measured, "
			    "and the shares of the possible lower.");
		for (uint32_t r = 0; r < page->report->n_results; r++)
			if (model_has_bounds(&page->analysis->runs[r]))
				put_bounds(page, r);
	}
	fputs("</section>\n", page->out);
}
