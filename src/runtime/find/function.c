// SPDX-License-Identifier: Apache-2.0
/* What follows from a function's jumps and calls, on every processor. */
#include "runtime/find/function.h"

#include "runtime/find/function_flow.h"

static bool is_in(const struct eh_function *function, uint64_t address)
{
	return address >= function->start && address < function->end;
}

bool function_whole(const struct eh_frame *frames, const struct eh_function *part, struct eh_function *whole)
{
	struct eh_function other = { 0, 0 }, found;
	struct flow flow;

	for (uint64_t at = part->start; at < part->end; at = flow.next) {
		if (!flow_at(frames->image, at, part->end, &flow))
			return false;
		if (flow.kind != FLOW_JUMP || is_in(part, flow.target) || is_in(&other, flow.target))
			continue;
		if (!eh_frame_function(frames, flow.target, &found) || found.start == flow.target)
			continue; /* a tail call */
		if (other.start)
			return false;
		other = found;
	}
	if (flow_is_begin(frames, part)) {
		*whole = *part;
		return !other.start || !flow_is_begin(frames, &other);
	}
	*whole = other;
	return other.start && flow_is_begin(frames, &other);
}

bool function_calls(const struct eh_frame *frames, const struct eh_function *function, uint64_t target)
{
	struct flow flow;

	for (uint64_t at = function->start; at < function->end; at = flow.next) {
		if (!flow_at(frames->image, at, function->end, &flow))
			return false;
		if (flow.kind == FLOW_CALL && flow.target == target)
			return true;
	}
	return false;
}
