// SPDX-License-Identifier: Apache-2.0
/* The time in which no inference ran: gaps between inferences by their length, and the longest of them. */
#include "show/html/html_model.h"

static struct printable length_words(int kind)
{
	struct printable text = { "" };

	if (kind + 1 < SUMMARY_GAP_KINDS)
		printable_add(&text, "shorter than %s", units_duration((double)summary_gap_limit_ns(kind)).s);
	else
		printable_add(&text, "%s and longer", units_duration((double)summary_gap_limit_ns(kind - 1)).s);
	return text;
}

static void put_row(struct table *table, const char *name, uint64_t n, uint64_t ns, uint64_t creating_ns,
		    uint64_t wall_ns)
{
	table_cell(table, TABLE_PLAIN, "%s", name);
	if (n)
		table_cell(table, TABLE_PLAIN, "%s", units_count(n).s);
	else
		table_cell(table, TABLE_PLAIN, "%s", "");
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent((double)ns / (double)wall_ns).s);
	if (creating_ns)
		table_cell(table, TABLE_PLAIN, "%s", units_duration((double)creating_ns).s);
	else
		table_cell(table, TABLE_PLAIN, "%s", n ? "-" : "");
}

static void put_breakdown(struct html_page *page, uint64_t wall_ns)
{
	const struct summary *summary = page->summary;
	const struct summary_gaps *gaps = &summary->gaps;
	uint64_t known_ns = summary->busy_ns + gaps->total_ns;
	struct table table = { 0 };

	table_column(&table, "", TABLE_LEFT);
	table_column(&table, "gaps", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "share", TABLE_LEFT | TABLE_SHARE);
	table_column(&table, "creating sessions", TABLE_RIGHT);
	put_row(&table, "an inference ran", 0, summary->busy_ns, 0, wall_ns);
	for (int kind = 0; kind < SUMMARY_GAP_KINDS; kind++)
		if (gaps->kind[kind].n)
			put_row(&table, length_words(kind).s, gaps->kind[kind].n, gaps->kind[kind].total_ns,
				gaps->kind[kind].creating_ns, wall_ns);
	if (wall_ns > known_ns)
		put_row(&table, "before the first and after the last", 0, wall_ns - known_ns, 0, wall_ns);
	html_table_of(page->out, "What the time was, by the length of gaps", &table);
}

static void put_longest(struct html_page *page)
{
	const struct summary *summary = page->summary;
	struct table table = { 0 };

	table_column(&table, "gap", TABLE_RIGHT);
	table_column(&table, "at", TABLE_RIGHT);
	table_column(&table, "creating sessions", TABLE_RIGHT);
	for (uint32_t i = 0; i < SUMMARY_LONGEST_GAPS && summary->gaps.longest[i].end_ns; i++) {
		const struct summary_gap *gap = &summary->gaps.longest[i];

		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)(gap->end_ns - gap->begin_ns)).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   units_duration((double)(gap->begin_ns - summary->recording.begin_ns)).s);
		if (gap->creating_ns)
			table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)gap->creating_ns).s);
		else
			table_cell(&table, TABLE_PLAIN, "-");
	}
	html_table_of(page->out, "The longest gaps", &table);
}

static bool has_gaps(const struct html_page *page)
{
	const struct summary *summary = page->summary;

	return summary->gaps.n && summary->recording.end_ns > summary->recording.begin_ns &&
	       !summary->recording.has_no_begins;
}

void html_gaps(struct html_page *page)
{
	const struct summary_recording *recording = &page->summary->recording;

	if (!has_gaps(page))
		return;
	html_section(page, "gaps", "Idle time and gaps",
		     "From the end of the last inference that ran to the start of the next one, in any process.");
	put_breakdown(page, recording->end_ns - recording->begin_ns);
	put_longest(page);
	fputs("</section>\n", page->out);
}
