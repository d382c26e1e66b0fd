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

struct exporter {
	const char *name;   /* what the user types: --to chrome */
	const char *suffix; /* suffix of an output named after its input: ".json" */
	const char *help;   /* description for lists: "Chrome JSON trace" */

	/*
	 * fd is borrowed: open for writing, positioned at its end. names and last_track belong to the stream. NULL and
	 * err: out of memory, or the file cannot be written.
	 */
	struct sink *(*open)(int fd, struct names *names, uint32_t *last_track, struct err *err);
	/* Ends the file, flushes and frees; NULL does nothing. 0, or -errno and err. */
	int (*close)(struct sink *sink, struct err *err);
};

#endif
