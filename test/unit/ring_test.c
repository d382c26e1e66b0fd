// SPDX-License-Identifier: Apache-2.0
#include "event/ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { RECORDS = 128, BYTES = RECORDS * 32 };

static struct ring *make(struct ring_writer *writer)
{
	struct ring *ring = aligned_alloc(4096, RING_HEADER + BYTES);

	memset(ring, 0, RING_HEADER + BYTES);
	memset(writer, 0, sizeof *writer);
	ring_use(writer, ring, BYTES);
	return ring;
}

static bool push(struct ring_writer *writer, uint64_t value)
{
	struct record *record = ring_claim(writer);

	if (!record)
		return false;
	*record = (struct record){ .time = value, .value = ~value, .type = RECORD_OPERATOR };
	ring_publish(writer);
	return true;
}

TEST(full_ring_counts_what_it_loses_and_says_so_in_the_stream)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);
	uint64_t kept = 0, next = 0, told = 0, seen = 0;
	size_t n;

	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 300; i++)
			kept += push(&writer, next++);
		for (const struct record *record; (record = ring_read_at(ring, BYTES, ring->tail, &n)) && n;
		     ring_read_done(ring, n))
			for (size_t i = 0; i < n; i++)
				record[i].type == RECORD_LOST ? (told += record[i].value) : seen++;
	}
	assert_int_equal(seen, kept);
	assert_int_equal(kept + ring->lost, next);
	assert_true(ring->lost > 0);
	assert_int_equal(told, writer.reported);
	assert_true(push(&writer, 0));
	assert_int_equal(writer.reported, ring->lost);
	free(ring);
}

TEST(last_eighth_is_kept_for_records_others_depend_on)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);
	int extra = 0;

	while (push(&writer, 1))
		;
	assert_in_range(writer.head, RECORDS * 3 / 4, RECORDS * 7 / 8);
	for (struct record *record; (record = ring_claim_kept(&writer)); extra++) {
		record->type = RECORD_RUN_END;
		ring_publish(&writer);
		assert_false(push(&writer, 1));
	}
	assert_true(extra >= RECORDS / 8 - 2);
	free(ring);
}

TEST(a_kept_record_first_leaves_the_last_eighth_closed_to_others)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);

	assert_non_null(ring_claim_kept(&writer)); /* the first record of every thread */
	ring_publish(&writer);
	while (push(&writer, 1))
		;
	assert_in_range(writer.head, RECORDS * 3 / 4, RECORDS * 7 / 8);
	assert_non_null(ring_claim_kept(&writer));
	free(ring);
}

TEST(a_claim_inside_a_claim_gets_nothing)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);
	struct record *outer = ring_claim(&writer);

	assert_non_null(outer);
	assert_null(ring_claim(&writer));
	assert_null(ring_claim_kept(&writer));
	ring_publish(&writer);
	assert_int_equal(ring->lost, 2);
	assert_true(push(&writer, 5));
	free(ring);
}

TEST(nonsense_from_the_other_side_reads_as_nothing)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);
	size_t n = 7;

	ring->head = 1u << 30;
	ring_read_at(ring, BYTES, ring->tail, &n);
	assert_int_equal(n, 0);
	ring->head = 0;
	ring->tail = 5;
	ring_read_at(ring, BYTES, ring->tail, &n);
	assert_int_equal(n, 0);
	ring_read_at(ring, 0, ring->tail, &n);
	assert_int_equal(n, 0);
	free(ring);
}

TEST(room_is_free_when_both_readers_have_read_it)
{
	struct ring_writer writer;
	struct ring *ring = make(&writer);
	const struct record *record;
	uint64_t n_pushed = 0;
	size_t n;

	while (push(&writer, n_pushed))
		n_pushed++;
	ring_read_at(ring, BYTES, ring->tail, &n);
	ring->own_tail = 10;
	ring->is_shared = 1;
	ring_read_done(ring, n);
	assert_int_equal(ring_fill(&writer), n_pushed - 10);
	for (int i = 0; i < 9; i++) /* one of the ten says that one was lost */
		assert_true(push(&writer, n_pushed++));
	assert_false(push(&writer, 0));
	record = ring_read_at(ring, BYTES, ring->own_tail, &n);
	assert_int_equal(record->time, 10);
	ring->is_shared = 0;
	assert_true(push(&writer, 0));
	free(ring);
}

struct pair {
	struct ring *ring;
	struct ring_writer writer;
	uint64_t kept;
};

static void *produce(void *arg)
{
	struct pair *pair = arg;

	for (uint64_t i = 0; i < 2000000; i++)
		pair->kept += push(&pair->writer, i);
	__atomic_store_n(&pair->writer.ring->pad[0], 1, __ATOMIC_RELEASE);
	return NULL;
}

TEST(two_threads_agree_on_every_record)
{
	struct pair pair = { 0 };
	pthread_t thread;
	uint64_t seen = 0, last = 0;
	size_t n;

	pair.ring = make(&pair.writer);
	pthread_create(&thread, NULL, produce, &pair);
	for (;;) {
		bool done = __atomic_load_n(&pair.ring->pad[0], __ATOMIC_ACQUIRE);
		const struct record *record = ring_read_at(pair.ring, BYTES, pair.ring->tail, &n);
		for (size_t i = 0; i < n; i++) {
			if (record[i].type == RECORD_LOST)
				continue;
			assert_int_equal(record[i].value, ~record[i].time);
			assert_true(!seen || record[i].time > last);
			last = record[i].time;
			seen++;
		}
		ring_read_done(pair.ring, n);
		if (done && !n)
			break;
	}
	pthread_join(thread, NULL);
	assert_int_equal(seen, pair.kept);
	assert_int_equal(pair.kept + pair.ring->lost, 2000000);
	free(pair.ring);
}
