/* SPDX-License-Identifier: Apache-2.0 */
/* Options that commands share which record. */
#ifndef CMD_RECORD_RECORD_IN_H
#define CMD_RECORD_RECORD_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/text/json.h"
#include "capture/recorder/thin/dump_when.h"
#include "cmd/record/page_options.h"
#include "show/view/http/http.h"

/* The values of --dump-when, and the sink that watches for them. */
/* 0, or opt_misused's code and err, with the place in the text. */
int dump_option_parse(const struct opt_list *texts, struct dump_rules *rules, struct err *err);

/* The value of --keep: how long, or how large, a recording may be whose newest part is kept. */
struct keep_option {
	uint64_t ns, bytes; /* one of them; both 0: everything is kept */
};

/* text NULL: everything. "10m" is ten minutes, "10M" ten MiB. 0, or opt_misused's code and err. */
int keep_option_parse(const char *text, struct keep_option *keep, struct err *err);

/* The options of a live page: all of `inftrace live`, and what --live adds to commands that record. */
struct live_options {
	bool is_wanted; /* --live; `inftrace live` sets it */
	struct page_options page;
	uint64_t window_ns, memory_bytes;
};

/* The rows: `type` is the command's struct, `field` its struct live_options. */
#define LIVE_PAGE_OPTIONS(type, field) \
	PAGE_OPTIONS(type, field.page), { 0, \
					  "live-window", \
					  "TIME", \
					  "period that the live page keeps", \
					  OPT_DURATION, \
					  offsetof(type, field.window_ns), \
					  "10m" }, \
	    { 0, \
	      "live-memory", \
	      "SIZE", \
	      "memory for it; with less room, older operators are dropped first, and the slowest inferences stay", \
	      OPT_SIZE, \
	      offsetof(type, field.memory_bytes), \
	      "256M" }

#define LIVE_OPTIONS(type, field) \
	{ 0,	    "live", \
	  NULL,	    "also show the recording live in a browser on this machine", \
	  OPT_FLAG, offsetof(type, field.is_wanted) }, \
	    LIVE_PAGE_OPTIONS(type, field)

/* 0, or opt_misused's code and err. */
int live_options_check(const struct live_options *options, struct err *err);

/*
 * Recordings that are started from a live page: the next program, a running one, a model file. Each is an `inftrace` of
 * its own, started with a list of arguments, whose files are those of this process's folder. Serves requests of the
 * page; what is not for it goes on to another handler.
 *
 *	GET programs.json          what `inftrace ps --json` prints
 *	GET recordings.json        those that were started
 *	GET files.json?begun=PATH&kind=model|runtime    where the next file goes, and paths that go on from that
 *	GET report?id=N            the report of one, as text
 *	POST start?mode=next|attach|model ...    POST stop?id=N    POST open?id=N
 */
struct live_record;

/* Items of an array: paths that go on from what is begun, folders with a slash behind; relative ones are of this
 * folder. */
void live_files_put(struct json *json, const char *begun, bool is_runtime);

/* inner: takes the other requests, and is borrowed. NULL: out of memory. */
struct live_record *live_record_new(const struct http_handler *inner);
struct http_handler live_record_handler(struct live_record *record);
/* Ends what still runs: recordings are completed. NULL does nothing. */
void live_record_free(struct live_record *record);

#endif
