// SPDX-License-Identifier: Apache-2.0
/* Every format of comparisons: one line each, and diff_as_<name>.c, which defines diff_as_<name>. */
#include <string.h>

#include "show/diff/diff_page.h"
#include "show/words/model/model_words.h"

#define DIFFS(F) \
	F(text) \
	F(markdown) \
	F(json) \
	F(html)

#define DECLARE(name) extern const struct diff_format diff_as_##name;
DIFFS(DECLARE)

#define ENTRY(name) &diff_as_##name,
const struct diff_format *const diff_formats[] = { DIFFS(ENTRY) NULL };

const struct diff_format *diff_format_named(const char *name)
{
	for (size_t i = 0; diff_formats[i]; i++)
		if (!strcmp(name, diff_formats[i]->name))
			return diff_formats[i];
	return NULL;
}

const struct diff_format *diff_format_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && diff_formats[i]; i++)
		if (!strcmp(suffix, diff_formats[i]->suffix))
			return diff_formats[i];
	return diff_formats[0];
}

void diff_write(FILE *out, const struct diff_format *format, const struct diff *diff, const struct report_look *look)
{
	struct model_locale locale = model_locale_enter();

	format->write(out, diff, look);
	model_locale_leave(&locale);
}
