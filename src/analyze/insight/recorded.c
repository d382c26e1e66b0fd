// SPDX-License-Identifier: Apache-2.0
/* A report, an analysis and findings for each model. Compares nothing: different models have nothing in common. */
#include "analyze/insight/recorded.h"

#include <errno.h>

#include "analyze/result/model/recording_result.h"

int recorded_init(struct recorded *recorded, const struct summary *summary, struct err *err)
{
	struct model_report *reports;
	int code = 0;

	*recorded = (struct recorded){ 0 };
	reports = arena_alloc(&recorded->arena, (summary->n_models + 1) * sizeof *reports);
	recorded->model = arena_alloc(&recorded->arena, (summary->n_models + 1) * sizeof *recorded->model);
	if (!reports || !recorded->model)
		code = -ENOMEM;
	for (uint32_t i = 0; !code && i < summary->n_models; i++) {
		code = recording_result_report(&reports[i], summary, i, &recorded->arena);
		code = code ? code : model_analysis_init(&recorded->model[i], &reports[i], &recorded->arena);
		code = code ? code : insights_find(&recorded->model[i]);
	}
	recorded->n = summary->n_models;
	return code ? err_no_memory(err, "cannot analyse the recording") : 0;
}

void recorded_done(struct recorded *recorded)
{
	arena_done(&recorded->arena);
}
