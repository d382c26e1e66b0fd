/* SPDX-License-Identifier: Apache-2.0 */
/* What requests did outside of their inferences (analyze/summary/part/summary_request.h). */
#ifndef SHOW_WORDS_REQUEST_WORDS_H
#define SHOW_WORDS_REQUEST_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/*
 * "40 ms: 15 ms in 1 inference, 12 ms waited for the GIL, held by burn (app.py:4), 8 ms ran in resize, called from
 * app.py:9, 5 ms not explained"; of several requests the mean of one.
 */
struct printable request_words(const struct summary *summary, const struct summary_request *request, bool is_ascii);

/* A slow inference in a slow request: "before it, its request predict (310 ms) waited 180 ms for the GIL, ..."; "". */
struct printable request_words_before(const struct summary *summary, const struct summary_slow *slow, bool is_ascii);

#endif
