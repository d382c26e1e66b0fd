/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recordings that a page shows: the one that it was started for, one to compare it with, and those that readers
 * bring. Requests name one by its number, `of`; without that it is the first. Compares two of them.
 */
#ifndef SHOW_VIEW_VIEW_SET_H
#define SHOW_VIEW_VIEW_SET_H

#include "show/view/view.h"

enum { VIEW_SET_MOST = 16 };

struct view_set;

/* first is the set's from then on; also where there is no memory for one: NULL. */
struct view_set *view_set_new(struct view *first, bool (*is_written)(const char *path));
/* Another one, which the last is compared with: both lie so that their first inferences begin together. It is the
 * set's. */
void view_set_beside(struct view_set *set, struct view *view);
struct http_handler view_set_handler(struct view_set *set);
void view_set_free(struct view_set *set); /* also what it has; NULL does nothing */

#endif
