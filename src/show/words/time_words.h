/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a recording went. */
#ifndef SHOW_WORDS_TIME_WORDS_H
#define SHOW_WORDS_TIME_WORDS_H

#include <stdbool.h>

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* What took most of it, as a sentence without its full stop; "" where that is not known. */
struct printable time_cause(const struct summary *summary, bool is_ascii);
/* "15.3 s = inferences 13.3 s + creating sessions 300 ms + outside of models 1.7 s"; "" where it is not known. */
struct printable time_sum(const struct summary *summary);

/* "312 gaps between inferences, 1.20 s in all; the longest 300 ms at 2.10 s, 210 ms of it creating a session"; "" of
 * none. */
struct printable time_gaps(const struct summary *summary);

/* "Outside of models"; where models ran that were not recorded: "What the program did". */
bool time_has_unseen_models(const struct summary *summary);
const char *time_outside_title(const struct summary *summary);
/* What was done outside of models, a place a line, most time first; 0: no thread was sampled. */
enum { TIME_OUTSIDE = 5 };
uint32_t time_outside(const struct summary *summary, struct printable line[TIME_OUTSIDE]);

/* The threads that create sessions and run inferences. */
uint64_t time_n_callers(const struct summary *summary);
/* How those of each kind spent their time, and how many more there are: as many lines; 0 of a single thread. */
enum { TIME_CALLERS = 4 };
uint32_t time_callers(const struct summary *summary, bool is_ascii, struct printable line[TIME_CALLERS]);
/* "python3 4711" */
struct printable time_caller(const struct summary *summary, const struct summary_caller *caller, int columns,
			     bool is_ascii);

#endif
