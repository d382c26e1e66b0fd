/* SPDX-License-Identifier: Apache-2.0 */
/* Where a process has machine code: its executable mappings, of files and others. */
#ifndef CAPTURE_STACKS_STACK_MAP_H
#define CAPTURE_STACKS_STACK_MAP_H

#include "capture/stacks/stack_image.h"

struct stack_map {
	uint64_t start, end, offset;
	uint32_t image; /* 0: of no file */
};

/* Of one process, by address. Zeroed: not read. */
struct stack_maps {
	struct array map; /* struct stack_map */
	uint64_t read_ns;
};

/* NULL: no code is there. Reads the mappings again if the address is in none, at most once in a while. */
const struct stack_map *stack_maps_find(struct stack_maps *maps, uint64_t address, struct stack_images *images,
					struct names *names, pid_t pid);
void stack_maps_done(struct stack_maps *maps);

#endif
