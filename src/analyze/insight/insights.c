// SPDX-License-Identifier: Apache-2.0
/* Every insight, the most important first: one line each, and insight_<name>.c, which defines insight_<name>. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/insight/insight_in.h"

#define INSIGHTS(F) \
	F(run_failed) \
	F(never_ended) \
	F(forked) \
	F(outputs_differ) \
	F(outputs_unknown) \
	F(training_mode) \
	F(busy_machine) \
	F(lost_events) \
	F(stolen) \
	F(throttled) \
	F(waits_for_cpu) \
	F(oversubscribed) \
	F(reads_again) \
	F(python_traced) \
	F(spinning) \
	F(idle_between) \
	F(collects) \
	F(own_work) \
	F(waits_for_gil) \
	F(waits_for_thread) \
	F(waits_for_input) \
	F(was_stopped) \
	F(waits_for_session) \
	F(requests_queue) \
	F(serialised) \
	F(pool_queue) \
	F(idle_provider) \
	F(idle_device) \
	F(nothing_taken) \
	F(partly_taken) \
	F(launch_bound) \
	F(waits_each_run) \
	F(copies_each_run) \
	F(crosses_providers) \
	F(small_kernels) \
	F(device_memory) \
	F(faster) \
	F(outputs_kept) \
	F(sessions_kept) \
	F(started_again) \
	F(created_again) \
	F(loaded_twice) \
	F(memory_grows) \
	F(heap_kept) \
	F(slow_process) \
	F(input_sizes) \
	F(compiles_again) \
	F(slow_new_shapes) \
	F(slow_after_pause) \
	F(uneven) \
	F(drifts) \
	F(few_values) \
	F(profiled) \
	F(first_costs) \
	F(searches_algorithms) \
	F(slow_first) \
	F(slow_planner) \
	F(weights_copied) \
	F(specialized_again) \
	F(registered_again) \
	F(spins_creating) \
	F(slow_phase) \
	F(memory_bound) \
	F(compute_bound) \
	F(overhead_bound) \
	F(slow_operator) \
	F(small_operators) \
	F(tiny_operators) \
	F(unattributed) \
	F(gradients) \
	F(subnormals) \
	F(not_optimized) \
	F(fresh_memory) \
	F(whole_sequence) \
	F(cache_copied) \
	F(between_tokens) \
	F(generations_in_turn) \
	F(prompt_again) \
	F(long_prompts) \
	F(slow_decode) \
	F(moves_layout) \
	F(small_batch) \
	F(many_threads) \
	F(idle_cores) \
	F(no_scaling) \
	F(more_threads) \
	F(larger_batch) \
	F(queues)

#define DECLARE(name) extern const struct insight insight_##name;
INSIGHTS(DECLARE)

#define ENTRY(name) &insight_##name,
const struct insight *const insights[] = { INSIGHTS(ENTRY) NULL };

enum { N_INSIGHTS = sizeof insights / sizeof *insights - 1 };

static uint32_t rank_of(const struct insight *insight)
{
	uint32_t i = 0;

	while (insights[i] && insights[i] != insight)
		i++;
	return i;
}

/* What is wrong, or in doubt, first; then by what there is to gain. */
static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double gain_x = isnan(x->gain_ns) ? 0 : x->gain_ns, gain_y = isnan(y->gain_ns) ? 0 : y->gain_ns;
	bool is_advice_x = x->insight->severity == INSIGHT_ADVICE, is_advice_y = y->insight->severity == INSIGHT_ADVICE;
	uint32_t rank_x = rank_of(x->insight), rank_y = rank_of(y->insight);
	int order = is_advice_x - is_advice_y;

	order = order ? order : (gain_x < gain_y) - (gain_x > gain_y);
	order = order ? order : (rank_x > rank_y) - (rank_x < rank_y);
	return order ? order : (x->result > y->result) - (x->result < y->result);
}

int insights_find(struct model_analysis *analysis)
{
	struct finder finder = { .analysis = analysis, .n_most = analysis->report->n_results * N_INSIGHTS };

	finder.to = arena_alloc(analysis->arena, ((size_t)finder.n_most + 1) * sizeof *finder.to);
	if (!finder.to)
		return -ENOMEM;
	for (uint32_t r = 0; r < analysis->report->n_results; r++) {
		finder.run = &analysis->runs[r];
		finder.result = r;
		for (int i = 0; i < N_INSIGHTS; i++)
			insights[i]->find(&finder);
	}
	qsort(finder.to, finder.n, sizeof *finder.to, compare_findings);
	analysis->findings = finder.to;
	analysis->n_findings = finder.n;
	return 0;
}

struct model_analysis *insights_analyse(const struct model_report *report, struct err *err)
{
	struct model_analysis *analysis = model_analysis_new(report, err);

	if (!analysis || !insights_find(analysis))
		return analysis;
	err_no_memory(err, "cannot analyse the runs of the model");
	model_analysis_free(analysis);
	return NULL;
}

bool insights_has(const struct model_analysis *analysis, const struct insight *insight, uint32_t result)
{
	for (uint32_t i = 0; i < analysis->n_findings; i++)
		if (analysis->findings[i].insight == insight &&
		    (result == MODEL_NONE || analysis->findings[i].result == result))
			return true;
	return false;
}

struct insight_words insight_words_of(const struct model_analysis *analysis, const struct finding *finding,
				      bool is_ascii)
{
	struct insight_words words = { { "" }, { "" }, { "" } };
	struct speaker speaker = { .analysis = analysis,
				   .finding = finding,
				   .run = &analysis->runs[finding->result],
				   .is_ascii = is_ascii,
				   .to = &words };

	if (finding->text && *finding->text)
		speaker.text = model_text(finding->text, INSIGHT_PLACE, is_ascii);
	finding->insight->say(&speaker);
	return words;
}
