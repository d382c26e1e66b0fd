// SPDX-License-Identifier: Apache-2.0
/* The slowest inferences of a model, and why they were slow. */
#include "show/html/html_model.h"
#include "show/words/slow_words.h"

void html_slowest(struct html_page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_model *model = &summary->models[page->model];
	const struct summary_slow *slow = summary->slowest + model->slowest.first;
	struct table table = { 0 };
	double p50_ns = (double)model->runs.latency.p50_ns;

	if (model->runs.latency.n < 3 || !slow_are_any(summary, model))
		return;
	html_section(page, "slowest", "The slowest inferences", "What each had more than is usual of those like it.");
	table_column(&table, "latency", TABLE_RIGHT);
	table_column(&table, "by the median", TABLE_RIGHT);
	table_column(&table, "at", TABLE_RIGHT);
	if (model->n_processes > 1)
		table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "number", TABLE_RIGHT);
	table_column(&table, "why", TABLE_LEFT);
	for (uint32_t i = 0; i < model->slowest.n; i++) {
		uint64_t begin_ns = summary->recording.begin_ns;

		if (!slow_is_slow(model, &slow[i]))
			continue;
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)slow[i].duration_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s x",
			   units_decimal(p50_ns > 0 ? (double)slow[i].duration_ns / p50_ns : NAN).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   slow[i].begin_ns < begin_ns ? "-" : units_duration((double)(slow[i].begin_ns - begin_ns)).s);
		if (slow_is_of_several(summary, model, &slow[i]))
			table_cell(&table, TABLE_PLAIN, "%d", (int)summary->processes[slow[i].process].pid);
		else if (model->n_processes > 1)
			table_cell(&table, TABLE_PLAIN, "-");
		table_cell(&table, TABLE_PLAIN, "%s", slow[i].id > 0 ? units_count((uint64_t)slow[i].id).s : "-");
		table_cell(&table, TABLE_PLAIN, "%s", slow_words(summary, &slow[i], false).s);
	}
	html_table_of(page->out, "The slowest inferences, and why", &table);
	fputs("</section>\n", page->out);
}
