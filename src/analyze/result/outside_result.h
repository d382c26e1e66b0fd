/* SPDX-License-Identifier: Apache-2.0 */
/* What most of the time went to in which no model ran, from the trees of the summary, and its words. */
#ifndef ANALYZE_RESULT_OUTSIDE_RESULT_H
#define ANALYZE_RESULT_OUTSIDE_RESULT_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* One thing that was done in one place. Rows are borrowed; NULL: there is none. */
struct outside_part {
	const struct summary_outside *state, *wait, *place;
	uint64_t ns, n; /* n: samples */
};

/*
 * Those of the whole (model SUMMARY_NONE) or before inferences of a model, most time first, without what is
 * unattributed: at most so many. How many there are.
 */
uint32_t outside_parts(const struct summary *summary, uint32_t model, struct outside_part *part, uint32_t n_most);
/* The same of one state. */
uint32_t outside_parts_of(const struct summary *summary, uint32_t model, enum sample_state state,
			  struct outside_part *part, uint32_t n_most);
/* Time in a state; SAMPLE_UNKNOWN: unattributed. */
uint64_t outside_state_ns(const struct summary *summary, uint32_t model, enum sample_state state);
/* The same in all gaps but the one that has most of it: what is done once is no habit. */
uint64_t outside_habit_ns(const struct summary *summary, uint32_t model, enum sample_state state);
/* Time before inferences of a model, or all of it. */
uint64_t outside_ns(const struct summary *summary, uint32_t model);

/* It is in Python's multiprocessing, as a rule in what brings objects from one process to another. */
bool outside_is_between_processes(const struct summary *summary, const struct outside_part *part);
/* It is in Python's collector of garbage. */
bool outside_is_collection(const struct summary *summary, const struct outside_part *part);
/* "in Image.resize, called from c_pre.py:6", "waiting for the GIL, held by burn (gil.py:4)": to follow "most of it". */
struct printable outside_part_words(const struct summary *summary, const struct outside_part *part);
/* The same without what it did: "Image.resize, called from c_pre.py:6". */
struct printable outside_where(const struct summary *summary, const struct outside_part *part);

#endif
