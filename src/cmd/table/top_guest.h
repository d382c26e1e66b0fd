/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `inftrace top` does on the recorder's thread while a recording runs: ends intervals, takes keys, shows the page
 * or prints lines. Records nothing itself.
 */
#ifndef CMD_TOP_GUEST_H
#define CMD_TOP_GUEST_H

#include "capture/recorder/recorder.h"
#include "show/top/top.h"

enum top_output { TOP_PAGE, TOP_LINES, TOP_JSON };

struct top_guest_opts {
	enum top_output output;
	uint64_t interval_ns;
	const char *what;	/* what is watched, in words; borrowed */
	struct pattern *models; /* NULL: all */
	bool is_by_process;	/* to begin with */
	struct sink *sink;	/* another sink of the stream, whose bytes are shown; NULL: there is none */
};

struct top_guest {
	struct top_guest_opts opts;
	struct live *live;
	struct top top;
	struct recorder_guest guest;
	int epoll, timer, window; /* window: readable when the terminal may have another size */
	bool has_begun;		  /* the first interval */
	bool has_quit;		  /* the user has left the page */
	bool is_open, is_over;	  /* the page is on the terminal; nothing is shown any more */
	bool wants_all;		  /* the terminal may hold anything */
	uint64_t cpu_ns, rolled_ns;
	struct err err; /* why it is over; code 0: it was the user's wish, or the reader has gone */
};

/* names, last_track: of the stream. 0, or -errno and err; top_guest_done also then. */
int top_guest_init(struct top_guest *guest, const struct top_guest_opts *opts, struct names *names,
		   uint32_t *last_track, struct err *err);
/*
 * What the recorder reports becomes notes on the page; with lines, warnings are printed. At the end of the recording
 * the terminal is given back, or the last interval printed.
 */
struct say top_guest_say(struct top_guest *guest);
void top_guest_done(struct top_guest *guest);

#endif
