/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the page, as tools/embed_folder.py writes them into the program. */
#ifndef SHOW_VIEW_PAGE_H
#define SHOW_VIEW_PAGE_H

#include <stddef.h>

struct page_file {
	const char *name; /* "app.js"; NULL ends the list */
	const unsigned char *data;
	size_t size;
};

extern const struct page_file page_files[];

#endif
