// SPDX-License-Identifier: Apache-2.0
/* Latencies, session creation, memory and outputs of a model's runs, as text. */
#include "export/model_page.h"

#include <string.h>

/* "[▁▃█▂ ]": a bar for each bin; the last is what lies beyond. */
static struct printable sparkline(const struct model_page *page, const struct model_histogram *histogram)
{
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	struct printable text = { "" };
	uint64_t most = histogram->n_above;

	for (uint32_t i = 0; i < histogram->n; i++)
		most = histogram->count[i] > most ? histogram->count[i] : most;
	for (uint32_t i = 0; i <= histogram->n; i++) {
		uint64_t count = i < histogram->n ? histogram->count[i] : histogram->n_above;
		int height = count ? 1 + (int)((double)(count - 1) * 7 / (double)most) : 0;

		if (i == histogram->n)
			printable_add(&text, "|");
		if (page->page.opts.is_ascii || !height)
			printable_add(&text, "%s", ascii[height]);
		else
			printable_add(&text, "\342\226%c", 0x80 + height);
	}
	return text;
}

static void put_series(const struct model_page *page, struct table *table, const char *name,
		       const struct model_series *series)
{
	if (!series->n)
		return;
	table_cell(table, TABLE_PLAIN, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", units_count(series->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)series->min_ns).s);
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
		const struct model_percentile *own = &series->percentile[i];

		if (isnan(own->ns))
			table_cell(table, TABLE_DIM, "?");
		else
			table_cell(table, TABLE_PLAIN, "%s", units_duration(own->ns).s);
	}
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)series->max_ns).s);
}

static void print_remarks(const struct model_page *page, uint32_t r)
{
	const struct model_series *series = &page->analysis->runs[r].latency;
	const struct model_histogram *histogram = &series->histogram;

	if (series->n < 20)
		return;
	fprintf(page->page.out, "  %s: %s [%s]%s%s", model_page_text(page, page->report->results[r].label, 16).s,
		units_duration(histogram->edge[0]).s, sparkline(page, histogram).s, " ",
		units_duration(histogram->edge[histogram->n]).s);
	if (histogram->n_above)
		fprintf(page->page.out, ", %s beyond", units_count(histogram->n_above).s);
	fputc('\n', page->page.out);
	if (page->analysis->runs[r].n_rounds > 1)
		page_text(&page->page, 6, TABLE_DIM, "%u processes, whose means lie between %s and %s",
			  page->analysis->runs[r].n_rounds, units_duration(page->analysis->runs[r].round_low_ns).s,
			  units_duration(page->analysis->runs[r].round_high_ns).s);
	page_text(&page->page, 6, TABLE_DIM, "%s; in a row they are worth %s independent ones%s",
		  series->drift == MODEL_STEADY ? "steady" : model_drift_words(series->drift),
		  units_count((uint64_t)series->n_effective).s,
		  series->is_short ? ", so few that the interval is a guess" : "");
	if (page->report->results[r].warmup_words)
		page_text(&page->page, 6, TABLE_DIM, "warm-up: %s",
			  model_page_text(page, page->report->results[r].warmup_words, 200).s);
}

/* Which percentiles are not known, and how many inferences they would need. */
static void print_needed(const struct model_page *page)
{
	bool is_shown[MODEL_N_PERCENTILES] = { false };

	for (uint32_t r = 0; r < page->report->n_results; r++)
		for (int i = 0; i < MODEL_N_PERCENTILES; i++)
			is_shown[i] |= page->analysis->runs[r].latency.n &&
				       isnan(page->analysis->runs[r].latency.percentile[i].ns);
	for (int i = 0; i < MODEL_N_PERCENTILES; i++) {
		const struct model_percentile *own = &page->analysis->runs[0].latency.percentile[i];

		if (is_shown[i] && own->n_needed)
			page_text(&page->page, 2, TABLE_DIM, "? %s is known from %s inferences on.", own->name,
				  units_count(own->n_needed).s);
	}
}

void model_text_latencies(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	static const char *const headers[] = { "count", "min", "p50", "p90", "p95", "p99", "p99.9", "max" };

	page_heading(&page->page, "Latency of an inference, without the first and the warm-up");
	table_column(&table, "", TABLE_LEFT | TABLE_SHRINKS);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		table_column(&table, headers[i], TABLE_RIGHT);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_run *run = &page->analysis->runs[r];
		struct printable name = page->label[r];

		put_series(page, &table, name.s, &run->latency);
		for (uint32_t i = 0; i < run->n_groups; i++) {
			name = (struct printable){ "  " };
			printable_add(&name, "%s", model_page_text(page, run->groups[i].shape, 40).s);
			put_series(page, &table, name.s, &run->groups[i].latency);
		}
		put_series(page, &table, "  with waiting", &run->response);
	}
	table_print(&table, page->page.out);
	print_needed(page);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		print_remarks(page, r);
}

/* Phases by name, in the order of the first run that has any. */
static const struct model_result *with_phases(const struct model_page *page, const struct model_span *span)
{
	const struct model_result *found = NULL;

	for (uint32_t r = span->end; r-- > span->first;)
		if (page->report->results[r].n_phases)
			found = &page->report->results[r];
	return found;
}

static const struct model_phase *phase_of(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_phases; i++)
		if (!strcmp(result->phases[i].name, name))
			return &result->phases[i];
	return NULL;
}

static void put_share(struct table *table, double ns, double of_ns)
{
	if (ns < 0)
		table_cell(table, TABLE_DIM, "-");
	else if (of_ns > 0)
		table_cell(table, TABLE_PLAIN, "%s (%.0f %%)", units_duration(ns).s, 100 * ns / of_ns);
	else
		table_cell(table, TABLE_PLAIN, "%s", units_duration(ns).s);
}

static void put_phases(const struct model_page *page, struct table *table, const struct model_span *span,
		       const struct model_result *by)
{
	for (uint32_t i = 0; i < by->n_phases; i++) {
		table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, by->phases[i].name, 40).s);
		for (uint32_t r = span->first; r < span->end; r++) {
			const struct model_result *result = &page->report->results[r];
			const struct model_phase *phase = phase_of(result, by->phases[i].name);

			put_share(table, phase ? (double)phase->ns : -1, (double)result->creation_ns);
		}
	}
	table_cell(table, TABLE_DIM, "unattributed");
	for (uint32_t r = span->first; r < span->end; r++)
		put_share(table, (double)page->analysis->runs[r].creation_rest_ns,
			  (double)page->report->results[r].creation_ns);
	table_cell(table, TABLE_BOLD, "all of it");
	for (uint32_t r = span->first; r < span->end; r++)
		put_share(table, (double)page->report->results[r].creation_ns, -1);
}

void model_text_creation(const struct model_page *page)
{
	struct model_span span = { 0, 0 };
	bool has_heading = false;

	while (model_page_next(page, &span)) {
		const struct model_result *by = with_phases(page, &span);
		struct table table = page_table(&page->page);

		if (!by)
			continue;
		if (!has_heading)
			page_heading(&page->page, "Session creation");
		has_heading = true;
		table_column(&table, "", TABLE_LEFT);
		model_page_columns(page, &table, &span);
		put_phases(page, &table, &span, by);
		table_print(&table, page->page.out);
	}
}

static const struct model_step *step_of(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_steps; i++)
		if (!strcmp(result->steps[i].name, name))
			return &result->steps[i];
	return NULL;
}

static void put_steps(const struct model_page *page, struct table *table, const struct model_span *span,
		      const struct model_result *by)
{
	for (uint32_t i = 0; i < by->n_steps; i++) {
		table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, by->steps[i].name, 40).s);
		for (uint32_t r = span->first; r < span->end; r++) {
			const struct model_step *step = step_of(&page->report->results[r], by->steps[i].name);

			table_cell(table, TABLE_PLAIN, "%s",
				   step && step->rss_bytes >= 0 ? units_bytes((double)step->rss_bytes).s : "-");
		}
	}
	table_cell(table, TABLE_BOLD, "peak");
	for (uint32_t r = span->first; r < span->end; r++)
		table_cell(table, TABLE_BOLD, "%s",
			   page->report->results[r].peak_bytes < 0
			       ? "-"
			       : units_bytes((double)page->report->results[r].peak_bytes).s);
}

static void put_usage(const struct model_page *page, struct table *table, const struct model_span *span)
{
	table_cell(table, TABLE_PLAIN, "CPUs in use");
	for (uint32_t r = span->first; r < span->end; r++)
		table_cell(table, TABLE_PLAIN, "%s", units_decimal(page->analysis->runs[r].cores).s);
	table_cell(table, TABLE_PLAIN, "energy an inference");
	for (uint32_t r = span->first; r < span->end; r++) {
		const struct model_run *run = &page->analysis->runs[r];

		if (isfinite(run->energy_joules))
			table_cell(table, TABLE_PLAIN, "%s", model_metric(run->energy_joules * 1000, "mJ").s);
		else
			table_cell(table, TABLE_DIM, "not known");
	}
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What the energy is of, or why it is not known: once when it is the same of all runs. */
static void put_energy_words(const struct model_page *page)
{
	const struct model_result *results = page->report->results;
	uint32_t n = page->report->n_results, n_same = 0;

	while (n_same < n && is_same(results[n_same].energy_missing, results->energy_missing) &&
	       is_same(results[n_same].energy_scope, results->energy_scope))
		n_same++;
	for (uint32_t r = 0; r < (n_same == n ? 1 : n) && n; r++) {
		const char *of = n_same == n ? "" : page->label[r].s, *colon = *of ? ": " : "";

		if (results[r].energy_scope)
			page_text(&page->page, 2, TABLE_DIM, "%s%sEnergy is that of %s", of, colon,
				  model_page_text(page, results[r].energy_scope, 200).s);
		else if (results[r].energy_missing)
			page_text(&page->page, 2, TABLE_DIM, "%s%sEnergy is not known: %s", of, colon,
				  model_page_text(page, results[r].energy_missing, 400).s);
	}
}

void model_text_memory(const struct model_page *page)
{
	struct model_span span = { 0, 0 };

	page_heading(&page->page, "Memory after each step (resident), CPU and energy of the steady phase");
	while (model_page_next(page, &span)) {
		const struct model_result *by = NULL;
		struct table table = page_table(&page->page);
		const struct model_result none = { 0 };

		for (uint32_t r = span.end; r-- > span.first;)
			if (page->report->results[r].n_steps)
				by = &page->report->results[r];
		table_column(&table, "", TABLE_LEFT);
		model_page_columns(page, &table, &span);
		put_steps(page, &table, &span, by ? by : &none);
		put_usage(page, &table, &span);
		table_print(&table, page->page.out);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		const struct model_result *result = &page->report->results[r];

		for (uint32_t i = 0; i < result->n_counters; i++) {
			const struct model_counter *counter = &result->counters[i];

			page_text(&page->page, 2, TABLE_PLAIN, "%s: %s %s %s, %s at most", page->label[r].s,
				  model_page_text(page, counter->name, 40).s, units_decimal(counter->mean).s,
				  model_page_text(page, counter->unit, 10).s, units_decimal(counter->max).s);
		}
	}
	put_energy_words(page);
}

static void put_output(const struct model_page *page, struct table *table, uint32_t r,
		       const struct model_output *output)
{
	enum table_style style = output->is_equal ? TABLE_PLAIN : TABLE_RED;

	table_cell(table, TABLE_PLAIN, "%s", page->label[r].s);
	table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, output->name, 40).s);
	table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, page->report->results[r].against, 20).s);
	table_cell(table, style, "%s", output->problem ? "not compared" : output->is_equal ? "agrees" : "differs");
	if (output->problem) {
		table_cell(table, TABLE_PLAIN, "%s", model_page_text(page, output->problem, 60).s);
		table_cell(table, TABLE_PLAIN, "%s", "");
		table_cell(table, TABLE_PLAIN, "%s", "");
		return;
	}
	table_cell(table, style, "%s of %s",
		   output->n_different < 0 ? "-" : units_count((uint64_t)output->n_different).s,
		   output->n_elements < 0 ? "-" : units_count((uint64_t)output->n_elements).s);
	table_cell(table, TABLE_PLAIN, isfinite(output->max_abs) ? "%.3g" : "-", output->max_abs);
	table_cell(table, TABLE_PLAIN, isfinite(output->max_rel) ? "%.3g" : "-", output->max_rel);
}

void model_text_outputs(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	static const char *const headers[] = { "", "output", "against", "", "different", "absolute", "relative" };
	bool has_any = false;

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		table_column(&table, headers[i], i < 4 ? TABLE_LEFT | (i < 2 ? TABLE_SHRINKS : 0) : TABLE_RIGHT);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		for (uint32_t i = 0; i < page->report->results[r].n_outputs; i++) {
			put_output(page, &table, r, &page->report->results[r].outputs[i]);
			has_any = true;
		}
	}
	if (has_any)
		page_heading(&page->page, "Outputs, and their largest differences");
	table_print(&table, page->page.out);
}
