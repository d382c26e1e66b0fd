/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump: the segments that are kept when something happens, and what follows for a while, in a file of their own. The
 * recording goes on meanwhile: its segments from `first` on stay until they are copied, a part with each flush. The
 * owner of the segments decides which there are. For rotate.c.
 */
#ifndef TRACE_ROTATE_ROTATE_DUMP_H
#define TRACE_ROTATE_ROTATE_DUMP_H

#include "trace/rotate/rotate_copy.h"

enum rotate_dump_state { DUMP_NONE, DUMP_WAITS, DUMP_COPIES };

struct rotate_dump {
	enum rotate_dump_state state;
	uint64_t begin_ns, until_ns; /* of what belongs to it */
	uint64_t first, last;	     /* numbers of segments; last: when it copies */
	uint64_t next, at;	     /* the segment that is copied, and how much of it */
	struct rotate_copy copy;
	uint32_t n;	    /* dumps so far, with this one */
	uint32_t number;    /* in the name of the newest one: those of earlier recordings stay */
	uint32_t n_skipped; /* asked for while another was being made, or beyond the limit */
};

/* The path of the n-th dump of a recording: x.dump-0001.pftrace. "" when it is too long. */
struct rotate_path rotate_dump_path(const char *path, uint32_t n);
/* Takes the next number whose name is free. */
void rotate_dump_number(struct rotate_dump *dump, const char *path);
/*
 * Creates the file that it grows in, dump.part in the folder, unless that was done: others see by it that a dump is
 * made. 0, or -errno and err.
 */
int rotate_dump_reserve(struct rotate_dump *dump, int folder, struct err *err);
/*
 * Copies at most max bytes; segments[0] is number `first_kept`. 1: the file is complete; 0: there is more to do; -errno
 * and err: nothing is left of it.
 */
int rotate_dump_copy(struct rotate_dump *dump, int folder, const struct rotate_segment *segments, uint64_t max,
		     const char *path, struct err *err);

#endif
