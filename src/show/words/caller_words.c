// SPDX-License-Identifier: Apache-2.0
#include "show/words/caller_words.h"

#include <string.h>

#include "base/text/units.h"

enum { CALLER = 80, MAX_SESSIONS = 8 };

struct printable caller_short(const char *caller, int columns, bool is_ascii)
{
	const char *place = strstr(caller, " ("), *slash = strrchr(place ? place : caller, '/');
	struct printable words = { "" };

	if (!place && slash && *caller == '/')
		return printable_text(slash + 1, strlen(slash + 1), columns, is_ascii);
	if (!place || !slash)
		return printable_text(caller, strlen(caller), columns, is_ascii);
	printable_add(&words, "%s (", printable_text(caller, (size_t)(place - caller), columns, is_ascii).s);
	printable_add(&words, "%s", printable_text(slash + 1, strlen(slash + 1), columns, is_ascii).s);
	return words;
}

struct printable caller_words(const struct summary *summary, const struct summary_model *model, uint32_t n_most,
			      bool is_ascii)
{
	const struct summary_tally *tally = summary->tallies + model->tallies.first;
	struct printable words = { "" };
	uint32_t n = 0;

	for (uint32_t i = 0; i < model->tallies.n; i++) {
		if (tally[i].key != KEY_CALLER || n++ >= n_most)
			continue;
		printable_add(&words, "%s%s", n > 1 ? ", " : "",
			      caller_short(names_text(summary->names, tally[i].text), CALLER, is_ascii).s);
		if (tally[i].n != model->runs.n)
			printable_add(&words, ": %s", units_count(tally[i].n).s);
	}
	if (n > n_most)
		printable_add(&words, " and %s more", units_count(n - n_most).s);
	return words;
}

static bool is_listed(const uint32_t *list, uint32_t n, uint32_t text)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == text)
			return true;
	return false;
}

struct printable caller_words_creation(const struct summary *summary, const struct summary_model *model,
				       uint32_t n_most, bool is_ascii)
{
	const struct summary_session *session = summary->sessions + model->sessions.first;
	struct printable words = { "" };
	uint32_t list[MAX_SESSIONS], n = 0;

	if (n_most > MAX_SESSIONS)
		n_most = MAX_SESSIONS;
	for (uint32_t i = 0; i < model->sessions.n && n < n_most; i++) {
		if (!session[i].caller || is_listed(list, n, session[i].caller))
			continue;
		list[n++] = session[i].caller;
		printable_add(&words, "%s%s", n > 1 ? ", " : "",
			      caller_short(names_text(summary->names, session[i].caller), CALLER, is_ascii).s);
	}
	return words;
}
