// SPDX-License-Identifier: Apache-2.0
/* What probes may cost a program, and what is made of the time in which they were out. */
#include "capture/probe/uprobe_pace.h"

#include <math.h>

#include "cases.h"

#define TICK UINT64_C(100000000)
static const struct uprobe_prices prices = { 2000, 1800 };

/* A program that runs so many inferences of so many operators in each tick, and what is seen of it. */
struct played {
	struct uprobe_pace pace;
	uint64_t now_ns, cpu_ns, n_runs, n_ticks_in, n_ticks_operators;
	double paid_ns, n_counted;
	bool has_runs, has_operators;
};

static void begin(struct played *p)
{
	*p = (struct played){ .now_ns = TICK, .cpu_ns = TICK, .has_runs = true, .has_operators = true };
	uprobe_pace_init(&p->pace, p->now_ns, p->cpu_ns);
}

/* As uprobe_levels.c does, without what takes time. */
static void choose(struct played *p)
{
	struct uprobe_pace *pace = &p->pace;

	if (!p->has_runs && uprobe_pace_may_see_runs(pace)) {
		uprobe_pace_open(pace, p->now_ns, p->cpu_ns);
		p->has_runs = true;
	} else if (p->has_operators && uprobe_pace_must_hide_operators(pace)) {
		p->has_operators = false;
		pace->operator_out_ns = p->now_ns;
	} else if (p->has_runs && uprobe_pace_must_hide_runs(pace)) {
		uprobe_pace_close(pace, p->now_ns, p->cpu_ns);
		p->has_runs = false;
	} else if (p->has_runs && !p->has_operators && uprobe_pace_may_see_operators(pace, &prices)) {
		p->has_operators = true;
	}
	if (p->has_operators)
		pace->operator_in_ns = p->now_ns;
}

/* run_ns: CPU time of an inference without probes. */
static void tick(struct played *p, uint64_t runs, uint64_t operators, double run_ns)
{
	double paid = 0;

	if (p->has_runs) {
		p->pace.n_runs += runs;
		p->n_counted += (double)runs;
		paid += (double)runs * prices.run_ns;
	}
	if (p->has_operators) {
		p->pace.n_operators += runs * operators;
		paid += (double)(runs * operators) * prices.operator_ns;
	}
	p->n_runs += runs;
	p->paid_ns += paid;
	p->now_ns += TICK;
	p->cpu_ns += (uint64_t)((double)runs * run_ns + paid);
	p->n_ticks_in += p->has_runs;
	p->n_ticks_operators += p->has_operators;
	uprobe_pace_step(&p->pace, TICK, &prices, (struct uprobe_closing){ false, false });
	choose(p);
	p->n_counted += (double)uprobe_pace_unseen(&p->pace, p->now_ns, p->cpu_ns);
}

static double cost(const struct played *p, uint64_t n_ticks)
{
	return p->paid_ns / (double)(n_ticks * TICK);
}

TEST(what_costs_little_is_always_seen)
{
	struct played p;

	begin(&p);
	for (int i = 0; i < 1000; i++)
		tick(&p, 5, 60, 1e6); /* 50 inferences a second */
	assert_true(p.has_operators && p.n_ticks_operators == 1000);
	assert_int_equal(uprobe_pace_level(&p.pace, p.now_ns), UPROBE_LEVEL_OPERATORS);
	assert_string_equal(uprobe_level_name(UPROBE_LEVEL_OPERATORS), "operators");
	assert_true(p.n_counted == (double)p.n_runs && cost(&p, 1000) < 0.01);
}

TEST(operators_go_before_inferences_do)
{
	struct played p;

	begin(&p);
	for (int i = 0; i < 3000; i++)
		tick(&p, 100, 10, 1e5); /* 0.2 % and 1.8 % */
	assert_int_equal(p.n_ticks_in, 3000);
	assert_true(p.n_ticks_operators > 600 && p.n_ticks_operators < 1500);
	assert_int_equal(uprobe_pace_level(&p.pace, p.now_ns), UPROBE_LEVEL_WINDOWS);
	assert_true(p.n_counted == (double)p.n_runs && cost(&p, 3000) < 0.01);
}

TEST(inferences_are_seen_in_windows_and_counted_right)
{
	struct played p;

	begin(&p);
	for (int i = 0; i < 3000; i++)
		tick(&p, 6000, 3, 7000); /* 12 % */
	assert_true(p.n_ticks_in < 400);
	assert_int_equal(uprobe_pace_level(&p.pace, p.now_ns), UPROBE_LEVEL_RUN_WINDOWS);
	assert_true(cost(&p, 3000) < 0.01);
	assert_true(fabs(p.n_counted / (double)p.n_runs - 1) < 0.02);
}

/* One that is never idle does more while probes are out: its CPU time is the same, that of an inference is not. */
TEST(a_program_that_is_never_idle_is_counted_right)
{
	struct played p;

	begin(&p);
	for (int i = 0; i < 3000; i++)
		tick(&p, p.has_runs ? 10000 : 12500, 0, 8000);
	assert_true(fabs(p.n_counted / (double)p.n_runs - 1) < 0.02);
	assert_true(cost(&p, 3000) < 0.01);
}

TEST(one_that_rests_in_the_gap_is_not_made_up)
{
	struct played p;
	double before;

	begin(&p);
	for (int i = 0; i < 100 || !p.has_runs; i++)
		tick(&p, 6000, 0, 7000);
	while (p.has_runs)
		tick(&p, 6000, 0, 7000);
	before = p.n_counted;
	while (!p.has_runs)
		tick(&p, 0, 0, 0);
	assert_true(p.n_counted - before < 60);
}

/* Its CPU time is not known any more. */
TEST(one_that_has_ended_is_no_trouble)
{
	struct played p;

	begin(&p);
	for (int i = 0; i < 100 || p.has_runs; i++)
		tick(&p, 6000, 0, 7000);
	assert_true(uprobe_pace_unseen(&p.pace, p.now_ns + TICK, 0) <= 6200);
	uprobe_pace_open(&p.pace, p.now_ns + TICK, 0);
	uprobe_pace_close(&p.pace, p.now_ns + 2 * TICK, 0);
	assert_int_equal(uprobe_pace_unseen(&p.pace, p.now_ns + 2 * TICK, 0), 0);
}
