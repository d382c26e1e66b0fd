/* SPDX-License-Identifier: Apache-2.0 */
/* Why an inference of a recording was slow. */
#ifndef SHOW_WORDS_SLOW_WORDS_H
#define SHOW_WORDS_SLOW_WORDS_H

#include "analyze/why/why.h"

/* Did it take at least a tenth more than the median, of its shapes where there is one? Then it is worth a line. */
bool slow_is_slow(const struct summary_model *model, const struct summary_slow *slow);
/* Is one of the slowest of a model worth a line? */
bool slow_are_any(const struct summary *summary, const struct summary_model *model);
/* Do several processes run its model, and is it known which of them it was in? */
bool slow_is_of_several(const struct summary *summary, const struct summary_model *model,
			const struct summary_slow *slow);
/* "41.0 ms more: 38.1 ms waiting for a CPU (stress-ng used 1.98 CPUs), 2.0 ms in ...". */
struct printable slow_words(const struct summary *summary, const struct summary_slow *slow, bool is_ascii);
/* The same without figures other than times. */
struct printable slow_words_short(const struct summary *summary, const struct summary_slow *slow, bool is_ascii);

#endif
