/* SPDX-License-Identifier: Apache-2.0 */
/* Where a file of several lies on their clock, in words. */
#ifndef SHOW_WORDS_MERGED_WORDS_H
#define SHOW_WORDS_MERGED_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "app.json, placed by 20 inferences that both have, to 1.00 us"; i: of summary->merged. */
struct printable merged_words(const struct summary *summary, uint32_t i, bool is_ascii);

#endif
