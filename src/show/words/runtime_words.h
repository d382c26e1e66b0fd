/* SPDX-License-Identifier: Apache-2.0 */
/* The runtimes of a recording in words: each once, with its versions, and what its models ran. */
#ifndef SHOW_WORDS_RUNTIME_WORDS_H
#define SHOW_WORDS_RUNTIME_WORDS_H

#include <stdbool.h>

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

enum { RUNTIME_WORDS = 16 };

/* Indexes in summary->runtimes, one for each runtime, those whose inferences took longest first. */
uint32_t runtime_words_list(const struct summary *summary, uint32_t list[RUNTIME_WORDS]);
/* "litert 2.3.0 (2 copies) in 17: 20 inferences, 5.5 % of their time"; what comes after the colon if there are several.
 */
struct printable runtime_words(const struct summary *summary, uint32_t index, bool is_ascii);

#endif
