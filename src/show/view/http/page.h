/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the page, as tools/embed_folder.py writes them into the program. */
#ifndef SHOW_VIEW_PAGE_H
#define SHOW_VIEW_PAGE_H

#include "show/view/http/http.h"

struct page_file {
	const char *name; /* "app.js"; NULL ends the list */
	const unsigned char *data;
	size_t size;
};

extern const struct page_file page_files[];

/* A file of the page, "" for the page itself; false: there is none of that name. */
bool view_page(const char *name, struct http_answer *answer);
/* The same of a list. */
bool view_page_of(const struct page_file *files, const char *name, struct http_answer *answer);

#endif
