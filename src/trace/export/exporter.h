/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exporter writes events in a format for other programs. One file per format (export_<name>.c), one constant of this
 * type per file, listed by name in exporters.h. It is a sink and keeps no events, so that it can also be used during a
 * recording.
 */
#ifndef TRACE_EXPORT_EXPORTER_H
#define TRACE_EXPORT_EXPORTER_H

#include "base/err.h"
#include "event/sink.h"

/* What a format has no place for, or what was left out of it otherwise. */
struct export_loss {
	uint64_t n;
	const char *what, *rest; /* one of them: "slice"; " without an end" or "" */
};

enum { EXPORT_LOSSES = 12 };

struct export_losses {
	size_t n;
	struct export_loss loss[EXPORT_LOSSES];
};

/* Adds a loss, if n is not 0. */
void export_lost(struct export_losses *losses, uint64_t n, const char *what, const char *rest);

struct exporter {
	const char *name;   /* what the user types: --to chrome */
	const char *suffix; /* suffix of an output named after its input: ".json" */
	const char *help;   /* description for lists: "Chrome JSON trace" */

	/*
	 * fd is borrowed: open for writing, positioned at its end. names and last_track belong to the stream. NULL and
	 * err: out of memory, or the file cannot be written.
	 */
	struct sink *(*open)(int fd, struct names *names, uint32_t *last_track, struct err *err);
	/*
	 * Of formats of several files, instead of open; else NULL. table: the name of one of them, for fd; NULL: all,
	 * and fd is an empty folder, in which they are created.
	 */
	struct sink *(*open_table)(int fd, const char *table, struct names *names, uint32_t *last_track,
				   struct err *err);
	/*
	 * Ends the file, flushes and frees; NULL does nothing. losses: what is not in the file is added; NULL: it does
	 * not matter. 0, or -errno and err.
	 */
	int (*close)(struct sink *sink, struct export_losses *losses, struct err *err);
};

#endif
