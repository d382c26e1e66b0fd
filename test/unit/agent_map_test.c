// SPDX-License-Identifier: Apache-2.0
/* The agent's map of addresses: its memory, and look-ups while another thread changes it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/map.h"
#include "cases.h"

enum { LIVING = 200, STAYING = 50, CHANGES = 2000000, READERS = 3 };

struct agent agent; /* map.c takes its memory from there */

static void *value_of(uintptr_t key)
{
	return (void *)(key * 3 + 1);
}

static size_t memory(void)
{
	struct block {
		struct block *next;
		size_t size;
	};
	size_t size = 0;

	for (const struct block *block = agent.arena.first; block; block = block->next)
		size += block->size;
	return size;
}

/* LIVING addresses at a time, each of which is new. */
static void change(struct map *map, uintptr_t *living, uint64_t i)
{
	uintptr_t *one = &living[i % LIVING];

	if (*one)
		map_put(map, *one, NULL);
	*one = 0x10000 + i * 48;
	assert_true(map_put(map, *one, value_of(*one)));
}

TEST(new_addresses_without_end_take_no_more_memory)
{
	static uintptr_t living[LIVING];
	struct map map = { 0 };
	size_t before = 0;

	for (uint64_t i = 0; i < CHANGES; i++) {
		change(&map, living, i);
		if (i == CHANGES / 100)
			before = memory();
	}
	assert_int_equal(memory(), before);
	for (int i = 0; i < LIVING; i++)
		assert_ptr_equal(map_get(&map, living[i]), value_of(living[i]));
	assert_null(map_get(&map, 0x10000));
}

TEST(a_map_grows_and_forgets_nothing_that_lives)
{
	struct map map = { 0 };

	for (uintptr_t key = 8; key < 80000; key += 8)
		assert_true(map_put(&map, key, value_of(key)));
	for (uintptr_t key = 8; key < 80000; key += 16)
		assert_true(map_put(&map, key, NULL));
	for (uintptr_t key = 80000; key < 160000; key += 8)
		assert_true(map_put(&map, key, value_of(key)));
	for (uintptr_t key = 8; key < 160000; key += 8)
		assert_ptr_equal(map_get(&map, key), key < 80000 && key % 16 ? NULL : value_of(key));
	map_clear(&map);
	for (uintptr_t key = 8; key < 160000; key += 8)
		assert_null(map_get(&map, key));
}

static struct map shared;
static uint64_t n_changes; /* so far */

static uintptr_t staying_key(uint64_t i)
{
	return 0x1000 + i % STAYING * 8;
}

/* The number of wrong answers, for those that stay and the newest of those that come and go. */
static void *look_up(void *arg)
{
	uintptr_t n_wrong = 0;
	uint64_t now = 0;

	for (uint64_t i = 0; now < CHANGES; i++) {
		uintptr_t stays = staying_key(i), comes_and_goes;
		void *value;
		now = __atomic_load_n(&n_changes, __ATOMIC_ACQUIRE);
		comes_and_goes = 0x10000 + (now + LIVING - i % (2 * LIVING)) * 48;
		value = map_get(&shared, comes_and_goes);
		n_wrong += map_get(&shared, stays) != value_of(stays);
		n_wrong += value && value != value_of(comes_and_goes);
	}
	return (void *)n_wrong;
}

TEST(look_ups_beside_changes_find_what_stays_and_no_other_value)
{
	static uintptr_t living[LIVING];
	pthread_t reader[READERS];
	void *n_wrong;

	for (uint64_t i = 0; i < STAYING; i++)
		map_put(&shared, staying_key(i), value_of(staying_key(i)));
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&reader[i], NULL, look_up, NULL), 0);
	for (uint64_t i = 0; i < CHANGES; i++) {
		change(&shared, living, i);
		__atomic_store_n(&n_changes, i + 1, __ATOMIC_RELEASE);
	}
	for (int i = 0; i < READERS; i++) {
		pthread_join(reader[i], &n_wrong);
		assert_null(n_wrong);
	}
	assert_true(shared.version > 100);
}
