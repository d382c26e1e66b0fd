// SPDX-License-Identifier: Apache-2.0
/*
 * Why any inference took as long as it did, not only the slowest, which the report has: the recording is summed up once
 * more, by a process of its own, with this inference in place of the slowest. What is live is not kept for that.
 */
#include <stdlib.h>

#include "show/view/view_in.h"

enum { MOST_AT_A_TIME = 2 };

struct why {
	struct http_job job; /* must be first */
	struct view *view;
	struct view_report report;
};

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct view_report *report = &((struct why *)job)->report;

	if (!view_report_is_done(report))
		return false;
	view_report_answer(report, answer);
	return true;
}

static void free_why(struct http_job *job)
{
	struct why *why = (struct why *)job;

	why->view->n_whys--;
	view_report_stop(&why->report);
	free(why);
}

static const char *refuse(const struct view *view)
{
	if (view->n_whys >= MOST_AT_A_TIME)
		return "two such questions are being answered; ask again later";
	return view_refuse_again(view);
}

VIEW_ANSWER(why)
{
	uint32_t number, slice;
	const struct pyramid_row *row = view_find_slice(view, request, &number, &slice, answer);
	const char *refused = refuse(view);
	struct view_report_source source = { .path = view->path, .is_growing = view->is_growing };
	struct why *why;
	struct err err;

	if (!row)
		return NULL;
	if (row->track->slices.kind[pyramid_at(row, slice)] != KIND_INFERENCE) {
		http_say(answer, 400, "the slice is no inference");
		return NULL;
	}
	if (refused) {
		http_say(answer, 503, "%s", refused);
		return NULL;
	}
	source.slow_at_ns = pyramid_slice_begin(row, slice);
	why = calloc(1, sizeof *why);
	if (!why || view_report_start(&why->report, &source, &err)) {
		free(why);
		view_say_no_memory(answer);
		return NULL;
	}
	why->job = (struct http_job){ step, free_why, true };
	why->view = view;
	view->n_whys++;
	return &why->job;
}
