/* SPDX-License-Identifier: Apache-2.0 */
/* Which model a slice belongs to, and which inferences count for a latency. */
#ifndef SHOW_VIEW_MODEL_OF_H
#define SHOW_VIEW_MODEL_OF_H

#include "show/view/view_in.h"

/* The last track and inference that were looked for: slices of one come behind each other. Zeroed to begin with. */
struct model_cache {
	uint32_t track, process, inference, model;
};

/* A name; 0: not known. An operator has no model of its own: that of the inference around it, in any track. */
uint32_t model_of(const struct view *view, struct model_cache *cache, const struct store_track *track, size_t at);

/* Of an inference: like the report, without those that failed, were cut off, or were the first of a session. */
bool model_counts(const struct view *view, const struct store_track *track, size_t at);
/* Its status is another one than "ok". */
bool model_failed(const struct view *view, const struct store_track *track, size_t at);

#endif
