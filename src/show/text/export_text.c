// SPDX-License-Identifier: Apache-2.0
/* The report for people: the verdict, then what was recorded, then section by section. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/insight/insight.h"
#include "show/text/page.h"
#include "show/words/merged_words.h"
#include "show/words/quota_words.h"
#include "show/words/time_words.h"

enum { WIDTH = 96 };

static void print_verdict(const struct page *page)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	export_verdict(memory, page->report, page->opts.is_ascii);
	fclose(memory);
	if (text && *text) {
		*text = (char)toupper((unsigned char)*text);
		page_text(page, 0, TABLE_BOLD, "%s.", text);
	}
	free(text);
}

static void put_fact(struct table *table, const char *name, const char *value)
{
	table_cell(table, TABLE_DIM, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", value);
}

static void put_times(const struct page *page, struct table *table)
{
	const struct summary_recording *recording = &page->summary->recording;
	double ns = recording->begin_ns <= recording->end_ns ? (double)(recording->end_ns - recording->begin_ns) : NAN;
	struct printable text = { "" };
	char date[64];
	time_t start = (time_t)(recording->start_realtime_ns / 1000000000);
	struct tm utc;

	if (recording->start_realtime_ns >= 0 && gmtime_r(&start, &utc) &&
	    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC, ", &utc))
		printable_add(&text, "%s", date);
	if (isfinite(ns))
		printable_add(&text, "%s long", units_duration(ns).s);
	if (!*text.s)
		return;
	put_fact(table, "recorded", text.s);
}

static void put_level(const struct page *page, struct table *table)
{
	const struct summary_recording *recording = &page->summary->recording;
	struct printable text;

	if (!recording->level)
		return;
	text = page_name(page, recording->level, 40);
	if (recording->interval_ns > 0)
		printable_add(&text, "; CPU and memory every %s", units_duration((double)recording->interval_ns).s);
	if (recording->version)
		printable_add(&text, "; by inftrace %s", page_name(page, recording->version, 30).s);
	put_fact(table, "level", text.s);
}

static void put_time(const struct page *page, struct table *table)
{
	struct printable text = time_sum(page->summary), gaps = time_gaps(page->summary), line[TIME_CALLERS];
	uint32_t n = time_callers(page->summary, page->opts.is_ascii, line);

	if (*text.s)
		put_fact(table, "time", text.s);
	if (*gaps.s)
		put_fact(table, "gaps", gaps.s);
	for (uint32_t i = 0; i < n; i++)
		put_fact(table, i ? "" : "threads", line[i].s);
}

static void put_merged(const struct page *page, struct table *table)
{
	for (uint32_t i = 0; i < page->summary->n_merged; i++)
		put_fact(table, i ? "" : "merged", merged_words(page->summary, i, page->opts.is_ascii).s);
}

static void print_head(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_file *file = &summary->file;
	const struct store_counts *counts = &summary->counts;
	struct table table = page_table(page);
	struct printable text;

	table.indent = 0;
	table_column(&table, NULL, TABLE_LEFT);
	table_column(&table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	if (summary->recording.command)
		put_fact(&table, "command", page_name(page, summary->recording.command, 400).s);
	put_times(page, &table);
	text = report_range(summary);
	if (*text.s)
		put_fact(&table, "range", text.s);
	put_level(page, &table);
	put_time(page, &table);
	if (summary->recording.machine)
		put_fact(&table, "machine", page_name(page, summary->recording.machine, 200).s);
	text = quota_words(summary, page->opts.is_ascii);
	if (*text.s)
		put_fact(&table, "quota", text.s);
	if (file->path) {
		text = printable_text(file->path, strlen(file->path), 60, page->opts.is_ascii);
		printable_add(&text, " (%s, %s", units_bytes((double)file->bytes).s,
			      printable_count(counts->n_slices, "slice").s);
		printable_add(&text, ", %s)", printable_count(counts->n_samples, "sample").s);
		put_fact(&table, "file", text.s);
	}
	put_merged(page, &table);
	if (summary->recording.clock_error_ns >= 0) {
		text = page_name(page, summary->recording.clock_source, 40);
		printable_add(&text, ", off by %s at most",
			      units_duration((double)summary->recording.clock_error_ns).s);
		put_fact(&table, "clock", text.s);
	}
	fputc('\n', page->out);
	table_print(&table, page->out);
}

static void print_findings(const struct page *page)
{
	bool has_heading = false;

	for (uint32_t i = 0; i < page->summary->n_models; i++) {
		const struct model_analysis *own = &page->analysis[i];

		for (uint32_t k = 0; page_shows(page, i) && k < own->n_findings; k++) {
			struct insight_words words = insight_words_of(own, &own->findings[k], page->opts.is_ascii);

			if (!has_heading)
				page_heading(page, "%s", page_advice(page));
			has_heading = true;
			page_text(page, 2,
				  own->findings[k].insight->severity == INSIGHT_ADVICE ? TABLE_BOLD : TABLE_RED,
				  "%s: %s", page_model(page, i, 60).s, words.finding.s);
			page_text(page, 6, TABLE_PLAIN, "%s", words.evidence.s);
			if (*words.next.s)
				page_text(page, 6, TABLE_DIM, "%s %s", page->opts.is_ascii ? "->" : "\342\206\222",
					  words.next.s);
		}
	}
}

static void print_all(const struct page *page)
{
	print_head(page);
	text_processes(page);
	text_models(page);
	print_findings(page);
	for (uint32_t i = 0; i < page->summary->n_models; i++) {
		if (!page_shows(page, i))
			continue;
		text_sessions(page, i);
		text_inferences(page, i);
		text_operators(page, i);
	}
	text_outside(page);
	text_operators_alone(page);
	text_elsewhere(page);
	text_kernels(page);
	text_cycles(page);
	text_named(page);
	text_memory(page);
	text_resources(page);
	text_losses(page);
}

void export_text(FILE *out, const struct report *report, const struct report_look *look)
{
	struct page page = { out, report->summary, report->summary->names, *look, report, report->analysis };

	if (!page.opts.width)
		page.opts.width = WIDTH;
	print_verdict(&page);
	if (look->is_all)
		print_all(&page);
	else
		text_brief(&page);
}
