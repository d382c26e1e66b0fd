// SPDX-License-Identifier: Apache-2.0
/* Names of figures and facts, what is computed of a model in the same way wherever it comes from, and sides. */
#include "analyze/diff/diff_run.h"

#include <errno.h>
#include <math.h>

#include "analyze/result/phase_names.h"

static const struct diff_figure_name figures[DIFF_PHASE] = {
	[DIFF_MEDIAN] = { "median", "median latency", DIFF_NS, false },
	[DIFF_WITHIN] = { "within_sizes", "latency within sizes", DIFF_NS, false },
	[DIFF_OPERATORS] = { "operators", "operators", DIFF_NS, false },
	[DIFF_P99] = { "p99", "p99 latency", DIFF_NS, false },
	[DIFF_MEAN] = { "mean", "mean latency", DIFF_NS, false },
	[DIFF_FIRST] = { "first", "first inference", DIFF_NS, false },
	[DIFF_RATE] = { "per_second", "inferences", DIFF_PER_SECOND, true },
	[DIFF_CPU] = { "thread_cpu", "CPU time of its thread", DIFF_NS, false },
	[DIFF_WAIT] = { "run_queue", "waited for a CPU", DIFF_NS, false },
	[DIFF_FIRST_TOKEN] = { "first_token", "first token", DIFF_NS, false },
	[DIFF_PER_TOKEN] = { "per_token", "time per token", DIFF_NS, false },
	[DIFF_TOKENS] = { "tokens_per_second", "output tokens", DIFF_PER_SECOND, true },
	[DIFF_DEVICE] = { "device", "kernels on the device", DIFF_NS, false },
	[DIFF_IDLE] = { "device_idle", "device idle between kernels", DIFF_NS, false },
	[DIFF_CREATION] = { "creation", "session creation", DIFF_NS, false },
};

struct diff_figure_name diff_figure_name(int figure)
{
	const struct phase_name *phase = &phase_names[figure >= DIFF_PHASE ? figure - DIFF_PHASE : 0];

	return figure < DIFF_PHASE ? figures[figure]
				   : (struct diff_figure_name){ phase->key, phase->words, DIFF_NS, false };
}

const char *diff_token_words(int figure)
{
	static const char *const words[N_DIFF_FIGURES] = {
		[DIFF_MEDIAN] = "median time between tokens",
		[DIFF_P99] = "p99 time between tokens",
		[DIFF_MEAN] = "mean time between tokens",
		[DIFF_FIRST] = "very first token",
		[DIFF_RATE] = "tokens",
	};

	return words[figure] ? words[figure] : diff_figure_name(figure).words;
}

const char *const diff_facts[N_DIFF_FACTS] = {
	[DIFF_KIND] = "kind",	  [DIFF_MACHINE] = "machine", [DIFF_VERSION] = "inftrace", [DIFF_RUNTIME] = "runtime",
	[DIFF_LEVEL] = "level",	  [DIFF_COMMAND] = "command", [DIFF_CPUS] = "cpus",	   [DIFF_MEMORY] = "memory",
	[DIFF_KERNEL] = "kernel", [DIFF_SERVICE] = "service", [DIFF_MODEL] = "model",	   [DIFF_SETTINGS] = "settings",
};

void diff_model_init(struct diff_model *model)
{
	*model = (struct diff_model){ .wall_ns = NAN, .event_ns = NAN, .mean_interval_ns = NAN };
	for (int i = 0; i < N_DIFF_FIGURES; i++)
		model->figure[i] = model->scatter[i] = NAN;
}

/* Blocks of the same time, where all operators have them; else each one's own scatter, as if they moved together. */
void diff_model_sum(struct diff_model *model)
{
	float sum[STATS_TYPICAL_BLOCKS] = { 0 };
	uint32_t n_blocks = model->n_operators ? model->operators[0].blocks.n_blocks : 0;
	double total = 0, scatter = 0;

	for (uint32_t i = 0; i < model->n_operators; i++) {
		const struct diff_operator *op = &model->operators[i];
		double own = op->typical_ns * op->calls;

		total += own;
		scatter += own * op->scatter;
		n_blocks = op->blocks.n_blocks == n_blocks ? n_blocks : 0;
		for (uint32_t k = 0; k < op->blocks.n_blocks; k++)
			sum[k] += op->blocks.block_quartile_ns[k] * (float)op->calls;
	}
	if (!(total > 0))
		return;
	model->figure[DIFF_OPERATORS] = total;
	model->scatter[DIFF_OPERATORS] = n_blocks ? stats_typical_scatter(sum, n_blocks) : scatter / total;
}

struct diff_run *diff_side_add(struct diff_side *side, struct arena *arena, struct err *err)
{
	struct diff_run *runs;

	if (side->n_runs == DIFF_MAX_RUNS) {
		err_set(err, E2BIG, "cannot compare: more than %d files on one side", DIFF_MAX_RUNS);
		return NULL;
	}
	runs = arena_grow(arena, side->runs, side->n_runs * sizeof *runs, (side->n_runs + 1) * sizeof *runs);
	if (!runs) {
		err_no_memory(err, "cannot compare");
		return NULL;
	}
	side->runs = runs;
	return &runs[side->n_runs++];
}
