// SPDX-License-Identifier: Apache-2.0
/* The reasons are the analysis' figures; nothing here is a guess. */
#include "show/words/slow_words.h"

#include <string.h>

#include "base/text/units.h"
#include "show/words/request_words.h"

static double median_of(const struct summary_model *model, const struct summary_slow *slow)
{
	return (double)(slow->usual.n ? slow->usual.p50_ns : model->runs.latency.p50_ns);
}

bool slow_is_slow(const struct summary_model *model, const struct summary_slow *slow)
{
	return (double)slow->duration_ns >= 1.1 * median_of(model, slow);
}

bool slow_is_of_several(const struct summary *summary, const struct summary_model *model,
			const struct summary_slow *slow)
{
	return model->n_processes > 1 && slow->process < summary->n_processes;
}

bool slow_are_any(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_slow *slow = summary->slowest + model->slowest.first;

	for (uint32_t i = 0; i < model->slowest.n; i++)
		if (slow_is_slow(model, &slow[i]))
			return model->runs.latency.n >= 3;
	return false;
}

/* "2.1 ms not explained: CPU time (its operators were not recorded)" */
static void add_rest(struct printable *text, const struct why *why, bool is_short)
{
	double least_ns = why->excess_ns / 20;

	if (why->rest_ns < -least_ns) {
		printable_add(text, ", %s less of other things", units_duration(-why->rest_ns).s);
		return;
	}
	if (why->rest_ns < least_ns)
		return;
	printable_add(text, ", %s not explained", units_duration(why->rest_ns).s);
	if (is_short)
		return;
	if (why->rest_cpu_ns >= least_ns && why->rest_blocked_ns >= least_ns)
		printable_add(text, ": %s of CPU time, %s blocked", units_duration(why->rest_cpu_ns).s,
			      units_duration(why->rest_blocked_ns).s);
	else if (why->rest_cpu_ns >= least_ns || why->rest_blocked_ns >= least_ns)
		printable_add(text, ": %s", why->rest_cpu_ns >= least_ns ? "CPU time" : "blocked");
	if (*why->missing.s)
		printable_add(text, " (%s)", why->missing.s);
}

static void add_nothing(struct printable *text, const struct why *why, bool is_short)
{
	printable_add(text, "nothing recorded explains it");
	if (why->rest_cpu_ns >= why->excess_ns / 2)
		printable_add(text, "; it is CPU time");
	else if (why->rest_blocked_ns >= why->excess_ns / 2)
		printable_add(text, "; its thread was blocked");
	if (*why->missing.s && !is_short)
		printable_add(text, " (%s)", why->missing.s);
}

/* A part's words without what is in brackets at their end. */
static int length_of(const struct why_part *part, bool is_short)
{
	const char *bracket = is_short ? strstr(part->words.s, " (") : NULL;

	return (int)(bracket ? (size_t)(bracket - part->words.s) : strlen(part->words.s));
}

static struct printable say(const struct summary *summary, const struct summary_slow *slow, bool is_ascii,
			    bool is_short)
{
	struct printable text = { "" };
	struct why why;

	why_find(&why, summary, slow, is_ascii);
	if (!why.is_known || why.excess_ns <= 0)
		return (struct printable){ "not slower than the median" };
	printable_add(&text, "%s more%s: ", units_duration(why.excess_ns).s,
		      slow->usual.is_of_shape  ? " than others of its shape"
		      : slow->usual.is_of_size ? " than others of its size"
					       : "");
	for (uint32_t i = 0; i < why.n; i++)
		printable_add(&text, "%s%s %.*s", i ? ", " : "", units_duration(why.part[i].ns).s,
			      length_of(&why.part[i], is_short), why.part[i].words.s);
	if (why.n)
		add_rest(&text, &why, is_short);
	else
		add_nothing(&text, &why, is_short);
	return text;
}

struct printable slow_words(const struct summary *summary, const struct summary_slow *slow, bool is_ascii)
{
	struct printable text = say(summary, slow, is_ascii, false);
	struct printable before = request_words_before(summary, slow, is_ascii);

	if (*before.s)
		printable_add(&text, "; %s", before.s);
	return text;
}

struct printable slow_words_short(const struct summary *summary, const struct summary_slow *slow, bool is_ascii)
{
	return say(summary, slow, is_ascii, true);
}
