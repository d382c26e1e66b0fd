/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to the machine's clocks while it was recorded. */
#ifndef ANALYZE_REMARK_CLOCK_WORDS_H
#define ANALYZE_REMARK_CLOCK_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* One sentence: what, by how much, when, and which times hold. */
struct printable clock_words(const struct summary *summary, const struct summary_clock *change, bool is_ascii);

#endif
