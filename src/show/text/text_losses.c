// SPDX-License-Identifier: Apache-2.0
/* What is missing from the recording, and what recording has cost. */
#include "analyze/remark/begin_words.h"
#include "analyze/remark/clock_words.h"
#include "analyze/remark/cost_words.h"
#include "analyze/remark/halt_words.h"
#include "analyze/remark/kept_words.h"
#include "show/text/page.h"

enum { MAX_BEGINS = 4, MAX_HALTED = 4 };

static void print_lost(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);

	table_column(&table, "lost", TABLE_RIGHT);
	table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "where", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "first seen", TABLE_RIGHT);
	table_column(&table, "last seen", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_losses; i++) {
		const struct summary_loss *loss = &summary->losses[i];

		table_cell(&table, TABLE_RED, "%s", units_count(loss->n).s);
		if (loss->process == SUMMARY_NONE)
			table_cell(&table, TABLE_PLAIN, "-");
		else
			table_cell(&table, TABLE_PLAIN, "%d", summary->processes[loss->process].pid);
		table_cell(&table, TABLE_PLAIN, "%s", page_name(page, loss->where, 120).s);
		table_cell(&table, TABLE_PLAIN, "%s", page_offset(page, loss->first_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", page_offset(page, loss->last_ns).s);
	}
	table_print(&table, page->out);
}

/* Whose inferences are missing, and why. */
static void print_unseen(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_processes; i++)
		if (summary->processes[i].is_unseen)
			page_text(page, 2, TABLE_RED, "%d: %s", summary->processes[i].pid,
				  page_name(page, summary->processes[i].state, 300).s);
	if (summary->n_left)
		page_text(
		    page, 2, TABLE_RED,
		    "%s that the program started went on, not recorded. inftrace record --wait records them, too.",
		    printable_count(summary->n_left, "process").s);
}

static void print_open(const struct page *page)
{
	struct printable list = { "" };

	for (int kind = 0; kind < N_KINDS; kind++)
		if (page->summary->n_open[kind])
			printable_add(&list, "%s%s", *list.s ? ", " : "",
				      printable_count(page->summary->n_open[kind],
						      kind == KIND_NONE ? "other slice" : event_kind_name(kind))
					  .s);
	if (*list.s)
		page_text(page, 2, TABLE_PLAIN,
			  page->report->is_running ? "Still running: %s."
						   : "Still open when recording stopped: %s (left open).",
			  list.s);
}

static void print_left_out(const struct page *page)
{
	if (page->summary->n_sampled_out)
		page_text(page, 2, TABLE_PLAIN, "Not recorded: %s, as --sample or --rate says.",
			  printable_count(page->summary->n_sampled_out, "inference").s);
	for (uint32_t i = 0; i < page->summary->n_left_out; i++) {
		const struct summary_left_out *left_out = &page->summary->left_out[i];

		struct printable of = { "" };

		if (left_out->process != SUMMARY_NONE && page->summary->n_processes > 1)
			printable_add(&of, " of %d", page->summary->processes[left_out->process].pid);
		page_text(page, 2, TABLE_PLAIN, "Not recorded%s: %s %s.", of.s, units_count(left_out->n).s,
			  page_name(page, left_out->what, 120).s);
	}
}

/* From when on runtimes are recorded into which the agent came later. */
static void print_begins(const struct page *page)
{
	const uint32_t n_most = page->opts.is_all ? UINT32_MAX : MAX_BEGINS;
	uint32_t n = 0;

	for (uint32_t i = 0; i < page->summary->n_runtimes; i++) {
		const struct summary_runtime *runtime = &page->summary->runtimes[i];

		if (runtime->complete_from_ns && n++ < n_most)
			page_text(page, 2, TABLE_PLAIN, "%s",
				  begin_words(page->summary, runtime, page->opts.is_ascii).s);
	}
	if (n > n_most)
		page_text(page, 2, TABLE_PLAIN, "%s more: --all.", units_count(n - n_most).s);
}

static void print_stops(const struct page *page)
{
	for (uint32_t i = 0; i < page->summary->n_stops; i++) {
		const struct summary_stop *stop = &page->summary->stops[i];
		struct printable of = { "" };

		if (stop->source)
			printable_add(&of, " of %s", page_name(page, stop->source, 48).s);
		page_text(page, 2, TABLE_PLAIN, "Recording%s stopped at %s: %s", of.s,
			  page_offset(page, stop->time_ns).s, page_name(page, stop->reason, 240).s);
	}
	for (uint32_t i = 0; i < page->summary->n_unreadable; i++)
		page_text(page, 2, TABLE_PLAIN, "Cannot read %s: %s",
			  page_name(page, page->summary->unreadable[i].path, 60).s,
			  page_name(page, page->summary->unreadable[i].reason, 120).s);
}

static void print_dumps(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_dumps; i++)
		page_text(page, 2, TABLE_PLAIN, "Dump at %s: %s (%s)", page_offset(page, summary->dumps[i].time_ns).s,
			  page_name(page, summary->dumps[i].path, 200).s,
			  page_name(page, summary->dumps[i].why, 120).s);
	if (summary->n_dumps_skipped)
		page_text(page, 2, TABLE_PLAIN,
			  "%s more were asked for and not made: one was in progress, or there were too many.",
			  printable_count(summary->n_dumps_skipped, "dump").s);
}

/* By the reader of the file, and by its writer. */
static uint64_t n_moved(const struct summary *summary)
{
	return summary->file.n_late + (summary->cost.moved > 0 ? (uint64_t)summary->cost.moved : 0);
}

static void print_clocks(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (uint32_t i = 0; i < summary->n_halt_kinds && (i < MAX_HALTED || page->opts.is_all); i++)
		page_text(page, 2, TABLE_PLAIN, "%s", halt_words_of_process(summary, &summary->halt_kinds[i]).s);

	for (uint32_t i = 0; i < summary->n_clock_changes; i++)
		page_text(page, 2, TABLE_PLAIN, "%s",
			  clock_words(summary, &summary->clock_changes[i], page->opts.is_ascii).s);
	if (summary->recording.clock_jumps > (int64_t)summary->n_clock_changes)
		page_text(page, 2, TABLE_RED, "The processor's counter jumped %s times in all.",
			  units_count((uint64_t)summary->recording.clock_jumps).s);
}

static void print_broken(const struct page *page)
{
	const struct store_counts *counts = &page->summary->counts;
	const struct {
		uint64_t n;
		const char *what;
	} broken[] = {
		{ counts->n_disordered, "events are earlier than the one before them, and were left out" },
		{ counts->n_unmatched, "ends have no begin (recording started in the middle, or the begin was lost)" },
		{ counts->n_untracked, "events are on a track that the file does not define" },
		{ counts->n_too_deep, "slices are nested too deeply, and were left out" },
		{ counts->n_args_cut, "arguments exceed what an event may have" },
		{ n_moved(page->summary), "events came late, and were moved behind the one before them" },
	};

	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		if (broken[i].n)
			page_text(page, 2, TABLE_RED, "%s %s.", units_count(broken[i].n).s, broken[i].what);
}

static void print_cost(const struct page *page)
{
	const struct summary_cost *cost = &page->summary->cost;
	struct printable line[COST_LINES];
	uint32_t n = cost_words(page->summary, line);

	page_heading(page, "Cost of recording");
	for (uint32_t i = 0; i < n; i++)
		page_text(page, 2, TABLE_PLAIN, "%s", line[i].s);
	if (cost->lost >= 0 && (uint64_t)cost->lost != page->summary->n_lost && !page->summary->kept.limit)
		page_text(page, 2, TABLE_RED,
			  "The recorder counted %s lost, but this file lists %s: a part of the file is missing.",
			  printable_count((uint64_t)cost->lost, "event").s, units_count(page->summary->n_lost).s);
}

/* Is there more to say than that nothing was lost? */
static bool is_remarkable(const struct summary *summary, bool is_complete)
{
	const struct store_counts *counts = &summary->counts;
	uint64_t n = summary->n_losses + summary->n_left_out + summary->n_unseen + summary->n_left + summary->n_stops +
		     summary->n_unreadable + summary->n_clock_changes + n_moved(summary) + counts->n_disordered +
		     counts->n_unmatched + counts->n_untracked + counts->n_too_deep + counts->n_args_cut +
		     summary->n_dumps + summary->n_dumps_skipped + (summary->kept.limit != 0) +
		     summary->thinned.n_left_out + begin_words_count(summary);

	for (int kind = 0; kind < N_KINDS; kind++)
		n += summary->n_open[kind];
	return n || (summary->recording.is_ours && !is_complete) || summary->file.is_cut;
}

void text_losses(const struct page *page)
{
	const struct summary *summary = page->summary;
	bool is_complete = summary->recording.is_ours && summary->cost.is_known && !summary->file.is_cut;

	if (!page->opts.is_all && !is_remarkable(summary, is_complete))
		return;
	page_heading(page, "Losses");
	if (summary->n_losses)
		print_lost(page);
	else if (summary->recording.is_ours && (summary->n_unseen || summary->n_left))
		page_text(page, 2, TABLE_PLAIN, "Nothing was lost of what was seen.");
	else if (summary->recording.is_ours)
		page_text(page, 2, TABLE_PLAIN,
			  is_complete ? "Nothing was lost." : "No losses recorded in the part that was saved.");
	else
		page_text(page, 2, TABLE_DIM, "Not known: inftrace did not write this file.");
	if (summary->file.is_cut)
		page_text(page, 2, TABLE_RED,
			  "The file is cut off at byte %s of %s; this report covers the part before.",
			  units_count(summary->file.cut_at).s, units_count(summary->file.bytes).s);
	else if (summary->recording.is_ours && !is_complete)
		page_text(page, 2, TABLE_RED,
			  page->report->is_running
			      ? "Still recording: this report covers what has been written so far."
			      : "The recorder was ended before it finished the file; the last moments may be missing.");
	if (summary->kept.limit)
		page_text(page, 2, TABLE_PLAIN, "%s", kept_words(summary, page->opts.is_ascii).s);
	if (summary->thinned.n_left_out)
		page_text(page, 2, TABLE_PLAIN, "%s", kept_words_of_operators(summary).s);
	print_unseen(page);
	print_left_out(page);
	print_begins(page);
	print_stops(page);
	print_dumps(page);
	print_clocks(page);
	print_open(page);
	print_broken(page);
	if (summary->cost.is_known && page->opts.is_all)
		print_cost(page);
}
