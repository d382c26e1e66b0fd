// SPDX-License-Identifier: Apache-2.0
/* The report of a model's runs as one HTML page: the answer, the runs, what to try next, then a section for each part.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "show/html/html_model.h"

static void put_fact(struct html_page *page, const char *name, const struct printable *value)
{
	if (!*value->s)
		return;
	fputs("<dt>", page->out);
	html_words(page->out, "%s", name);
	fputs("</dt><dd>", page->out);
	html_words(page->out, "%s", value->s);
	fputs("</dd>\n", page->out);
}

static struct printable values_of(const struct model_value *value, uint32_t n)
{
	struct printable text = { "" };

	for (uint32_t i = 0; i < n && i < 8; i++) {
		printable_add(&text, "%s%s ", i ? ", " : "", html_name(value[i].name).s);
		printable_add(&text, "%s[", html_name(value[i].type).s);
		printable_add(&text, "%s]", value[i].shape && *value[i].shape ? html_name(value[i].shape).s : "");
	}
	if (n > 8)
		printable_add(&text, " and %u more", n - 8);
	return text;
}

static void put_model(struct html_page *page)
{
	const struct model_facts *model = &page->report->model;
	struct printable text = html_name(model->path);

	if (model->file_bytes >= 0)
		printable_add(&text, " (%s)", units_bytes((double)model->file_bytes).s);
	put_fact(page, "Model", &text);
	text = (struct printable){ "" };
	if (model->n_nodes >= 0)
		printable_add(&text, "%s nodes", units_count((uint64_t)model->n_nodes).s);
	if (model->n_inside > 0)
		printable_add(&text, " and %s inside of them", units_count((uint64_t)model->n_inside).s);
	if (model->n_parameters >= 0)
		printable_add(&text, ", %s parameters", units_metric((double)model->n_parameters, "").s);
	if (model->flops >= 0)
		printable_add(&text, ", %s an inference%s", units_metric((double)model->flops, "FLOP").s,
			      model->n_unknown > 0 ? " (as far as known)" : "");
	if (model->bytes >= 0)
		printable_add(&text, ", %s moved", units_metric((double)model->bytes, "B").s);
	put_fact(page, "Graph", &text);
	text = (struct printable){ "" };
	if (model->opset)
		printable_add(&text, "%s", html_name(model->opset).s);
	if (model->producer)
		printable_add(&text, "%smade by %s", *text.s ? ", " : "", html_name(model->producer).s);
	put_fact(page, "Format", &text);
	text = values_of(model->inputs, model->n_inputs);
	put_fact(page, "Inputs", &text);
	text = values_of(model->outputs, model->n_outputs);
	put_fact(page, "Outputs", &text);
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
		printable_add(&text, "%s%s CPUs", *text.s ? ", " : "", units_count((uint64_t)machine->n_cpus).s);
	if (machine->memory_bytes >= 0)
		printable_add(&text, ", %s", units_bytes((double)machine->memory_bytes).s);
	if (machine->kernel)
		printable_add(&text, ", Linux %s", html_name(machine->kernel).s);
	put_fact(page, "Machine", &text);
	text = (struct printable){ "" };
	if (peak->n_cpus > 0) {
		printable_add(&text, "float32 %s, ", rate_words(&peak->flops, "FLOP/s").s);
		printable_add(&text, "one core %s, ", units_metric(peak->core_flops.high, "FLOP/s").s);
		printable_add(&text, "memory %s, ", rate_words(&peak->bytes, "B/s").s);
		printable_add(&text, "caches %s; %s", units_metric(peak->cache_bytes.high, "B/s").s,
			      peak->instructions);
	}
	put_fact(page, "Its peaks", &text);
}

static void put_circumstances(struct html_page *page)
{
	const struct model_report *report = page->report;
	time_t start = (time_t)(report->start_realtime_ns / 1000000000);
	struct printable text = { "" };
	struct tm utc;
	char date[64];

	for (uint32_t i = 0; i < report->n_settings; i++) {
		printable_add(&text, "%s%s ", i ? ", " : "", html_name(report->settings[i].name).s);
		printable_add(&text, "%s", html_name(report->settings[i].value).s);
	}
	put_fact(page, "Settings", &text);
	text = (struct printable){ "" };
	if (report->start_realtime_ns >= 0 && gmtime_r(&start, &utc) &&
	    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc))
		printable_add(&text, "%s", date);
	if (report->version)
		printable_add(&text, "%sby inftrace %s", *text.s ? ", " : "", html_name(report->version).s);
	put_fact(page, "Measured", &text);
	text = report->command ? html_name(report->command) : (struct printable){ "" };
	put_fact(page, "Command", &text);
}

static void put_head(struct html_page *page)
{
	static const char *const links[][2] = {
		{ "runs", "Runs" },	    { "next", "What to try next" }, { "latency", "Latency" },
		{ "creation", "Creation" }, { "placement", "Placement" },   { "operators", "Operators" },
		{ "inside", "Inside" },	    { "roofline", "Roofline" },	    { "memory", "Memory" },
		{ "outputs", "Outputs" },
	};

	fputs("<a class=\"skip\" href=\"#runs\">To the figures</a>\n", page->out);
	fputs("<nav aria-label=\"Sections\"><strong>inftrace</strong>", page->out);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (strcmp(links[i][0], "inside") != 0 || html_has_kernels(page))
			fprintf(page->out, "<a href=\"#%s\">%s</a>", links[i][0], links[i][1]);
	fputs("</nav>\n<main>\n<h1>", page->out);
	html_words(page->out, "%s", html_name(page->report->model.name).s);
	fputs("</h1>\n<p class=\"lead\">", page->out);
	html_words(page->out, "%s.", model_verdict(page->analysis, false).s);
	fputs("</p>\n<section id=\"facts\"><dl>\n", page->out);
	put_model(page);
	put_machine(page);
	put_circumstances(page);
	fputs("</dl></section>\n", page->out);
}

/* Bars from zero, one for each run, with the interval of the mean and a tick at the median. */
static void draw_runs(struct html_page *page)
{
	uint32_t n = page->report->n_results;
	struct plot plot = plot_of(page->out, 560, 62 + 34 * (double)n);
	double most = 0;

	for (uint32_t r = 0; r < n; r++)
		if (model_has_latency(&page->analysis->runs[r]))
			most = fmax(most, page->analysis->runs[r].latency.mean_ns +
					      fmax(page->analysis->runs[r].latency.interval_ns, 0));
	plot.left = 124;
	plot.right = 478;
	plot.x = plot_axis_of(0, most * 1.05, false);
	html_figure(page, "Mean latency with its 95 %% interval; the tick is the median.");
	plot_begin(&plot, html_plot_id(page).s, "Mean latency of each run", "The figures are in the table above.");
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t r = 0; r < n; r++) {
		const struct model_run *run = &page->analysis->runs[r];
		double y = plot.top + 34 * (double)r + 17, x = plot_x(&plot, run->latency.mean_ns);
		double half = isfinite(run->latency.interval_ns) ? run->latency.interval_ns : 0;
		double low = plot_x(&plot, run->latency.mean_ns - half),
		       high = plot_x(&plot, run->latency.mean_ns + half);

		plot_text(&plot, plot.left - 8, y + 4, "end", "ink", "%s",
			  model_text(page->report->results[r].label, 18, false).s);
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
				plot_x(&plot, run->latency.percentile[0].ns), y - 9);
		plot_text(&plot, high + 7, y + 4, "start", "ink", "%s", units_duration(run->latency.mean_ns).s);
		fputc('\n', page->out);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static void put_runs(struct html_page *page)
{
	struct table table = { 0 };
	struct model_view view = html_view(page);

	html_section(page, "runs", "Runs",
		     "Speed is the mean latency of the first run by that of the run. An interval of one process is "
		     "that of this process; another one may differ by more.");
	model_rows_runs(&table, &view);
	html_table_of(page->out, "Each run in figures", &table);
	draw_runs(page);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		if (page->report->results[r].error)
			html_paragraph(page, "%s: %s", page->label[r].s, html_name(page->report->results[r].error).s);
	fputs("</section>\n", page->out);
}

static void put_finding(struct html_page *page, const struct model_finding *finding, uint32_t i)
{
	const struct finding *findings = page->analysis->findings;
	bool is_alone = finding[i].next_same == UINT32_MAX;

	fprintf(page->out, "<li class=\"%s%s\"><b>", html_colour(findings[i].result).s,
		findings[i].insight->severity == INSIGHT_WRONG ? " bad" : "");
	if (is_alone)
		html_words(page->out, "%s: ", page->label[findings[i].result].s);
	html_words(page->out, "%s", finding[i].words.finding.s);
	fputs("</b>", page->out);
	for (; i != UINT32_MAX; i = finding[i].next_same) {
		const struct insight_words *words = &finding[i].words;

		fputs("<p><i>", page->out);
		if (!is_alone)
			html_words(page->out, "%s: ", page->label[findings[i].result].s);
		html_words(page->out, "%s", words->evidence.s);
		fputs("</i></p>", page->out);
		if (!*words->next.s || finding[i].is_next_below)
			continue;
		fputs("<p class=\"next\">", page->out);
		html_words(page->out, "\342\206\222 %s", words->next.s);
		fputs("</p>", page->out);
	}
	fputs("</li>\n", page->out);
}

static void put_insights(struct html_page *page)
{
	const struct model_analysis *analysis = page->analysis;
	struct model_finding *finding = model_findings(analysis, false);

	html_section(page, "next", "What to try next", "%s",
		     analysis->n_findings
			 ? "From the figures of this report; what is wrong first, then by what there is to win."
			 : "Nothing in these figures stands out.");
	if (analysis->n_findings)
		fputs("<ul class=\"todo\">\n", page->out);
	for (uint32_t i = 0; finding && i < analysis->n_findings; i++)
		if (!finding[i].is_repeated)
			put_finding(page, finding, i);
	fputs(analysis->n_findings ? "</ul></section>\n" : "</section>\n", page->out);
	free(finding);
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

void html_runs(FILE *out, const struct model_analysis *analysis)
{
	struct html_page page = { .out = out, .analysis = analysis, .report = analysis->report };

	page.label = calloc(analysis->report->n_results + 1, sizeof *page.label);
	for (uint32_t r = 0; page.label && r < analysis->report->n_results; r++)
		page.label[r] = model_text(analysis->report->results[r].label, 40, false);
	html_begin(out, html_name(analysis->report->model.name).s);
	if (page.label) {
		put_head(&page);
		put_runs(&page);
		put_insights(&page);
		html_latencies(&page);
		html_creation(&page);
		html_placement(&page);
		html_operators(&page);
		html_kernels(&page);
		html_roofline(&page);
		html_memory(&page);
		html_outputs(&page);
		put_files(&page);
	} else {
		fputs("<main><p>(out of memory: this report cannot be shown)</p>", out);
	}
	html_end(out);
	free(page.label);
}
