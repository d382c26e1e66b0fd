/* SPDX-License-Identifier: Apache-2.0 */
/* A recording, read from its file, and what follows from it. */
#ifndef ANALYZE_SUMMARY_RECORDING_H
#define ANALYZE_SUMMARY_RECORDING_H

#include "analyze/store/store.h"
#include "analyze/summary/summary_maker.h"
#include "base/err.h"
#include "event/names.h"
#include "trace/import/import.h"

struct recording {
	struct names *names;
	uint32_t last_track; /* of the stream of events */
	struct store *store; /* NULL: not kept */
	struct summary *summary;
};

/*
 * path is borrowed until recording_close; "-" is standard input. 0; or -errno and err: no file of a known format,
 * damaged (with the byte), or out of memory. recording_close undoes it, also after a failure; a zeroed one may be
 * closed. recording_open and recording_open_with keep the events in memory, too; recording_sum_up only what they come
 * to, so that a recording may be larger than the memory. opts may be NULL.
 */
int recording_open(struct recording *recording, const char *path, struct err *err);
int recording_open_with(struct recording *recording, const char *path, const struct summary_opts *opts,
			struct err *err);
int recording_sum_up(struct recording *recording, const char *path, const struct summary_opts *opts, struct err *err);
/* The same of a file that import_open has opened: without a store; with a store alone, summary is NULL. */
int recording_sum_up_open(struct recording *recording, struct import *import, struct err *err);
int recording_keep_open(struct recording *recording, struct import *import, struct err *err);
void recording_close(struct recording *recording);

#endif
