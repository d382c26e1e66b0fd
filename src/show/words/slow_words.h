/* SPDX-License-Identifier: Apache-2.0 */
/* Why an inference of a recording was slow. */
#ifndef SHOW_WORDS_SLOW_WORDS_H
#define SHOW_WORDS_SLOW_WORDS_H

#include "analyze/summary/summary.h"
#include "base/printable.h"

/* Did it take at least a tenth more than the median? Then it is worth a line. */
bool slow_is_slow(const struct summary_model *model, const struct summary_slow *slow);
/* The reasons that explain a good part of what it took more than the median. */
struct printable slow_words(const struct summary *summary, const struct summary_model *model,
			    const struct summary_slow *slow, bool is_ascii);

#endif
