/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the slices of a recording that begin in a range of time, for answers that need each of them. It is a job
 * of the server, which goes on a few milliseconds at a time, so that nobody waits for it but who asked.
 */
#ifndef SHOW_VIEW_VIEW_SCAN_H
#define SHOW_VIEW_VIEW_SCAN_H

#include "show/view/view_in.h"

struct view_scan {
	struct http_job job; /* must be first */
	struct view *view;
	uint64_t from_ns, to_ns; /* slices that begin from .. to - 1 */
	uint64_t version;	 /* of the view; positions are of no use in another one */
	uint32_t track;		 /* where it is */
	size_t at;
	bool is_in_track, has_failed; /* out of memory */

	/* Takes slices at..end-1 of a track. */
	void (*take)(struct view_scan *scan, const struct store_track *track, size_t at, size_t end);
	/* Everything was taken: fills the answer. */
	void (*finish)(struct view_scan *scan, struct http_answer *answer);
	/* Frees what the owner has in it, but not the scan. May be NULL. */
	void (*done)(struct view_scan *scan);
};

/*
 * Begins a walk: size bytes, zeroed, with a struct view_scan first. The caller sets the three functions. NULL: the
 * answer says why, as it does when the range of the request makes no sense.
 */
void *view_scan_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer);

#endif
