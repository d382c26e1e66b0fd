/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a live page: all of `inftrace live`, and what --live adds to commands that record. */
#ifndef CMD_LIVE_OPTIONS_H
#define CMD_LIVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "cmd/record/page_options.h"

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
					  "how much of the past the live page keeps", \
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
	  NULL,	    "also show what happens now in a browser, on a page of this machine alone", \
	  OPT_FLAG, offsetof(type, field.is_wanted) }, \
	    LIVE_PAGE_OPTIONS(type, field)

/* 0, or opt_misused's code and err. */
int live_options_check(const struct live_options *options, struct err *err);

#endif
