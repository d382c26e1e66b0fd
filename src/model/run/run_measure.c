// SPDX-License-Identifier: Apache-2.0
/* Computes how the warm-up ended, the CPU use of the measured part, and the number of unserved arrivals. */
#include <stdio.h>

#include "base/clock.h"
#include "model/run/run_worker.h"

enum { MOST_COUNTED = 1000000 };

/* Arrivals up to `until` that no thread took, and those taken but not started. A very large number is estimated. */
static uint64_t count_unserved(struct run_load_state *load, uint64_t until_ns)
{
	uint64_t n = load->n_unserved, at_ns = 0;

	for (uint64_t i = 0; i < MOST_COUNTED; i++, n++) {
		at_ns = load->start_ns + run_arrivals_next(&load->arrivals);
		if (at_ns >= until_ns || (load->n_wanted && load->n_started + i >= load->n_wanted))
			return n;
	}
	return n + (uint64_t)((double)(until_ns - at_ns) * load->run->result->rate_hz / 1e9);
}

static void say_warm_up(struct run_load_state *load, uint64_t ns)
{
	struct run_result *result = load->run->result;
	double spread = run_steady_spread(&load->steady), seconds = (double)ns / 1e9;
	const char *counted = result->n_tokens ? "steps" : "inferences";

	if (result->is_steady || spread >= 0)
		snprintf(result->warm_up_text, RUN_TEXT,
			 "%s after %.3g s and %llu %s: the medians of the last %d windows of %u ms or more lie "
			 "%s%.2g %%%s (limit %g %%)",
			 result->is_steady ? "steady" : "not steady", seconds, (unsigned long long)result->n_warm_up,
			 counted, STEADY_WINDOWS, STEADY_WINDOW_NS / 1000000, result->is_steady ? "within " : "",
			 spread * 100, result->is_steady ? "" : " apart", STEADY_LIMIT * 100);
	else
		snprintf(result->warm_up_text, RUN_TEXT, "not decided after %.3g s: %llu %s are too few", seconds,
			 (unsigned long long)result->n_warm_up, counted);
}

/* All threads stand still between the two phases. */
void run_measure_begin(struct run_load_state *load)
{
	struct run *run = load->run;
	struct run_result *result = run->result;
	uint64_t before;

	if (load->stop == RUN_STOP_FAILED)
		return;
	for (before = 0; before < result->n_latencies && load->latency[before].phase != RUN_WARM_UP; before++)
		;
	result->n_warm_up = result->n_latencies - before;
	run_phase_end(result, RUN_WARM_UP);
	say_warm_up(load, result->phases[RUN_WARM_UP].end_ns - result->phases[RUN_WARM_UP].start_ns);
	run_phase_begin(result, RUN_STEADY);
	run_phase_cpu(&result->cpu_user_ns, &result->cpu_system_ns);
	result->has_run_queue = run_phase_waited(&result->run_queue_ns);
	load->n_wanted = (uint64_t)run->opts->iterations;
	load->start_ns = clock_ns();
	load->end_ns = load->n_wanted ? UINT64_MAX : load->start_ns + run->opts->duration_ns;
	if (result->is_open_loop)
		run_arrivals_start(&load->arrivals, result->rate_hz, result->seed);
}

void run_measure_end(struct run_load_state *load, const struct run_worker *worker, int n)
{
	struct run_result *result = load->run->result;
	uint64_t first_ns = UINT64_MAX, last_ns = 0, user_ns, system_ns, waited_ns;

	run_phase_cpu(&user_ns, &system_ns);
	/* a thread that has ended meanwhile took its figure with it */
	result->has_run_queue &= run_phase_waited(&waited_ns) && waited_ns >= result->run_queue_ns;
	result->run_queue_ns = result->has_run_queue ? waited_ns - result->run_queue_ns : 0;
	result->cpu_user_ns = user_ns - result->cpu_user_ns;
	result->cpu_system_ns = system_ns - result->cpu_system_ns;
	for (int i = 0; i < n; i++) {
		result->n_steady += worker[i].n_run;
		result->n_failed += worker[i].n_failed;
		if (worker[i].first_ns && worker[i].first_ns < first_ns)
			first_ns = worker[i].first_ns;
		if (worker[i].last_ns > last_ns)
			last_ns = worker[i].last_ns;
	}
	result->wall_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	if (result->is_open_loop)
		result->n_unserved = count_unserved(load, last_ns < load->end_ns ? last_ns : load->end_ns);
	result->stop = load->stop;
}
