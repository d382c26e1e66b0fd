// SPDX-License-Identifier: Apache-2.0
/* Reads what the agent has left in the segment (capture/agent/heap.c). */
#include "capture/source/agent/source_agent_in.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"
#include "event/memory_note.h"

enum { MOST_BITS = 50 };

int malloc_heap_sample(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		       struct err *err)
{
	const struct segment *segment = process->map.segment;
	struct counter in_use = { process->heap.in_use_track }, kept = { process->heap.kept_track };
	uint64_t at = __atomic_load_n(&segment->heap_at, __ATOMIC_ACQUIRE);
	uint64_t in_use_bytes = segment->heap_in_use, kept_bytes = segment->heap_kept, time_ns;
	int code;

	if (at == process->heap.at || in_use_bytes >> MOST_BITS || kept_bytes >> MOST_BITS)
		return 0;
	process->heap.at = at;
	time_ns = sample_clock_ns(target, now_ns);
	code = counter_put(&in_use,
			   &(struct counter_value){ EVENT_MALLOC_IN_USE, "bytes", recorded_track(process, out), time_ns,
						    (double)in_use_bytes },
			   out, err);
	if (!code)
		code = counter_put(&kept,
				   &(struct counter_value){ EVENT_MALLOC_FREE, "bytes", recorded_track(process, out),
							    time_ns, (double)kept_bytes },
				   out, err);
	process->heap.in_use_track = in_use.track;
	process->heap.kept_track = kept.track;
	return code;
}
