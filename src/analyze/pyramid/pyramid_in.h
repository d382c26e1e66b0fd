/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a pyramid, for its own files. */
#ifndef ANALYZE_PYRAMID_PYRAMID_IN_H
#define ANALYZE_PYRAMID_PYRAMID_IN_H

#include "analyze/pyramid/pyramid.h"
#include "analyze/store/keys.h"
#include "base/array.h"

/* Times by class of what lies in a pixel or a node. Classes that occur are listed, so that clearing is cheap. */
struct pyramid_tally {
	float *ns;	/* by class */
	uint16_t *seen; /* classes */
	uint32_t n_seen;
	uint64_t covered_ns;
	float longest_ns;
	uint32_t longest;
};

struct pyramid_extreme {
	float min, max;
};

/* Of a track. */
struct pyramid_track {
	uint32_t first_row, n_rows, n_wanted;
	size_t n_seen;			 /* slices that its rows have */
	size_t n_counted;		 /* samples that its nodes have */
	struct pyramid_extreme *samples; /* one for each PYRAMID_FAN samples, then those of the level above */
	size_t n_samples;
};

struct pyramid {
	const struct store *store;
	uint64_t begin_ns, end_ns;
	struct pyramid_row *rows;
	uint32_t n_rows;
	struct pyramid_track *tracks; /* by id */
	uint32_t n_tracks;
	struct array classes;	 /* struct pyramid_class */
	struct keys class_keys;	 /* (name, kind), from N_KINDS on */
	uint16_t *class_of_list; /* by list of arguments; 0: that of the kind */
	uint32_t n_lists, list_capacity;
	struct pyramid_tally tally; /* of whoever asks; empty in between */
	uint32_t n_tallied;	    /* classes that it has room for */
	uint64_t version, store_version;
	uint64_t changed_ns; /* see pyramid_take_changed */
	uint32_t n_used;     /* rows that belong to tracks */
};

/* Both: 0 or -ENOMEM. Classes of lists that are new. */
int pyramid_find_classes(struct pyramid *pyramid);
int pyramid_build_counter(struct pyramid_track *to, const struct store_samples *samples);

void pyramid_tally_node(struct pyramid_tally *tally, const struct pyramid_node *node);
void pyramid_tally_slice(const struct pyramid *pyramid, struct pyramid_tally *tally, const struct pyramid_row *row,
			 uint32_t slice);
/* What was counted, without its begin; the tally is empty afterwards. */
void pyramid_tally_take(struct pyramid_tally *tally, struct pyramid_node *to);

#endif
