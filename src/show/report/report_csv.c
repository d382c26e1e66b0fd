// SPDX-License-Identifier: Apache-2.0
/* A table of models, or of runs: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_runs(out, report);
}

extern const struct report_format report_csv;
const struct report_format report_csv = {
	.name = "csv",
	.suffix = ".csv",
	.help = "a row for each model, or run",
	.is_for_terminals = false,
	.write = write,
};
