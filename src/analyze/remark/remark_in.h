/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks with files of their own. */
#ifndef ANALYZE_REMARK_REMARK_IN_H
#define ANALYZE_REMARK_REMARK_IN_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* From when on a runtime is recorded, if the agent came into the program while it ran. */
/* One sentence; "" for a runtime that was recorded from its first call on. */
struct printable begin_words(const struct summary *summary, const struct summary_runtime *runtime, bool is_ascii);

/* What happened to the machine's clocks while it was recorded. */
/* One sentence: what, by how much, when, and which times hold. */
struct printable clock_words(const struct summary *summary, const struct summary_clock *change, bool is_ascii);

#endif
