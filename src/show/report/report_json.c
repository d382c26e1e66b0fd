// SPDX-License-Identifier: Apache-2.0
/* Every figure, for programs: see src/show/json. A recording and measured runs have fields of their own. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	if (report->summary)
		export_json(out, report);
	else
		export_model_json(out, report->analysis);
}

extern const struct report_format report_json;
const struct report_format report_json = {
	.name = "json",
	.suffix = ".json",
	.help = "every figure, for programs",
	.is_for_terminals = false,
	.write = write,
};
