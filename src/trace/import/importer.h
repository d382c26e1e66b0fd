/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An importer turns a file of one format into events. One file per format (import_<name>.c), one constant of this type
 * per file, listed by name in importers.c. import.h opens files and picks the importer.
 */
#ifndef TRACE_IMPORT_IMPORTER_H
#define TRACE_IMPORT_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/sink.h"

/* All bytes of a file. */
struct import_bytes {
	const char *data;
	size_t size;
	/* Takes bytes out of memory that were read; they can be read again. NULL: leave them. See import_forget. */
	void (*forget)(const char *data, size_t size);
};

enum { IMPORT_FORGET = 8 << 20 };

/* For importers that read far before they put events: now and then, with the place up to which they have read. */
static inline const char *import_forget(const struct import_bytes *in, const char *from, const char *at)
{
	if (!in->forget || at - from < IMPORT_FORGET)
		return from;
	in->forget(from, (size_t)(at - from));
	return at;
}

/* Results of reading besides the events. */
struct import_result {
	const uint64_t *at;  /* while it reads: byte offset of the place; NULL: that says nothing about its progress */
	bool is_cut;	     /* the file ends within an event or packet */
	uint64_t cut_at;     /* byte offset where that begins */
	uint64_t n_late;     /* events with a time before the last of their track, or an end outside of the slice around
			      * them: moved there */
	bool has_realtime;   /* the file has both its own clock and CLOCK_REALTIME at one moment */
	int64_t realtime_ns; /* the latter less the time of its events */
	const char *realtime_is; /* what says so: "its clock snapshot" */
};

struct importer {
	const char *name; /* "ort-profile" */
	const char *help; /* description for lists: "profile of ONNX Runtime (JSON)" */

	/* Whether these can be the first bytes of such a file. At least IMPORT_SNIFF of them, or the whole file. */
	bool (*sniff)(const char *first, size_t size);

	/*
	 * Puts every event of the file, in the order defined in event.h. result is zeroed. 0, or -errno and err ("at
	 * byte N: ..."), without the file's name. Events before the place of an error were put. Trusts no byte.
	 */
	int (*read)(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err);
};

enum { IMPORT_SNIFF = 4096 };

extern const struct importer *const importers[]; /* NULL-terminated */

#endif
