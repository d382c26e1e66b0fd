/* SPDX-License-Identifier: Apache-2.0 */
/* The file of -o FILE and its format, for commands that print: report, diff, query, model. */
#ifndef CMD_PAGE_FILE_H
#define CMD_PAGE_FILE_H

#include <stdbool.h>

#include "base/err.h"

/* --json is --format json. 0, or -errno and err: format is another one. NULL: no --format. */
int page_file_check_json(bool json, const char *format, struct err *err);
/* Does -o name a file? "-" is standard output; NULL: there is no -o. */
bool page_file_is_named(const char *path);

#endif
