/* SPDX-License-Identifier: Apache-2.0 */
/* What recording has cost the program and the machine. */
#ifndef ANALYZE_REMARK_COST_WORDS_H
#define ANALYZE_REMARK_COST_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

enum { COST_LINES = 2 };

/* Sentences without their full stops; how many there are. */
uint32_t cost_words(const struct summary *summary, struct printable line[COST_LINES]);

#endif
