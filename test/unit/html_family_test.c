// SPDX-License-Identifier: Apache-2.0
/* Families of operator types, by the list that the page of view is tested with, too. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "show/html/html_model.h"

TEST(types_of_every_runtime_belong_to_what_they_do)
{
	FILE *in = fopen(TEST_DIR "/../web/test/families.csv", "r");
	char line[1024];
	int n = 0;

	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		char *types = strchr(line, ','), *at = strchr(line, ';');

		assert_non_null(types);
		*types++ = 0;
		if (at)
			*at = ',';
		for (char *type = strtok(types, " \n"); type; type = strtok(NULL, " \n"), n++)
			if (strcmp(html_family_name(html_family(type)), line) != 0)
				fail_msg("%s is %s, not %s", type, html_family_name(html_family(type)), line);
	}
	fclose(in);
	assert_true(n > 100);
	assert_string_equal(html_family_name(html_family(NULL)), "other");
}
