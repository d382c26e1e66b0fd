/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file of any format in importers[] into a sink: opens it, picks the importer by the first bytes, reads. Our
 * own recordings are one of the formats. Does not know what the sink is.
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
};

/* The importer for a file that begins with these bytes; NULL: the format is unknown. */
const struct importer *import_find(const char *first, size_t size);

/*
 * path is borrowed until import_close; "-" is standard input; a gzip file is read as what it holds. 0, or -errno and
 * err: it cannot be read, or its format is unknown, with a list of the formats. import_close undoes it, also after a
 * failure; a zeroed one may be closed.
 */
int import_open(struct import *import, const char *path, struct err *err);
/* Once: puts every event into out. 0, or -errno and err, with the path; events before the place of an error were put.
 */
int import_read(struct import *import, struct sink *out, struct err *err);
void import_close(struct import *import);

#endif
