/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds how far apart the clocks of two files are that both have the same inferences: pairs them in order, and looks
 * for the pairing in which begins and ends are equally far apart. Knows nothing of other clocks.
 */
#ifndef TRACE_MERGE_MERGE_MATCH_H
#define TRACE_MERGE_MERGE_MATCH_H

#include "trace/merge/merge_scan.h"

enum {
	MERGE_MIN_PAIRS = 3,
	MERGE_SURE_PAIRS = 20,	 /* so many are enough if nothing else says that it is the same run */
	MERGE_SPREAD_NS = 100000 /* the middle half of the differences lies within this, else nothing matches */
};

/* What is known of the difference beforehand. */
struct merge_prior {
	bool is_known;
	int64_t offset_ns;
	uint64_t error_ns;
};

struct merge_match {
	int64_t offset_ns; /* median of the begins there less the begins here */
	uint64_t error_ns; /* nine of ten pairs are closer; and how much longer an inference is there than here */
	uint64_t n_pairs;
};

/*
 * here: a file whose clock is not known; there: one whose is. false: nothing matches, or several pairings do. prior:
 * the offset is one that it allows, or differs from one by quarters of an hour, as a time of another time zone does.
 */
bool merge_match(const struct merge_facts *here, const struct merge_facts *there, const struct merge_prior *prior,
		 struct merge_match *match);

#endif
