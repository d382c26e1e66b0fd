/* SPDX-License-Identifier: Apache-2.0 */
/* What was not kept of a recording on request, in words. */
#ifndef ANALYZE_REMARK_KEPT_WORDS_H
#define ANALYZE_REMARK_KEPT_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* One sentence; "" when nothing was dropped. */
struct printable kept_words(const struct summary *summary, bool is_ascii);

/* Whose operators were kept, and that totals are scaled; "" when none were left out. */
struct printable kept_words_of_operators(const struct summary *summary);

/* "30 inferences"; where some were left out by --sample or --rate, "120 inferences (30 recorded)". */
struct printable kept_words_count(uint64_t n_recorded, uint64_t n_all);

#endif
