/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended that is not our child: the kernel tells who has a pidfd of it (Linux 6.15). */
#ifndef CAPTURE_PROC_PROCESS_END_H
#define CAPTURE_PROC_PROCESS_END_H

#include <stdbool.h>

/*
 * wait_status: as wait has it. False: the kernel is older, or the parent has not taken note of the end within so many
 * tries, between which this sleeps for 2 ms.
 */
bool process_end(int pidfd, int n_tries, int *wait_status);

#endif
