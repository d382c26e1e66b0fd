// SPDX-License-Identifier: Apache-2.0
/* Instants: what the stream reports about processes, sessions, and about itself. */
#include <stdio.h>

#include "analyze/live/live_in.h"

static const char *text_of(const struct live *live, const struct event *event, enum event_key key)
{
	return names_text(live->sink.names, event_text(event, key));
}

/* "python (4242)" */
static void called(const struct live *live, const struct event *event, char *text, size_t size)
{
	const struct live_process_row *process = live_process_at(live, event->track);

	if (process)
		snprintf(text, size, "%.60s (%d)", process->shown.name, (int)process->shown.pid);
	else
		snprintf(text, size, "a process");
}

static void take_lost(struct live *live, const struct event *event)
{
	int64_t n = event_int(event, KEY_COUNT, 0);

	live->sums.n_lost += n > 0 ? (uint64_t)n : 0;
	live_note_add(live, LIVE_NOTE_LOST, n > 0 ? (uint64_t)n : 0, text_of(live, event, KEY_WHERE));
}

static void take_runtime(struct live *live, const struct event *event)
{
	struct live_process_row *process = live_process_at(live, event->track);
	const char *status = text_of(live, event, KEY_STATUS);
	char text[400], name[100];

	if (process)
		live_process_runtime(process, text_of(live, event, KEY_RUNTIME), text_of(live, event, KEY_VERSION));
	if (!*status)
		return;
	called(live, event, name, sizeof name);
	snprintf(text, sizeof text, "%s: not recorded: %.250s", name, status);
	live_note_add(live, LIVE_NOTE_UNSEEN, 1, text);
}

/* Why its inferences are not seen. */
static void take_process(struct live *live, const struct event *event)
{
	char text[400], name[100];

	if (event_int(event, KEY_COUNT, 0) <= 0)
		return;
	called(live, event, name, sizeof name);
	snprintf(text, sizeof text, "%s: inferences are not seen: %.250s", name, text_of(live, event, KEY_STATE));
	live_note_add(live, LIVE_NOTE_UNSEEN, 1, text);
}

static void take_unseen(struct live *live, const struct event *event, enum live_note_kind kind, enum event_key of)
{
	char text[400];

	snprintf(text, sizeof text, "%.150s: %.230s", text_of(live, event, of), text_of(live, event, KEY_TEXT));
	live_note_add(live, kind, 1, text);
}

static void take_sampled_out(struct live *live, const struct event *event)
{
	struct live_process_row *process = live_process_at(live, event->track);
	int64_t n = event_int(event, KEY_COUNT, 0);

	if (n <= 0)
		return;
	live->sums.n_sampled_out += (uint64_t)n;
	if (process)
		process->n_sampled_out += (uint64_t)n;
}

void live_instant(struct live *live, const struct event *event)
{
	const struct live_topics *topic = &live->topic;

	if (event->kind == KIND_LOST)
		take_lost(live, event);
	if (event->kind != KIND_NOTE)
		return;
	if (event->name == topic->created || event->name == topic->session)
		live_created(live, event);
	else if (event->name == topic->released)
		live_session_release(live, live_track_at(live, event->track), event_int(event, KEY_SESSION, -1));
	else if (event->name == topic->runtime)
		take_runtime(live, event);
	else if (event->name == topic->process)
		take_process(live, event);
	else if (event->name == topic->sampled_out)
		take_sampled_out(live, event);
	else if (event->name == topic->unreadable)
		take_unseen(live, event, LIVE_NOTE_UNSEEN, KEY_PATH);
	else if (event->name == topic->missing || (event->name == topic->stopped && event_text(event, KEY_SOURCE)))
		take_unseen(live, event, LIVE_NOTE_MISSING, KEY_SOURCE);
}
