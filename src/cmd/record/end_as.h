/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_RECORD_END_AS_H
#define CMD_RECORD_END_AS_H

/* Ends as the program did, so that whoever waits for us sees what it would have seen: by its signal, else its exit
 * status is returned. wait_status: as wait tells it. */
int end_as(int wait_status);

#endif
