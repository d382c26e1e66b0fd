// SPDX-License-Identifier: Apache-2.0
/*
 * The first inference of each shape of inputs is slow: something is compiled, planned or searched for that shape.
 * value: how many times as long as later ones; a: such shapes; b: shapes that were seen often enough; low: nanoseconds
 * beyond what later ones take, of all of them. A first one after a pause is compared with later ones after a pause.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_slow_new_shapes;

/* LEAST_LATER: inferences of a shape beside its first. */
enum { LEAST_SHAPES = 3, LEAST_LATER = 2 };
static const double least_times = 2, least_share = 0.8, least_ns = 20e6;

struct news {
	int64_t n_slow, n_judged;
	double first_ns, later_ns, extra_ns; /* of the slow ones, added up */
};

static double worked_ns(const struct summary_turn *turn)
{
	return (double)turn->worked_ns / (double)turn->n;
}

static double cpu_ns(const struct summary_turn *turn)
{
	return turn->n_cpu ? (double)turn->cpu_ns / (double)turn->n_cpu : 0;
}

/* Where the caller computes, as a rule, what they took is not what else it waited for. */
static bool is_computed(const struct summary_turn *first, const struct summary_turn *later)
{
	return first->n_cpu == first->n && 2 * later->n_cpu > later->n && 2 * cpu_ns(later) > worked_ns(later);
}

/* Of the first ones after a pause of their session, or of the others. False: there is too little to compare. */
static bool compare(const struct summary_tally *tally, int pause, struct news *to)
{
	const struct summary_turn *first = &tally->first[pause], *later = &tally->later[pause];
	double first_ns, later_ns;
	bool is_cpu;

	if (!first->n || later->n < first->n * LEAST_LATER || !later->worked_ns)
		return false;
	is_cpu = is_computed(first, later);
	first_ns = is_cpu ? cpu_ns(first) : worked_ns(first);
	later_ns = is_cpu ? cpu_ns(later) : worked_ns(later);
	to->first_ns += first_ns;
	to->later_ns += later_ns;
	to->extra_ns += (first_ns - later_ns) * (double)first->n;
	return true;
}

static void judge(const struct summary_tally *tally, struct news *to)
{
	struct news own = { 0 };

	for (int i = 0; i < N_SUMMARY_PAUSES; i++)
		own.n_judged |= compare(tally, i, &own);
	to->n_judged += own.n_judged;
	if (!own.n_judged || own.first_ns < least_times * own.later_ns)
		return;
	to->n_slow++;
	to->first_ns += own.first_ns;
	to->later_ns += own.later_ns;
	to->extra_ns += own.extra_ns;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_tally *tally;
	struct news news = { 0 };
	struct finding *to;

	/* prompts are longer than tokens, and a cache grows: that is what generations report */
	if (!facts || facts->model->generations.n)
		return;
	tally = facts->summary->tallies + facts->model->tallies.first;
	for (uint32_t i = 0; i < facts->model->tallies.n; i++)
		if (tally[i].key == KEY_SHAPES)
			judge(&tally[i], &news);
	if (news.n_slow < LEAST_SHAPES || (double)news.n_slow < least_share * (double)news.n_judged ||
	    news.extra_ns < least_ns)
		return;
	to = finder_add_counts(finder, &insight_slow_new_shapes, news.first_ns / news.later_ns, news.n_slow,
			       news.n_judged);
	to->low = news.extra_ns;
	to->gain_ns = finder_of_each(finder, news.extra_ns);
}

static void say(const struct speaker *to)
{
	FINDING("the first inference of each input shape is slow");
	EVIDENCE("%s times as long as later ones, with %s of %s; ", units_decimal(to->finding->value).s,
		 units_count((uint64_t)to->finding->a).s, printable_count((uint64_t)to->finding->b, "shape").s);
	EVIDENCE("%s more in all", units_duration(to->finding->low).s);
	if (speaker_is_of_runtime(to, "pytorch"))
		NEXT(
		    "run each shape once before the first request arrives, pad inputs to a few shapes, or compile with "
		    "`dynamic=True`");
	else
		NEXT("run each shape once before the first request arrives, or pad inputs to a few shapes");
}

const struct insight insight_slow_new_shapes = {
	.name = "slow_new_shapes",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "times", .a = "shapes_slow", .b = "shapes", .low = "extra_ns" },
};
