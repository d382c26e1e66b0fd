// SPDX-License-Identifier: Apache-2.0
/* Headings, paragraphs, figures and keys of the page, and texts of strangers in them. */
#include "show/html/html_model.h"

#include <stdarg.h>
#include <stdio.h>

/* So many runs fit into a table that stands beside a plot. */
enum { BESIDE = 2 };

struct printable html_name(const char *text)
{
	return model_text(text, 200, false);
}

struct units_text html_ns(double ns)
{
	return ns == 0 ? (struct units_text){ "0" } : units_duration(ns);
}

struct units_text html_mebibytes(double mebibytes)
{
	return mebibytes == 0 ? (struct units_text){ "0" } : units_bytes(mebibytes * (1 << 20));
}

struct units_text html_share(double share)
{
	return units_percent(share);
}

struct units_text html_plot_id(struct html_page *page)
{
	struct units_text id;

	snprintf(id.s, sizeof id.s, "p%d", ++page->n_plots);
	return id;
}

struct units_text html_colour(uint32_t i)
{
	struct units_text id;

	snprintf(id.s, sizeof id.s, "s%u", i % HTML_COLOURS);
	return id;
}

struct units_text html_phase_colour(uint32_t i)
{
	struct units_text id;

	snprintf(id.s, sizeof id.s, "q%u", i % HTML_COLOURS);
	return id;
}

static void put_words(struct html_page *page, const char *before, const char *fmt, va_list args, const char *after)
{
	struct printable text = { "" };

	vsnprintf(text.s, sizeof text.s, fmt, args);
	fputs(before, page->out);
	html_words(page->out, "%s", text.s);
	fputs(after, page->out);
}

void html_section(struct html_page *page, const char *id, const char *heading, const char *fmt, ...)
{
	va_list args;
	char own[40];

	snprintf(own, sizeof own, page->part ? "%s-%u" : "%s", id, page->part);
	html_contents_add(page, own, heading);
	fprintf(page->out, "<section id=\"%s\"><h2>", own);
	html_words(page->out, "%s", heading);
	va_start(args, fmt);
	put_words(page, "</h2>\n<p>", fmt, args, "</p>\n");
	va_end(args);
}

void html_figure(struct html_page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_words(page, "<figure><figcaption>", fmt, args, "</figcaption>\n");
	va_end(args);
}

struct model_view html_view(const struct html_page *page)
{
	return (struct model_view){ .analysis = page->analysis,
				    .label = page->label,
				    .end = page->report->n_results,
				    .columns = 200,
				    .is_roomy = true };
}

bool html_view_next(struct model_view *view)
{
	uint32_t n = view->analysis->report->n_results;

	view->first = view->end;
	view->end = view->first + HTML_RUNS < n ? view->first + HTML_RUNS : n;
	return view->first < view->end;
}

void html_pair(struct html_page *page)
{
	fputs(page->report->n_results <= BESIDE ? "<div class=\"pair\">" : "<div>", page->out);
}

void html_paragraph(struct html_page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_words(page, "<p>", fmt, args, "</p>\n");
	va_end(args);
}

void html_key(struct html_page *page, bool (*has)(const struct model_run *run))
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t r = 0; r < page->report->n_results; r++) {
		if (!has(&page->analysis->runs[r]))
			continue;
		fprintf(page->out, "<li class=\"%s\">", html_colour(r).s);
		html_words(page->out, "%s", page->label[r].s);
		fputs("</li>", page->out);
	}
	fputs("</ul>\n", page->out);
}
