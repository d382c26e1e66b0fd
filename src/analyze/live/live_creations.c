// SPDX-License-Identifier: Apache-2.0
/* Sessions: the creation of one while it goes on, and which exist. */
#include <stdio.h>
#include <string.h>

#include "analyze/live/live_in.h"

void live_creation_begin(struct live *live, struct live_track *track, const struct event *event)
{
	const struct live_track *group = live_track_at(live, track->parent);
	uint32_t name = event_text(event, KEY_MODEL);
	struct live_row *row;

	if (event->kind == KIND_SESSION) {
		name = name ? name : event->name ? event->name : group ? group->name : 0;
		row = live_row_named(live, track, name, -1);
		track->row = row ? row->shown.id : 0;
		if (row)
			row->n_creating++;
	}
	row = track->row ? live_row_of(live, track->row) : NULL;
	if (!row)
		return;
	row->last_interval = live->n_intervals;
	row->n_loading += event->kind == KIND_LOAD;
	row->n_specializing += event->kind == KIND_SPECIALIZE;
}

/* What it is called, and what runs it, is known now. */
static struct live_row *rename_row(struct live *live, const struct live_track *track, struct live_row *row,
				   const struct event *event)
{
	uint32_t name = event_text(event, KEY_MODEL);
	const char *runtime = names_text(live->sink.names, event_text(event, KEY_RUNTIME));
	struct live_row *named =
	    live_row_of_runtime(live, track, name ? name : names_of(live->sink.names, row->shown.name), runtime);

	if (!named || named == row)
		return row;
	row->n_creating -= row->n_creating > 0;
	named->n_creating++;
	/* it stood for nothing else */
	if (!row->sum.n && !row->n_open && !row->n_creating && !row->n_created && !row->n_sessions)
		row->is_void = true;
	return named;
}

/* providers: "CUDAExecutionProvider{...},CPUExecutionProvider" */
static void ask_for(const struct live *live, struct live_row *row, uint32_t providers)
{
	const char *text = names_text(live->sink.names, providers);

	if (*text)
		snprintf(row->requested, sizeof row->requested, "%.*s", (int)strcspn(text, "{,"), text);
}

void live_creation_end(struct live *live, struct live_track *track, const struct event *event,
		       const struct live_slice *slice)
{
	struct live_row *row = track->row ? live_row_of(live, track->row) : NULL;
	uint32_t status = event_text(event, KEY_STATUS), providers = event_text(event, KEY_PROVIDERS);

	if (!row)
		return;
	row->n_loading -= slice->kind == KIND_LOAD && row->n_loading;
	row->n_specializing -= slice->kind == KIND_SPECIALIZE && row->n_specializing;
	if (slice->kind != KIND_SESSION)
		return;
	track->row = 0;
	row->n_loading = row->n_creating == 1 ? 0 : row->n_loading;
	row->n_specializing = row->n_creating == 1 ? 0 : row->n_specializing;
	row = rename_row(live, track, row, event);
	ask_for(live, row, providers);
	row->n_creating -= row->n_creating > 0;
	row->n_created++;
	row->n_creations_failed += status && status != live->ok;
	if (event->time_ns > slice->begin_ns)
		row->creating_ns += event->time_ns - slice->begin_ns;
}

void live_created(struct live *live, const struct event *event)
{
	const struct live_track *track = live_track_at(live, event->track);
	uint32_t name = event_text(event, KEY_MODEL), providers = event_text(event, KEY_PROVIDERS);
	uint32_t status = event_text(event, KEY_STATUS);
	const char *runtime = names_text(live->sink.names, event_text(event, KEY_RUNTIME));
	struct live_row *row = name ? live_row_of_runtime(live, track, name, runtime) : NULL;

	if (!row)
		return;
	ask_for(live, row, providers);
	if (!status || status == live->ok)
		live_session_of(live, track, row, event_int(event, KEY_SESSION, -1));
}
