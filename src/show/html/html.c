// SPDX-License-Identifier: Apache-2.0
/* Escapes, the frame of the page, tables. Knows nothing of what is shown. */
#include "show/html/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static void put_words(FILE *out, const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	put_escaped(out, text);
	free(text);
}

void html_words(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
}

void html_begin(FILE *out, const char *title)
{
	fputs(
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	    "<meta name=\"generator\" content=\"inftrace\"/>\n<title>",
	    out);
	html_words(out, "%s", title);
	fputs("</title>\n<style>\n", out);
	for (size_t i = 0; html_style[i]; i++)
		fputs(html_style[i], out);
	fputs("</style>\n</head>\n<body>\n", out);
	units_for_page(true);
}

void html_end(FILE *out)
{
	units_for_page(false);
	fputs("</main>\n</body>\n</html>\n", out);
}

static bool is_number(const struct table *table, int column)
{
	return (table->column[column].flags & (TABLE_RIGHT | TABLE_SHARE)) == TABLE_RIGHT;
}

static void put_headers(FILE *out, const struct table *table)
{
	fputs("<thead><tr>", out);
	for (int c = 0; c < table->n_columns; c++) {
		fputs(is_number(table, c) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
		put_escaped(out, table->column[c].header ? table->column[c].header : "");
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

/* "61.2 %", "<0.1 %" */
static void put_bar(FILE *out, const char *text)
{
	double percent = strtod(text, NULL);

	fputs("<em>", out);
	put_escaped(out, text);
	fprintf(out, "</em><span style=\"--w:%.3f\"></span>", percent > 0 ? percent < 100 ? percent / 100 : 1 : 0);
}

static void put_cell(FILE *out, const struct table *table, size_t row, int column)
{
	static const char *const styles[] = { [TABLE_BOLD] = " main",
					      [TABLE_DIM] = " off",
					      [TABLE_RED] = " bad",
					      [TABLE_GREEN] = " good",
					      [TABLE_PLAIN] = "" };
	enum table_style style;
	const char *text = table_text(table, row, column, &style);
	const char *kind = table->column[column].flags & TABLE_SHARE  ? " bar"
			   : is_number(table, column)		      ? " n"
			   : table->column[column].flags & TABLE_NAME ? " name"
								      : "";
	bool has_class = *kind || *styles[style];

	/* the row's name is where it begins, also when it is that of the row above */
	fputs(column || !*text ? "<td" : "<th scope=\"row\"", out);
	if (has_class)
		fprintf(out, " class=\"%s%s\"", kind + (*kind != 0), *kind ? styles[style] : styles[style] + 1);
	fputc('>', out);
	if (table->column[column].flags & TABLE_SHARE && *text)
		put_bar(out, text);
	else
		put_escaped(out, text);
	fputs(column || !*text ? "</td>" : "</th>", out);
}

void html_table_of(FILE *out, const char *caption, struct table *table)
{
	size_t n = table_n_rows(table);

	if (table->has_failed)
		fputs("<p>(out of memory: this table cannot be shown)</p>\n", out);
	if (n) {
		fputs("<div class=\"wide\"><table><caption><span>", out);
		put_escaped(out, caption);
		fputs("</span></caption>", out);
		put_headers(out, table);
	}
	for (size_t row = 0; row < n; row++) {
		fputs("<tr>", out);
		for (int c = 0; c < table->n_columns; c++)
			put_cell(out, table, row, c);
		fputs("</tr>\n", out);
	}
	fputs(n ? "</tbody></table></div>\n" : "", out);
	table_done(table);
}
