/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The segment's file in this process: mapped in parts, as they are used, because a program may lock all of its memory
 * (mlockall), or have a limit on it. Nothing else is mapped or reserved. All functions: under the agent's lock.
 *
 * The file is closed at once, because a target may close any descriptor, and may lose the right to open it again. So
 * each mapping has one page more than is used, from which mremap makes the mapping of what follows in the file.
 *
 * Pages are made by MADV_POPULATE_WRITE before they are written, which fails where a store would raise SIGBUS.
 */
#ifndef CAPTURE_AGENT_ROOM_H
#define CAPTURE_AGENT_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "event/record.h"

/*
 * Maps the header of a new segment, whose pages exist then. Of the segment before, the dictionary is unmapped; its
 * other parts stay mapped, and the segment after this one takes their places. size: of the file; path: kept by the
 * caller. NULL: out of memory.
 */
struct segment *room_open(int fd, uint64_t size, const char *path);
/* In a child of fork, after room_open: unmaps what is the parent's. */
void room_leave_parents(void);
/* The dictionary, of which this many bytes exist. It may move with each call. NULL: out of memory. */
char *room_dict(uint64_t bytes);
/* The next bytes of the file, rounded up to whole pages. They exist, and stay where they are. NULL: out of memory. */
char *room_take(uint64_t bytes, uint64_t *offset);
/* Frees the memory behind the segment; what is mapped stays mapped. */
void room_give_back(void);

#endif
