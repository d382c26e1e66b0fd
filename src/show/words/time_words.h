/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a recording went. */
#ifndef SHOW_WORDS_TIME_WORDS_H
#define SHOW_WORDS_TIME_WORDS_H

#include "analyze/summary/summary.h"
#include "base/printable.h"

/* What took most of it, as a sentence without its full stop; "" where that is not known. */
struct printable time_cause(const struct summary *summary, bool is_ascii);
/* "15.3 s = inferences 13.3 s + creating sessions 300 ms + outside of models 1.7 s"; "" where it is not known. */
struct printable time_sum(const struct summary *summary);

#endif
