// SPDX-License-Identifier: Apache-2.0
/* Gives no number of what is missing: how many inferences passed before is not known. */
#include <string.h>

#include "analyze/remark/remark_in.h"
#include "base/text/units.h"

struct printable begin_words(const struct summary *summary, const struct summary_runtime *runtime, bool is_ascii)
{
	const char *name = names_text(summary->names, runtime->runtime);
	uint64_t begin_ns = summary->recording.begin_ns, from_ns = runtime->complete_from_ns;
	struct printable words = { "" };

	if (!from_ns)
		return words;
	printable_add(&words, "%s", printable_text(name, strlen(name), 40, is_ascii).s);
	if (runtime->process != SUMMARY_NONE)
		printable_add(&words, " in %d", summary->processes[runtime->process].pid);
	printable_add(&words, " is recorded completely from %s on. What began before may be missing.",
		      units_duration(from_ns > begin_ns ? (double)(from_ns - begin_ns) : 0).s);
	return words;
}
