// SPDX-License-Identifier: Apache-2.0
/* A comparison as a page in one file, without scripts. */
#include "show/diff/diff_page.h"
#include "show/diff/diff_plot.h"
#include "show/html/html.h"

struct html {
	FILE *out;
	bool is_open; /* a section is */
	uint32_t n_plots;
};

static void end_section(struct html *to)
{
	fputs(to->is_open ? "</section>\n" : "", to->out);
	to->is_open = false;
}

static void begin_section(struct html *to)
{
	fputs(to->is_open ? "" : "<section>\n", to->out);
	to->is_open = true;
}

static void answer(void *opaque, enum diff_says says, const char *text)
{
	struct html *to = opaque;
	const char *kind = says == DIFF_WORSE ? " bad" : says == DIFF_OPEN || says <= DIFF_UNTESTED ? " doubt" : "";

	html_begin(to->out, "inftrace diff");
	fprintf(to->out, "<main>\n<h1>Comparison of base and new</h1>\n<p class=\"lead%s\">", kind);
	html_words(to->out, "%s.", text);
	fputs("</p>\n", to->out);
}

static void heading(void *opaque, const char *text)
{
	struct html *to = opaque;

	end_section(to);
	begin_section(to);
	fputs("<h2>", to->out);
	html_words(to->out, "%s", text);
	fputs("</h2>\n", to->out);
}

static void paragraph(void *opaque, const char *text)
{
	struct html *to = opaque;

	begin_section(to);
	fputs("<p>", to->out);
	html_words(to->out, "%s", text);
	fputs("</p>\n", to->out);
}

static void put_table(void *opaque, const char *caption, struct table *table)
{
	struct html *to = opaque;

	begin_section(to);
	html_table_of(to->out, caption, table);
}

static void plot(void *opaque, const struct diff_pair *pair)
{
	struct html *to = opaque;

	begin_section(to);
	diff_plot(to->out, pair, to->n_plots++);
}

static void write(FILE *out, const struct diff *diff, const struct report_look *look)
{
	struct html to = { out, false, 0 };
	const struct diff_writer writer = { &to, answer, heading, paragraph, put_table, plot };

	diff_page(&writer, diff, look);
	end_section(&to);
	html_end(out);
}

extern const struct diff_format diff_as_html;
const struct diff_format diff_as_html = {
	.name = "html",
	.suffix = ".html",
	.help = "a page in one file",
	.is_for_terminals = false,
	.write = write,
};
