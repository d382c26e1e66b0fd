// SPDX-License-Identifier: Apache-2.0
/* The page for a terminal: see src/show/text. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	if (report->summary)
		export_text(out, report, look);
	else
		export_model_text(out, report->analysis, look);
}

extern const struct report_format report_text;
const struct report_format report_text = {
	.name = "text",
	.suffix = ".txt",
	.help = "a page for a terminal",
	.is_for_terminals = true,
	.write = write,
};
