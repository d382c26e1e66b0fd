// SPDX-License-Identifier: Apache-2.0
#include "event/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void equal_texts_share_an_id(void **state)
{
	struct names *names = names_new();
	uint32_t a = names_of(names, "Conv"), b = names_intern(names, "Convolution", 4);

	assert_int_equal(a, b);
	assert_int_not_equal(a, names_of(names, "Relu"));
	assert_string_equal(names_text(names, a), "Conv");
	names_free(names);
}

static void no_text_is_id_zero(void **state)
{
	struct names *names = names_new();

	assert_int_equal(names_of(names, NULL), 0);
	assert_int_equal(names_of(names, ""), 0);
	assert_string_equal(names_text(names, 0), "");
	assert_string_equal(names_text(names, 77), "");
	names_free(names);
}

static void ids_survive_growth(void **state)
{
	struct names *names = names_new();
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
	names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_share_an_id),
		cmocka_unit_test(no_text_is_id_zero),
		cmocka_unit_test(ids_survive_growth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
