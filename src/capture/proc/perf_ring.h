/* SPDX-License-Identifier: Apache-2.0 */
/* The ring into which the kernel writes records of a perf event. No byte of it is trusted. One thread reads. */
#ifndef CAPTURE_PROC_PERF_RING_H
#define CAPTURE_PROC_PERF_RING_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The largest has room. */
union perf_record {
	struct perf_event_header header;
	struct {
		struct perf_event_header header;
		uint64_t id, n;
	} lost;
	char bytes[1 << 16];
	uint64_t words[(1 << 16) / 8];
};

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	size_t bytes;			   /* behind it; a power of two */
};

/* 0, or a positive errno value. */
static inline int perf_ring_open(struct perf_ring *ring, int fd, size_t bytes)
{
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return errno;
	*ring = (struct perf_ring){ page, bytes };
	return 0;
}

/* Bytes from a position on, which may go on at the beginning. */
static inline void perf_ring_copy(const struct perf_ring *ring, uint64_t at, void *to, size_t size)
{
	const char *bytes = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t from = (size_t)(at & (ring->bytes - 1)), first = ring->bytes - from < size ? ring->bytes - from : size;

	memcpy(to, bytes + from, first);
	memcpy((char *)to + first, bytes, size - first);
}

/* The next record, whose place the kernel may use again; its size, 0: there is none. */
static inline size_t perf_ring_take(struct perf_ring *ring, union perf_record *record)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
	size_t size;

	if (head - tail < sizeof record->header)
		return 0;
	perf_ring_copy(ring, tail, record, sizeof record->header);
	size = record->header.size;
	if (size < sizeof record->header || size > head - tail) { /* cannot be: it is read anew from its end */
		__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
		return 0;
	}
	perf_ring_copy(ring, tail, record, size);
	__atomic_store_n(&ring->page->data_tail, tail + size, __ATOMIC_RELEASE);
	return size;
}

/* How many records the kernel dropped, as this one states. */
static inline uint64_t perf_ring_lost(const union perf_record *record, size_t size)
{
	return record->header.type == PERF_RECORD_LOST && size >= sizeof record->lost ? record->lost.n : 0;
}

#endif
