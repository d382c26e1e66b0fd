// SPDX-License-Identifier: Apache-2.0
/* Units come from the recording, so they may be any text. Does not know the names of counters. */
#include "show/words/resource_words.h"

#include <math.h>
#include <string.h>

#include "analyze/result/result_words.h"

struct units_text resource_value(const struct summary *summary, const struct summary_resource *resource, double value,
				 bool has_unit)
{
	const char *unit = names_text(summary->names, resource->unit);
	struct units_text text;

	if (!isfinite(value))
		return (struct units_text){ "-" };
	if (!strcmp(unit, "bytes"))
		return units_bytes(value);
	text = units_decimal(value);
	if (!strcmp(unit, "count/s"))
		strcat(text.s, "/s");
	else if (!strcmp(unit, "%") || (has_unit && strlen(unit) < 12 && strcmp(unit, "count") != 0))
		strcat(strcat(text.s, " "), model_text(unit, 12, false).s);
	return text;
}
