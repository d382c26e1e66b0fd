/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes that were loaded and are not recorded. */
#ifndef SHOW_WORDS_OTHER_WORDS_H
#define SHOW_WORDS_OTHER_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "LiteRT 2.1.0 and PyTorch 2.11.0 in 3 processes"; "": there are none. */
struct printable other_words(const struct summary *summary, bool is_ascii);

#endif
