/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An earlier report of `inftrace model`, read from its JSON (doc/model-json.md), to compare runs with. Fields that a
 * version did not have yet are not known: NULL, -1, NAN.
 */
#ifndef ANALYZE_RESULT_MODEL_BASELINE_H
#define ANALYZE_RESULT_MODEL_BASELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { MODEL_BASELINE_RUNS = 64, MODEL_BASELINE_SETTINGS = 64 };

struct baseline_run {
	const char *label, *error, *version; /* version: of the runtime */
	int64_t n_rounds, n_items;
	int64_t n_tokens, prompt_tokens;     /* of a generation, and of its prompts, added up; 0: inferences */
	double mean_ns, interval_ns, p50_ns; /* of the latencies */
	double round_low_ns, round_high_ns;  /* lowest and highest mean of a process */
};

struct baseline_setting {
	const char *name, *value;
};

struct model_baseline {
	const char *path; /* of the JSON, as given */
	const char *version, *model_name, *cpu, *kernel;
	int64_t start_realtime_ns, n_cpus, model_bytes;
	uint32_t n_runs, n_settings;
	struct baseline_run run[MODEL_BASELINE_RUNS];
	struct baseline_setting setting[MODEL_BASELINE_SETTINGS];
};

/* text: any bytes; borrowed for the call. 0; or -errno and err: it is no such report. */
int model_baseline_parse(struct model_baseline *baseline, const char *text, size_t size, struct arena *arena,
			 struct err *err);
/* The same of a file, or of the report.json in a folder. path: borrowed. */
int model_baseline_read(struct model_baseline *baseline, const char *path, struct arena *arena, struct err *err);

/* The run of that label; NULL: there is none. */
const struct baseline_run *model_baseline_find(const struct model_baseline *baseline, const char *label);

#endif
