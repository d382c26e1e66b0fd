// SPDX-License-Identifier: Apache-2.0
/* A ring in a file, whose kernel is the test. */
#include "capture/proc/perf_ring.h"

#include <stdlib.h>

#include "cases.h"

enum { BYTES = 4096 };

static union perf_record taken;

static struct perf_ring open_ring(void)
{
	char path[] = "/tmp/perf_ring_test.XXXXXX";
	struct perf_ring ring;
	int fd = mkstemp(path);

	unlink(path);
	assert_int_equal(ftruncate(fd, sysconf(_SC_PAGESIZE) + BYTES), 0);
	assert_int_equal(perf_ring_open(&ring, fd, BYTES), 0);
	close(fd);
	return ring;
}

static void close_ring(struct perf_ring *ring)
{
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + BYTES);
}

/* A record of this type, whose bytes behind the header are `fill`; stated: what its header gives as its size. */
static void put(struct perf_ring *ring, uint32_t type, uint16_t size, uint8_t fill, uint16_t stated)
{
	struct perf_event_header header = { .type = type, .size = stated };
	char *bytes = (char *)ring->page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < size; i++)
		bytes[(ring->page->data_head + i) % BYTES] =
		    (char)(i < sizeof header ? ((const uint8_t *)&header)[i] : fill);
	ring->page->data_head += size;
}

TEST(records_come_whole_and_in_order_round_the_ring)
{
	struct perf_ring ring = open_ring();

	for (uint32_t i = 0; i < 1000; i++) {
		uint16_t size = (uint16_t)(8 + 8 * (i % 40));

		put(&ring, i, size, (uint8_t)i, size);
		put(&ring, i, 16, (uint8_t)~i, 16);
		assert_int_equal(perf_ring_take(&ring, &taken), size);
		assert_int_equal(taken.header.type, i);
		for (size_t k = 8; k < size; k++)
			assert_int_equal((uint8_t)taken.bytes[k], (uint8_t)i);
		assert_int_equal(perf_ring_take(&ring, &taken), 16);
		assert_int_equal((uint8_t)taken.bytes[15], (uint8_t)~i);
		assert_int_equal(perf_ring_take(&ring, &taken), 0);
		assert_int_equal(ring.page->data_tail, ring.page->data_head);
	}
	close_ring(&ring);
}

TEST(what_is_no_record_is_passed_over)
{
	static const uint16_t stated[] = { 0, 7, 17, UINT16_MAX };
	struct perf_ring ring = open_ring();

	for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
		put(&ring, 1, 16, 1, stated[i]);
		assert_int_equal(perf_ring_take(&ring, &taken), 0);
		put(&ring, 2, 24, 2, 24);
		assert_int_equal(perf_ring_take(&ring, &taken), 24);
	}
	close_ring(&ring);
}

TEST(drops_are_counted_by_whole_records_of_them)
{
	union perf_record record = { .lost = { .header = { .type = PERF_RECORD_LOST }, .n = 7 } };

	assert_int_equal(perf_ring_lost(&record, 24), 7);
	assert_int_equal(perf_ring_lost(&record, 16), 0);
	record.header.type = PERF_RECORD_SAMPLE;
	assert_int_equal(perf_ring_lost(&record, 24), 0);
}
