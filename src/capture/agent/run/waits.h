/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the thread that creates a session waited for a CPU, slice by slice of the creation: each without those
 * inside. So a phase that only lost the CPU is told from one that works.
 */
#ifndef CAPTURE_AGENT_WAITS_H
#define CAPTURE_AGENT_WAITS_H

#include "capture/agent/session.h"

/* From here on waits belong to the creation that comes, or is open. */
void waits_start(struct thread *thread);
/* Right before the records of a slice's begin, and of its end. */
void waits_open(struct thread *thread);
void waits_close(struct thread *thread);
/* Before the records of a slice that has ended, or of its end: it is all that happened since the last call. */
void waits_since(struct thread *thread);
/* Before the record of the creation's end: what lay in none of its parts, which also says that waits are known. */
void waits_end(struct thread *thread);

#endif
