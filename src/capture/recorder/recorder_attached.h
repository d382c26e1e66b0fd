/* SPDX-License-Identifier: Apache-2.0 */
/* The programs to which a recording is attached (way->attached): who is in the tree, who has come and gone. */
#ifndef CAPTURE_RECORDER_RECORDER_ATTACHED_H
#define CAPTURE_RECORDER_RECORDER_ATTACHED_H

#include "capture/recorder/recorder_state.h"

/* Puts those into the tree that were added to the list and are not in it yet. 0, or -ENOMEM and err. */
int recorder_attached_admit(struct recorder *recorder, struct err *err);
/* Notes who has ended, admits who has come. 0, or -errno and err: it cannot go on. */
int recorder_attached_follow(struct recorder *recorder, uint64_t now_ns, struct err *err);

#endif
