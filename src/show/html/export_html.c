// SPDX-License-Identifier: Apache-2.0
/* The HTML page of a recording, or of measured runs. */
#include "show/html/html_model.h"

void export_html(FILE *out, const struct report *report)
{
	if (report->summary)
		html_recording(out, report);
	else
		html_runs(out, report);
}
