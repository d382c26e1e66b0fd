// SPDX-License-Identifier: Apache-2.0
/*
 * The sentences above a model's report: what came out, how sure that is. The first has at most 25 words. Where the
 * figures cannot tell, they say so and why, and what makes a speed worth nothing (other outputs, nodes that ran
 * elsewhere).
 */
#include <math.h>
#include <string.h>

#include "show/words/diff/diff_words.h"
#include "show/words/model/model_words.h"

enum { LABEL = 40, SHOWN = 4 };

struct sentence {
	const struct model_analysis *analysis;
	bool is_ascii;
	bool has_base, has_single; /* has been said: how long the first run takes; that it is of one process each */
	bool shares_outputs;	   /* the outputs of several runs differ: that is said once, for all of them */
	struct printable text;
};

#define SAY(...) printable_add(&to->text, __VA_ARGS__)

/* "cannot tell", with a capital letter where a sentence begins. */
static void say_cannot(struct sentence *to)
{
	size_t len = strlen(to->text.s);

	SAY("%cannot tell", len > 2 && !strcmp(to->text.s + len - 2, ". ") ? 'C' : 'c');
}

static struct printable label(const struct sentence *to, uint32_t r)
{
	return model_text(to->analysis->report->results[r].label, LABEL, to->is_ascii);
}

/* What is counted. */
static const char *counted(const struct sentence *to)
{
	return strcmp(model_per(to->analysis), "token") ? "inference" : "token";
}

/* "3.10 ± 0.05 ms per inference" */
static void say_time(struct sentence *to, const struct model_run *run)
{
	const struct stats_series *series = &run->latency;

	SAY("%s per %s%s",
	    units_interval(series->mean_ns / run->items, series->interval_ns / run->items, to->is_ascii).s,
	    model_per(to->analysis), isnan(series->interval_ns) ? " (mean)" : "");
}

static void say_latency(struct sentence *to, const struct model_run *run)
{
	SAY("takes ");
	say_time(to, run);
}

static void say_alone(struct sentence *to, uint32_t r)
{
	const struct model_run *run = &to->analysis->runs[r];

	SAY("%s ", label(to, r).s);
	say_latency(to, run);
	if (isnan(run->latency.interval_ns))
		SAY(": too few %ss for a confidence interval", counted(to));
	else if (run->n_rounds > 1)
		SAY(" (95 %% interval, of %u processes)", run->n_rounds);
	else
		SAY(" (95 %% interval of one process%s)", run->latency.is_short ? ", a guess" : "");
}

static int digits_of(double low, double high)
{
	double width = high - low;

	return width >= 20 ? 0 : width >= 0.2 || !isfinite(width) ? 1 : width >= 0.02 ? 2 : 3;
}

/* "is 1.62 times as fast as cpu (95 % interval 1.27 to 2.23)"; of a ratio below 1 the inverse. */
static void say_ratio(struct sentence *to, uint32_t r)
{
	const struct model_run *run = &to->analysis->runs[r];
	const struct stats_ratio *speed = &run->speed;
	bool is_slower = speed->value < 1;
	double value = is_slower ? 1 / speed->value : speed->value, low = is_slower ? 1 / speed->high : speed->low,
	       high = is_slower ? 1 / speed->low : speed->high;
	int digits = value >= 100 ? 0 : digits_of(low, high);
	bool is_single = !to->has_single && (run->n_rounds < 2 || to->analysis->runs[0].n_rounds < 2);

	SAY(" %s", is_slower ? "takes " : "is ");
	if (value >= 1000 && value < 1e15)
		SAY("%s", units_count((uint64_t)value).s);
	else
		SAY("%.*f", digits, value);
	SAY(" times as %s as %s", is_slower ? "long" : "fast", label(to, 0).s);
	if (run->is_apart && !(low > 1))
		SAY(" (each of its %u processes was %s than any of %s)", run->n_rounds, is_slower ? "slower" : "faster",
		    label(to, 0).s);
	else if (isfinite(low) && isfinite(high))
		SAY(" (95 %% interval %.*f to %.*f%s)", digits, low, digits, high,
		    is_single ? ", of one process each" : "");
	to->has_single |= is_single;
}

/* Of the first run, once. */
static void say_first(struct sentence *to)
{
	if (to->has_base)
		return;
	SAY(". %s ", label(to, 0).s);
	say_latency(to, &to->analysis->runs[0]);
	to->has_base = true;
}

/* The interval of the ratio may leave 1 out and still not be enough. */
static void say_why_not(struct sentence *to, uint32_t r)
{
	const struct model_run *run = &to->analysis->runs[r], *first = &to->analysis->runs[0];
	const struct stats_ratio *speed = &run->speed;

	if (!isfinite(speed->low))
		SAY(": the means are too uncertain");
	else if (fabs(first->latency.mean_ns / first->items - run->latency.mean_ns / run->items) >
		 first->latency.interval_ns / first->items + run->latency.interval_ns / run->items)
		SAY(": the medians of one process each hardly differ (%.2f times)", run->typical_speed);
	else
		SAY(": the intervals of their means overlap (%.2f times, %.2f to %.2f)", speed->value, speed->low,
		    speed->high);
}

static void say_compared(struct sentence *to, uint32_t r)
{
	const struct stats_ratio *speed = &to->analysis->runs[r].speed;
	struct printable own = label(to, r), first = label(to, 0);

	if (!speed->is_known) {
		SAY("%s", own.s);
		say_ratio(to, r);
		SAY("; too few %ss to be sure", counted(to));
	} else if (!speed->is_different) {
		say_cannot(to);
		SAY(" whether %s is faster than %s", own.s, first.s);
		say_why_not(to, r);
	} else {
		SAY("%s", own.s);
		say_ratio(to, r);
	}
}

/* Without these its speed says nothing. is_alone: the sentence before is of another run. */
static void say_caveats(struct sentence *to, uint32_t r, bool is_alone)
{
	const char *against = to->analysis->report->results[r].against;

	if (insights_has(to->analysis, &insight_nothing_taken, r))
		SAY(". %s ran no node of the model", is_alone ? label(to, r).s : "But it");
	if (insights_has(to->analysis, &insight_outputs_differ, r) && !to->shares_outputs)
		SAY(". %s%s differ from %s", is_alone ? "The outputs of " : "But its outputs",
		    is_alone ? label(to, r).s : "", model_against(against, LABEL, to->is_ascii).s);
}

static void say_run(struct sentence *to, uint32_t r)
{
	const struct model_run *run = &to->analysis->runs[r];

	if (run->result->error) {
		SAY("%s failed", label(to, r).s);
		return;
	}
	if (!run->latency.n) {
		SAY("%s %s", label(to, r).s, strcmp(counted(to), "token") ? "ran no inference" : "made no token");
		return;
	}
	if (r && isfinite(run->speed.value))
		say_compared(to, r);
	else
		say_alone(to, r);
	say_caveats(to, r, false);
	if (r && isfinite(run->speed.value))
		say_first(to);
}

/* The first run is told with the one that is held against it. */
static uint32_t n_compared(const struct model_analysis *analysis)
{
	uint32_t n = 0;

	for (uint32_t r = 1; r < analysis->report->n_results && r <= SHOWN; r++)
		n += !analysis->runs[r].result->error && isfinite(analysis->runs[r].speed.value);
	return n;
}

static bool has_time(const struct model_run *run)
{
	return !run->result->error && run->latency.n > 0;
}

static double time_of(const struct model_run *run)
{
	return run->latency.mean_ns / run->items;
}

/* MODEL_NONE: no run has a time. */
static uint32_t fastest(const struct model_analysis *analysis)
{
	uint32_t best = MODEL_NONE;

	for (uint32_t r = 0; r < analysis->report->n_results; r++)
		if (has_time(&analysis->runs[r]) &&
		    (best == MODEL_NONE || time_of(&analysis->runs[r]) < time_of(&analysis->runs[best])))
			best = r;
	return best;
}

/* Is it not different enough from the first run? */
static bool is_unsure(const struct sentence *to, uint32_t r)
{
	const struct model_analysis *analysis = to->analysis;
	const struct stats_ratio *speed = &analysis->runs[r].speed;

	return r && r <= SHOWN && has_time(&analysis->runs[r]) && speed->is_known && !speed->is_different &&
	       !insights_has(analysis, &insight_nothing_taken, r) &&
	       (to->shares_outputs || !insights_has(analysis, &insight_outputs_differ, r));
}

/* Of three runs or more. Returns the run that needs no more words; MODEL_NONE: each does. */
static uint32_t say_fastest(struct sentence *to)
{
	uint32_t best = fastest(to->analysis), other = model_rival(to->analysis, best);

	if (other == MODEL_NONE) {
		SAY("%s is the fastest with ", label(to, best).s);
		say_time(to, &to->analysis->runs[best]);
		to->has_base |= !best;
		if (best && isfinite(to->analysis->runs[best].speed.value)) {
			SAY(". It");
			say_ratio(to, best);
		}
		say_caveats(to, best, false);
		return best;
	}
	say_cannot(to);
	SAY(" whether %s (%s) or ", label(to, best).s, units_duration(time_of(&to->analysis->runs[best])).s);
	SAY("%s (%s per %s) is the fastest", label(to, other).s, units_duration(time_of(&to->analysis->runs[other])).s,
	    model_per(to->analysis));
	if (best && other)
		return MODEL_NONE;
	/* the first run, and whether the other one is faster */
	to->has_base = true;
	return best ? best : other;
}

static uint32_t n_of_other_outputs(const struct model_analysis *analysis)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < analysis->report->n_results; r++)
		n += insights_has(analysis, &insight_outputs_differ, r);
	return n;
}

/* Runs first to n - 1; of those that cannot be told from the first their number. Returns the number of those said. */
static uint32_t say_runs(struct sentence *to, uint32_t first, uint32_t n)
{
	bool is_of_several = n_compared(to->analysis) > 1;
	uint32_t said = is_of_several ? say_fastest(to) : MODEL_NONE, n_said = is_of_several, n_left = 0;

	for (uint32_t r = first; r < n; r++)
		n_left += is_unsure(to, r) && r != said;
	for (uint32_t r = first; r < n; r++) {
		if (r == said || (n_left > 1 && is_unsure(to, r)))
			continue;
		SAY("%s", n_said++ ? ". " : "");
		say_run(to, r);
	}
	if (n_left > 1) {
		SAY("%s", n_said++ ? ". " : "");
		say_cannot(to);
		SAY(" whether %u others are faster than %s", n_left, label(to, 0).s);
		say_first(to);
	}
	if (is_of_several && !to->has_base) {
		SAY(". ");
		say_alone(to, 0);
	}
	return n + (said != MODEL_NONE && said >= n);
}

/* What makes the figures doubtful, whichever run they are of. */
static void say_doubts(struct sentence *to)
{
	const struct model_report *report = to->analysis->report;

	if (to->shares_outputs)
		SAY(". The outputs of %u runs differ from those that they are compared with",
		    n_of_other_outputs(to->analysis));
	for (uint32_t r = 0; r < report->n_results; r++) {
		if (!report->results[r].ended_early)
			continue;
		SAY(". Measuring ended early: %s", report->results[r].ended_early);
		break;
	}
	if (model_was_busy(to->analysis))
		SAY(". Other programs kept the machine busy during that time");
}

struct printable model_verdict(const struct model_analysis *analysis, bool is_ascii)
{
	struct sentence sentence = { .analysis = analysis, .is_ascii = is_ascii }, *to = &sentence;
	const struct model_report *report = analysis->report;
	uint32_t n = report->n_results > SHOWN + 1 ? SHOWN + 1 : report->n_results,
		 first = n_compared(analysis) ? 1 : 0;

	to->shares_outputs = n_compared(analysis) > 1 && n_of_other_outputs(analysis) > 1;
	SAY("%s: ", model_title(report, 60, is_ascii).s);
	if (report->baseline) {
		SAY("compared with %s: ", model_text(report->baseline->base.runs->path, 60, is_ascii).s);
		SAY("%s. ", diff_answer(report->baseline, is_ascii).s);
	}
	if (!n)
		SAY("nothing ran");
	n = say_runs(to, first, n);
	if (first)
		say_caveats(to, 0, true);
	say_doubts(to);
	if (n < report->n_results)
		SAY(". And %u more run%s", report->n_results - n, report->n_results - n == 1 ? "" : "s");
	return to->text;
}
