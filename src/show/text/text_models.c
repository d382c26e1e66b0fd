// SPDX-License-Identifier: Apache-2.0
/* All models of a recording side by side, when there are several. */
#include "show/text/page.h"

enum { MAX_ROWS = 30 };

static void put_model(const struct page *page, struct table *table, uint32_t index, uint64_t wall_ns)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_creation *creation = &model->creation;
	const struct summary_spread *latency = &model->runs.latency;

	table_cell(table, TABLE_PLAIN, "%s", page_model(page, index, 80).s);
	table_cell(table, creation->n_failed ? TABLE_RED : TABLE_PLAIN, "%s", units_count(creation->n).s);
	table_cell(table, TABLE_PLAIN, "%s", creation->duration.n ? units_duration(creation->duration.mean_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", units_count(model->runs.n).s);
	table_cell(table, model->runs.n_failed ? TABLE_RED : TABLE_PLAIN, "%s", units_count(model->runs.n_failed).s);
	table_cell(table, TABLE_PLAIN, "%s",
		   units_percent(wall_ns ? (double)summary_runs_ns(&model->runs) / (double)wall_ns : NAN).s);
	table_cell(table, TABLE_PLAIN, "%s", units_rate(model->runs.rate).s);
	table_cell(table, TABLE_PLAIN, "%s", latency->n ? units_duration((double)latency->p50_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", latency->n ? units_duration((double)latency->p99_ns).s : "-");
}

void text_models(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint32_t n = page->opts.is_all || summary->n_models <= MAX_ROWS ? summary->n_models : MAX_ROWS;
	uint64_t wall_ns = 0, n_failed = 0;

	if (summary->n_models < 2)
		return;
	for (uint32_t i = 0; i < summary->n_models; i++) {
		wall_ns += summary_runs_ns(&summary->models[i].runs);
		n_failed += summary->models[i].runs.n_failed;
	}
	page_heading(page, "Models");
	table_column(&table, "model", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(&table, "sessions", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "created in", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "failed", n_failed ? TABLE_RIGHT : TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "rate", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "p50", TABLE_RIGHT);
	table_column(&table, "p99", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++)
		if (page_shows(page, i))
			put_model(page, &table, i, wall_ns);
	table_print(&table, page->out);
	if (n < summary->n_models)
		page_text(page, 2, TABLE_DIM, "and %s more (--all shows them)",
			  printable_count(summary->n_models - n, "model").s);
}
