// SPDX-License-Identifier: Apache-2.0
/*
 * What differs between two sides, and whether it is more than chance.
 *
 * Three things make two runs of one program differ. Inferences of one run are noisy, and each is like the one before.
 * The machine changes slowly while it runs: its frequency, other programs. And two runs differ by more than either
 * shows from inside: by where memory lies, and which cores were taken. All times are compared as logarithms: a change
 * is a share then, and errors are alike for large and small operators.
 *
 * One run a side. The series is cut into up to 16 blocks of consecutive inferences. The scatter of the blocks' medians
 * has the noise and the slow change. It is not divided by the number of blocks: what moved from block to block may have
 * moved before the run as well, so that a run is one more block and no better known than that. To this a standard
 * deviation of 1.2 % between runs is added (0.5 % for an operator beside others of its type).
 *
 * Several runs a side. The run is the unit: Student's t with the pooled variance of the runs, however many inferences
 * each has. Of two or three runs an operator's variance is often far too small by luck. If it is below the middle one
 * of all operators, it is drawn towards that, which counts as four more runs.
 *
 * The same machines a side. Rows of `inftrace watch` before and after a change of what runs there: each machine is
 * compared with itself, and its change is one value. How far machines differ is no error then.
 *
 * Operators. Their time is the lower quartile of the calls, not the median or the mean: a preempted call is longer and
 * never shorter. With ten programs for each CPU, quartiles of Conv moved by 0.9 % from run to run, medians by 2.5 %.
 * What moves the machine moves all operators of a type: of 4 % from run to run, 0.6 to 0.9 % were left when the others
 * of the type were divided out. So an operator is judged beside the others of its type, where there are 4 or more; with
 * one run a side a fifth of what was divided out counts as its error. It is judged as it is where it is alone, and
 * where all operators together have changed for sure.
 *
 * Many figures. Figures and operators are two families that share the error of 5 %. In each, Holm's correction keeps
 * the chance of even one false name below 2.5 %, however they depend on each other. Benjamini and Hochberg's bounds the
 * share of false names instead, which is no use to those who look for one culprit, or whose build fails.
 *
 * A minimum. Less than 2 % (3 % with one run a side) is no name's worth: where code and data lie makes that much. Nor
 * is an operator that takes less than 0.1 % of an inference more, or less than it costs to record it.
 *
 * A busy machine. If something waited for a CPU in more than a tenth of the time, one run a side says little of a
 * latency: medians of one program differed by a factor of 3. With a deviation of 50 %, only what takes some eight times
 * as long is called slower, and of all else nothing is said. All operators together are judged with a deviation of 8 %,
 * each beside others of its type with 1.2 %, and one without others not at all.
 *
 * Judged are the median, all operators together, p99, the first inference, the creation of a session, and the peak of
 * memory (with one run a side the peak of a process alone, to which 1.5 % are allowed). What else is shown says the
 * same again with more noise. Phases of session creation take many times as long in some runs; only their sum is
 * judged. Intervals are those of 95 % for one figure alone, for the eye; what is named follows from the corrected
 * probability. "No difference" is a claim, too: the interval has to lie within 5 %, or the threshold. Of all else the
 * answer is that it cannot be told. bench/diff.py measures how often each answer is wrong.
 */
#include "analyze/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_in.h"

#define SINGLE_MINIMUM 0.03
enum { LEAST_PAIRS = 3 };

/* Only what is tested by one run a side. */
static double single_between(const struct diff *diff, int figure)
{
	if (figure == DIFF_OPERATORS)
		return diff->is_busy ? DIFF_BETWEEN_BUSY : DIFF_BETWEEN;
	if (figure != DIFF_MEDIAN)
		return NAN;
	return diff->is_busy ? DIFF_BETWEEN_BUSY_MEDIAN : DIFF_BETWEEN;
}

/* What happens once in a run, or to few inferences, is alike in a few runs by luck. */
static double several_least(int figure)
{
	return figure == DIFF_P99 || figure == DIFF_FIRST || figure >= DIFF_CREATION ? 0.1 : 0;
}

/* The others say the same again, with more noise. */
static bool is_judged(int figure)
{
	return figure == DIFF_MEDIAN || figure == DIFF_WITHIN || figure == DIFF_OPERATORS || figure == DIFF_P99 ||
	       figure == DIFF_FIRST || figure == DIFF_CREATION;
}

static double value_of(const struct diff_model *model, int figure)
{
	return model ? log(model->figure[figure]) : NAN;
}

static void take(struct diff_sample *to, const struct diff_model *model, int figure)
{
	double value = value_of(model, figure);

	if (!isfinite(value))
		return;
	to->scatter[to->n] = model->scatter[figure];
	to->value[to->n++] = value;
}

static void compare_figure(const struct diff *diff, struct diff_pair *pair, const struct diff_members *members,
			   int figure)
{
	double room[4 * DIFF_MAX_RUNS], sum[2] = { 0, 0 };
	struct diff_sample base = { room, room + DIFF_MAX_RUNS, 0 },
			   fresh = { room + 2 * DIFF_MAX_RUNS, room + 3 * DIFF_MAX_RUNS, 0 };
	struct diff_value *to = &pair->value[figure];
	struct diff_prior prior = { .between = single_between(diff, figure),
				    .least = several_least(figure),
				    .is_paired = diff->is_paired };
	struct diff_estimate estimate;

	for (uint32_t i = 0; i < diff->base.n_runs; i++)
		if (!diff->is_paired || isfinite(value_of(members->fresh[i], figure)))
			take(&base, members->base[i], figure);
	for (uint32_t i = 0; i < diff->fresh.n_runs; i++)
		if (!diff->is_paired || isfinite(value_of(members->base[i], figure)))
			take(&fresh, members->fresh[i], figure);
	for (uint32_t i = 0; i < base.n; i++)
		sum[0] += base.value[i] / base.n;
	for (uint32_t i = 0; i < fresh.n; i++)
		sum[1] += fresh.value[i] / fresh.n;
	*to = (struct diff_value){ .base = base.n ? exp(sum[0]) : NAN,
				   .fresh = fresh.n ? exp(sum[1]) : NAN,
				   .n_base = base.n,
				   .n_fresh = fresh.n };
	estimate = diff_estimate(&base, &fresh, &prior);
	diff_value_set(to, &estimate);
	if (diff->no_verdict || pair->does_other_work)
		to->p = NAN;
}

/* The cost of recording, where one side recorded more than the other: a share of the latency. */
static double cost_apart(const struct diff *diff, const struct diff_pair *pair)
{
	double events[2] = { 0, 0 };

	if (!diff->fact_differs[DIFF_LEVEL] && pair->base->n_operators && pair->fresh->n_operators)
		return 0;
	for (uint32_t i = 0; i < pair->base->n_operators; i++)
		events[0] += 2 * pair->base->operators[i].calls;
	for (uint32_t i = 0; i < pair->fresh->n_operators; i++)
		events[1] += 2 * pair->fresh->operators[i].calls;
	events[0] *= isnan(pair->base->event_ns) ? 0 : pair->base->event_ns;
	events[1] *= isnan(pair->fresh->event_ns) ? 0 : pair->fresh->event_ns;
	return fabs(events[1] - events[0]) / fmax(pair->value[DIFF_MEDIAN].base, 1);
}

/* At level detail: is a longer latency mostly one that waited? With one run a side the machine may be the reason. */
static void find_waits(const struct diff *diff, struct diff_pair *pair)
{
	struct diff_value *median = &pair->value[DIFF_MEDIAN], *mean = &pair->value[DIFF_MEAN];
	const struct diff_value *wait = &pair->value[DIFF_WAIT];
	double longer = mean->fresh - mean->base, waited = wait->fresh - wait->base;

	if (pair->moved || !isfinite(waited) || !(longer > 0) || !(waited >= longer / 2))
		return;
	pair->waits_ns = fmin(waited, longer);
	if (median->says == DIFF_WORSE && diff_is_single(diff))
		median->says = DIFF_OPEN;
}

static const char *missing_operators(const struct diff_pair *pair)
{
	if (!pair->base->n_operators)
		return pair->base->operators_missing ? pair->base->operators_missing : "base has none";
	if (!pair->fresh->n_operators)
		return pair->fresh->operators_missing ? pair->fresh->operators_missing : "new has none";
	return NULL;
}

/* What waiting may have done is not even called open. */
static void drop_busy(const struct diff *diff, struct diff_value *median)
{
	if (!diff->is_busy || median->says < DIFF_OPEN || median->says >= DIFF_WORSE)
		return;
	median->says = DIFF_UNTESTED;
	median->low = median->high = median->p = NAN;
}

static int judge_figures(struct diff *diff, struct arena *arena)
{
	size_t n = (size_t)diff->n_pairs * N_DIFF_FIGURES + diff->n_resources, at = 0;
	double *p = arena_alloc(arena, (n + 1) * sizeof *p);

	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (int k = 0; k < N_DIFF_FIGURES; k++)
			p[at++] = is_judged(k) ? diff->pairs[i].value[k].p : NAN;
	for (uint32_t i = 0; i < diff->n_resources; i++)
		p[at++] = diff->no_verdict || !diff_is_memory(&diff->resources[i]) ? NAN : diff->resources[i].max.p;
	for (size_t i = 0; i < n; i++)
		diff->n_tested += isfinite(p[i]);
	if (diff_holm(p, n))
		return -ENOMEM;
	at = 0;
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (int k = 0; k < N_DIFF_FIGURES; k++) {
			struct diff_pair *pair = &diff->pairs[i];
			double extra = k == DIFF_OPERATORS ? 0 : cost_apart(diff, pair);

			pair->value[k].p = p[at++];
			diff_value_judge(diff, &pair->value[k], diff->opts.minimum + extra,
					 diff_figure_name(k).is_better_higher);
			if (k == DIFF_MEDIAN)
				drop_busy(diff, &pair->value[k]);
		}
	for (uint32_t i = 0; i < diff->n_resources; i++) {
		diff->resources[i].max.p = p[at++];
		diff_value_judge(diff, &diff->resources[i].max, DIFF_MATTERS, false);
	}
	return 0;
}

static bool differs(const struct diff *diff, int fact)
{
	const char *first = diff->base.runs->fact[fact];

	for (uint32_t i = 0; i < diff->fresh.n_runs; i++) {
		const char *own = diff->fresh.runs[i].fact[fact];

		if (own && first && strcmp(own, first) != 0)
			return true;
	}
	return false;
}

static void find_circumstances(struct diff *diff)
{
	for (int i = 0; i < N_DIFF_FACTS; i++)
		diff->fact_differs[i] = differs(diff, i);
	if (diff->fact_differs[DIFF_MACHINE])
		diff->no_verdict = "base and new are from different machines, which alone makes times differ";
	else if (diff->fact_differs[DIFF_KIND])
		diff->no_verdict = "base and new were measured by different tools, whose figures and costs differ";
	else if (diff->fact_differs[DIFF_CPUS])
		diff->no_verdict = "base and new had different numbers of CPUs, which alone makes times differ";
	if (!diff_is_single(diff))
		return;
	diff->is_busy = diff->base.runs->busy > DIFF_BUSY || diff->fresh.runs->busy > DIFF_BUSY;
	diff->opts.minimum = fmax(diff->opts.minimum, SINGLE_MINIMUM);
}

bool diff_counts_tokens(const struct diff_pair *pair)
{
	return pair->base->counts_tokens && pair->fresh->counts_tokens;
}

static const char *why_no_verdict(const struct diff *diff, const struct diff_pair *pair)
{
	if (diff->no_verdict)
		return diff->no_verdict;
	if (pair->does_other_work)
		return "batches or tokens differ, so that their times are those of different work";
	if (pair->value[DIFF_MEDIAN].says == DIFF_MISSING)
		return !pair->n_base	? "base did not run it"
		       : !pair->n_fresh ? "new did not run it"
					: "one side has only first, failed or unfinished inferences of it";
	if (diff->is_busy && pair->value[DIFF_MEDIAN].says < DIFF_WORSE)
		return "the machine was busy, and with one run a side, waiting looks like a slower program";
	if (pair->value[pair->moved ? DIFF_WITHIN : DIFF_MEDIAN].says != DIFF_UNTESTED)
		return NULL;
	if (diff->base.runs->source == DIFF_OF_WATCH && pair->n_base >= 32 && pair->n_fresh >= 32)
		return "of one machine a side, four intervals in order of time are the least";
	return diff_counts_tokens(pair) ? "there are too few tokens: 32 on each side are the least"
					: "there are too few inferences: 32 on each side are the least";
}

const char *diff_words_of(const struct diff_pair *pair, int figure)
{
	return diff_counts_tokens(pair) ? diff_token_words(figure) : diff_figure_name(figure).words;
}

const struct diff_pair *diff_pair_of(const struct diff *diff, uint32_t n)
{
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		if (diff->pairs[i].fresh == &diff->fresh.runs->models[n])
			return &diff->pairs[i];
	return NULL;
}

enum diff_figure diff_headline(const struct diff_pair *pair)
{
	const struct diff_value *median = &pair->value[DIFF_MEDIAN], *operators = &pair->value[DIFF_OPERATORS];

	if (pair->moved && pair->value[DIFF_WITHIN].says != DIFF_MISSING)
		return DIFF_WITHIN;
	if (median->says == DIFF_WORSE || median->says == DIFF_BETTER)
		return DIFF_MEDIAN;
	if (operators->says == DIFF_WORSE || operators->says == DIFF_BETTER)
		return DIFF_OPERATORS;
	return median->says <= DIFF_UNTESTED && operators->says > median->says ? DIFF_OPERATORS : DIFF_MEDIAN;
}

/* Of what is judged: worse before better before open before the same. */
static enum diff_says worse_of(enum diff_says a, enum diff_says b)
{
	static const int rank[] = { [DIFF_MISSING] = 0, [DIFF_UNTESTED] = 1, [DIFF_SAME] = 2,
				    [DIFF_OPEN] = 3,	[DIFF_BETTER] = 4,   [DIFF_WORSE] = 5 };

	return rank[a] >= rank[b] ? a : b;
}

static void count_value(struct diff *diff, const struct diff_value *value, bool is_better_higher, bool decides)
{
	double worse = is_better_higher ? 1 / (1 + value->change) - 1 : value->change;

	if (decides || value->says >= DIFF_WORSE)
		diff->says = worse_of(diff->says, value->says);
	diff->is_regression |= value->says == DIFF_WORSE && worse > diff->opts.threshold;
}

static void conclude(struct diff *diff)
{
	diff->says = DIFF_MISSING;
	for (uint32_t i = 0; i < diff->n_pairs; i++) {
		const struct diff_pair *pair = &diff->pairs[i];
		enum diff_figure headline = diff_headline(pair);

		for (int k = 0; k < N_DIFF_FIGURES; k++)
			count_value(diff, &pair->value[k], diff_figure_name(k).is_better_higher, k == (int)headline);
		for (uint32_t k = 0; k < pair->n_rows; k++)
			count_value(diff, &pair->rows[k].value, false, false);
	}
	for (uint32_t i = 0; i < diff->n_resources; i++)
		if (diff_is_memory(&diff->resources[i]))
			count_value(diff, &diff->resources[i].max, false, false);
}

static int compare_pairs(const void *a_, const void *b_)
{
	const struct diff_pair *a = a_, *b = b_;

	return (a->base->wall_ns < b->base->wall_ns) - (a->base->wall_ns > b->base->wall_ns);
}

static const struct diff_run *run_of(const struct diff_side *side, const char *machine)
{
	for (uint32_t i = 0; machine && i < side->n_runs; i++)
		if (side->runs[i].machine && !strcmp(side->runs[i].machine, machine))
			return &side->runs[i];
	return NULL;
}

/* Where both sides are of the same machines, those of new come in the order of base. */
static int pair_machines(struct diff *diff, struct arena *arena)
{
	uint32_t n = diff->base.n_runs;
	struct diff_run *runs;

	if (n < LEAST_PAIRS || n != diff->fresh.n_runs)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (!run_of(&diff->fresh, diff->base.runs[i].machine))
			return 0;
	runs = arena_alloc(arena, n * sizeof *runs);
	if (!runs)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		runs[i] = *run_of(&diff->fresh, diff->base.runs[i].machine);
	diff->fresh.runs = runs;
	diff->is_paired = true;
	return 0;
}

static int make(struct diff *diff, struct arena *arena)
{
	struct diff_members *members;

	if (pair_machines(diff, arena))
		return -ENOMEM;
	find_circumstances(diff);
	if (diff_join_models(diff, &members, arena) || diff_make_resources(diff, arena))
		return -ENOMEM;
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (int k = 0; k < N_DIFF_FIGURES; k++)
			compare_figure(diff, &diff->pairs[i], &members[i], k);
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		if (diff_make_sizes(diff, &diff->pairs[i], &members[i], arena))
			return -ENOMEM;
	if (judge_figures(diff, arena))
		return -ENOMEM;
	for (uint32_t i = 0; i < diff->n_pairs; i++) {
		struct diff_pair *pair = &diff->pairs[i];

		pair->no_verdict = why_no_verdict(diff, pair);
		find_waits(diff, pair);
		pair->no_operators = missing_operators(pair);
		if (!pair->no_operators && diff_make_rows(diff, pair, &members[i], arena))
			return -ENOMEM;
		for (uint32_t k = 0; (diff->no_verdict || pair->does_other_work || pair->moved) && k < pair->n_rows;
		     k++)
			pair->rows[k].value.p = NAN;
	}
	if (diff_judge_rows(diff, arena))
		return -ENOMEM;
	conclude(diff);
	if (diff->n_pairs)
		qsort(diff->pairs, diff->n_pairs, sizeof *diff->pairs, compare_pairs);
	return 0;
}

int diff_make(struct diff *diff, const struct diff_side *base, const struct diff_side *fresh,
	      const struct diff_opts *opts, struct arena *arena, struct err *err)
{
	*diff = (struct diff){ .base = *base, .fresh = *fresh, .opts = *opts };
	if (base->n_runs > DIFF_MAX_RUNS || fresh->n_runs > DIFF_MAX_RUNS)
		return err_set(err, E2BIG, "cannot compare: more than %d files on one side", DIFF_MAX_RUNS);
	return make(diff, arena) ? err_no_memory(err, "cannot compare") : 0;
}
