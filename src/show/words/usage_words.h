/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time, waits, page faults and context switches of inferences, as far as they were recorded. */
#ifndef SHOW_WORDS_USAGE_WORDS_H
#define SHOW_WORDS_USAGE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* Whether so many inferences have them that an average says something. */
bool usage_is_known(const struct summary_runs *runs);
/* Why it is not, as a phrase that follows a colon. */
struct printable usage_missing(const struct summary *summary);
/* "1.2 ms of CPU, 300 us waiting for a CPU, 12 page faults, 3 context switches (40 of them were read)" of one on
 * average. n_usage is not 0. */
struct printable usage_words(const struct summary_runs *runs);

#endif
