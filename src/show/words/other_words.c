// SPDX-License-Identifier: Apache-2.0
#include "show/words/other_words.h"

#include "analyze/result/result_words.h"

enum { MOST = 4, NAME = 40 };

static bool is_alike(const struct summary_other_runtime *a, const struct summary_other_runtime *b)
{
	return a->runtime == b->runtime && a->version == b->version;
}

static uint32_t count_from(const struct summary *summary, uint32_t from, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < end; i++)
		n += is_alike(&summary->other_runtimes[i], &summary->other_runtimes[from]);
	return n;
}

/* Another process loaded the same before. */
static bool is_listed(const struct summary *summary, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (is_alike(&summary->other_runtimes[i], &summary->other_runtimes[at]))
			return true;
	return false;
}

struct printable other_words(const struct summary *summary, bool is_ascii)
{
	struct printable text = { "" };
	uint32_t n_all = 0, n = 0, n_processes;

	for (uint32_t i = 0; i < summary->n_other_runtimes; i++)
		n_all += !is_listed(summary, i);
	for (uint32_t i = 0; i < summary->n_other_runtimes && n < MOST; i++) {
		const struct summary_other_runtime *own = &summary->other_runtimes[i];

		if (is_listed(summary, i))
			continue;
		printable_add(&text, "%s%s",
			      !n	       ? ""
			      : n + 1 == n_all ? " and "
					       : ", ",
			      model_text(names_text(summary->names, own->runtime), NAME, is_ascii).s);
		if (own->version)
			printable_add(&text, " %s",
				      model_text(names_text(summary->names, own->version), NAME, is_ascii).s);
		n_processes = count_from(summary, i, summary->n_other_runtimes);
		if (n_processes > 1)
			printable_add(&text, " in %s", printable_count(n_processes, "process").s);
		n++;
	}
	if (n < n_all)
		printable_add(&text, " and %u more", n_all - n);
	return text;
}
