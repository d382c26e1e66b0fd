// SPDX-License-Identifier: Apache-2.0
/*
 * The account gets 8 ms of each second. The last third of what it may hold is for inferences alone, so that operators
 * do not cost their being seen.
 *
 * A program that is never idle is slower while it is seen, one that waits for requests is not. So what ran unseen
 * follows from the time where the CPU time agrees with that, within what is not known of the price of a trap, and from
 * the CPU time else.
 */
#include "capture/probe/uprobe_pace.h"

static const double share = 0.008, most_ns = 120e6, reserve_ns = 40e6, window_ns = 40e6;
static const double price_error = 0.35, least_error = 0.01, least_cpu_ns = 1e6, memory_ns = 0.5e9;
/* What operators may cost while they are seen: more would be no window. */
static const double most_share = 2;

static const uint64_t recent_ns = UINT64_C(60000000000);

const char *uprobe_level_name(enum uprobe_level level)
{
	static const char *const names[] = { "out", "inferences in windows", "inferences", "operators in windows",
					     "operators" };

	return names[level];
}

void uprobe_pace_init(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	*pace = (struct uprobe_pace){ .left_ns = most_ns, .begun_ns = now_ns, .begun_cpu_ns = cpu_ns };
}

void uprobe_pace_step(struct uprobe_pace *pace, uint64_t passed_ns, const struct uprobe_prices *prices,
		      struct uprobe_closing closing)
{
	double s = (double)passed_ns / 1e9, n_runs = (double)pace->n_runs, n_operators = (double)pace->n_operators;
	double paid_ns;

	pace->window.n += n_runs;
	if (closing.runs)
		n_runs = pace->runs_per_s * s;
	else if (pace->n_runs && passed_ns)
		pace->runs_per_s = n_runs / s;
	if (closing.operators)
		n_operators = pace->operators_per_s * s;
	else if (pace->n_operators && passed_ns)
		pace->operators_per_s = n_operators / s;
	paid_ns = n_runs * prices->run_ns + n_operators * prices->operator_ns;
	pace->window.paid_ns += paid_ns;
	pace->left_ns += share * (double)passed_ns - paid_ns;
	if (pace->left_ns > most_ns)
		pace->left_ns = most_ns;
	pace->n_runs = pace->n_operators = 0;
}

static double less(double from, double what)
{
	return from > what ? from - what : 0;
}

/* Without what probes took; 0 also where it is not known. */
static double cpu_since(const struct uprobe_pace *pace, uint64_t cpu_ns)
{
	return cpu_ns > pace->begun_cpu_ns ? less((double)(cpu_ns - pace->begun_cpu_ns), pace->window.paid_ns) : 0;
}

static void restart(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	pace->window = (struct uprobe_stretch){ 0 };
	pace->begun_ns = now_ns;
	pace->begun_cpu_ns = cpu_ns;
}

/* What was seen in the window is what the program does; what it did before counts less and less. */
void uprobe_pace_fold(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	struct uprobe_stretch *seen = &pace->seen;
	double kept;

	seen->n += pace->window.n;
	seen->ns += (double)(now_ns - pace->begun_ns);
	seen->cpu_ns += cpu_since(pace, cpu_ns);
	seen->paid_ns += pace->window.paid_ns;
	kept = seen->ns > memory_ns ? memory_ns / seen->ns : 1;
	*seen = (struct uprobe_stretch){ seen->n * kept, seen->ns * kept, seen->cpu_ns * kept, seen->paid_ns * kept };
	restart(pace, now_ns, cpu_ns);
}

void uprobe_pace_close(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	uprobe_pace_fold(pace, now_ns, cpu_ns);
	pace->run_out_ns = now_ns;
	pace->is_gap = true;
	pace->n_told = 0;
}

static double estimate(const struct uprobe_pace *pace, double gap_ns, double gap_cpu_ns, bool is_known)
{
	const struct uprobe_stretch *seen = &pace->seen;
	double by_time, by_cpu, ratio;

	if (seen->n < 1 || seen->ns < 1)
		return 0;
	by_time = seen->n / seen->ns * gap_ns;
	if (seen->cpu_ns < least_cpu_ns || !is_known)
		return by_time;
	by_cpu = seen->n / seen->cpu_ns * gap_cpu_ns;
	ratio = by_cpu / by_time - 1;
	ratio = ratio < 0 ? -ratio : ratio;
	return ratio <= least_error + price_error * seen->paid_ns / seen->cpu_ns ? by_time : by_cpu;
}

/* How many of the gap were not told yet; whole ones. */
static uint64_t untold(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	double n =
	    estimate(pace, (double)(now_ns - pace->begun_ns), cpu_since(pace, cpu_ns), cpu_ns > 0) - pace->n_told;
	uint64_t whole = n > 0 ? (uint64_t)n : 0;

	pace->n_told += (double)whole;
	return whole;
}

void uprobe_pace_open(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	pace->n_unseen += pace->is_gap ? untold(pace, now_ns, cpu_ns) : 0;
	pace->is_gap = false;
	pace->run_out_ns = now_ns;
	restart(pace, now_ns, cpu_ns);
}

uint64_t uprobe_pace_unseen(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns)
{
	uint64_t n = pace->n_unseen + (pace->is_gap ? untold(pace, now_ns, cpu_ns) : 0);

	pace->n_unseen = 0;
	return n;
}

bool uprobe_pace_may_see_operators(const struct uprobe_pace *pace, const struct uprobe_prices *prices)
{
	return pace->left_ns >= most_ns * 0.95 && pace->operators_per_s * prices->operator_ns < most_share * 1e9;
}

bool uprobe_pace_may_see_runs(const struct uprobe_pace *pace)
{
	return pace->left_ns >= window_ns;
}

bool uprobe_pace_must_hide_operators(const struct uprobe_pace *pace)
{
	return pace->left_ns < reserve_ns;
}

bool uprobe_pace_must_hide_runs(const struct uprobe_pace *pace)
{
	return pace->left_ns < 0;
}

bool uprobe_pace_is_at_ease(const struct uprobe_pace *pace)
{
	return !pace->is_gap && pace->left_ns >= most_ns * 0.95;
}

static bool was_recent(uint64_t time_ns, uint64_t now_ns)
{
	return time_ns && time_ns + recent_ns > now_ns;
}

enum uprobe_level uprobe_pace_level(const struct uprobe_pace *pace, uint64_t now_ns)
{
	if (was_recent(pace->run_out_ns, now_ns))
		return pace->left_ns < -share * (double)recent_ns ? UPROBE_LEVEL_OUT : UPROBE_LEVEL_RUN_WINDOWS;
	if (!was_recent(pace->operator_in_ns, now_ns))
		return UPROBE_LEVEL_RUNS;
	return was_recent(pace->operator_out_ns, now_ns) ? UPROBE_LEVEL_WINDOWS : UPROBE_LEVEL_OPERATORS;
}
