// SPDX-License-Identifier: Apache-2.0
/* Measures here and now, in this process. Writes nothing into the recording. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/processor.h"
#include "capture/proc/proc.h"
#include "capture/recorder/recorder_in.h"
#include "event/ring.h"

enum { RING_BYTES = 64 << 10, ROUNDS = 20, EVENTS = 1000, FAULTS = 32, FAULT_ROUNDS = 10 };

static uint64_t round_ns(struct ring *ring, struct ring_writer *writer)
{
	uint64_t start = clock_ns();

	for (int i = 0; i < EVENTS; i++) {
		uint64_t begin = clock_ticks();
		struct record *record = ring_claim(writer);
		if (record) {
			record->time = begin;
			record->value = clock_ticks();
			ring_publish(writer);
		}
		__atomic_store_n(&ring->tail, writer->head, __ATOMIC_RELAXED);
	}
	return clock_ns() - start;
}

/* The shortest of some rounds: in a longer one somebody else had the processor. */
double recorder_cost_event_ns(void)
{
	struct ring *ring = aligned_alloc(4096, RING_HEADER + RING_BYTES);
	uint64_t best_ns = UINT64_MAX, ns;
	struct ring_writer writer = { 0 };

	if (!ring)
		return 0;
	memset(ring, 0, RING_HEADER + RING_BYTES);
	ring_use(&writer, ring, RING_BYTES);
	for (int i = 0; i < ROUNDS; i++) {
		ns = round_ns(ring, &writer);
		best_ns = ns < best_ns ? ns : best_ns;
	}
	free(ring);
	return (double)best_ns / EVENTS;
}

/* Too few bytes for a huge page. The shortest of some rounds, as above. */
double recorder_cost_fault_ns(void)
{
	const size_t size = page_size();
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < FAULT_ROUNDS; i++) {
		volatile char *page =
		    mmap(NULL, FAULTS * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint64_t start, ns;

		if (page == MAP_FAILED)
			return 0;
		start = clock_ns();
		for (size_t n = 0; n < FAULTS; n++)
			page[n * size] = 1;
		ns = clock_ns() - start;
		best_ns = ns < best_ns ? ns : best_ns;
		munmap((void *)page, FAULTS * size);
	}
	return (double)best_ns / FAULTS;
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
