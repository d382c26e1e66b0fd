// SPDX-License-Identifier: Apache-2.0
/*
 * Names of slices that contain a text, or whose type does. What each name comes to is counted once, by the first who
 * searches.
 */
#include <stdlib.h>
#include <string.h>

#include "show/view/view_scan.h"

enum { MOST = 200 };

struct search {
	struct view_scan scan;
	char text[256];
	struct view_name *names;
	uint32_t n_names;
};

static void count(struct view_scan *scan, const struct store_track *track, size_t at, size_t end)
{
	struct search *search = (struct search *)scan;
	const struct store_slices *slices = &track->slices;

	for (; at < end; at++) {
		struct view_name *name = &search->names[slices->name[at] < search->n_names ? slices->name[at] : 0];

		if (!name->n++)
			name->class = pyramid_class_of(scan->view->pyramid, slices, at);
		if (slices->end_ns[at] != STORE_OPEN)
			name->total_ns += slices->end_ns[at] - slices->begin_ns[at];
	}
}

/* Keeps the names with most time, largest first. */
static uint32_t keep_best(const struct view *view, uint32_t *best, uint32_t n, uint32_t name)
{
	uint32_t i;

	if (n == MOST && view->names[best[n - 1]].total_ns >= view->names[name].total_ns)
		return n;
	i = n < MOST ? n++ : n - 1;
	for (; i && view->names[best[i - 1]].total_ns < view->names[name].total_ns; i--)
		best[i] = best[i - 1];
	best[i] = name;
	return n;
}

/* By its name, or by the type of its operator or its category. */
static bool fits(const struct view *view, uint32_t name, const char *wanted)
{
	return strcasestr(view_name(view, name), wanted) ||
	       strcasestr(view_class_name(view, view->names[name].class), wanted);
}

static void put_found(struct view *view, const char *wanted, struct http_answer *answer)
{
	uint32_t best[MOST], n = 0;
	struct view_text text;

	for (uint32_t name = 1; name < view->n_names; name++)
		if (view->names[name].n && fits(view, name, wanted))
			n = keep_best(view, best, n, name);
	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		json_array(&text.json, "names");
		for (uint32_t i = 0; i < n; i++) {
			const struct view_name *own = &view->names[best[i]];

			json_object(&text.json, NULL);
			json_count(&text.json, "name", best[i]);
			json_text(&text.json, "text", view_name(view, best[i]));
			json_count(&text.json, "class", own->class);
			json_count(&text.json, "slices", own->n);
			json_count(&text.json, "total_ns", own->total_ns);
			json_end(&text.json, '}');
		}
		json_end(&text.json, ']');
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
}

static void finish(struct view_scan *scan, struct http_answer *answer)
{
	struct search *search = (struct search *)scan;

	if (!scan->view->names) {
		scan->view->names = search->names;
		scan->view->n_names = search->n_names;
		search->names = NULL;
	}
	put_found(scan->view, search->text, answer);
}

static void done(struct view_scan *scan)
{
	free(((struct search *)scan)->names);
}

VIEW_ANSWER(search)
{
	const char *text = http_request_text(request, "q");
	struct search *search;

	if (!text || !*text || strlen(text) >= sizeof search->text) {
		http_say(answer, 400, "q must be a text of 1 to %zu bytes", sizeof search->text - 1);
		return NULL;
	}
	if (view->names) {
		put_found(view, text, answer);
		return NULL;
	}
	search = view_scan_new(view, sizeof *search, request, answer);
	if (!search)
		return NULL;
	search->scan.from_ns = 0;
	search->scan.to_ns = UINT64_MAX;
	search->scan.take = count;
	search->scan.finish = finish;
	search->scan.done = done;
	memcpy(search->text, text, strlen(text) + 1);
	search->n_names = names_count(store_names(view->store)) + 1;
	search->names = calloc(search->n_names, sizeof *search->names);
	search->scan.has_failed = !search->names;
	return &search->scan.job;
}
