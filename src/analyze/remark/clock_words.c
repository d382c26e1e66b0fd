// SPDX-License-Identifier: Apache-2.0
/* Durations do not contain the time of a suspend, which CLOCK_MONOTONIC leaves out. */
#include <math.h>
#include <string.h>

#include "analyze/remark/remark_in.h"
#include "base/text/units.h"

struct printable clock_words(const struct summary *summary, const struct summary_clock *change, bool is_ascii)
{
	const char *what = names_text(summary->names, change->what), *text = names_text(summary->names, change->text);
	struct units_text by = units_duration(fabs((double)change->by_ns));
	struct units_text at = units_duration((double)(change->to_ns - summary->recording.begin_ns));
	const char *where = change->by_ns < 0 ? "back" : "ahead";
	struct printable words = { "" };

	if (change->to_ns < summary->recording.begin_ns)
		at = units_duration(0);
	if (!strcmp(what, EVENT_CLOCK_SUSPENDED))
		printable_add(&words, "The machine was suspended for %s at %s; no duration contains that time.", by.s,
			      at.s);
	else if (!strcmp(what, EVENT_CLOCK_JUMPED))
		printable_add(&words,
			      "The processor's counter jumped %s by %s at %s; times before and after it are right.",
			      where, by.s, at.s);
	else if (!strcmp(what, EVENT_CLOCK_SET))
		printable_add(&words, "The wall clock was set %s by %s at %s; times since the start are right.", where,
			      by.s, at.s);
	else
		printable_add(&words, "The kernel's clock source changed at %s: %s.", at.s,
			      printable_text(text, strlen(text), 60, is_ascii).s);
	return words;
}
