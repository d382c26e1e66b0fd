// SPDX-License-Identifier: Apache-2.0
/* A table of operators: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_operators(out, report);
}

extern const struct report_format report_csv_operators;
const struct report_format report_csv_operators = {
	.name = "csv-operators",
	.suffix = NULL,
	.help = "a row for each operator",
	.is_for_terminals = false,
	.write = write,
};
