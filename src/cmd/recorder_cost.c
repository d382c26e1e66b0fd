// SPDX-License-Identifier: Apache-2.0
/* Measures here and now, in this process. Writes nothing into the recording. */
#include "cmd/recorder_cost.h"

#include "base/clock.h"
#include "event/ring.h"
#include "source/proc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

double recorder_cost_event_ns(void)
{
	enum { BYTES = 64 << 10, ROUNDS = 20000 };
	struct ring *ring = aligned_alloc(4096, RING_HEADER + BYTES);
	struct ring_writer writer = { 0 };
	uint64_t start;

	if (!ring)
		return 0;
	memset(ring, 0, RING_HEADER + BYTES);
	ring_use(&writer, ring, BYTES);
	start = clock_ns();
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_ticks();
		struct record *record = ring_claim(&writer);
		if (record) {
			record->time = begin;
			record->value = clock_ticks();
			ring_publish(&writer);
		}
		__atomic_store_n(&ring->tail, writer.head, __ATOMIC_RELAXED);
	}
	start = clock_ns() - start;
	free(ring);
	return (double)start / ROUNDS;
}

/* ru_maxrss would be that of whoever started us. */
int64_t recorder_cost_peak_bytes(void)
{
	char text[4096];
	uint64_t kib = 0;
	ssize_t len = proc_read("", getpid(), "status", text, sizeof text);

	return len > 0 && proc_field(text, (size_t)len, "VmHWM", &kib) ? (int64_t)kib * 1024 : 0;
}

uint64_t recorder_cost_cpu_ns(int whose)
{
	struct rusage usage;

	getrusage(whose, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}
