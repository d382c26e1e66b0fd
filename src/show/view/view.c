// SPDX-License-Identifier: Apache-2.0
/* Which answer a request gets, and what answers share. */
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

void view_say_no_memory(struct http_answer *answer)
{
	http_say(answer, 503, "out of memory");
}

void view_text_begin(struct view_text *text)
{
	text->data = NULL;
	text->size = 0;
	text->out = open_memstream(&text->data, &text->size);
	if (text->out)
		json_init(&text->json, text->out);
}

void view_text_end(struct view_text *text, struct http_answer *answer)
{
	bool has_failed = !text->out;

	if (text->out) {
		json_done(&text->json);
		has_failed = ferror(text->out) != 0;
		has_failed |= fclose(text->out) != 0;
	}
	if (has_failed) {
		free(text->data);
		view_say_no_memory(answer);
		return;
	}
	*answer =
	    (struct http_answer){ .status = 200, .type = "application/json", .body = text->data, .size = text->size };
}

double view_time(const struct view *view, uint64_t time_ns)
{
	return time_ns == STORE_OPEN ? (double)(pyramid_end(view->pyramid) - pyramid_begin(view->pyramid))
				     : (double)(int64_t)(time_ns - pyramid_begin(view->pyramid));
}

uint64_t view_time_back(const struct view *view, double ns)
{
	uint64_t begin_ns = pyramid_begin(view->pyramid), end_ns = pyramid_end(view->pyramid);

	if (ns <= 0)
		return begin_ns;
	return ns >= (double)(end_ns - begin_ns) ? end_ns : begin_ns + (uint64_t)ns;
}

void view_put_time(struct view *view, struct json *json, const char *key, uint64_t time_ns)
{
	json_int(json, key, (int64_t)view_time(view, time_ns));
}

bool view_range(const struct view *view, const struct http_request *request, uint64_t *from_ns, uint64_t *to_ns)
{
	double from = 0, to = (double)(pyramid_end(view->pyramid) - pyramid_begin(view->pyramid)) + 1;

	if (!http_request_real(request, "from", &from) || !http_request_real(request, "to", &to) || from > to)
		return false;
	*from_ns = pyramid_begin(view->pyramid) + (from > 0 ? (uint64_t)from : 0);
	*to_ns = pyramid_begin(view->pyramid) + (to > 0 ? (uint64_t)to : 0);
	return true;
}

const char *view_name(const struct view *view, uint32_t name)
{
	return names_text(store_names(view->store), name);
}

const char *view_class_name(const struct view *view, uint16_t number)
{
	const struct pyramid_class *class = pyramid_class(view->pyramid, number);

	if (!class)
		return "";
	if (class->name)
		return view_name(view, class->name);
	return class->kind == KIND_NONE ? "slice" : event_kind_name(class->kind);
}
