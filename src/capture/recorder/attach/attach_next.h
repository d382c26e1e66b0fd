/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that come while a recording runs: each that loads a runtime and is wanted gets probes before it goes on. */
#ifndef CAPTURE_RECORDER_ATTACH_NEXT_H
#define CAPTURE_RECORDER_ATTACH_NEXT_H

#include "capture/probe/uprobes.h"
#include "capture/recorder/attach/attach_in.h"

struct attach_next;

/*
 * Watches from now on, and takes attached.look: programs that fit the wish are added to attached. With takes_one the
 * first ends the watching. job and uprobes stay the caller's, and must stay. NULL and err: a right is missing.
 */
struct attach_next *attach_next_open(const struct attach_job *job, struct uprobes *uprobes, struct err *err);
/* NULL is fine. */
void attach_next_close(struct attach_next *all);

#endif
