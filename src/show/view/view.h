/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in memory, and the answers that the page of `inftrace view` gets from it: tiles of the timeline and of
 * counters, slices, tables, the report. doc/view-protocol.md has their form. Serves nothing itself (http.h).
 */
#ifndef SHOW_VIEW_VIEW_H
#define SHOW_VIEW_VIEW_H

#include "base/err.h"
#include "show/view/http.h"

struct view;

/*
 * Reads a recording, or another file that can be imported. path is borrowed for the view's life. is_growing: the file
 * is still being written. NULL and err: no such file, none of a known format, damaged, or out of memory.
 */
struct view *view_open(const char *path, bool (*is_written)(const char *path), struct err *err);
void view_close(struct view *view); /* NULL does nothing */
/* Answers requests, and follows the file; valid until view_close. */
struct http_handler view_handler(struct view *view);

#endif
