// SPDX-License-Identifier: Apache-2.0
/* Opens a view of what happens now: its store, the sums of its report, and a pyramid of nothing yet. */
#include <errno.h>
#include <stdlib.h>

#include "show/view/view_in.h"

static bool is_never_written(const char *path)
{
	return false;
}

static int open_it(struct view *view, struct names *names, uint32_t *last_track, const struct view_live_opts *opts)
{
	const struct store_live_opts store_opts = { opts->window_ns, opts->max_bytes };
	struct view_live *live = calloc(1, sizeof *live);

	view->live = live;
	if (!live)
		return -ENOMEM;
	live->opts = opts;
	view->path = opts->name;
	view->is_written = is_never_written;
	view->is_growing = true;
	live->store = store_live_new(names, last_track, &store_opts);
	live->maker = live->store ? summary_begin(names, last_track, NULL) : NULL;
	if (!live->maker)
		return -ENOMEM;
	live->sinks[0] = store_live_sink(live->store);
	live->sinks[1] = summary_sink(live->maker);
	view->store = store_live_store(live->store);
	view->pyramid = pyramid_new(view->store);
	return view->pyramid ? view_find_tracks(view) : -ENOMEM;
}

struct view *view_live_open(struct names *names, uint32_t *last_track, const struct view_live_opts *opts,
			    struct err *err)
{
	struct view *view = calloc(1, sizeof *view);

	if (view && !open_it(view, names, last_track, opts))
		return view;
	view_close(view);
	err_no_memory(err, "cannot show what happens");
	return NULL;
}

struct sink *const *view_live_sinks(const struct view *view, size_t *n)
{
	*n = sizeof view->live->sinks / sizeof *view->live->sinks;
	return view->live->sinks;
}
