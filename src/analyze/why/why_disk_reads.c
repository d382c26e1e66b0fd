// SPDX-License-Identifier: Apache-2.0
/*
 * Blocked while pages came from a disk: weights that are mapped and not in memory. The thread's own reads are exact.
 * Those of the other threads of the process, the pool's among them, come from a counter.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_disk_reads;

static void say_own(const struct why_case *why, struct printable *words)
{
	const struct summary_slow *slow = why->slow;

	printable_add(words, "blocked while it read from a disk (");
	if (slow->read_bytes > 0)
		printable_add(words, "%s%s", units_bytes((double)slow->read_bytes).s,
			      slow->major_faults > 0 ? ", " : "");
	if (slow->major_faults > 0)
		printable_add(words, "%s major page %s", units_count((uint64_t)slow->major_faults).s,
			      slow->major_faults == 1 ? "fault" : "faults");
	printable_add(words, ")");
}

static void find(struct why_case *why)
{
	const struct summary_gauged *reads = &why->slow->gauged[SUMMARY_READS];
	bool is_own = why->slow->major_faults > 0 || why->slow->read_bytes > 0;
	/* samples that cover much more than the inference say little about it */
	bool is_close = reads->span_ns < 4 * why->slow->duration_ns;
	bool is_more =
	    is_close && why_has(why, SUMMARY_READS) && reads->mean > 0 && !(reads->mean < 1.5 * reads->usual);
	struct printable *words;

	if (!is_own && !is_more)
		return;
	words = why_take(why, &why_disk_reads, POOLS_BLOCKED | (is_own ? POOLS_ANY : 0), INFINITY);
	if (words && is_own)
		say_own(why, words);
	else if (words)
		printable_add(words, "blocked while the program read from a disk (%s in the %s around it)",
			      units_bytes(reads->amount).s, units_duration((double)reads->span_ns).s);
}

const struct why_cause why_disk_reads = {
	"disk_reads", "reading from a disk",
	"keep the weights in memory: an inference before the first request, more memory, mlock", find
};
