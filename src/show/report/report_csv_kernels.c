// SPDX-License-Identifier: Apache-2.0
/* A table of kernels of devices: see src/show/csv. */
#include "show/report/reports.h"

static void write(FILE *out, const struct report *report, const struct report_look *look)
{
	export_csv_kernels(out, report);
}

extern const struct report_format report_csv_kernels;
const struct report_format report_csv_kernels = {
	.name = "csv-kernels",
	.suffix = NULL,
	.help = "a row for each kernel of a device",
	.is_for_terminals = false,
	.write = write,
};
