// SPDX-License-Identifier: Apache-2.0
/* A comparison in Markdown with tables, for comments on pull requests. Names of files and operators are escaped. */
#include <string.h>

#include "show/diff/diff_page.h"

/* Nothing of a text becomes markup, and no cell ends early. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '@')
			fputs("&#64;", out); /* nobody is to be notified */
		else if (strchr("\\`*_[]|~#", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text == '\n' ? ' ' : *text, out);
	}
}

static void answer(void *out, enum diff_says says, const char *text)
{
	fputs("**", out);
	put_escaped(out, text);
	fputs(".**\n\n", out);
}

static void heading(void *out, const char *text)
{
	fputs("\n### ", out);
	put_escaped(out, text);
	fputs("\n\n", out);
}

static void paragraph(void *out, const char *text)
{
	put_escaped(out, text);
	fputs("\n\n", out);
}

static void put_row(FILE *out, struct table *table, size_t row)
{
	for (int c = 0; c < table->n_columns; c++) {
		enum table_style style;
		const char *text = table_text(table, row, c, &style);
		const char *mark = *text && (style == TABLE_RED || style == TABLE_GREEN) ? "**" : "";

		fprintf(out, "%s%s", c ? " | " : "| ", mark);
		put_escaped(out, text);
		fputs(mark, out);
	}
	fputs(" |\n", out);
}

static void put_table(void *out, const char *caption, struct table *table)
{
	size_t n = table_n_rows(table);

	if (table->has_failed)
		fputs("(out of memory: this table cannot be shown)\n\n", out);
	for (int c = 0; n && c < table->n_columns; c++) {
		fputs(c ? " | " : "| ", out);
		put_escaped(out, table->column[c].header ? table->column[c].header : "");
	}
	fputs(n ? " |\n" : "", out);
	for (int c = 0; n && c < table->n_columns; c++)
		fputs(table->column[c].flags & TABLE_RIGHT ? "|---:" : "|---", out);
	fputs(n ? "|\n" : "", out);
	for (size_t row = 0; row < n; row++)
		put_row(out, table, row);
	if (n) {
		fputs("\n*", out);
		put_escaped(out, caption);
		fputs("*\n\n", out);
	}
	table_done(table);
}

static void write(FILE *out, const struct diff *diff, const struct report_look *look)
{
	const struct diff_writer writer = { out, answer, heading, paragraph, put_table };

	diff_page(&writer, diff, look);
}

extern const struct diff_format diff_as_markdown;
const struct diff_format diff_as_markdown = {
	.name = "markdown",
	.suffix = ".md",
	.help = "Markdown with tables, for a comment on a pull request",
	.is_for_terminals = false,
	.write = write,
};
