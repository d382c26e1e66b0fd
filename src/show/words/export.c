// SPDX-License-Identifier: Apache-2.0
/* Which part of a recording a report shows. */
#include "show/words/export.h"

#include <string.h>

#include "base/text/units.h"

bool report_shows(const struct report *report, uint32_t model)
{
	return !report->model || strcasestr(report->analysis[model].report->model.name, report->model);
}

struct printable report_range(const struct summary *summary)
{
	const struct summary_part *range = &summary->part;
	struct printable text = { "" };

	if (!range->from_ns && !range->to_ns)
		return text;
	printable_add(&text, "only inferences that began ");
	if (range->from_ns)
		printable_add(&text, "at %s or later", units_duration((double)range->from_ns).s);
	if (range->to_ns)
		printable_add(&text, "%sbefore %s", range->from_ns ? ", and " : "",
			      units_duration((double)range->to_ns).s);
	return text;
}
