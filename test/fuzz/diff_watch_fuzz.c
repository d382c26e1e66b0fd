// SPDX-License-Identifier: Apache-2.0
/* Rows of `inftrace watch`: any bytes. What is read of them is compared with itself, which differs in nothing. */
#include "analyze/diff/diff_watch.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff.h"
#include "fuzz.h"

static void require(bool claim)
{
	if (!claim)
		abort();
}

static void check_model(const struct diff_model *model)
{
	double median = model->figure[DIFF_MEDIAN], p99 = model->figure[DIFF_P99];

	require(model->name && !(median < 0) && !(p99 < median));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct diff_opts opts = { .threshold = 0, .minimum = 0.02 };
	struct arena arena = { 0 };
	struct diff_watch watch = { .arena = &arena };
	struct diff_side side = { 0 };
	struct diff diff;
	struct err err;

	diff_watch_is((const char *)data, size);
	diff_watch_add(&watch, "fuzz", (const char *)data, size, &err);
	require(!diff_watch_take(&watch, &side, &err));
	diff_watch_done(&watch);
	for (uint32_t i = 0; i < side.n_runs; i++)
		for (uint32_t k = 0; k < side.runs[i].n_models; k++)
			check_model(&side.runs[i].models[k]);
	if (side.n_runs) {
		require(!diff_make(&diff, &side, &side, &opts, &arena, &err));
		require(!diff.n_only_base && !diff.n_only_fresh);
		require(diff.says < DIFF_WORSE && !diff.is_regression);
	}
	arena_done(&arena);
	return 0;
}
