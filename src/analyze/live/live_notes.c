// SPDX-License-Identifier: Apache-2.0
/* The list of notes. */
#include <stdio.h>
#include <string.h>

#include "analyze/live/live_in.h"

/* Equal texts are one note, which becomes the newest. */
void live_note_add(struct live *live, enum live_note_kind kind, uint64_t n, const char *text)
{
	struct live_note found = { kind, 0, "" };
	uint32_t at = 0;

	while (at < live->n_notes && (live->note[at].kind != kind || strcmp(live->note[at].text, text) != 0))
		at++;
	if (at < live->n_notes)
		found = live->note[at];
	else if (live->n_notes == LIVE_NOTES)
		at = 0;
	snprintf(found.text, sizeof found.text, "%s", text);
	found.n += n;
	if (at < live->n_notes)
		memmove(&live->note[at], &live->note[at + 1], (--live->n_notes - at) * sizeof *live->note);
	live->note[live->n_notes++] = found;
}

void live_tell(struct live *live, enum live_note_kind kind, const char *text)
{
	char cut[sizeof live->note[0].text];

	snprintf(cut, sizeof cut, "%s", text);
	live_note_add(live, kind, 1, cut);
}

uint32_t live_n_notes(const struct live *live)
{
	return live->n_notes;
}

const struct live_note *live_note(const struct live *live, uint32_t index)
{
	return index < live->n_notes ? &live->note[live->n_notes - 1 - index] : NULL;
}
