// SPDX-License-Identifier: Apache-2.0
/* Words for what was dropped. Computes nothing. */
#include "analyze/remark/kept_words.h"

#include "base/text/units.h"

struct printable kept_words(const struct summary *summary, bool is_ascii)
{
	const struct summary_kept *kept = &summary->kept;
	const char *limit = names_text(summary->names, kept->limit);
	struct printable words = { "" };

	if (!kept->limit)
		return words;
	printable_add(&words, "The recording keeps the newest %s; ",
		      printable_text(limit, names_len(summary->names, kept->limit), 40, is_ascii).s);
	printable_add(&words, "%s before that were dropped (%s).", units_duration((double)kept->ns).s,
		      printable_count(kept->events, "event").s);
	return words;
}

struct printable kept_words_of_operators(const struct summary *summary)
{
	const struct summary_thinned *thinned = &summary->thinned;
	struct printable words = { "" };

	if (!thinned->n_left_out)
		return words;
	if (!thinned->n_sampled)
		printable_add(&words, "Operators of the slowest and failed inferences alone were kept");
	else if (thinned->least == thinned->most)
		printable_add(&words, "Operators of 1 in %u inferences were kept", thinned->most);
	else
		printable_add(&words, "Operators of 1 in %u to %u inferences were kept", thinned->least, thinned->most);
	if (thinned->n_apart && thinned->n_sampled)
		printable_add(&words, ", and of %s", printable_count(thinned->n_apart, "slow or failed one").s);
	printable_add(&words, thinned->n_sampled ? "; totals of operators are scaled." : ".");
	return words;
}

struct printable kept_words_count(uint64_t n_recorded, uint64_t n_all)
{
	struct printable words = printable_count(n_all, "inference");

	if (n_all != n_recorded)
		printable_add(&words, " (%s recorded)", units_count(n_recorded).s);
	return words;
}
