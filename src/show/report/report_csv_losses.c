// SPDX-License-Identifier: Apache-2.0
/* A table of what is missing from a recording: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_losses(out, report);
}

extern const struct report_format report_csv_losses;
const struct report_format report_csv_losses = {
	.name = "csv-losses",
	.suffix = NULL,
	.help = "a row for each loss, and all else that is missing from a recording",
	.is_for_terminals = false,
	.write = write,
};
