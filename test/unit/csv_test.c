// SPDX-License-Identifier: Apache-2.0
/* Fields of CSV: quoted where they must be, and harmless in a spreadsheet. */
#include "base/text/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static void check(const char *text, size_t len, const char *expected)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);

	assert_non_null(stream);
	csv_put_text(stream, text, len);
	fclose(stream);
	assert_string_equal(out, expected);
	free(out);
}

TEST(fields_are_quoted_where_they_must_be)
{
	check("", 0, "");
	check("conv/1", 6, "conv/1");
	check("a b;c'd", 7, "a b;c'd");
	check("a,b", 3, "\"a,b\"");
	check("a\"b", 3, "\"a\"\"b\"");
	check("a\r\nb", 4, "\"a\r\nb\"");
	check("a\xff", 2, "a\xef\xbf\xbd");
}

TEST(formulas_are_texts)
{
	check("=1+1", 4, "\"'=1+1\"");
	check("@x", 2, "\"'@x\"");
	check("-x,\"y", 5, "\"'-x,\"\"y\"");
	check("\tx", 2, "\"'\tx\"");
	check("\rx", 2, "\"'\rx\"");
	check("a=1", 3, "a=1");
	assert_false(csv_is_formula("", 0));
}
