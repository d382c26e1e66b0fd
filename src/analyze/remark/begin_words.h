/* SPDX-License-Identifier: Apache-2.0 */
/* From when on a runtime is recorded, if the agent came into the program while it ran. */
#ifndef ANALYZE_REMARK_BEGIN_WORDS_H
#define ANALYZE_REMARK_BEGIN_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* One sentence; "" for a runtime that was recorded from its first call on. */
struct printable begin_words(const struct summary *summary, const struct summary_runtime *runtime, bool is_ascii);

#endif
