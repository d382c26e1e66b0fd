// SPDX-License-Identifier: Apache-2.0
/* What stand-ins call, while modules that lead to them come and go. */
#include "capture/agent/replace/places.h"

#include <string.h>

#include "cases.h"

static struct place places[PLACES];
static int a, b;

static void begin(void)
{
	memset(places, 0, sizeof places);
	memset(copies, 0, sizeof copies);
	n_copies = 3;
	for (uint32_t i = 0; i < n_copies; i++)
		copies[i].number = i;
}

static void unload(uint32_t copy)
{
	copies[copy].is_unloaded = true;
	places_forget_gone(places);
	copies[copy].is_unloaded = false; /* its entry is another's */
}

TEST(a_function_of_a_role_has_one_place)
{
	begin();
	assert_int_equal(places_take(places, &copies[0], 1, &a), 0);
	assert_int_equal(places_take(places, &copies[0], 2, &a), 1);
	assert_int_equal(places_take(places, &copies[0], 1, &b), 2);
	assert_int_equal(places_take(places, &copies[1], 1, &a), 0);
}

TEST(a_place_stays_until_the_last_module_that_uses_it_has_gone)
{
	begin();
	places_take(places, &copies[0], 1, &a);
	places_take(places, &copies[1], 1, &a);
	unload(1);
	assert_ptr_equal(places[0].real, &a);
	unload(2);
	assert_ptr_equal(places[0].real, &a);
	unload(0);
	assert_null(places[0].real);
	assert_int_equal(places_take(places, &copies[2], 3, &b), 0);
	assert_int_equal(places[0].role, 3);
}

TEST(what_a_program_has_looked_up_stays)
{
	begin();
	places_take(places, NULL, 1, &a);
	places_take(places, &copies[0], 1, &a);
	unload(0);
	assert_ptr_equal(places[0].real, &a);
}

TEST(there_are_so_many_and_no_more)
{
	static char function[PLACES + 1];

	begin();
	for (unsigned i = 0; i < PLACES; i++)
		assert_int_equal(places_take(places, &copies[i % 2], 1, &function[i]), i);
	assert_int_equal(places_take(places, &copies[0], 1, &function[PLACES]), PLACES);
	unload(0);
	assert_int_equal(places_take(places, &copies[1], 1, &function[PLACES]), 0);
}
