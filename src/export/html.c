// SPDX-License-Identifier: Apache-2.0
/* Escapes, the frame of the page, tables. Knows nothing of what is shown. */
#include "export/html.h"

#include <stdarg.h>
#include <stdlib.h>

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
}

void html_end(FILE *out)
{
	fputs("</main>\n</body>\n</html>\n", out);
}

void html_header(FILE *out, bool is_number, const char *fmt, ...)
{
	va_list args;

	fputs(is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
	fputs("</th>", out);
}

void html_table(FILE *out, const char *caption, const char *const *headers)
{
	fputs("<div class=\"wide\"><table><caption>", out);
	html_words(out, "%s", caption);
	fputs("</caption>\n<tbody><tr>", out);
	for (; headers && *headers; headers++)
		html_header(out, **headers == '>', "%s", *headers + (**headers == '>'));
}

void html_row(FILE *out)
{
	fputs("</tr>\n<tr>", out);
}

void html_cell(FILE *out, const char *kind, const char *fmt, ...)
{
	va_list args;

	if (*kind)
		fprintf(out, "<td class=\"%s\">", kind);
	else
		fputs("<td>", out);
	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
	fputs("</td>", out);
}

void html_table_end(FILE *out)
{
	fputs("</tr></tbody></table></div>\n", out);
}
