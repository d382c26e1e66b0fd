/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time, waits, page faults and context switches of inferences, as far as they were recorded. */
#ifndef SHOW_WORDS_USAGE_WORDS_H
#define SHOW_WORDS_USAGE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/printable.h"

/* Why no inference of a model has them, as a phrase that follows a colon. */
struct printable usage_missing(const struct summary *summary);
/* "1.2 ms of CPU, 300 us waiting for a CPU, 12 page faults, 3 context switches" of one on average. n_usage is not 0. */
struct printable usage_words(const struct summary_runs *runs);

#endif
