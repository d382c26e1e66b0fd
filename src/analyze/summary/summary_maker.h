/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that sums a recording up while its events pass.
 *
 * Events of different tracks may come in any order as long as they do not lie too far apart: 8,192 inferences, and
 * 131,072 operators, wait for what belongs to them. What comes later than that is counted all the same, but an operator
 * then counts for WHERE_UNKNOWN, and an inference may be missing from how many ran at once and when a process was busy.
 * An inference with more operators than that is summed up while it runs, as one that will not fail.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_MAKER_H
#define ANALYZE_SUMMARY_SUMMARY_MAKER_H

#include "analyze/summary/summary.h"
#include "event/sink.h"

struct summary_maker;

/* What is summed up of a recording. All zero: everything. */
struct summary_opts {
	uint64_t from_ns, to_ns; /* inferences that begin at from_ns after the first event or later, and before to_ns
				    (0: no limit); their operators; sessions that were created or used then; counters
				    at that time. Notes and losses are all kept, operators in no inference are not. */
	const char *model;	 /* only models whose name contains this; borrowed. NULL: all */
	uint32_t window;	 /* inferences that wait for what belongs to them, 16 times as many operators; 0: the
				    numbers above */
	bool with_typical;	 /* medians of blocks of inferences and operators, which are all kept (a million of each
				    kind), for a comparison */
	uint32_t slowest;	 /* inferences of each model that are looked into; 0: SUMMARY_SLOWEST */
	uint64_t slow_at_ns;	 /* inferences that begin then are looked into, however fast, and no others; 0: the
				    slowest */
	bool with_tokens;	 /* each token of the generations, as far as there is room */
	bool by_process;	 /* a model of one process is not that of another; else it is one of the program's */
	uint32_t max_sessions;	 /* rows of sessions, see struct summary_model; 0: 4,096 */
};

/*
 * Begin, put every event of a recording into the sink, then end; or drop. names and last_track are those of the stream,
 * names is borrowed for the summary's life. opts may be NULL. summary_begin: NULL: out of memory.
 */
struct summary_maker *summary_begin(struct names *names, uint32_t *last_track, const struct summary_opts *opts);
struct sink *summary_sink(struct summary_maker *maker);
/* Drops the maker, too. NULL and err: out of memory. */
struct summary *summary_end(struct summary_maker *maker, const struct summary_file *file, struct err *err);
void summary_drop(struct summary_maker *maker); /* NULL does nothing */

#endif
