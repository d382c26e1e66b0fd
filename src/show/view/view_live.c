// SPDX-License-Identifier: Apache-2.0
/*
 * A view of what happens now. Events go into a store that forgets, and into the sums of a report; the pyramid takes in
 * what is new when somebody asks. Pages are told once an interval from when on things have changed. Records nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "show/view/view_in.h"

static void tracks_changed(struct view *view)
{
	/* with too little memory the page shows those of before */
	if (view_find_tracks(view))
		return;
	free(view->names);
	view->names = NULL;
}

void view_refresh(struct view *view)
{
	if (!view->live)
		return;
	view_samples_take(&view->samples, (struct store *)view->store, view->live->is_over);
	view_generations_take(&view->generations, (struct store *)view->store, view->live->is_over);
	if (!pyramid_update(view->pyramid))
		tracks_changed(view);
	view->version = pyramid_version(view->pyramid);
}

static const char *say(struct view *view, uint64_t changed_ns)
{
	snprintf(view->event, sizeof view->event,
		 "event: grow\ndata: {\"n\": %" PRIu64 ", \"end\": %.0f, \"changed_from\": %.0f, \"tiles_version\": "
		 "%" PRIu64 ", \"growing\": %s}\n\n",
		 ++view->live->n_told, view_time(view, STORE_OPEN),
		 changed_ns == UINT64_MAX ? view_time(view, STORE_OPEN) : view_time(view, changed_ns), view->version,
		 view->is_growing ? "true" : "false");
	return view->event;
}

const char *view_live_tell(void *ctx)
{
	struct view *view = ctx;
	uint64_t changed_ns;

	view_refresh(view);
	changed_ns = pyramid_take_changed(view->pyramid);
	return changed_ns == UINT64_MAX && view->live->n_told ? NULL : say(view, changed_ns);
}

const char *view_live_end(struct view *view)
{
	view->live->is_over = true;
	view->is_growing = false;
	view_refresh(view);
	return say(view, pyramid_take_changed(view->pyramid));
}

/* Making it takes at most a tenth of the time. */
void view_live_report(struct view *view)
{
	enum { SHARE = 10, LEAST_NS = 1000000000 };
	struct view_live *live = view->live;
	const struct view_report_source source = { .maker = live->maker,
						   .path = live->opts->file,
						   .is_growing = view->is_growing };
	struct view_report next = { 0 };
	const struct view_report *last = &view->report;
	struct err err;

	if (last->begun_ns && (!view_report_is_done(&view->report) || view_now_ns() - last->begun_ns < LEAST_NS ||
			       view_now_ns() - last->begun_ns < (last->ended_ns - last->begun_ns) * SHARE))
		return;
	if (view_report_start(&next, &source, &err))
		return;
	view_report_stop(&view->report);
	view->report = next;
}
