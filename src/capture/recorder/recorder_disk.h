/* SPDX-License-Identifier: Apache-2.0 */
/* How much a recording may still write: a part of its disk stays free for everybody else. Stops nothing itself. */
#ifndef CAPTURE_RECORDER_RECORDER_DISK_H
#define CAPTURE_RECORDER_RECORDER_DISK_H

#include <stdint.h>

/* Bytes that a recording leaves free on a disk of this size: 5 %, at most 1 GiB. */
uint64_t recorder_disk_reserve(uint64_t total_bytes);
/* Bytes that may be written until only the reserve is free; 0: none. */
uint64_t recorder_disk_left(uint64_t total_bytes, uint64_t free_bytes);
/* The same for the disk of an open file; UINT64_MAX: no regular file, or its disk cannot be asked. */
uint64_t recorder_disk_left_of(int fd);

#endif
