/* SPDX-License-Identifier: Apache-2.0 */
/* Runs beside those of an earlier report, in words that all formats share. Texts are harmless. */
#ifndef SHOW_WORDS_BASELINE_WORDS_H
#define SHOW_WORDS_BASELINE_WORDS_H

#include "show/words/model/model_rows.h"

/* "compared with old.json: cpu is 12 % slower (95 % interval 8 to 16 %)"; "": there is no baseline. */
struct printable baseline_verdict(const struct model_analysis *analysis, bool is_ascii);

/* What else differs from the baseline, so that the difference may be for that: the i-th remark; "": that were all. */
struct printable baseline_note(const struct model_analysis *analysis, uint32_t i, bool is_ascii);

/* A row for each run: before, now, the change of its time. */
void model_rows_baseline(struct table *table, const struct model_view *view);

#endif
