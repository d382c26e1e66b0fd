// SPDX-License-Identifier: Apache-2.0
/*
 * The clocks of the kernel alone. Whether the processor's counter keeps step with them is seen where its ticks are
 * converted (capture/source/agent/source_agent.c).
 */
#include <stdio.h>
#include <string.h>

#include "capture/recorder/recorder_in.h"

enum { MAX_CLOCK_NOTES = 1000, SOURCE_MS = 1000 };

static void note(struct recorder *recorder, const char *state, uint64_t from_ns, int64_t by_ns, const char *text)
{
	struct arg args[4] = { arg_text(KEY_STATE, &recorder->tap.sink, state), arg_int(KEY_FROM_NS, (int64_t)from_ns),
			       arg_int(KEY_BY_NS, by_ns) };

	if (recorder->n_clock_notes++ >= MAX_CLOCK_NOTES)
		return;
	if (text)
		args[3] = arg_text(KEY_TEXT, &recorder->tap.sink, text);
	recorder_note(recorder, EVENT_NOTE_CLOCK_CHANGED, args, text ? 4 : 3);
}

/* The kernel gives up an unstable time stamp counter. */
static void look_at_source(struct recorder *recorder, uint64_t now_ns)
{
	char *before = recorder->clock_source, text[sizeof recorder->clock_source], both[2 * sizeof text + 8];
	char path[256];
	FILE *file;

	if (recorder->source_looked_ns && now_ns - recorder->source_looked_ns < SOURCE_MS * 1000000ull)
		return;
	snprintf(path, sizeof path, "%s/sys/devices/system/clocksource/clocksource0/current_clocksource",
		 recorder->target->sysroot);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(text, sizeof text, file))
		*text = 0;
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	if (*before && *text && strcmp(before, text) != 0) {
		snprintf(both, sizeof both, "%s to %s", before, text);
		note(recorder, EVENT_CLOCK_SOURCE, recorder->source_looked_ns, 0, both);
	}
	memcpy(before, text, sizeof text);
	recorder->source_looked_ns = now_ns;
}

void recorder_clock_look(struct recorder *recorder)
{
	struct clock_change change;

	if (clock_watch_update(&recorder->clock_watch, &change)) {
		if (change.slept_ns)
			note(recorder, EVENT_CLOCK_SUSPENDED, change.from_ns, change.slept_ns, NULL);
		if (change.set_ns)
			note(recorder, EVENT_CLOCK_SET, change.from_ns, change.set_ns, NULL);
	}
	look_at_source(recorder, recorder->clock_watch.last_ns);
}
