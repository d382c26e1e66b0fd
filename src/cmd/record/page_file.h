/* SPDX-License-Identifier: Apache-2.0 */
/* The file of -o FILE and its format, for commands that print: report, diff, query, model. */
#ifndef CMD_PAGE_FILE_H
#define CMD_PAGE_FILE_H

#include <stdio.h>

#include "base/output.h"

struct page_file {
	struct output output;
	FILE *out;
};

/* --json is --format json. 0, or -errno and err: format is another one. NULL: no --format. */
int page_file_check_json(bool json, const char *format, struct err *err);
/* Does -o name a file? "-" is standard output; NULL: there is no -o. */
bool page_file_is_named(const char *path);
/* 0, or -errno and err: it exists and must not be replaced, or cannot be created; then there is nothing to close. */
int page_file_open(struct page_file *file, const char *path, bool is_forced, struct err *err);
/*
 * Closes it, and gives it its name if all went well: code, which is that of writing it, is 0. 0, or -errno and err (of
 * writing it, if that is what failed).
 */
int page_file_close(struct page_file *file, int code, struct err *err);

#endif
