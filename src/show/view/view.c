// SPDX-License-Identifier: Apache-2.0
/* Opens a view, and picks the answer that a request gets. */
#include "show/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_in.h"

static const struct view_answer answers[] = {
	{ "recording.json", answer_recording },
	{ "report.json", answer_report },
	{ "names", answer_names },
	{ "tile", answer_tile },
	{ "counter_tile", answer_counter_tile },
	{ "slice", answer_slice },
	{ "at", answer_at },
	{ "find", answer_find },
	{ "search", answer_search },
	{ "table", answer_table },
	{ "histogram", answer_histogram },
	{ "icicle", answer_icicle },
};

static struct http_job *handle(void *ctx, const struct http_request *request, struct http_answer *answer)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(request->name, answers[i].name))
			return answers[i].answer(ctx, request, answer);
	if (!view_page(request->name, answer))
		http_say(answer, 404, "the page has no part of this name");
	return NULL;
}

struct http_handler view_handler(struct view *view)
{
	return (struct http_handler){ handle, view };
}

static int read_file(struct view *view, struct err *err)
{
	struct import import;
	int code = import_open(&import, view->path, err);

	if (!code)
		code = view_report_start(&view->report, &import, view->is_growing, err);
	if (!code)
		code = recording_keep_open(&view->recording, &import, err);
	view->store = view->recording.store;
	view->result = import.result;
	view->file_bytes = import.input.size;
	import_close(&import);
	return code;
}

struct view *view_open(const char *path, bool is_growing, struct err *err)
{
	struct view *view = calloc(1, sizeof *view);
	int code = view ? 0 : -ENOMEM;

	if (!code) {
		view->path = path;
		view->is_growing = is_growing;
		code = read_file(view, err);
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
	view_report_stop(&view->report);
	pyramid_free(view->pyramid);
	recording_close(&view->recording);
	free(view->tracks);
	free(view->is_shown);
	free(view->names);
	free(view->lanes);
	free(view);
}
