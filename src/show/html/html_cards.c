// SPDX-License-Identifier: Apache-2.0
/* What stands above the sections: the answer, figures that stand out, findings; and facts, below. */
#include <stdlib.h>
#include <time.h>

#include "show/html/html_model.h"

enum { OPEN_CARDS = 6 }; /* of more, those that matter less are folded */

static const char *const severities[] = { [INSIGHT_WRONG] = "bad", [INSIGHT_DOUBT] = "doubt", [INSIGHT_ADVICE] = "" };

void html_fact(struct html_page *page, const char *name, const struct printable *value)
{
	if (!*value->s)
		return;
	fputs("<dt>", page->out);
	html_words(page->out, "%s", name);
	fputs("</dt><dd>", page->out);
	html_words(page->out, "%s", value->s);
	fputs("</dd>\n", page->out);
}

struct printable html_date(int64_t realtime_ns)
{
	time_t start = (time_t)(realtime_ns / 1000000000);
	struct printable text = { "" };
	struct tm utc;

	if (realtime_ns < 0 || !gmtime_r(&start, &utc) ||
	    !strftime(text.s, sizeof text.s, "%Y-%m-%d %H:%M:%S UTC", &utc))
		return (struct printable){ "" };
	return text;
}

void html_tiles(struct html_page *page, const struct html_tile *tile, uint32_t n)
{
	fputs("<div class=\"tiles\">\n", page->out);
	for (uint32_t i = 0; i < n; i++) {
		fprintf(page->out, "<div class=\"tile%s%s\"><span>", *tile[i].kind ? " " : "", tile[i].kind);
		html_words(page->out, "%s", tile[i].name);
		fputs("</span><b>", page->out);
		html_words(page->out, "%s", tile[i].value.s);
		fputs("</b><i>", page->out);
		html_words(page->out, "%s", *tile[i].note.s ? tile[i].note.s : "\302\240");
		fputs("</i></div>\n", page->out);
	}
	fputs("</div>\n", page->out);
}

enum insight_severity html_worst(const struct model_analysis *analysis, uint32_t n)
{
	enum insight_severity worst = INSIGHT_ADVICE;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < analysis[i].n_findings; k++)
			if (analysis[i].findings[k].insight->severity < worst)
				worst = analysis[i].findings[k].insight->severity;
	return worst;
}

void html_verdict(struct html_page *page, const char *verdict, enum insight_severity worst)
{
	fprintf(page->out, "<p class=\"lead%s%s\">", *severities[worst] ? " " : "", severities[worst]);
	html_words(page->out, "%s.", verdict);
	fputs("</p>\n", page->out);
}

/* Runs of measured runs have colours and labels of their own; a recording's analysis is of one model. */
static const char *label_of(const struct model_analysis *analysis, uint32_t r)
{
	return analysis->report->results[r].label;
}

static void put_card(struct html_page *page, const struct model_analysis *analysis, const struct model_finding *finding,
		     uint32_t i)
{
	const struct finding *findings = analysis->findings;
	enum insight_severity severity = findings[i].insight->severity;
	bool is_alone = finding[i].next_same == UINT32_MAX;

	fprintf(page->out, "<li class=\"%s%s%s\"><b>", html_colour(findings[i].result + page->part).s,
		*severities[severity] ? " " : "", severities[severity]);
	if (is_alone)
		html_words(page->out, "%s: ", html_name(label_of(analysis, findings[i].result)).s);
	html_words(page->out, "%s", finding[i].words.finding.s);
	fputs("</b>", page->out);
	for (; i != UINT32_MAX; i = finding[i].next_same) {
		const struct insight_words *words = &finding[i].words;

		fputs("<p><i>", page->out);
		if (!is_alone)
			html_words(page->out, "%s: ", html_name(label_of(analysis, findings[i].result)).s);
		html_words(page->out, "%s", words->evidence.s);
		fputs("</i></p>", page->out);
		if (!*words->next.s || finding[i].is_next_below)
			continue;
		fputs("<p class=\"next\">", page->out);
		html_words(page->out, "\342\206\222 %s", words->next.s);
		fputs("</p>", page->out);
	}
	fputs("</li>\n", page->out);
}

/* Those that are advice, or all others. Draws nothing without a page; how many there are. */
static uint32_t put_cards(struct html_page *page, const struct model_analysis *analysis, bool is_advice,
			  uint32_t n_before)
{
	struct model_finding *finding = model_findings(analysis, false);
	uint32_t n = 0;

	for (uint32_t i = 0; finding && i < analysis->n_findings; i++) {
		if (finding[i].is_repeated || (analysis->findings[i].insight->severity == INSIGHT_ADVICE) != is_advice)
			continue;
		if (page && n_before + n == page->n_open_cards)
			fputs("</ul><details><summary>More to try</summary><ul class=\"todo\">\n", page->out);
		if (page)
			put_card(page, analysis, finding, i);
		n++;
	}
	free(finding);
	return n;
}

/* Of all models that are shown: what is wrong of any comes before what could be tried. */
static uint32_t put_all_cards(struct html_page *page, const struct report *report, bool is_advice, uint32_t n_before)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < report->n_analyses; i++) {
		if (!report_shows(report, i))
			continue;
		if (page)
			page->part = i;
		n += put_cards(page, &report->analysis[i], is_advice, n_before + n);
	}
	return n;
}

void html_findings(struct html_page *page, const struct report *report)
{
	uint32_t n_wrong = put_all_cards(NULL, report, false, 0), n = n_wrong + put_all_cards(NULL, report, true, 0);
	uint32_t least = n_wrong > OPEN_CARDS ? n_wrong : OPEN_CARDS;

	page->n_open_cards = n <= least + 1 ? n : least;
	html_section(page, "next", "What to try next", "%s",
		     n ? "From the figures of this report: what is wrong first, then what could save most."
		       : "Nothing in these figures stands out.");
	fputs(n ? "<ul class=\"todo\">\n" : "", page->out);
	put_all_cards(page, report, false, 0);
	put_all_cards(page, report, true, n_wrong);
	page->part = 0;
	fputs(n ? "</ul>" : "", page->out);
	fputs(n > page->n_open_cards ? "</details></section>\n" : "</section>\n", page->out);
}
