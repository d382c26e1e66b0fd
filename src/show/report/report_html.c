// SPDX-License-Identifier: Apache-2.0
/* A page with plots, in one file: see src/show/html. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_html(out, report);
}

extern const struct report_format report_html;
const struct report_format report_html = {
	.name = "html",
	.suffix = ".html .htm",
	.help = "a page with plots, in one file",
	.is_for_terminals = false,
	.write = write,
};
