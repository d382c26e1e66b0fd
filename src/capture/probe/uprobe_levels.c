// SPDX-License-Identifier: Apache-2.0
/*
 * What is seen of each program: puts probes on inferences and on operators in and takes them out, as accounts say
 * (uprobe_pace.h). All processes of a file share its links until one of them costs too much; then each gets its own, if
 * they are few, and else all go by the busiest. A part closes in two steps: what begins is no hit any more, and when
 * what is open has ended, the links go.
 *
 * Operators also cost this process, which reads their records: an account of its own bounds them.
 */
#include <time.h>

#include "base/clock.h"
#include "capture/probe/uprobe_trial.h"
#include "capture/probe/uprobes_in.h"

enum { LEAST_STEP_NS = 50000000, FOLD_NS = 500000000, LONGEST_CLOSING_NS = 2000000000 };
#define RESTING_FOLD_NS UINT64_C(5000000000)
/* A third of a percent of a CPU for operators, and 50 s of it at most; what a record costs here. */
static const double own_share = 0.003, own_most_ns = 150e6, record_ns = 400;
/* What another process's link at the same place adds to each hit: an inference and an operator have two. */
static const double neighbour_ns = 104;

/*
 * What an inference and an operator take, in calls of a function with a probe that does nothing: their records are
 * written, and what the program had in its caches is not there any more. And what such a call takes where it cannot be
 * measured.
 */
static const double run_calls = 2.0, operator_calls = 1.4, usual_call_ns = 2200;

void uprobe_levels_begin(struct uprobes *uprobes)
{
	double call_ns = uprobe_trial_price(uprobes->loaded.link, &uprobes->loaded.empty);

	if (call_ns <= 0)
		call_ns = usual_call_ns;
	uprobes->prices = (struct uprobe_prices){ run_calls * call_ns, operator_calls * call_ns };
}

static uint64_t own_cpu_ns(void)
{
	struct timespec time_;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time_);
	return (uint64_t)time_.tv_sec * 1000000000u + (uint64_t)time_.tv_nsec;
}

struct uprobe_pace *uprobes_pace(struct uprobes *uprobes, uint32_t number)
{
	return uprobe_is_paced(uprobes) ? &uprobes->pace[uprobes->host[number]] : NULL;
}

bool uprobes_is_part(const struct uprobes *uprobes, uint32_t number)
{
	return uprobes->host[number] != number;
}

struct uprobe_counts *uprobes_counts(struct uprobes *uprobes, uint32_t number)
{
	return uprobe_is_paced(uprobes) ? &uprobes->counts[number] : NULL;
}

uint64_t uprobes_unseen(struct uprobes *uprobes, uint32_t number)
{
	struct uprobe_pace *pace = &uprobes->pace[number];

	if (!pace->is_gap && !pace->n_unseen)
		return 0;
	return uprobe_pace_unseen(pace, clock_ns(), uprobe_cpu_ns(uprobes->copy[number].pid));
}

static struct uprobe_prices prices_of(const struct uprobes *uprobes, const struct holder *holder)
{
	struct uprobe_prices prices = uprobes->prices;
	double more = holder->index & UPROBE_SHARED ? 0 : (holder->file->n_copies - 1) * neighbour_ns;

	prices.run_ns += more;
	prices.operator_ns += more;
	return prices;
}

/* The next member of the holder from a number on; UPROBE_MAX_ARMED: there is none. */
static uint32_t next_of(const struct uprobes *uprobes, const struct holder *holder, uint32_t from)
{
	if (!(holder->index & UPROBE_SHARED))
		return holder->index >= from ? holder->index : UPROBE_MAX_ARMED;
	while (from < UPROBE_MAX_ARMED && uprobes->holder[from] != holder)
		from++;
	return from;
}

static void set(uint32_t *flag, uint32_t value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void charge(struct uprobes *uprobes, const struct holder *holder, uint64_t passed_ns)
{
	struct uprobe_closing closing = { holder->state[PART_RUNS] == PART_CLOSING,
					  holder->state[PART_OPERATORS] == PART_CLOSING };
	struct uprobe_prices prices = prices_of(uprobes, holder);

	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1))
		uprobe_pace_step(&uprobes->pace[i], passed_ns, &prices, closing);
}

/* So that a gap is filled up with what programs did just before it. */
static void fold(struct uprobes *uprobes, const struct holder *holder, uint64_t now_ns)
{
	if (holder->state[PART_RUNS] != PART_IN)
		return;
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1)) {
		struct uprobe_pace *pace = &uprobes->pace[i];
		uint64_t step_ns = uprobe_pace_is_at_ease(pace) ? RESTING_FOLD_NS : FOLD_NS;

		if (now_ns > pace->begun_ns + step_ns)
			uprobe_pace_fold(pace, now_ns, uprobe_cpu_ns(uprobes->copy[i].pid));
	}
}

enum demand { MUST_HIDE_RUNS, MUST_HIDE_OPERATORS, MAY_SEE_RUNS, MAY_SEE_OPERATORS };

static bool is_so(const struct uprobe_pace *pace, enum demand demand, const struct uprobe_prices *prices)
{
	switch (demand) {
	case MUST_HIDE_RUNS:
		return uprobe_pace_must_hide_runs(pace);
	case MUST_HIDE_OPERATORS:
		return uprobe_pace_must_hide_operators(pace);
	case MAY_SEE_RUNS:
		return uprobe_pace_may_see_runs(pace);
	default:
		return uprobe_pace_may_see_operators(pace, prices);
	}
}

/* Of how many members it is so. */
static uint32_t count(const struct uprobes *uprobes, const struct holder *holder, enum demand demand)
{
	struct uprobe_prices prices = prices_of(uprobes, holder);
	uint32_t n = 0;

	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1))
		n += is_so(&uprobes->pace[i], demand, &prices);
	return n;
}

static bool has_open(const struct uprobes *uprobes, const struct holder *holder)
{
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1))
		if (uprobes->pace[i].n_open)
			return true;
	return false;
}

/* Links are put in and taken out at the expense of the account of this process, too. */
static void put(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part)
{
	uint64_t before_ns = own_cpu_ns();
	uint32_t first = next_of(uprobes, holder, 0);
	struct err ignored;

	if (first < UPROBE_MAX_ARMED)
		uprobe_part_put(uprobes, holder, part, &uprobes->copy[first], &ignored);
	uprobes->own_left_ns -= (double)(own_cpu_ns() - before_ns);
}

static void take(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part)
{
	uint64_t before_ns = own_cpu_ns();

	uprobe_part_take(holder, part);
	uprobes->own_left_ns -= (double)(own_cpu_ns() - before_ns);
}

/* Those of providers' libraries with it. */
static void each_operators(struct uprobes *uprobes, struct holder *holder,
			   void (*act)(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part))
{
	act(uprobes, holder, PART_OPERATORS);
	for (uint32_t i = 0; i < MAX_SHARED; i++)
		if (uprobes->shared[i].file && uprobes->shared[i].host == holder)
			act(uprobes, &uprobes->shared[i], PART_OPERATORS);
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		if (uprobes->own[i].file && uprobes->own[i].host == holder)
			act(uprobes, &uprobes->own[i], PART_OPERATORS);
}

static void close_part(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part, uint64_t now_ns)
{
	holder->state[part] = PART_CLOSING;
	holder->since_ns = now_ns;
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1)) {
		struct uprobe_armed *armed = &uprobes->loaded.armed[i];

		set(part == PART_RUNS ? &armed->is_run_out : &armed->is_operator_out, true);
		if (part == PART_RUNS)
			uprobe_copy_close(uprobes, i, clock_ns());
		else
			uprobes->pace[i].operator_out_ns = now_ns;
	}
}

static void end_part(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part, uint64_t now_ns)
{
	bool is_late = now_ns > holder->since_ns + LONGEST_CLOSING_NS;

	if (has_open(uprobes, holder) && !is_late)
		return;
	if (part == PART_OPERATORS) {
		each_operators(uprobes, holder, take);
		return;
	}
	take(uprobes, holder, part);
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1))
		uprobes->pace[i].must_cut = uprobes->pace[i].n_open > 0;
}

static void open_runs(struct uprobes *uprobes, struct holder *holder)
{
	put(uprobes, holder, PART_RUNS);
	if (holder->state[PART_RUNS] != PART_IN)
		return;
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1)) {
		struct uprobe_armed *armed = &uprobes->loaded.armed[i];

		armed->window++;
		uprobe_copy_open(uprobes, i, clock_ns());
		set(&armed->is_run_out, false);
	}
}

static void open_operators(struct uprobes *uprobes, struct holder *holder)
{
	each_operators(uprobes, holder, put);
	if (holder->state[PART_OPERATORS] != PART_IN)
		return;
	for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED; i = next_of(uprobes, holder, i + 1))
		set(&uprobes->loaded.armed[i].is_operator_out, false);
}

/* Some of those that share cost too much, and others do not. */
static bool should_split(const struct uprobes *uprobes, const struct holder *holder, enum demand demand)
{
	return holder->index & UPROBE_SHARED && !holder->file->must_share && holder->n_members > 1 &&
	       holder->n_members <= MOST_OWN && count(uprobes, holder, demand) < holder->n_members;
}

static void look(struct uprobes *uprobes, struct holder *holder, uint64_t now_ns)
{
	bool has_operators = holder->state[PART_OPERATORS] == PART_IN;
	enum demand demand = has_operators ? MUST_HIDE_OPERATORS : MUST_HIDE_RUNS;

	if (!(holder->index & UPROBE_SHARED) && holder->file->n_copies > MOST_OWN && uprobes->opts.is_shared &&
	    !holder->file->must_split) {
		uprobe_group_move(uprobes, holder->file, false, now_ns);
		return;
	}
	if (holder->state[PART_RUNS] == PART_OUT) {
		if (count(uprobes, holder, MAY_SEE_RUNS) == holder->n_members)
			open_runs(uprobes, holder);
	} else if (count(uprobes, holder, demand)) {
		if (should_split(uprobes, holder, demand))
			uprobe_group_move(uprobes, holder->file, true, now_ns);
		else
			close_part(uprobes, holder, has_operators ? PART_OPERATORS : PART_RUNS, now_ns);
	} else if (has_operators) {
		if (uprobes->own_left_ns < 0)
			close_part(uprobes, holder, PART_OPERATORS, now_ns);
	} else if (uprobes->opts.has_operators && uprobes->own_left_ns > own_most_ns / 2 &&
		   count(uprobes, holder, MAY_SEE_OPERATORS) == holder->n_members) {
		open_operators(uprobes, holder);
	}
}

static void step(struct uprobes *uprobes, struct holder *holder, uint64_t now_ns, uint64_t passed_ns)
{
	if (!holder->file || holder->host || !holder->n_members)
		return;
	charge(uprobes, holder, passed_ns);
	fold(uprobes, holder, now_ns);
	if (holder->state[PART_OPERATORS] == PART_IN)
		for (uint32_t i = next_of(uprobes, holder, 0); i < UPROBE_MAX_ARMED;
		     i = next_of(uprobes, holder, i + 1))
			uprobes->pace[i].operator_in_ns = now_ns;
	if (holder->state[PART_OPERATORS] == PART_CLOSING)
		end_part(uprobes, holder, PART_OPERATORS, now_ns);
	else if (holder->state[PART_RUNS] == PART_CLOSING)
		end_part(uprobes, holder, PART_RUNS, now_ns);
	else
		look(uprobes, holder, now_ns);
}

void uprobes_choose_levels(struct uprobes *uprobes, uint64_t n_records)
{
	uint64_t now_ns = clock_ns(), passed_ns = now_ns - uprobes->paced_ns;

	if (!uprobe_is_paced(uprobes) || passed_ns < LEAST_STEP_NS)
		return;
	if (!uprobes->paced_ns) {
		uprobes->own_left_ns = own_most_ns;
		passed_ns = 0;
	}
	uprobes->paced_ns = now_ns;
	uprobes->own_left_ns += own_share * (double)passed_ns - record_ns * (double)n_records;
	if (uprobes->own_left_ns > own_most_ns)
		uprobes->own_left_ns = own_most_ns;
	uprobe_group_try_again(uprobes, now_ns);
	for (uint32_t i = 0; i < MAX_SHARED; i++)
		step(uprobes, &uprobes->shared[i], now_ns, passed_ns);
	uprobes->first++;
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		step(uprobes, &uprobes->own[(i + uprobes->first) % UPROBE_MAX_ARMED], now_ns, passed_ns);
}
