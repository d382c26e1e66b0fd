// SPDX-License-Identifier: Apache-2.0
/* Rows of generations that were measured: first tokens and tokens by the length of the prompt; weights read for them.
 */
#include <math.h>
#include <string.h>

#include "show/words/model/model_rows.h"

bool model_has_generations(const struct model_run *run)
{
	return run->result->n_tokens > 0 && run->first_token.n > 0;
}

static void put_series(struct table *table, const struct model_view *view, const struct stats_series *series)
{
	table_cell(table, TABLE_BOLD, "%s", units_interval(series->mean_ns, series->interval_ns, view->is_ascii).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration(series->percentile[0].ns).s);
	if (isnan(series->percentile[3].ns))
		table_cell(table, TABLE_DIM, "?");
	else
		table_cell(table, TABLE_PLAIN, "%s", units_duration(series->percentile[3].ns).s);
}

/* Of all sequences of a batch. */
static double n_sequences(const struct model_run *run)
{
	return run->result->n_items > 0 ? (double)run->result->n_items : 1;
}

static void put_group(struct table *table, const struct model_view *view, uint32_t r, uint32_t i)
{
	const struct model_run *run = &view->analysis->runs[r];
	const struct model_group *group = &run->groups[i];
	double prompt = (double)run->result->prompts[i] * n_sequences(run);

	table_cell(table, TABLE_BOLD, "%s", i ? "" : view->label[r].s);
	table_cell(table, TABLE_PLAIN, "%lld", (long long)run->result->prompts[i]);
	table_cell(table, TABLE_PLAIN, "%s", units_count(group->first_token.n).s);
	put_series(table, view, &group->first_token);
	if (view->is_roomy)
		table_cell(table, TABLE_PLAIN, "%s", units_rate(prompt * 1e9 / group->first_token.mean_ns).s);
	put_series(table, view, &group->latency);
	table_cell(table, TABLE_PLAIN, "%s", units_rate(n_sequences(run) * 1e9 / group->latency.mean_ns).s);
}

void model_rows_generations(struct table *table, const struct model_view *view)
{
	const char *first = view->is_ascii ? "first token +- 95 %" : "first token \302\261 95 %";
	const char *token = view->is_ascii ? "token +- 95 %" : "token \302\261 95 %";

	table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(table, "prompt", TABLE_RIGHT);
	table_column(table, "count", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(table, first, TABLE_RIGHT);
	table_column(table, "p50", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(table, "p99", TABLE_RIGHT);
	if (view->is_roomy)
		table_column(table, "prompt tokens", TABLE_RIGHT);
	table_column(table, token, TABLE_RIGHT);
	table_column(table, "p50", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(table, "p99", TABLE_RIGHT);
	table_column(table, "tokens", TABLE_RIGHT);
	for (uint32_t r = 0; r < view->analysis->report->n_results; r++)
		for (uint32_t i = 0; i < view->analysis->runs[r].n_groups && view->analysis->runs[r].result->n_tokens;
		     i++)
			if (view->analysis->runs[r].groups[i].first_token.n)
				put_group(table, view, r, i);
}

struct printable model_weights_words(const struct model_view *view, uint32_t r)
{
	const struct model_report *report = view->analysis->report;
	const struct model_run *run = &view->analysis->runs[r];
	struct printable to = { "" };

	if (!(run->weights_per_s > 0))
		return to;
	if (report->n_results > 1)
		printable_add(&to, "%s: ", view->label[r].s);
	printable_add(&to, "%s step reads %s of weights, ", report->n_results > 1 ? "each" : "Each",
		      units_metric((double)model_facts_of(report, r)->read_bytes, "B").s);
	printable_add(&to, "%s", units_metric(run->weights_per_s, "B/s").s);
	if (!(run->weights_share > 0))
		return to;
	if (run->weights_share > 1)
		printable_add(&to, ": more than memory reaches (%s), so part of them stays in caches",
			      units_metric(report->machine.peak.bytes.high, "B/s").s);
	else
		printable_add(&to, ": %s of what memory reaches", units_percent(run->weights_share).s);
	return to;
}
