// SPDX-License-Identifier: Apache-2.0
#include "event/names.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

#define CASE(name) TEST_OF_NEW(name, struct names, names, names_new(), names_free(names))

CASE(equal_texts_share_an_id)
{
	uint32_t a = names_of(names, "Conv"), b = names_intern(names, "Convolution", 4);

	assert_int_equal(a, b);
	assert_int_not_equal(a, names_of(names, "Relu"));
	assert_string_equal(names_text(names, a), "Conv");
}

CASE(no_text_is_id_zero)
{
	assert_int_equal(names_of(names, NULL), 0);
	assert_int_equal(names_of(names, ""), 0);
	assert_string_equal(names_text(names, 0), "");
	assert_string_equal(names_text(names, 77), "");
}

CASE(ids_survive_growth)
{
	char text[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof text, "name %d", i);
		assert_int_equal(names_of(names, text), i + 1);
	}
	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof text, "name %d", i);
		assert_string_equal(names_text(names, (uint32_t)i + 1), text);
		assert_int_equal(names_of(names, text), i + 1);
	}
	assert_int_equal(names_count(names), 100000);
}

static uint32_t pass(struct names *names, int number)
{
	char text[32];
	int len = snprintf(text, sizeof text, "tag %d", number);

	return names_pass(names, text, (size_t)len);
}

CASE(the_first_passing_texts_stay)
{
	uint32_t first = pass(names, 0);

	assert_false(names_is_passing(first));
	for (int i = 0; i < 500000; i++)
		pass(names, i);
	assert_int_equal(pass(names, 0), first);
	assert_int_equal(names_of(names, "tag 0"), first);
	assert_string_equal(names_text(names, first), "tag 0");
	assert_in_range(names_count(names), 1, 100000);
}

CASE(later_ones_are_known_for_a_while)
{
	uint32_t id = 0, old;

	for (int i = 0; i < 100000; i++)
		id = pass(names, i);
	assert_true(names_is_passing(id));
	assert_string_equal(names_text(names, id), "tag 99999");
	assert_int_equal(names_len(names, id), 9);
	old = id;
	for (int i = 100000; i < 600000; i++) {
		id = pass(names, i);
		assert_int_equal(names_len(names, id), 10);
	}
	assert_string_equal(names_text(names, id), "tag 599999");
	assert_string_equal(names_text(names, old), "");
	assert_int_equal(names_len(names, old), 0);
	assert_int_equal(names_keep(names, old), 0);
}

CASE(a_passing_text_can_be_kept)
{
	uint32_t id = 0, kept;

	for (int i = 0; i < 100000; i++)
		id = pass(names, i);
	kept = names_keep(names, id);
	assert_false(names_is_passing(kept));
	assert_int_equal(names_keep(names, kept), kept);
	assert_int_equal(pass(names, 99999), kept);
	for (int i = 100000; i < 600000; i++)
		pass(names, i);
	assert_string_equal(names_text(names, kept), "tag 99999");
}

CASE(long_texts_pass_in_bounded_memory)
{
	static char text[4000];

	memset(text, 'x', sizeof text);
	for (uint32_t i = 0; i < 30000; i++) {
		uint32_t id;

		memcpy(text, &i, sizeof i);
		text[0] |= 1; /* no NUL at the front */
		id = names_pass(names, text, sizeof text);
		assert_int_equal(names_len(names, id), sizeof text);
		assert_memory_equal(names_text(names, id), text, sizeof text);
	}
	assert_in_range(names_count(names), 1, 3000);
}
