// SPDX-License-Identifier: Apache-2.0
/* What is missing from a recording, and what recording has cost. */
#include "analyze/remark/begin_words.h"
#include "analyze/remark/clock_words.h"
#include "analyze/remark/cost_words.h"
#include "analyze/remark/halt_words.h"
#include "analyze/remark/kept_words.h"
#include "show/html/html_model.h"
#include "show/words/merged_words.h"

enum { MAX_ROWS = 60, COLUMNS = 160 };

static struct printable name_of(const struct summary *summary, uint32_t id)
{
	return model_text(names_text(summary->names, id), COLUMNS, false);
}

static void put_cost(struct html_page *page)
{
	struct printable line[COST_LINES];
	uint32_t n = cost_words(page->summary, line);

	for (uint32_t i = 0; page->summary->cost.is_known && i < n; i++)
		html_paragraph(page, "%s.", line[i].s);
}

void html_losses(struct html_page *page, const struct report *report)
{
	const struct summary *summary = report->summary;
	struct table table = { 0 };

	html_section(page, "losses", "Losses and cost", "%s",
		     summary->n_losses			    ? "Events that were dropped, and are in no figure."
		     : !summary->recording.is_ours	    ? "Not known: inftrace did not write this file."
		     : report->is_running		    ? "None so far: it is still recording."
		     : summary->n_unseen || summary->n_left ? "Nothing was lost of what was seen."
		     : summary->cost.is_known && !summary->file.is_cut ? "Nothing was lost."
								       : "None recorded in the part that was saved.");
	table_column(&table, "lost", TABLE_RIGHT);
	table_column(&table, "where", TABLE_LEFT);
	for (uint32_t i = 0; i < summary->n_losses && i < MAX_ROWS; i++) {
		table_cell(&table, TABLE_RED, "%s", units_count(summary->losses[i].n).s);
		table_cell(&table, TABLE_PLAIN, "%s", name_of(summary, summary->losses[i].where).s);
	}
	html_table_of(page->out, "Lost events", &table);
	for (uint32_t i = 0; i < summary->n_processes && i < MAX_ROWS; i++)
		if (summary->processes[i].is_unseen)
			html_paragraph(page, "%d: %s.", summary->processes[i].pid,
				       name_of(summary, summary->processes[i].state).s);
	if (summary->n_left)
		html_paragraph(page, "%s that the program started went on, not recorded.",
			       printable_count(summary->n_left, "process").s);
	for (uint32_t i = 0; i < summary->n_runtimes && i < MAX_ROWS; i++)
		if (summary->runtimes[i].complete_from_ns)
			html_paragraph(page, "%s", begin_words(summary, &summary->runtimes[i], false).s);
	if (summary->kept.limit)
		html_paragraph(page, "%s", kept_words(summary, false).s);
	if (summary->thinned.n_left_out)
		html_paragraph(page, "%s", kept_words_of_operators(summary).s);
	for (uint32_t i = 0; i < summary->n_stops; i++)
		html_paragraph(page, "Recording%s%s stopped before the program ended: %s.",
			       summary->stops[i].source ? " of " : "",
			       summary->stops[i].source ? name_of(summary, summary->stops[i].source).s : "",
			       name_of(summary, summary->stops[i].reason).s);
	for (uint32_t i = 0; i < summary->n_merged; i++)
		html_paragraph(page, "File: %s.", merged_words(summary, i, false).s);
	for (uint32_t i = 0; i < summary->n_dumps && i < MAX_ROWS; i++)
		html_paragraph(page, "Dump: %s (%s).", name_of(summary, summary->dumps[i].path).s,
			       name_of(summary, summary->dumps[i].why).s);
	for (uint32_t i = 0; i < summary->n_halt_kinds && i < MAX_ROWS; i++)
		html_paragraph(page, "%s", halt_words_of_process(summary, &summary->halt_kinds[i]).s);
	for (uint32_t i = 0; i < summary->n_models && i < MAX_ROWS; i++)
		if (*halt_words_left_out(summary, &summary->models[i]).s)
			html_paragraph(page, "%s: %s.", name_of(summary, summary->models[i].name).s,
				       halt_words_left_out(summary, &summary->models[i]).s);
	for (uint32_t i = 0; i < summary->n_clock_changes && i < MAX_ROWS; i++)
		html_paragraph(page, "%s", clock_words(summary, &summary->clock_changes[i], false).s);
	put_cost(page);
	if (summary->file.is_cut)
		html_paragraph(page, "The file is cut off at byte %s of %s; this report covers the part before.",
			       units_count(summary->file.cut_at).s, units_count(summary->file.bytes).s);
	fputs("</section>\n", page->out);
}
