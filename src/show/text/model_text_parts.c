// SPDX-License-Identifier: Apache-2.0
/* Latencies, session creation, memory and outputs of a model's runs, as text. */
#include <string.h>

#include "show/text/page.h"

/* "[▁▃█▂ ]": a bar for each bin; the last is what lies beyond. */
static struct printable sparkline(const struct model_page *page, const struct stats_histogram *histogram)
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

static void print_remarks(const struct model_page *page, uint32_t r)
{
	const struct stats_series *series = &page->analysis->runs[r].latency;
	const struct stats_histogram *histogram = &series->histogram;

	if (series->n < 20)
		return;
	fprintf(page->page.out, "  %s: %s [%s]%s%s", model_page_text(page, page->report->results[r].label, 40).s,
		units_duration(histogram->edge[0]).s, sparkline(page, histogram).s, " ",
		units_duration(histogram->edge[histogram->n]).s);
	if (histogram->n_above)
		fprintf(page->page.out, ", %s beyond", units_count(histogram->n_above).s);
	fputc('\n', page->page.out);
	if (page->analysis->runs[r].n_rounds > 1)
		page_text(&page->page, 6, TABLE_DIM, "means of its %u processes: %s to %s",
			  page->analysis->runs[r].n_rounds, units_duration(page->analysis->runs[r].round_low_ns).s,
			  units_duration(page->analysis->runs[r].round_high_ns).s);
	page_text(&page->page, 6, TABLE_DIM, "%s; the series is worth %s independent values%s",
		  model_drift_words(series->drift), units_count((uint64_t)series->n_effective).s,
		  series->is_short ? ", so few that the interval is only a guess" : "");
	if (page->report->results[r].warmup_words)
		page_text(&page->page, 6, TABLE_DIM, "warm-up: %s",
			  model_page_text(page, page->report->results[r].warmup_words, 200).s);
}

/* Which percentiles are not known, and how many inferences they would need. */
static void print_needed(const struct model_page *page)
{
	bool is_shown[STATS_N_PERCENTILES] = { false };

	for (uint32_t r = 0; r < page->report->n_results; r++)
		for (int i = 0; i < STATS_N_PERCENTILES; i++)
			is_shown[i] |= page->analysis->runs[r].latency.n &&
				       isnan(page->analysis->runs[r].latency.percentile[i].ns);
	for (int i = 0; i < STATS_N_PERCENTILES; i++) {
		const struct stats_quantile *own = &page->analysis->runs[0].latency.percentile[i];

		if (is_shown[i] && own->n_needed)
			page_text(&page->page, 2, TABLE_DIM, "?: %s needs %s %ss.", own->name,
				  units_count(own->n_needed).s,
				  strcmp(model_per(page->analysis), "token") ? "inference" : "token");
	}
}

/* What was to be measured and was not. */
static void print_missing(const struct model_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];

	if (result->ended_early)
		page_text(&page->page, 2, TABLE_PLAIN, "%s: ended early: %s.",
			  model_page_text(page, result->label, 40).s, result->ended_early);
	if (result->n_unserved > 0)
		page_text(
		    &page->page, 2, TABLE_PLAIN,
		    "%s: %s could not be served in time and are in no figure; waiting was longer than these figures "
		    "show.",
		    model_page_text(page, result->label, 40).s,
		    printable_count((uint64_t)result->n_unserved, "request").s);
}

void model_text_generations(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);

	if (!model_view_has(&view, model_has_generations))
		return;
	page_heading(&page->page, "Generations of %lld tokens", (long long)page->report->results[0].n_tokens);
	model_rows_generations(&table, &view);
	table_print(&table, page->page.out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable words = model_weights_words(&view, r);

		if (*words.s)
			page_text(&page->page, 2, TABLE_DIM, "%s.", words.s);
	}
}

void model_text_latencies(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);

	page_heading(&page->page, "%s",
		     strcmp(model_per(page->analysis), "token")
			 ? "Latency of an inference, without the first one and the warm-up"
			 : "Time between tokens, without the warm-up");
	model_rows_latency(&table, &view);
	table_print(&table, page->page.out);
	print_needed(page);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		print_missing(page, r);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		print_remarks(page, r);
}

void model_text_creation(const struct model_page *page)
{
	struct model_view view = model_page_view(page);
	bool has_heading = false;

	for (view.end = 0; model_page_next(&view);) {
		struct table table = page_table(&page->page);

		if (!model_view_has(&view, model_has_phases))
			continue;
		if (!has_heading)
			page_heading(&page->page, "Session creation");
		has_heading = true;
		model_rows_creation(&table, &view);
		table_print(&table, page->page.out);
	}
}

void model_text_memory(const struct model_page *page)
{
	struct model_view view = model_page_view(page);

	page_heading(&page->page, "Memory after each step (resident), CPU and energy of the steady phase");
	for (view.end = 0; model_page_next(&view);) {
		struct table table = page_table(&page->page);

		model_rows_memory(&table, &view);
		table_print(&table, page->page.out);
	}
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable words = model_energy_words(page->analysis, r, page->page.opts.is_ascii);

		if (*words.s)
			page_text(&page->page, 2, TABLE_DIM, "%s.", words.s);
	}
}

/* What each device is, the first time that it is met. */
static void print_device(const struct model_page *page, uint32_t r, uint32_t i)
{
	const struct model_device *device = &page->report->results[r].devices[i];

	for (uint32_t before = 0; before < r; before++)
		for (uint32_t k = 0; k < page->report->results[before].n_devices; k++)
			if (!strcmp(page->report->results[before].devices[k].name, device->name))
				return;
	if (device->description)
		page_text(&page->page, 2, TABLE_DIM, "%s: %s", model_page_text(page, device->name, 24).s,
			  model_page_text(page, device->description, 100).s);
}

void model_text_devices(const struct model_page *page)
{
	struct model_view view = model_page_view(page);
	struct table table = page_table(&page->page);

	model_rows_devices(&table, &view);
	if (table_n_rows(&table))
		page_heading(&page->page, "GPUs and NPUs in the steady phase");
	table_print(&table, page->page.out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		for (uint32_t i = 0; i < page->report->results[r].n_devices; i++) {
			const struct model_device *device = &page->report->results[r].devices[i];
			struct printable words = model_device_words(&view, r, device);

			print_device(page, r, i);
			if (*words.s)
				page_text(&page->page, 2, TABLE_DIM, "%s.", words.s);
		}
		if (page->report->results[r].devices_missing)
			page_text(&page->page, 2, TABLE_DIM, "%s.", model_devices_missing(&view, r).s);
	}
}

void model_text_outputs(const struct model_page *page)
{
	struct table table = page_table(&page->page);
	struct model_view view = model_page_view(page);

	bool has_words = false, is_ascii = page->page.opts.is_ascii;

	model_rows_outputs(&table, &view);
	for (uint32_t r = 0; r < page->report->n_results; r++)
		has_words |= page->report->results[r].outputs_missing != NULL;
	if (table_n_rows(&table) || has_words)
		page_heading(&page->page, "Outputs, and their largest differences");
	table_print(&table, page->page.out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		struct printable missing = model_outputs_missing(page->report, r, is_ascii);

		for (uint32_t i = 0; i < page->report->results[r].n_outputs; i++) {
			struct printable tolerance = model_tolerance(page->report, r, i, is_ascii);

			if (*tolerance.s)
				page_text(&page->page, 2, TABLE_DIM, "%s.", tolerance.s);
		}
		if (*missing.s)
			page_text(&page->page, 2, TABLE_DIM, "%s.", missing.s);
	}
}
