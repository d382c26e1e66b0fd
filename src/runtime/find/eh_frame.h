/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where functions begin and end by .eh_frame, which is all that a stripped module keeps of its functions. A cold
 * part that the compiler split off counts as a function of its own. No state but the pointers; any thread.
 */
#ifndef RUNTIME_EH_FRAME_H
#define RUNTIME_EH_FRAME_H

#include "base/err.h"
#include "runtime/find/image.h"

struct eh_frame {
	const struct image *image;
	uint64_t header;      /* address of .eh_frame_hdr */
	const uint8_t *table; /* { start, FDE }, 32 bits each, relative to the header's address */
	size_t n;
};

struct eh_function {
	uint64_t start, end;
};

/* The table of functions from `header` to `end`, as found by image_file. 0, or -errno and err. */
int eh_frame_open(struct eh_frame *frames, const struct image *image, uint64_t header, uint64_t end, struct err *err);
/* The function that contains an address; false: none, or its FDE makes no sense. */
bool eh_frame_function(const struct eh_frame *frames, uint64_t address, struct eh_function *function);
/* The same; the address of its FDE, 0: none. */
uint64_t eh_frame_entry(const struct eh_frame *frames, uint64_t address, struct eh_function *function);
/*
 * Whether it is a cold part: its frame is there from its first instruction on, because another part has made it. Says
 * false of a part without a frame.
 */
bool eh_frame_is_part(const struct eh_frame *frames, const struct eh_function *function);

#endif
