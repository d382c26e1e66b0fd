// SPDX-License-Identifier: Apache-2.0
/* What did not end, as a sentence without a full stop. Decides nothing. */
#include "analyze/result/open_words.h"

#include "analyze/result/result_words.h"
#include "base/text/units.h"

enum { NAME = 40 };

struct printable open_words(const struct summary *summary, bool is_ascii)
{
	const struct summary_open *row = summary->open;
	struct printable text = { "" }, name;
	uint32_t n = 0;

	if (!summary->n_open_rows || !row->is_longest)
		return text;
	for (uint32_t i = 0; i < summary->n_open_rows; i++)
		n += row[i].is_longest && row[i].is_creation == row->is_creation &&
		     row[i].is_release == row->is_release && row[i].name == row->name;
	name = model_text(names_text(summary->names, row->name), NAME, is_ascii);
	if (row->is_creation)
		printable_add(&text, "%s of %s", printable_count(n, "session creation").s, name.s);
	else if (row->is_release)
		printable_add(&text, "%s of %s", printable_count(n, "session release").s, name.s);
	else
		printable_add(&text, "%s of %s", printable_count(n, "inference").s, name.s);
	printable_add(&text, n == 1 ? " ran for %s and did not end" : " ran for up to %s and did not end",
		      units_duration((double)(row->end_ns - row->begin_ns)).s);
	if (row->process != SUMMARY_NONE)
		printable_add(&text, " (process %d", summary->processes[row->process].pid);
	if (row->process != SUMMARY_NONE && row->tid > 0 && row->tid != summary->processes[row->process].pid)
		printable_add(&text, ", thread %lld", (long long)row->tid);
	printable_add(&text, "%s", row->process != SUMMARY_NONE ? ")" : "");
	return text;
}

struct printable open_creator(const struct summary *summary, const struct summary_session *session)
{
	struct printable text = { "" };

	if (session->made_in != SUMMARY_NONE)
		printable_add(&text, "created in %d, before the fork", summary->processes[session->made_in].pid);
	return text;
}
