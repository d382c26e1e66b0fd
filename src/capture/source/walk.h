/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which descriptors of a process are open on devices. Looking at all of them takes microseconds for each: it is done
 * when their number has changed, else every ten seconds, and takes a small part of the time of all processes together.
 */
#ifndef CAPTURE_SOURCE_WALK_H
#define CAPTURE_SOURCE_WALK_H

#include "capture/source/follow.h"

/* Of one process, in one source. Starts zeroed. */
struct walk {
	uint64_t due_ns, again_ns;
	int64_t n; /* descriptors; 0: this kernel does not tell */
};

enum walk_state {
	WALK_DUE,  /* time for walk_descriptors */
	WALK_SAME, /* nothing was opened or closed, as far as can be told */
	WALK_LATER /* not known */
};

enum walk_state walk_state(struct walk *walk, const struct sample *sample);

/*
 * Calls found for each descriptor that is open on a path beginning with prefix; name is what follows. 0, or -errno: the
 * process is gone, or may not be looked at.
 */
int walk_descriptors(struct walk *walk, const struct sample *sample, const char *prefix,
		     void (*found)(void *ctx, int fd, const char *name), void *ctx);

#endif
