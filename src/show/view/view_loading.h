/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page gets while its file is still being read: its own parts, and how far reading is. Other questions wait, and
 * begin anew once the view is there. Reads nothing.
 */
#ifndef SHOW_VIEW_VIEW_LOADING_H
#define SHOW_VIEW_VIEW_LOADING_H

#include "show/view/http/http.h"

/* Must outlive the server. */
struct view_loading {
	const char *path;
	uint64_t file_bytes, n_events; /* of the file; read so far, */
	double share;		       /* and how much of it: from 0 to 1, NAN: not known */
	bool is_over;		       /* the view is the server's handler now, or will be at once */
};

struct http_handler view_loading_handler(struct view_loading *loading);

#endif
