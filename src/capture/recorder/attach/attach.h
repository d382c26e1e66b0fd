/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records programs that run already, or are still to come. There are two ways to see into them: probes from outside
 * (attach_probe.c), and the agent, injected (attach_inject.c). Which programs are meant is the caller's choice:
 * attach_find.h finds them, attached.h holds them.
 */
#ifndef CAPTURE_RECORDER_ATTACH_H
#define CAPTURE_RECORDER_ATTACH_H

#include "capture/probe/uprobes.h"
#include "capture/recorder/attach/attach_fit.h"
#include "capture/recorder/attached.h"
#include "capture/recorder/recorder.h"

struct recorder_attach_opts {
	/* The programs that were chosen. attached->waits: those to come that fit `wish`, too; look and ctx are ours. */
	struct attached *attached;
	struct attach_wish wish;
	bool takes_one;		    /* of those to come only the first */
	bool takes_all;		    /* also those that fit and run already; a failure of one is said, and no error */
	bool spares;		    /* waits for those to come at a bounded cost: see next.h */
	bool follows;		    /* of those to come one at a time: when the one before has ended */
	bool injects;		    /* the agent, into those that were chosen; none may be waited for */
	struct uprobes_opts probes; /* else; has_operators is filled in, from the level */
	uint64_t ring_bytes;	    /* inject: of the buffer of one thread */
	bool allows_seccomp;	    /* inject: also under a filter of system calls */
};

/*
 * Before programs are chosen: whether this process may open the files it needs and sees the right /proc. 0, or -errno
 * and err.
 */
int attach_check(struct err *err);

/*
 * Looks whether this is allowed here, sees into the programs, and records them until they have ended, the plan's time
 * is over, or a signal comes. Sinks get nothing before all the programs are seen into. 0, or -errno and err: nothing
 * was recorded, and the programs are as they were.
 */
int recorder_attach(const struct recorder_opts *opts, struct recorder_attach_opts *attach,
		    struct recorder_result *result, struct err *err);

#endif
