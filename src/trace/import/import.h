/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file of any format in importers[] into a sink: opens it, picks the importer by the first bytes, reads.
 * Recordings of inftrace are one of the formats. Makes no assumption about the sink.
 */
#ifndef TRACE_IMPORT_IMPORT_H
#define TRACE_IMPORT_IMPORT_H

#include "trace/import/importer.h"
#include "trace/import/input.h"

struct import {
	const char *path; /* borrowed */
	struct input input;
	const struct importer *format;
	struct import_result result; /* after import_read */
	/*
	 * Called now and then while import_read goes on, with the number of events so far, and how much of the file
	 * they are: from 0 to 1, NAN where the format does not say. NULL: nobody.
	 */
	void (*tick)(void *ctx, uint64_t n_events, double share);
	void *tick_ctx;
};

/* The importer for a file that begins with these bytes; NULL: the format is unknown. */
const struct importer *import_find(const char *first, size_t size);

/*
 * path is borrowed until import_close; "-" is standard input; a gzip file is decompressed. 0, or -errno and err: it
 * cannot be read, or its format is unknown, with a list of the formats. Call import_close after a failure, too; it
 * accepts a zeroed struct.
 */
int import_open(struct import *import, const char *path, struct err *err);
/*
 * Puts every event into out; it may be called again. 0, or -errno and err, with the path; events before the place of an
 * error were put.
 */
int import_read(struct import *import, struct sink *out, struct err *err);
void import_close(struct import *import);

#endif
