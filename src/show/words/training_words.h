/* SPDX-License-Identifier: Apache-2.0 */
/* Training in words: inferences whose results went into a backward pass. */
#ifndef SHOW_WORDS_TRAINING_WORDS_H
#define SHOW_WORDS_TRAINING_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "3 of 5 inferences went into 3 backward passes, 1.20 ms each"; "": none did. */
struct printable training_words(const struct summary_model *model);
/* What follows a count of inferences: " (all of training)", " (3 of training)", "". */
struct printable training_count(const struct summary_model *model);

#endif
