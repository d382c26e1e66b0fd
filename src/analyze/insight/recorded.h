/* SPDX-License-Identifier: Apache-2.0 */
/* The models of a recording, each analysed as a run of its own, with its findings. */
#ifndef ANALYZE_INSIGHT_RECORDED_H
#define ANALYZE_INSIGHT_RECORDED_H

#include "analyze/insight/insight.h"
#include "analyze/summary/summary.h"

struct recorded {
	struct model_analysis *model; /* one for each of summary->models, with one run */
	uint32_t n;
	struct arena arena;
};

/* The summary is borrowed until recorded_done, which undoes this, also after a failure. 0, or -ENOMEM and err. */
int recorded_init(struct recorded *recorded, const struct summary *summary, struct err *err);
void recorded_done(struct recorded *recorded);

#endif
