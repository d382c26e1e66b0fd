/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the descriptors of a process that are open on devices. Reading each takes microseconds: it is done when their
 * number has changed, else every ten seconds, and limited to a small part of the time for all processes together.
 */
#ifndef CAPTURE_SOURCE_WALK_H
#define CAPTURE_SOURCE_WALK_H

#include "capture/source/follow.h"

/* Of one process, in one source. Starts zeroed. */
struct walk {
	uint64_t due_ns, again_ns;
	int64_t n; /* number of descriptors; 0: this kernel does not report it */
};

enum walk_state {
	WALK_DUE,  /* time for walk_descriptors */
	WALK_SAME, /* apparently nothing was opened or closed */
	WALK_LATER /* unknown */
};

enum walk_state walk_state(struct walk *walk, const struct sample *sample);

/*
 * Calls found for each descriptor that is open on a path beginning with prefix; name is the rest of the path. 0, or
 * -errno: the process is gone, or may not be read.
 */
int walk_descriptors(struct walk *walk, const struct sample *sample, const char *prefix,
		     void (*found)(void *ctx, int fd, const char *name), void *ctx);

#endif
