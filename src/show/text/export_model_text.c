// SPDX-License-Identifier: Apache-2.0
/* The page of a model's runs for people: the verdict, what ran, the runs beside each other, what to try; then the
 * parts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "show/text/page.h"
#include "show/words/diff/diff_rows.h"
#include "show/words/export.h"
#include "show/words/quota_words.h"

enum { WIDTH = 96, MAX_INSIGHTS = 12 };

static void print_verdict(const struct model_page *page)
{
	struct printable text = model_verdict(page->analysis, page->page.opts.is_ascii);

	page_text(&page->page, 0, TABLE_BOLD, "%s.", text.s);
}

static void put_fact(const struct model_page *page, const char *name, const struct printable *value)
{
	if (*value->s)
		page_fact(&page->page, 11, name, value->s);
}

/* Of further models only if they are not those of the first. */
static void put_values(const struct model_page *page, const char *name, const struct model_value *value, uint32_t n,
		       const struct model_value *first, uint32_t n_first)
{
	bool is_ascii = page->page.opts.is_ascii;
	struct printable text = model_values(value, n, 4, is_ascii);

	if (value == first || strcmp(text.s, model_values(first, n_first, 4, is_ascii).s) != 0)
		put_fact(page, name, &text);
}

static void put_model(const struct model_page *page, const struct model_facts *model)
{
	const struct model_facts *first = &page->report->model;
	struct printable text = model_page_text(page, model->path, 80);

	if (model->file_bytes >= 0)
		printable_add(&text, " (%s)", units_bytes((double)model->file_bytes).s);
	put_fact(page, "model", &text);
	text = model_graph(model);
	if (model->opset)
		printable_add(&text, ", %s", model_page_text(page, model->opset, 40).s);
	put_fact(page, "graph", &text);
	put_values(page, "inputs", model->inputs, model->n_inputs, first->inputs, first->n_inputs);
	put_values(page, "outputs", model->outputs, model->n_outputs, first->outputs, first->n_outputs);
}

static void put_machine(const struct model_page *page)
{
	const struct model_machine *machine = &page->report->machine;
	const struct machine_peak *peak = &machine->peak;
	struct printable text = { "" };

	if (machine->cpu)
		printable_add(&text, "%s", model_page_text(page, machine->cpu, 60).s);
	if (machine->n_cpus >= 0)
		printable_add(&text, "%s%s", *text.s ? ", " : "", quota_machine(machine).s);
	if (machine->memory_bytes >= 0)
		printable_add(&text, ", %s", units_bytes((double)machine->memory_bytes).s);
	put_fact(page, "machine", &text);
	text = (struct printable){ "" };
	if (peak->n_cpus > 0) {
		printable_add(&text, "%s float32", units_metric(peak->flops.high, "FLOP/s").s);
		printable_add(&text, " (one core %s)", units_metric(peak->core_flops.high, "FLOP/s").s);
		printable_add(&text, ", memory %s", units_metric(peak->bytes.high, "B/s").s);
		printable_add(&text, ", caches %s", units_metric(peak->cache_bytes.high, "B/s").s);
	}
	put_fact(page, "its peaks", &text);
}

/* Which runtime ran: of all runs at once if they share it. */
static void put_runtimes(const struct model_page *page)
{
	const struct report_look *look = &page->page.opts;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable own = model_runtime_once(page->report, r, look->width - 30, look->is_ascii);

		put_fact(page, "runtime", &own);
	}
}

static void put_settings(const struct model_page *page)
{
	const struct model_report *report = page->report;
	struct printable text = { "" };
	time_t start = (time_t)(report->start_realtime_ns / 1000000000);
	struct tm utc;
	char date[64];

	for (uint32_t i = 0; i < report->n_settings; i++) {
		printable_add(&text, "%s%s ", i ? ", " : "", model_page_text(page, report->settings[i].name, 40).s);
		printable_add(&text, "%s", model_page_text(page, report->settings[i].value, 40).s);
	}
	put_fact(page, "settings", &text);
	text = (struct printable){ "" };
	if (report->start_realtime_ns >= 0 && gmtime_r(&start, &utc) &&
	    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc))
		printable_add(&text, "%s", date);
	if (report->version)
		printable_add(&text, "%sby inftrace %s", *text.s ? ", " : "",
			      model_page_text(page, report->version, 30).s);
	put_fact(page, "measured", &text);
}

static void print_head(const struct model_page *page)
{
	fputc('\n', page->page.out);
	put_model(page, &page->report->model);
	for (uint32_t r = 1; r < page->report->n_results; r++)
		if (model_is_first_of_file(page->report, r))
			put_model(page, model_facts_of(page->report, r));
	put_machine(page);
	put_runtimes(page);
	put_settings(page);
}

static void print_runs(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);
	bool is_single = false;

	page_heading(&page->page, "Runs");
	model_rows_runs(&table, &view);
	table_print(&table, page->page.out);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		is_single |= page->analysis->runs[r].n_rounds == 1;
	if (page->analysis->is_per_item)
		page_text(&page->page, 2, TABLE_DIM,
			  "Speed compares the time of an item: an inference of a larger batch does more.");
	if (is_single)
		page_text(&page->page, 2, TABLE_DIM,
			  "Intervals are those of one process; another process may differ by more.");
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];
		struct printable error = model_page_text(page, result->error, 300);

		if (result->error)
			page_text(&page->page, 2, TABLE_RED, "%s: %s", page->label[r].s, error.s);
	}
}

static void print_baseline(const struct model_page *page)
{
	const struct diff *diff = page->report->baseline;
	struct table table = page_table(&page->page);
	bool is_ascii = page->page.opts.is_ascii;
	struct printable note;

	if (!diff)
		return;
	page_heading(&page->page, "Compared with the baseline");
	diff_rows_models(&table, diff, is_ascii);
	table_print(&table, page->page.out);
	for (uint32_t i = 0; *(note = diff_note(diff, i, is_ascii)).s; i++)
		page_text(&page->page, 2, TABLE_PLAIN, "Before and now differ in %s.", note.s);
}

static void print_next(const struct model_page *page, const struct model_finding *finding)
{
	if (*finding->words.next.s && !finding->is_next_below)
		page_text(&page->page, 6, TABLE_DIM, "%s %s", page->page.opts.is_ascii ? "->" : "\342\206\222",
			  finding->words.next.s);
}

static void print_finding(const struct model_page *page, const struct model_finding *finding, uint32_t i)
{
	const struct finding *findings = page->analysis->findings;
	enum table_style style = findings[i].insight->severity == INSIGHT_WRONG ? TABLE_RED : TABLE_BOLD;

	if (finding[i].next_same == UINT32_MAX) {
		page_text(&page->page, 2, style, "%s: %s", page->label[findings[i].result].s,
			  finding[i].words.finding.s);
		page_text(&page->page, 6, TABLE_PLAIN, "%s", finding[i].words.evidence.s);
		print_next(page, &finding[i]);
		return;
	}
	page_text(&page->page, 2, style, "%s", finding[i].words.finding.s);
	for (; i != UINT32_MAX; i = finding[i].next_same) {
		page_text(&page->page, 6, TABLE_PLAIN, "%s: %s", page->label[findings[i].result].s,
			  finding[i].words.evidence.s);
		print_next(page, &finding[i]);
	}
}

static void print_insights(const struct model_page *page)
{
	const struct model_analysis *analysis = page->analysis;
	struct model_finding *finding = model_findings(analysis, page->page.opts.is_ascii);
	uint32_t n_all = 0, n = 0;

	for (uint32_t i = 0; finding && i < analysis->n_findings; i++)
		n_all += !finding[i].is_repeated;
	if (n_all)
		page_heading(&page->page, "What to try next");
	for (uint32_t i = 0; finding && i < analysis->n_findings; i++) {
		if (finding[i].is_repeated ||
		    (n >= MAX_INSIGHTS && n_all > MAX_INSIGHTS + 1 && !page->page.opts.is_all))
			continue;
		print_finding(page, finding, i);
		n++;
	}
	if (n < n_all)
		page_text(&page->page, 2, TABLE_DIM, "%s more (--all)", printable_count(n_all - n, "finding").s);
	free(finding);
}

static void print_files(const struct model_page *page)
{
	bool has_heading = false;

	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];
		const char *file[] = { result->recording, result->operator_recording };

		for (int i = 0; i < 2; i++) {
			if (!file[i] || (i && file[0] && !strcmp(file[0], file[1])))
				continue;
			if (!has_heading)
				page_heading(&page->page, "Recordings (open with inftrace report FILE)");
			has_heading = true;
			if (!i && page->analysis->runs[r].n_rounds > 1)
				page_text(&page->page, 2, TABLE_PLAIN,
					  "%s: %s (of the first of %u processes; those of the others are beside it)",
					  page->label[r].s, model_page_text(page, file[i], 200).s,
					  page->analysis->runs[r].n_rounds);
			else
				page_text(&page->page, 2, TABLE_PLAIN, "%s: %s", page->label[r].s,
					  model_page_text(page, file[i], 200).s);
		}
	}
}

void export_model_text(FILE *out, const struct model_analysis *analysis, const struct report_look *opts)
{
	struct model_page page = { .page = { .out = out, .opts = *opts },
				   .analysis = analysis,
				   .report = analysis->report };

	page.page.opts.width = opts->width ? opts->width : WIDTH;
	page.label = calloc(analysis->report->n_results + 1, sizeof *page.label);
	if (!page.label)
		fputs("(out of memory: this report cannot be shown)\n", out);
	for (uint32_t r = 0; page.label && r < analysis->report->n_results; r++)
		page.label[r] = model_page_text(&page, analysis->report->results[r].label, 30);
	if (page.label) {
		print_verdict(&page);
		print_head(&page);
		print_runs(&page);
		model_text_generations(&page);
		print_baseline(&page);
		print_insights(&page);
		model_text_latencies(&page);
		model_text_creation(&page);
		model_text_placement(&page);
		model_text_types(&page);
		model_text_nodes(&page);
		model_text_kernels(&page);
		model_text_roofline(&page);
		model_text_memory(&page);
		model_text_devices(&page);
		model_text_outputs(&page);
		print_files(&page);
	}
	free(page.label);
}
