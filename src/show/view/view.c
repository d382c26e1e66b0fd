// SPDX-License-Identifier: Apache-2.0
/* Opens a view, and picks the answer that a request gets. */
#include "show/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "show/view/http/page.h"
#include "show/view/view_in.h"

static const struct view_answer answers[] = {
	{ "recording.json", answer_recording },
	{ "loading.json", answer_loading },
	{ "report.json", answer_report },
	{ "names", answer_names },
	{ "tile", answer_tile },
	{ "counter_tile", answer_counter_tile },
	{ "slice", answer_slice },
	{ "at", answer_at },
	{ "find", answer_find },
	{ "excerpt", answer_excerpt },
	{ "query", answer_query },
	{ "flows", answer_flows },
	{ "why", answer_why },
	{ "search", answer_search },
	{ "events", answer_events },
	{ "table", answer_table },
	{ "histogram", answer_histogram },
	{ "icicle", answer_icicle },
	{ "stacks", answer_stacks },
};

static struct http_job *handle(void *ctx, const struct http_request *request, struct http_answer *answer)
{
	view_refresh(ctx);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(request->name, answers[i].name))
			return answers[i].answer(ctx, request, answer);
	if (!view_page(request->name, answer))
		http_say(answer, 404, "the page has no part of this name");
	return NULL;
}

static void take_lanes(struct view *view)
{
	view_samples_take(&view->samples, view->recording.store, true);
	view_generations_take(&view->generations, view->recording.store, true);
}

static int read_file(struct view *view, const struct view_wait *wait, struct err *err)
{
	struct import import;
	int code = import_open(&import, view->path, err);

	if (!code)
		code = view_report_start(
		    &view->report, &(struct view_report_source){ .import = &import, .is_growing = view->is_growing },
		    err);
	if (!code && wait) {
		import.tick = wait->turn;
		import.tick_ctx = wait->ctx;
	}
	if (!code)
		code = recording_keep_open(&view->recording, &import, err);
	view->store = view->recording.store;
	if (!code)
		take_lanes(view);
	view->result = import.result;
	view->file_bytes = import.input.size;
	import_close(&import);
	return code;
}

/* Of a file; a folder of segments is read again each time. */
static uint64_t bytes_of(const char *path)
{
	struct stat file;

	return stat(path, &file) || !S_ISREG(file.st_mode) ? 0 : (uint64_t)file.st_size;
}

struct view *view_open(const char *path, bool (*is_written)(const char *path), const struct view_wait *wait,
		       struct err *err)
{
	struct view *view = calloc(1, sizeof *view);
	int code = view ? 0 : -ENOMEM;

	if (!code) {
		view->path = path;
		view->is_written = is_written;
		view->is_growing = is_written(path);
		view->version = 1;
		view->beside = -1;
		view->seen_bytes = bytes_of(path);
		view->file = view_file_of(path, view->is_growing);
		code = read_file(view, wait, err);
		if (!code)
			view->pyramid = pyramid_new(view->store);
	}
	if (!code && view->pyramid && !view_find_tracks(view))
		return view;
	if (!code || !view)
		err_set(err, ENOMEM, "cannot view %s: out of memory", path);
	view_close(view);
	return NULL;
}

void view_close(struct view *view)
{
	if (!view)
		return;
	if (view->live) {
		summary_drop(view->live->maker);
		store_live_free(view->live->store);
		free(view->live);
	}
	view_report_stop(&view->report);
	pyramid_free(view->pyramid);
	view_samples_done(&view->samples);
	view_generations_done(&view->generations);
	recording_close(&view->recording);
	free(view->tracks);
	free(view->is_shown);
	free(view->names);
	free(view->lanes);
	free(view);
}

/* The file is read anew. What was read before stays where that fails: it may be in the middle of a change. */
static bool read_again(struct view *view)
{
	struct err err;
	struct view *next = view_open(view->path, view->is_written, NULL, &err), swap;

	if (!next)
		return false;
	next->version = view->version + 1;
	next->beside = view->beside;
	next->shift_ns = view->shift_ns;
	swap = *view;
	*view = *next;
	*next = swap;
	view_close(next);
	return true;
}

/* Reading takes at most a twentieth of the time, so that the page stays quick. */
static const char *follow(void *ctx)
{
	enum { SHARE = 20, LEAST_NS = 1000000000 };
	struct view *view = ctx;
	uint64_t begin_ns = view_now_ns(), took_ns, bytes;
	bool is_read;

	if (!view->is_growing || begin_ns < view->next_look_ns)
		return NULL;
	bytes = bytes_of(view->path);
	if (bytes && bytes == view->seen_bytes && view->is_written(view->path)) {
		view->next_look_ns = begin_ns + LEAST_NS;
		return NULL;
	}
	is_read = read_again(view);
	took_ns = view_now_ns() - begin_ns;
	view->next_look_ns = begin_ns + took_ns + (took_ns * SHARE > LEAST_NS ? took_ns * SHARE : LEAST_NS);
	if (!is_read)
		return NULL;
	snprintf(view->event, sizeof view->event,
		 "event: grow\ndata: {\"end\": %.0f, \"tiles_version\": %" PRIu64 ", \"growing\": %s}\n\n",
		 view_time(view, STORE_OPEN), view->version, view->is_growing ? "true" : "false");
	return view->event;
}

VIEW_ANSWER(events)
{
	*answer = (struct http_answer){ .status = 200, .type = "text/event-stream", .is_stream = true };
	return NULL;
}

struct http_handler view_handler(struct view *view)
{
	if (view->live)
		return (struct http_handler){ handle, view_live_tell, view, view->live->opts->interval_ns, true };
	return (struct http_handler){ handle, view->is_growing ? follow : NULL, view };
}
