/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about processes that were stopped, traced or frozen. */
#ifndef ANALYZE_REMARK_HALT_WORDS_H
#define ANALYZE_REMARK_HALT_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "2 inferences contain 610 ms in which their process was stopped by a signal"; "": no inference does. */
struct printable halt_words(const struct summary *summary);
/* The same of one model. */
struct printable halt_words_of(const struct summary *summary, const struct summary_model *model);
/* A row of halt_kinds: "Process 42 was stopped by a signal 2 times, for 610 ms in all, the first time at 1.20 s." */
struct printable halt_words_of_process(const struct summary *summary, const struct summary_halt_kind *kind);
/* What figures of operators do not contain: "2 of 600 calls are left out (604 ms): ..."; "": they contain all. */
struct printable halt_words_left_out(const struct summary *summary, const struct summary_model *model);

#endif
