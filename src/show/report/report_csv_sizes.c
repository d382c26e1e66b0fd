// SPDX-License-Identifier: Apache-2.0
/* A table of the sizes of inputs: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_sizes(out, report);
}

extern const struct report_format report_csv_sizes;
const struct report_format report_csv_sizes = {
	.name = "csv-sizes",
	.suffix = NULL,
	.help = "a row for each size of the inputs of a model",
	.is_for_terminals = false,
	.write = write,
};
