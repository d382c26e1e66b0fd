/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers to the page of `inftrace view`: tiles of the timeline and of counters, slices, tables, the report. They
 * are worked out from a recording in memory; doc/view-protocol.md has their form. Serves nothing itself (http.h).
 */
#ifndef SHOW_VIEW_VIEW_H
#define SHOW_VIEW_VIEW_H

#include "analyze/store/store.h"
#include "show/view/http.h"
#include "show/words/export.h"

struct view;

/* All is borrowed for the view's life. */
struct view_source {
	const char *path;					      /* as the user gave it */
	const struct store *store;				      /* all events */
	const struct report *report;				      /* of the same */
	void (*write_report)(FILE *out, const struct report *report); /* as JSON */
	bool is_growing;					      /* the file is still being written */
};

/* NULL: out of memory. */
struct view *view_new(const struct view_source *source);
void view_free(struct view *view);
/* Answers requests; valid until view_free. */
struct http_handler view_handler(struct view *view);

#endif
