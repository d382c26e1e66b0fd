/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that are started from a live page: the next program, a running one, a model file. Each is an `inftrace` of
 * its own, started with a list of arguments, whose files are those of this process's folder. Serves requests of the
 * page; what is not for it goes on to another handler.
 *
 *	GET programs.json          what `inftrace ps --json` prints
 *	GET recordings.json        those that were started
 *	GET report?id=N            the report of one, as text
 *	POST start?mode=next|attach|model ...    POST stop?id=N    POST open?id=N
 */
#ifndef CMD_LIVE_RECORD_H
#define CMD_LIVE_RECORD_H

#include "show/view/http/http.h"

struct live_record;

/* inner: takes the other requests, and is borrowed. NULL: out of memory. */
struct live_record *live_record_new(const struct http_handler *inner);
struct http_handler live_record_handler(struct live_record *record);
/* Ends what still runs: recordings are completed. NULL does nothing. */
void live_record_free(struct live_record *record);

#endif
