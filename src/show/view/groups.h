/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices of a range, summed up by model, name and class, with the time that none of their own kind inside them took.
 * The tables of operators and phases, and the icicle, are made of it.
 */
#ifndef SHOW_VIEW_GROUPS_H
#define SHOW_VIEW_GROUPS_H

#include "analyze/store/keys.h"
#include "analyze/store/store_halts.h"
#include "show/view/model_of.h"
#include "show/view/view_scan.h"

enum { GROUPS_DEPTH = 64, GROUPS_MOST = 1 << 20 };

struct group {
	uint32_t model, name;
	uint16_t class;
	enum event_kind kind;
	uint32_t provider; /* of the first */
	uint64_t n, total_ns, self_ns, min_ns, max_ns;
	uint64_t n_halted, halted_ns; /* of operators and setup during which the process was halted; not in the above */
};

struct groups {
	struct view_scan scan; /* its take, finish and done are set by groups_new */
	uint32_t kinds;	       /* bits of enum event_kind: which slices */
	bool by_type;	       /* name is 0: all operators of a type are one group */
	struct model_cache cache;
	struct keys keys;  /* (model, name), (class, kind) */
	struct array rows; /* struct group */
	uint32_t *last;	   /* by name: one more than the group that its last slice was in; 0: none */
	uint32_t n_last;
	struct store_halts halts;
	uint32_t track;		      /* whose slices these are: */
	const struct halts *of_track; /* of its process */
	struct {
		uint32_t group; /* KEYS_NONE: of no group */
		bool is_halted;
		uint64_t end_ns;
	} open[GROUPS_DEPTH];
	/* All were taken. */
	void (*finished)(struct groups *groups, struct http_answer *answer);
	void (*freed)(struct groups *groups); /* may be NULL */
};

/* size bytes with a struct groups first. NULL: the answer says why. */
void *groups_new(struct view *view, size_t size, const struct http_request *request, struct http_answer *answer);

#endif
