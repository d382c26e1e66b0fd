/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the recorder alive when the owner of a segment, who may be less trusted, truncates its file: a mapping has no
 * pages behind the end of the file, and access to one raises SIGBUS.
 */
#ifndef CAPTURE_DECODE_SEGMENT_GUARD_H
#define CAPTURE_DECODE_SEGMENT_GUARD_H

#include "capture/decode/segment.h"

/* map stays where it is until it is removed. One thread. */
void segment_guard_add(struct segment_map *map);
void segment_guard_remove(struct segment_map *map);

#endif
