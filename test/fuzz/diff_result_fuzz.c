// SPDX-License-Identifier: Apache-2.0
/* A result of `inftrace model`: any bytes. What is read of it is compared with itself, which differs in nothing. */
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
	require(model->name != NULL);
	for (uint32_t i = 0; i < model->n_operators; i++) {
		const struct diff_operator *op = &model->operators[i];

		require(op->name && op->node && op->calls > 0 && op->typical_ns > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct diff_opts opts = { .threshold = 0, .minimum = 0.02 };
	struct diff_run run = { .path = "fuzz.json" };
	const struct diff_side side = { &run, 1 };
	struct arena arena = { 0 };
	struct diff diff;

	if (!diff_result_of(&run, (const char *)data, size, &arena, NULL)) {
		for (uint32_t i = 0; i < run.n_models; i++)
			check_model(&run.models[i]);
		require(!diff_make(&diff, &side, &side, &opts, &arena, NULL));
		require(diff.n_pairs == run.n_models && !diff.n_only_base && !diff.n_only_fresh);
		require(diff.says < DIFF_WORSE && !diff.is_regression);
		for (uint32_t i = 0; i < diff.n_pairs; i++)
			require(diff.pairs[i].n_rows == diff.pairs[i].base->n_operators);
	}
	arena_done(&arena);
	return 0;
}
