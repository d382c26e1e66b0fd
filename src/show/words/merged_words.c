// SPDX-License-Identifier: Apache-2.0
/* Words for how a file was placed. Computes nothing. */
#include "show/words/merged_words.h"

#include "base/text/units.h"

struct printable merged_words(const struct summary *summary, uint32_t i, bool is_ascii)
{
	const struct summary_merged *merged = &summary->merged[i];
	struct printable words = printable_text(names_text(summary->names, merged->path),
						names_len(summary->names, merged->path), 60, is_ascii);

	printable_add(&words, ", placed by %s",
		      printable_text(names_text(summary->names, merged->source),
				     names_len(summary->names, merged->source), 80, is_ascii)
			  .s);
	if (merged->error_ns > 0)
		printable_add(&words, ", to %s", units_duration((double)merged->error_ns).s);
	else if (merged->error_ns < 0)
		printable_add(&words, "; how far off that is is not known");
	return words;
}
