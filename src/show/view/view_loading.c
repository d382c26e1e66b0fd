// SPDX-License-Identifier: Apache-2.0
/* Answers while a file is being read; see view_loading.h. */
#include "show/view/view_loading.h"

#include <stdlib.h>
#include <string.h>

#include "show/view/http/page.h"
#include "show/view/view_in.h"

struct wait {
	struct http_job job; /* must be first */
	const struct view_loading *loading;
};

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct wait *wait = (struct wait *)job;

	if (!wait->loading->is_over)
		return false;
	job->is_void = true;
	http_say(answer, 503, "the recording has just been read; ask again");
	return true;
}

static void free_wait(struct http_job *job)
{
	free(job);
}

static struct http_job *wait_for(const struct view_loading *loading, struct http_answer *answer)
{
	struct wait *wait = malloc(sizeof *wait);

	if (!wait) {
		view_say_no_memory(answer);
		return NULL;
	}
	*wait = (struct wait){ { step, free_wait, true }, loading };
	return &wait->job;
}

static void put_state(const struct view_loading *loading, struct http_answer *answer)
{
	struct view_text text;

	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		json_bool(&text.json, "over", loading->is_over);
		json_text(&text.json, "file", loading->path);
		json_count(&text.json, "file_bytes", loading->file_bytes);
		json_count(&text.json, "events", loading->n_events);
		json_real(&text.json, "share", loading->share);
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
}

static struct http_job *handle(void *ctx, const struct http_request *request, struct http_answer *answer)
{
	const struct view_loading *loading = ctx;

	if (!strcmp(request->name, "loading.json"))
		put_state(loading, answer);
	else if (!view_page(request->name, answer))
		return wait_for(loading, answer);
	return NULL;
}

struct http_handler view_loading_handler(struct view_loading *loading)
{
	return (struct http_handler){ .handle = handle, .ctx = loading };
}

VIEW_ANSWER(loading)
{
	const struct view_loading loading = { view->path, view->file_bytes, store_counts(view->store)->n_slices, 1,
					      true };

	put_state(&loading, answer);
	return NULL;
}
