/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that the program has started and that outlive it: daemons, jobs in the background. */
#ifndef CAPTURE_RECORDER_RECORDER_LEFT_H
#define CAPTURE_RECORDER_RECORDER_LEFT_H

#include "capture/recorder/recorder_state.h"

/*
 * How many go on once the program has ended. Those that became children of init before they were seen are found by
 * their environment, and put into the tree. Reads all of /proc.
 */
size_t recorder_left(struct recorder *recorder);

#endif
