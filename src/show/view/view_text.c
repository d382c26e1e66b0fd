// SPDX-License-Identifier: Apache-2.0
/* What answers share: JSON in the making, times and names of the page. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "show/view/view_in.h"

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

uint64_t view_now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Time 0 of the page. */
uint64_t view_zero(const struct view *view)
{
	return pyramid_begin(view->pyramid) - view->shift_ns;
}

double view_time(const struct view *view, uint64_t time_ns)
{
	return time_ns == STORE_OPEN ? (double)(pyramid_end(view->pyramid) - view_zero(view))
				     : (double)(int64_t)(time_ns - view_zero(view));
}

uint64_t view_time_back(const struct view *view, double ns)
{
	uint64_t zero_ns = view_zero(view), end_ns = pyramid_end(view->pyramid);

	if (ns <= (double)view->shift_ns)
		return pyramid_begin(view->pyramid);
	return ns >= (double)(end_ns - zero_ns) ? end_ns : zero_ns + (uint64_t)ns;
}

void view_put_time(struct view *view, struct json *json, const char *key, uint64_t time_ns)
{
	json_int(json, key, (int64_t)view_time(view, time_ns));
}

bool view_range(const struct view *view, const struct http_request *request, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t begin_ns = view_zero(view);
	double from = 0, to = INFINITY;

	if (!http_request_real(request, "from", &from) || !http_request_real(request, "to", &to) || from > to)
		return false;
	*from_ns = pyramid_sum(begin_ns, from > 0 ? (uint64_t)from : 0);
	*to_ns = pyramid_sum(pyramid_end(view->pyramid), 1);
	if (isfinite(to))
		*to_ns = pyramid_sum(begin_ns, to > 0 ? (uint64_t)to : 0);
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
