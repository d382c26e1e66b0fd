/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording as results: what the summary has of a model, as facts of model_result.h, so that runs that were measured
 * and runs that were only recorded are analysed and shown in the same way. Texts and arrays are copied into the arena.
 */
#ifndef ANALYZE_RESULT_RECORDING_RESULT_H
#define ANALYZE_RESULT_RECORDING_RESULT_H

#include "analyze/result/model/model_result.h"
#include "analyze/summary/summary.h"
#include "base/arena.h"
#include "base/text/printable.h"

/* Phases and transformers of the model's sessions; creation_ns is their mean. 0, or -ENOMEM. */
int recording_result_creation(struct model_result *to, const struct summary *summary, uint32_t model,
			      struct arena *arena);
/* Its operators, and where nodes ran. Without any: nothing. 0, or -ENOMEM. */
int recording_result_operators(struct model_result *to, const struct summary *summary, uint32_t model,
			       struct arena *arena);

/* A report with one result, the model's. The summary is borrowed for the report's life. 0, or -ENOMEM. */
int recording_result_report(struct model_report *report, const struct summary *summary, uint32_t model,
			    struct arena *arena);

/*
 * "shufflenet": the name of a model, with what tells it from others of the same name. Names that are cut to `columns`
 * stay different from each other, and are wider then.
 */
struct printable recording_result_label(const struct summary *summary, uint32_t model, int columns, bool is_ascii);

#endif
