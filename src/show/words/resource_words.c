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
	if (!strcmp(unit, "bytes/s")) {
		text = units_bytes(value);
		strcat(text.s, "/s");
		return text;
	}
	text = units_decimal(value);
	if (!strcmp(unit, "count/s"))
		strcat(text.s, "/s");
	else if (!strcmp(unit, "%") || (has_unit && strlen(unit) < 12 && strcmp(unit, "count") != 0))
		strcat(strcat(text.s, " "), model_text(unit, 12, false).s);
	return text;
}

struct printable resource_memory(const struct summary_resource *memory)
{
	struct printable text = { "" };

	if (!isfinite(memory->max))
		return text;
	if (memory->n > 1)
		printable_add(&text, "%s at first, ", units_bytes(memory->first).s);
	if (memory->n > 1)
		printable_add(&text, "%s at the end, ", units_bytes(memory->last).s);
	printable_add(&text, "peak %s", units_bytes(memory->max).s);
	if (isfinite(memory->growth_per_s))
		printable_add(&text, "; still growing by %s/s", units_bytes(memory->growth_per_s).s);
	return text;
}

const struct summary_resource *resource_growing(const struct summary *summary)
{
	const struct summary_resource *found = NULL;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *own = &summary->resources[i];

		if (isfinite(own->growth_per_s) && (!found || own->growth_per_s > found->growth_per_s))
			found = own;
	}
	return found;
}
