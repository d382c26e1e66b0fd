// SPDX-License-Identifier: Apache-2.0
/* Which inference has made what lies at an address. */
#include "capture/agent/caches.h"

#include "cases.h"

enum { APART = 4096, BASE = 1 << 20 };

TEST(an_address_is_of_the_inference_that_made_it_last)
{
	(void)state;
	assert_int_equal(caches_maker(BASE), 0);
	caches_made(BASE, 7);
	caches_made(BASE + APART, UINT32_MAX);
	assert_int_equal(caches_maker(BASE), 7);
	assert_int_equal(caches_maker(BASE + APART), UINT32_MAX);
	assert_int_equal(caches_maker(BASE + 2 * APART), 0);
	caches_made(BASE, 8);
	assert_int_equal(caches_maker(BASE), 8);
}

TEST(nothing_lies_nowhere)
{
	(void)state;
	caches_made(0, 7);
	assert_int_equal(caches_maker(0), 0);
}

TEST(most_of_what_was_made_lately_is_known_and_never_as_of_another)
{
	enum { LATELY = 512, ALL = 100000 };
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 1; i <= ALL; i++)
		caches_made((uint64_t)BASE + (uint64_t)i * 64, i);
	for (uint32_t i = 1; i <= ALL; i++) {
		uint32_t maker = caches_maker((uint64_t)BASE + (uint64_t)i * 64);

		assert_true(!maker || maker == i);
		n += maker && i > ALL - LATELY;
	}
	assert_true(n > LATELY * 8 / 10);
}
