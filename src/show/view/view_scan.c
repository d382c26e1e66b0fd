// SPDX-License-Identifier: Apache-2.0
/* Walks over slices in pieces; see view_scan.h. */
#include "show/view/view_scan.h"

#include <stdlib.h>
#include <time.h>

enum { PIECE = 16384, STEP_NS = 4000000 };

static int64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Takes a piece of the track that it is in. false: nothing is left of it. */
static bool take_piece(struct view_scan *scan, const struct store_track *track)
{
	const struct store_slices *slices = &track->slices;
	size_t end = scan->at + PIECE < slices->n ? scan->at + PIECE : slices->n;

	if (scan->at >= slices->n || slices->begin_ns[scan->at] >= scan->to_ns)
		return false;
	if (slices->begin_ns[end - 1] >= scan->to_ns)
		end = scan->at + store_first_from(slices->begin_ns + scan->at, end - scan->at, scan->to_ns);
	scan->take(scan, track, scan->at, end);
	scan->at = end;
	return true;
}

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct view_scan *scan = (struct view_scan *)job;
	const struct store *store = scan->view->store;
	int64_t until_ns = now_ns() + STEP_NS;

	view_refresh(scan->view);
	if (scan->version != scan->view->version) {
		scan->job.is_void = true;
		http_say(answer, 503, "the recording changes too fast; ask again");
		return true;
	}
	while (scan->track <= store_n_tracks(store) && !scan->has_failed) {
		const struct store_track *track = store_track(store, scan->track);

		if (track && track->slices.n) {
			if (!scan->is_in_track)
				scan->at = store_first_from(track->slices.begin_ns, track->slices.n, scan->from_ns);
			scan->is_in_track = true;
			while (take_piece(scan, track) && !scan->has_failed)
				if (now_ns() >= until_ns)
					return false;
		}
		scan->is_in_track = false;
		scan->track++;
	}
	if (scan->has_failed)
		view_say_no_memory(answer);
	else
		scan->finish(scan, answer);
	return true;
}

static void free_scan(struct http_job *job)
{
	struct view_scan *scan = (struct view_scan *)job;

	if (scan->done)
		scan->done(scan);
	free(scan);
}

void *view_scan_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer)
{
	struct view_scan *scan = calloc(1, size);

	if (!scan) {
		view_say_no_memory(answer);
		return NULL;
	}
	scan->job = (struct http_job){ step, free_scan };
	scan->view = view;
	scan->track = 1;
	scan->version = view->version;
	if (view_range(view, request, &scan->from_ns, &scan->to_ns))
		return scan;
	http_say(answer, 400, "from and to must be nanoseconds of the recording, from before to");
	free(scan);
	return NULL;
}
