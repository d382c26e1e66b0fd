/* SPDX-License-Identifier: Apache-2.0 */
/* What was compiled while inferences ran, in words. */
#ifndef SHOW_WORDS_COMPILE_WORDS_H
#define SHOW_WORDS_COMPILE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "3 times while inferences ran, 9.10 s in all; again 2 times, 2.00 s: <the reason of the longest>"; "": never. */
struct printable compile_words(const struct summary *summary, const struct summary_model *model, bool is_ascii);

#endif
