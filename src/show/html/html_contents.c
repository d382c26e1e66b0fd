// SPDX-License-Identifier: Apache-2.0
/*
 * The table of contents: what is below is written to memory first, and each section that begins there adds its line. So
 * it names what the page has, and nothing else. Without memory for that, the page has none.
 */
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"

enum { MOST = 200 };

struct html_contents {
	FILE *out; /* of the page */
	char *body;
	size_t size, n;
	struct line {
		char id[40];
		struct printable text;
		bool is_inner;
	} line[MOST];
};

void html_contents_begin(struct html_page *page)
{
	struct html_contents *contents = calloc(1, sizeof *contents);
	FILE *body = contents ? open_memstream(&contents->body, &contents->size) : NULL;

	if (!body) {
		free(contents);
		fputs("<main>\n", page->out);
		return;
	}
	contents->out = page->out;
	page->out = body;
	page->contents = contents;
}

void html_contents_add(struct html_page *page, const char *id, const char *text)
{
	struct html_contents *contents = page->contents;
	struct line *line = contents && contents->n < MOST ? &contents->line[contents->n++] : NULL;

	if (!line)
		return;
	snprintf(line->id, sizeof line->id, "%s", id);
	line->text = model_text(text, 60, false);
	/* sections of a model are below its name */
	line->is_inner = page->part && strncmp(id, "model-", 6) != 0;
}

void html_contents_end(struct html_page *page)
{
	struct html_contents *contents = page->contents;
	bool has_failed;

	if (!contents)
		return;
	has_failed = ferror(page->out);
	has_failed |= fclose(page->out) != 0;
	page->out = contents->out;
	page->contents = NULL;
	fputs("<a class=\"skip\" href=\"#next\">To the findings</a>\n<nav "
	      "aria-label=\"Sections\"><strong>inftrace</strong>",
	      page->out);
	for (size_t i = 0; i < contents->n; i++) {
		fprintf(page->out, "<a%s href=\"#%s\">", contents->line[i].is_inner ? " class=\"inner\"" : "",
			contents->line[i].id);
		html_words(page->out, "%s", contents->line[i].text.s);
		fputs("</a>", page->out);
	}
	fputs("</nav>\n<main>\n", page->out);
	if (has_failed || !contents->body)
		fputs("<p>(out of memory: this report cannot be shown)</p>\n", page->out);
	else
		fwrite(contents->body, 1, contents->size, page->out);
	free(contents->body);
	free(contents);
}
