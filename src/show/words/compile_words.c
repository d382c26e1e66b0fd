// SPDX-License-Identifier: Apache-2.0
#include "show/words/compile_words.h"

#include <string.h>

#include "base/text/units.h"

enum { REASON = 100 }; /* columns */

struct printable compile_words(const struct summary *summary, const struct summary_model *model, bool is_ascii)
{
	const struct summary_compiling *compiling = &model->compiling;
	struct printable words = { "" }, reason;
	const char *text;

	if (!compiling->n)
		return words;
	printable_add(&words, "%s while inferences ran, %s in all", printable_count(compiling->n, "time").s,
		      units_duration((double)compiling->ns).s);
	if (compiling->n_failed)
		printable_add(&words, ", %s of them failed", units_count(compiling->n_failed).s);
	if (!compiling->n_again)
		return words;
	text = names_text(summary->names, compiling->reason);
	reason = printable_text(text, strlen(text), REASON, is_ascii);
	printable_add(&words, "; %s again, %s", printable_count(compiling->n_again, "time").s,
		      units_duration((double)compiling->again_ns).s);
	printable_add(&words, ": %s", reason.s);
	return words;
}
