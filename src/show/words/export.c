// SPDX-License-Identifier: Apache-2.0
/* Which models of a recording a report shows. */
#include "show/words/export.h"

#include <string.h>

bool report_shows(const struct report *report, uint32_t model)
{
	return !report->model || strcasestr(report->analysis[model].report->model.name, report->model);
}
