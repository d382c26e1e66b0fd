// SPDX-License-Identifier: Apache-2.0
/* A comparison as a page for a terminal. */
#include <stdlib.h>
#include <string.h>

#include "show/diff/diff_page.h"

enum { WIDTH = 96 };

struct text {
	FILE *out;
	const struct report_look *look;
};

/* Broken between words. */
static void put_words(const struct text *to, enum table_style style, const char *text)
{
	int width = to->look->width ? to->look->width : WIDTH, column = 0;
	char *copy = strdup(text);

	fputs(style ? table_style(to->look->has_color, style) : "", to->out);
	for (char *save, *word = copy ? strtok_r(copy, " ", &save) : NULL; word; word = strtok_r(NULL, " ", &save)) {
		int own = printable_width(word);

		if (column && column + 1 + own > width) {
			fputc('\n', to->out);
			column = 0;
		}
		fprintf(to->out, "%s%s", column ? " " : "", word);
		column += own + (column != 0);
	}
	fputs(style ? table_style(to->look->has_color, TABLE_PLAIN) : "", to->out);
	fputc('\n', to->out);
	free(copy);
}

static void answer(void *opaque, enum diff_says says, const char *text)
{
	struct printable sentence = { "" };

	printable_add(&sentence, "%s.", text);
	put_words(opaque, TABLE_BOLD, sentence.s);
	fputc('\n', ((struct text *)opaque)->out);
}

static void heading(void *opaque, const char *text)
{
	struct text *to = opaque;

	fprintf(to->out, "\n%s%s%s\n", table_style(to->look->has_color, TABLE_BOLD), text,
		table_style(to->look->has_color, TABLE_PLAIN));
}

static void paragraph(void *opaque, const char *text)
{
	put_words(opaque, TABLE_PLAIN, text);
}

static void put_table(void *opaque, const char *caption, struct table *table)
{
	struct text *to = opaque;

	if (table_n_rows(table) && strcmp(caption, "What is compared") != 0)
		fprintf(to->out, "%s%s%s\n", table_style(to->look->has_color, TABLE_DIM), caption,
			table_style(to->look->has_color, TABLE_PLAIN));
	table_print(table, to->out);
}

static void write(FILE *out, const struct diff *diff, const struct report_look *look)
{
	struct text to = { out, look };
	const struct diff_writer writer = { &to, answer, heading, paragraph, put_table };

	diff_page(&writer, diff, look);
}

extern const struct diff_format diff_as_text;
const struct diff_format diff_as_text = {
	.name = "text",
	.suffix = ".txt",
	.help = "a page for a terminal",
	.is_for_terminals = true,
	.write = write,
};
