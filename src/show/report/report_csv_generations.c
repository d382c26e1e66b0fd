// SPDX-License-Identifier: Apache-2.0
/* A table of generations: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_generations(out, report);
}

extern const struct report_format report_csv_generations;
const struct report_format report_csv_generations = {
	.name = "csv-generations",
	.suffix = NULL,
	.help = "a row for each generation of a decoder",
	.is_for_terminals = false,
	.write = write,
};
