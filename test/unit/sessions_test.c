// SPDX-License-Identifier: Apache-2.0
/* The table of a process's sessions: what is released is forgotten, everything else is found. */
#include "capture/decode/sessions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

TEST(a_session_is_found_until_nothing_of_it_can_come)
{
	struct sessions sessions = { 0 };

	sessions_at(&sessions, 7)->model = 70;
	sessions_release(&sessions, 7);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(sessions_at(&sessions, 7)->model, 70);
		assert_int_equal(sessions.living.n, 1);
		sessions_end_round(&sessions);
	}
	assert_int_equal(sessions.living.n, 0);
	assert_null(sessions_find(&sessions, 7));
	assert_int_equal(sessions_at(&sessions, 7)->model, 0);
	assert_ptr_equal(sessions_find(&sessions, 7), sessions_at(&sessions, 7));
	sessions_done(&sessions);
}

TEST(number_0_is_the_unknown_session)
{
	struct sessions sessions = { 0 };

	assert_int_equal(sessions_at(&sessions, 0)->number, 0);
	sessions_release(&sessions, 0);
	sessions_release(&sessions, 5); /* never met */
	for (int round = 0; round < 4; round++)
		sessions_end_round(&sessions);
	assert_int_equal(sessions.living.n + sessions.n_gone, 0);
	assert_ptr_equal(sessions_at(&sessions, 0), &sessions.unknown);
	sessions_done(&sessions);
}

/* Sessions come and go in any order: those that live are found with what is theirs, in memory for those that live. */
TEST(sessions_without_end_take_no_more_memory)
{
	enum { LIVING = 500, MANY = 3000000 };
	static uint32_t living[LIVING];
	struct sessions sessions = { 0 };
	unsigned seed = 1;

	for (uint32_t number = 1; number <= MANY; number++) {
		uint32_t *place = &living[(unsigned)rand_r(&seed) % LIVING];

		if (*place) {
			assert_int_equal(sessions_at(&sessions, *place)->bytes, *place * 3);
			sessions_release(&sessions, *place);
		}
		*place = number;
		sessions_at(&sessions, number)->bytes = number * 3;
		if (rand_r(&seed) % 50 == 0)
			sessions_end_round(&sessions);
	}
	for (int round = 0; round < 3; round++)
		sessions_end_round(&sessions);
	assert_int_equal(sessions.living.n, LIVING);
	for (int i = 0; i < LIVING; i++)
		assert_int_equal(sessions_at(&sessions, living[i])->bytes, living[i] * 3);
	assert_int_equal(sessions.living.n, LIVING);
	assert_true(sessions.living.n_slots <= 8192 && sessions.gone_capacity <= 8192);
	sessions_done(&sessions);
}

TEST(more_than_a_million_at_once_are_the_unknown_session)
{
	enum { MOST = 1 << 20 };
	struct sessions sessions = { 0 };

	for (uint32_t number = 1; number <= MOST; number++)
		sessions_at(&sessions, number * 12345677u)->model = number;
	assert_int_equal(sessions.living.n, MOST);
	assert_ptr_equal(sessions_at(&sessions, (MOST + 1) * 12345677u), &sessions.unknown);
	assert_int_equal(sessions_at(&sessions, 99 * 12345677u)->model, 99);
	sessions_done(&sessions);
}
