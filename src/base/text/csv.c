// SPDX-License-Identifier: Apache-2.0
/* What must be quoted in CSV, and how. */
#include "base/text/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

bool csv_is_formula(const char *text, size_t len)
{
	return len && memchr("=+-@\t\r", *text, 6);
}

bool csv_is_quoted(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n' || !text[i])
			return true;
	return csv_is_formula(text, len);
}

static void put_quoted(FILE *out, const char *text, size_t len)
{
	fputc('"', out);
	if (csv_is_formula(text, len))
		fputc('\'', out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			fputc('"', out);
		fputc(text[i], out);
	}
	fputc('"', out);
}

void csv_put_text(FILE *out, const char *text, size_t len)
{
	char *clean = len ? malloc(3 * len) : NULL;

	if (!clean)
		return;
	len = utf8_clean(clean, text, len);
	if (csv_is_quoted(clean, len))
		put_quoted(out, clean, len);
	else
		fwrite(clean, 1, len, out);
	free(clean);
}
