// SPDX-License-Identifier: Apache-2.0
/* The report of a model's runs as one HTML page: the answer, the runs, what to try next, then a section for each part.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"
#include "show/words/diff/diff_rows.h"
#include "show/words/quota_words.h"

enum { BAR_LABEL = 34 }; /* columns of a run's name beside its bar */

static void put_model(struct html_page *page, const struct model_facts *model)
{
	struct printable text = html_name(model->path);

	if (model->file_bytes >= 0)
		printable_add(&text, " (%s)", units_bytes((double)model->file_bytes).s);
	html_fact(page, "Model", &text);
	text = model_graph(model);
	if (model->bytes >= 0)
		printable_add(&text, ", %s moved", units_metric((double)model->bytes, "B").s);
	html_fact(page, "Graph", &text);
	text = (struct printable){ "" };
	if (model->opset)
		printable_add(&text, "%s", html_name(model->opset).s);
	if (model->producer)
		printable_add(&text, "%smade by %s", *text.s ? ", " : "", html_name(model->producer).s);
	html_fact(page, "Format", &text);
	text = model_values(model->inputs, model->n_inputs, 8, false);
	html_fact(page, "Inputs", &text);
	text = model_values(model->outputs, model->n_outputs, 8, false);
	html_fact(page, "Outputs", &text);
}

static struct printable rate_words(const struct machine_rate *rate, const char *unit)
{
	struct printable text = { "" };

	printable_add(&text, "%s (", units_metric(rate->high, unit).s);
	printable_add(&text, "%s to ", units_metric(rate->low, unit).s);
	printable_add(&text, "%s)", units_metric(rate->high, unit).s);
	return text;
}

static void put_machine(struct html_page *page)
{
	const struct model_machine *machine = &page->report->machine;
	const struct machine_peak *peak = &machine->peak;
	struct printable text = { "" };

	if (machine->cpu)
		printable_add(&text, "%s", html_name(machine->cpu).s);
	if (machine->n_cpus >= 0)
		printable_add(&text, "%s%s", *text.s ? ", " : "", quota_machine(machine).s);
	if (machine->memory_bytes >= 0)
		printable_add(&text, ", %s", units_bytes((double)machine->memory_bytes).s);
	if (machine->kernel)
		printable_add(&text, ", Linux %s", html_name(machine->kernel).s);
	html_fact(page, "Machine", &text);
	text = (struct printable){ "" };
	if (peak->n_cpus > 0) {
		printable_add(&text, "float32 %s, ", rate_words(&peak->flops, "FLOP/s").s);
		printable_add(&text, "one core %s, ", units_metric(peak->core_flops.high, "FLOP/s").s);
		printable_add(&text, "memory %s, ", rate_words(&peak->bytes, "B/s").s);
		printable_add(&text, "caches %s; %s", units_metric(peak->cache_bytes.high, "B/s").s,
			      peak->instructions);
	}
	html_fact(page, "Its peaks", &text);
}

static void put_circumstances(struct html_page *page)
{
	const struct model_report *report = page->report;
	struct printable text = { "" };

	for (uint32_t i = 0; i < report->n_settings; i++) {
		printable_add(&text, "%s%s ", i ? ", " : "", html_name(report->settings[i].name).s);
		printable_add(&text, "%s", html_name(report->settings[i].value).s);
	}
	html_fact(page, "Settings", &text);
	text = html_date(report->start_realtime_ns);
	if (report->version)
		printable_add(&text, "%sby inftrace %s", *text.s ? ", " : "", html_name(report->version).s);
	html_fact(page, "Measured", &text);
	text = report->command ? html_name(report->command) : (struct printable){ "" };
	html_fact(page, "Command", &text);
}

/* Which runtime ran: of all runs at once if they share it. */
static void put_runtime(struct html_page *page)
{
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable text = model_runtime_once(page->report, r, 200, false);

		if (*text.s)
			html_fact(page, "Runtime", &text);
	}
}

/* Of a run that is alone the tiles say it all. */
static bool has_runs(const struct html_page *page)
{
	return page->report->n_results > 1 || page->report->results[0].error || page->report->baseline;
}

static bool has_generations(const struct html_page *page)
{
	struct model_view view = html_view(page);

	return model_view_has(&view, model_has_generations);
}

static struct printable note(const char *fmt, const char *text)
{
	struct printable to = { "" };

	printable_add(&to, fmt, text);
	return to;
}

/* The four figures of a run that is alone. */
static void put_tiles_of_one(struct html_page *page)
{
	const struct model_run *run = &page->analysis->runs[0];
	const struct stats_series *latency = &run->latency;
	const struct stats_quantile *p99 = &latency->percentile[3];
	struct html_tile tile[5] = {
		{ "s0",
		  strcmp(model_per(page->analysis), "token") ? "mean latency" : "a token",
		  units_duration(latency->mean_ns),
		  { "" } },
		{ "", "p99", units_duration(p99->ns), { "" } },
		{ "",
		  strcmp(model_per(page->analysis), "token") ? "first inference" : "very first token",
		  units_duration(run->result->first_ns < 0 ? NAN : (double)run->result->first_ns),
		  { "" } },
		{ "",
		  "session creation",
		  units_duration(run->result->creation_ns < 0 ? NAN : (double)run->result->creation_ns),
		  { "" } },
		{ "",
		  "peak memory",
		  units_bytes(run->result->peak_bytes < 0 ? NAN : (double)run->result->peak_bytes),
		  { "" } },
	};

	if (isfinite(latency->interval_ns))
		tile[0].note = note("\302\261 %s with 95 %% confidence", units_duration(latency->interval_ns).s);
	if (isnan(p99->ns) && latency->n < p99->n_needed)
		tile[1].note = note("p99 needs %s values", units_count(p99->n_needed).s);
	else
		tile[1].note = note("median %s", units_duration(latency->percentile[0].ns).s);
	if (isfinite(run->rate_per_s))
		tile[2].note = note("then %s", units_rate(run->rate_per_s).s);
	tile[4].note = note(isfinite(run->cores) ? "%s CPUs in use" : "%.0s", units_decimal(run->cores).s);
	html_tiles(page, tile, 5);
}

static void put_tiles(struct html_page *page)
{
	struct html_tile tile[HTML_COLOURS];
	char kind[HTML_COLOURS][8];
	uint32_t n = page->report->n_results < HTML_COLOURS ? page->report->n_results : HTML_COLOURS;

	if (n == 1) {
		put_tiles_of_one(page);
		return;
	}
	for (uint32_t r = 0; r < n; r++) {
		const struct model_run *run = &page->analysis->runs[r];

		snprintf(kind[r], sizeof kind[r], "%.7s", html_colour(r).s);
		tile[r] = (struct html_tile){
			kind[r], page->label[r].s, units_duration(run->latency.mean_ns / run->items), { "" }
		};
		if (run->result->error)
			tile[r].note = (struct printable){ "failed" };
		else if (r)
			tile[r].note = note("%s", model_ratio_words(&run->speed).s);
		else if (isfinite(run->latency.interval_ns))
			tile[r].note =
			    note("\302\261 %s, the reference", units_duration(run->latency.interval_ns / run->items).s);
		if (page->analysis->is_per_item && !run->result->error)
			printable_add(&tile[r].note, ", per item");
	}
	html_tiles(page, tile, n);
}

static void put_head(struct html_page *page)
{
	html_contents_begin(page);
	fputs("<h1>", page->out);
	html_words(page->out, "%s", model_title(page->report, 200, false).s);
	fputs("</h1>\n", page->out);
	html_verdict(page, model_verdict(page->analysis, false).s, html_worst(page->analysis, 1));
	put_tiles(page);
}

static void put_facts(struct html_page *page)
{
	html_contents_add(page, "facts", "How it was measured");
	fputs("<section id=\"facts\"><details><summary>Model, machine and settings</summary><dl>\n", page->out);
	put_model(page, &page->report->model);
	for (uint32_t r = 1; r < page->report->n_results; r++)
		if (model_is_first_of_file(page->report, r))
			put_model(page, model_facts_of(page->report, r));
	put_machine(page);
	put_runtime(page);
	put_circumstances(page);
	fputs("</dl></details></section>\n", page->out);
}

/* Room for the names of the runs. */
static double label_width(const struct html_page *page)
{
	int most = 0;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		int own = printable_width(model_text(page->report->results[r].label, BAR_LABEL, false).s);

		most = own > most ? own : most;
	}
	return most > 16 ? 8 + 6.9 * most : 116;
}

/* Bars from zero, one for each run, with the interval of the mean and a tick at the median. */
static void draw_runs(struct html_page *page)
{
	uint32_t n = page->report->n_results;
	double most = 0, left = 8 + label_width(page);
	struct plot plot = plot_of(page->out, left + 436, 62 + 34 * (double)n);

	for (uint32_t r = 0; r < n; r++)
		if (model_has_latency(&page->analysis->runs[r]))
			most = fmax(most, (page->analysis->runs[r].latency.mean_ns +
					   fmax(page->analysis->runs[r].latency.interval_ns, 0)) /
					      page->analysis->runs[r].items);
	plot.left = left;
	plot.right = left + 326;
	plot.x = plot_axis_of(0, most * 1.05, false);
	html_figure(page, "Mean latency%s with its 95 %% interval; the tick is the median.",
		    page->analysis->is_per_item ? " of an item" : "");
	plot_begin(&plot, html_plot_id(page).s, "Mean latency of each run", "The figures are in the table with it.");
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t r = 0; r < n; r++) {
		const struct model_run *run = &page->analysis->runs[r];
		double mean_ns = run->latency.mean_ns / run->items;
		double y = plot.top + 34 * (double)r + 17, x = plot_x(&plot, mean_ns);
		double half = isfinite(run->latency.interval_ns) ? run->latency.interval_ns / run->items : 0;
		double low = plot_x(&plot, mean_ns - half), high = plot_x(&plot, mean_ns + half);

		plot_text(&plot, plot.left - 8, y + 4, "end", "ink", "%s",
			  model_text(page->report->results[r].label, BAR_LABEL, false).s);
		if (!model_has_latency(run)) {
			plot_text(&plot, plot.left + 6, y + 4, "start", "", "%s",
				  run->result->error ? "failed" : "ran nothing");
			continue;
		}
		fprintf(page->out,
			"<rect class=\"fill %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" rx=\"2\"/>",
			html_colour(r).s, plot.left, y - 9, fmax(x - plot.left, 1));
		fprintf(page->out, "<path class=\"roof\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>", low, y, high,
			low, y - 4, high, y - 4);
		if (isfinite(run->latency.percentile[0].ns))
			fprintf(page->out, "<path class=\"roof\" d=\"M%.1f %.1fv18\"/>",
				plot_x(&plot, run->latency.percentile[0].ns / run->items), y - 9);
		plot_text(&plot, high + 7, y + 4, "start", "ink", "%s", units_duration(mean_ns).s);
		fputc('\n', page->out);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_runs(struct html_page *page)
{
	struct table table = { 0 };
	struct model_view view = html_view(page);

	if (!has_runs(page))
		return;
	html_section(page, "runs", "Runs",
		     "Speed is the mean latency of the first run by that of the run%s. An interval of one process is "
		     "that of this process; another one may differ by more.",
		     page->analysis->is_per_item ? ", both of an item: an inference of a larger batch does more" : "");
	model_rows_runs(&table, &view);
	if (page->report->n_results > 1) {
		fputs("<div class=\"pair\">", page->out);
		draw_runs(page);
	}
	html_table_of(page->out, "Each run in figures", &table);
	fputs(page->report->n_results > 1 ? "</div>\n" : "", page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (page->report->results[r].error)
			html_paragraph(page, "%s: %s", page->label[r].s, html_name(page->report->results[r].error).s);
	fputs("</section>\n", page->out);
}

static void put_generations(struct html_page *page)
{
	struct table table = { 0 };
	struct model_view view = html_view(page);

	if (!has_generations(page))
		return;
	html_section(page, "generations", "Generations",
		     "Requests of %lld output tokens each. The first token counts from the begin of the prompt, each "
		     "further one from the end of the token before.",
		     (long long)page->report->results[0].n_tokens);
	model_rows_generations(&table, &view);
	html_table_of(page->out, "First token and tokens by the length of the prompt", &table);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable words = model_weights_words(&view, r);

		if (*words.s)
			html_paragraph(page, "%s.", words.s);
	}
	fputs("</section>\n", page->out);
}

static void put_baseline(struct html_page *page)
{
	const struct diff *diff = page->report->baseline;
	struct table table = { 0 };
	struct printable note;

	if (!diff)
		return;
	html_section(page, "baseline", "Compared with the baseline", "What changed since %s.",
		     html_name(diff->base.runs->path).s);
	diff_rows_models(&table, diff, false);
	html_table_of(page->out, "Each run before and now", &table);
	for (uint32_t i = 0; *(note = diff_note(diff, i, false)).s; i++)
		html_paragraph(page, "Before and now differ in %s.", note.s);
	fputs("</section>\n", page->out);
}

static void put_files(struct html_page *page)
{
	fputs("<footer>", page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		if (!result->recording && !result->operator_recording)
			continue;
		html_words(page->out, "%s: ", page->label[r].s);
		if (result->recording)
			html_words(page->out, "inftrace report %s", html_name(result->recording).s);
		if (result->recording && page->analysis->runs[r].n_rounds > 1)
			html_words(page->out, " (the first of %u processes; the others' lie beside it)",
				   page->analysis->runs[r].n_rounds);
		if (result->operator_recording && result->recording)
			html_words(page->out, ", ");
		if (result->operator_recording)
			html_words(page->out, "inftrace report %s", html_name(result->operator_recording).s);
		fputs("<br/>\n", page->out);
	}
	fputs("</footer>\n", page->out);
}

void html_runs(FILE *out, const struct report *report)
{
	const struct model_analysis *analysis = report->analysis;
	struct html_page page = { .out = out, .analysis = analysis, .report = analysis->report };

	page.label = calloc(analysis->report->n_results + 1, sizeof *page.label);
	for (uint32_t r = 0; page.label && r < analysis->report->n_results; r++)
		page.label[r] = model_text(analysis->report->results[r].label, 40, false);
	html_begin(out, model_title(analysis->report, 200, false).s);
	if (page.label) {
		put_head(&page);
		put_runs(&page);
		put_generations(&page);
		put_baseline(&page);
		html_findings(&page, report);
		html_latencies(&page);
		html_creation(&page);
		html_placement(&page);
		html_operators(&page);
		html_kernels(&page);
		html_roofline(&page);
		html_memory(&page);
		if (html_has_outputs(&page))
			html_outputs(&page);
		put_facts(&page);
		put_files(&page);
		html_contents_end(&page);
	} else {
		fputs("<main><p>(out of memory: this report cannot be shown)</p>", out);
	}
	html_end(out);
	free(page.label);
}
