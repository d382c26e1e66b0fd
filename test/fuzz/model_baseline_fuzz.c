// SPDX-License-Identifier: Apache-2.0
/* An earlier report that runs are compared with: any bytes. Numbers are not negative, texts end, lists have bounds. */
#include "analyze/result/model/model_baseline.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void require(bool claim)
{
	if (!claim)
		abort();
}

static void check_run(const struct baseline_run *run)
{
	const double numbers[] = { run->mean_ns, run->interval_ns, run->p50_ns, run->round_low_ns, run->round_high_ns };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		require(!(numbers[i] < 0));
	require(!run->label || strlen(run->label) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_baseline *baseline = malloc(sizeof *baseline);
	struct arena arena = { 0 };
	struct err err = { 0 };

	if (!baseline)
		return 0;
	if (!model_baseline_parse(baseline, (const char *)data, size, &arena, &err)) {
		require(baseline->n_runs && baseline->n_runs <= MODEL_BASELINE_RUNS);
		require(baseline->n_settings <= MODEL_BASELINE_SETTINGS);
		for (uint32_t i = 0; i < baseline->n_runs; i++)
			check_run(&baseline->run[i]);
	} else {
		require(err.code && *err.msg);
	}
	arena_done(&arena);
	free(baseline);
	return 0;
}
