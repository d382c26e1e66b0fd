/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a recording that goes on: a view of its events, served on the recorder's thread. Each step is nothing
 * where no page is wanted.
 */
#ifndef CMD_LIVE_PAGE_H
#define CMD_LIVE_PAGE_H

#include <stdio.h>

#include "capture/recorder/recorder.h"
#include "cmd/record/record_in.h"
#include "event/names.h"
#include "show/view/view.h"

enum { LIVE_PAGE_SINKS = 2, LIVE_PAGE_OTHERS = 2 };

struct live_page {
	const struct live_options *options; /* NULL, or not wanted: there is no page */
	struct http *http;
	int turns; /* an epoll descriptor of http, and of standard input where the page ends with it */
	struct view *view;
	struct http_handler of_view;
	struct live_record *record;
	struct view_live_opts opts;
	struct recorder_guest guest;
	struct sink *sinks[LIVE_PAGE_OTHERS + LIVE_PAGE_SINKS];
	size_t n_sinks;
};

/* Takes the port. To be called before anything is recorded. 0, or -errno and err; live_page_close also then. */
int live_page_open(struct live_page *page, const struct live_options *options, struct err *err);

/* What is recorded. All is borrowed until live_page_close. */
struct live_page_stream {
	struct names *names;
	uint32_t *last_track;
	struct sink *const *sinks; /* which get the events as well; at most LIVE_PAGE_OTHERS */
	size_t n_sinks;
	const char *name; /* in words */
	const char *file; /* NULL: there is none */
	uint64_t interval_ns;
};

/*
 * Prints the page's address (`to`: stdout, or stderr where that is the program's), and sets sinks and guest of the
 * recorder: without a page those of the stream, and none. 0, or -errno and err.
 */
int live_page_start(struct live_page *page, const struct live_page_stream *stream, FILE *to, struct recorder_opts *opts,
		    struct err *err);
/*
 * The recording is over, and its file is complete: goes on serving what was kept as long as a browser has the page
 * open, until Ctrl-C.
 */
void live_page_stay(struct live_page *page);
/* Nothing can be recorded, for this reason: serves a page that says so, and that can run models, until Ctrl-C. */
void live_page_idle(struct live_page *page, const char *problem);
void live_page_close(struct live_page *page);

#endif
