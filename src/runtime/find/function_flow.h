/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where control goes from an instruction: what differs by processor in following a function's jumps and calls. For
 * function.c and function_<processor>.c alone.
 */
#ifndef RUNTIME_FUNCTION_FLOW_H
#define RUNTIME_FUNCTION_FLOW_H

#include "runtime/find/eh_frame.h"

enum flow_kind { FLOW_ON, FLOW_JUMP, FLOW_CALL };

struct flow {
	enum flow_kind kind; /* FLOW_JUMP: also one on a condition */
	uint64_t next;	     /* the address of the instruction behind it */
	uint64_t target;     /* of a jump or call to a fixed address */
};

/* Of the instruction at `address` in a function that ends at `end`. False: it cannot be decoded. */
bool flow_at(const struct image *image, uint64_t address, uint64_t end, struct flow *flow);
/* Whether a function begins here, and not a part of one that lies elsewhere. */
bool flow_is_begin(const struct eh_frame *frames, const struct eh_function *function);

/* Whether the function jumps behind its start, up to `last`; true also if it cannot be decoded. */
static inline bool flow_jumps_into(const struct image *image, const struct eh_function *function, uint64_t last)
{
	struct flow flow;

	for (uint64_t at = function->start; at < function->end; at = flow.next) {
		if (!flow_at(image, at, function->end, &flow))
			return true;
		if (flow.kind == FLOW_JUMP && flow.target > function->start && flow.target <= last)
			return true;
	}
	return false;
}

#endif
