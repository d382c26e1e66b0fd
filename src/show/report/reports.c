// SPDX-License-Identifier: Apache-2.0
/* Every format of reports: one line each, and report_<name>.c, which defines report_<name>. */
#include "show/report/reports.h"

#include <string.h>

#include "show/words/model/model_words.h"

#define REPORTS(F) \
	F(text) \
	F(json) \
	F(html) \
	F(csv) \
	F(csv_operators) \
	F(csv_kernels) \
	F(csv_sizes) \
	F(csv_generations) \
	F(csv_losses)

#define DECLARE(name) extern const struct report_format report_##name;
REPORTS(DECLARE)

#define ENTRY(name) &report_##name,
const struct report_format *const reports[] = { REPORTS(ENTRY) NULL };

const struct report_format *report_format_named(const char *name)
{
	for (size_t i = 0; reports[i]; i++)
		if (!strcmp(name, reports[i]->name))
			return reports[i];
	return NULL;
}

static bool has_suffix(const char *path, const char *suffixes)
{
	size_t len = strlen(path), size;

	for (const char *at = suffixes; at && *at; at += size + (at[size] == ' ')) {
		size = strcspn(at, " ");
		if (len > size && !memcmp(path + len - size, at, size))
			return true;
	}
	return false;
}

const struct report_format *report_format_of(const char *path)
{
	for (size_t i = 0; reports[i]; i++)
		if (has_suffix(path, reports[i]->suffix))
			return reports[i];
	return reports[0];
}

void report_write(FILE *out, const struct report_format *format, const struct report *report,
		  const struct report_look *look)
{
	struct model_locale locale = model_locale_enter();

	format->write(out, report, look);
	model_locale_leave(&locale);
}
