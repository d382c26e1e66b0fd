// SPDX-License-Identifier: Apache-2.0
/* A stop lasts at least as long as it was seen: the words do not say so each time. */
#include "analyze/remark/halt_words.h"

#include <string.h>

#include "base/text/units.h"

enum { TRACER = 40 };

static struct printable done_to(const struct summary *summary, uint32_t what, uint32_t who)
{
	const char *text = names_text(summary->names, what);
	struct printable words = { "" };

	if (!strcmp(text, EVENT_HALT_TRACED) && who)
		printable_add(
		    &words, "held by %s as its tracer",
		    printable_text(names_text(summary->names, who), names_len(summary->names, who), TRACER, true).s);
	else if (!strcmp(text, EVENT_HALT_TRACED))
		printable_add(&words, "held by a debugger or tracer");
	else
		printable_add(&words, "%s",
			      strcmp(text, EVENT_HALT_FROZEN) != 0 ? "stopped by a signal" : "frozen with its cgroup");
	return words;
}

/* How processes were halted, if all were in the same way. */
static struct printable all_done_to(const struct summary *summary)
{
	const struct summary_halt_kind *kind = summary->halt_kinds;
	struct printable words = { "" };
	uint32_t who = summary->n_halt_kinds ? kind->who : 0;

	for (uint32_t i = 1; i < summary->n_halt_kinds; i++) {
		who = kind[i].who == who ? who : 0;
		if (kind[i].what != kind->what) {
			printable_add(&words, "stopped, held or frozen");
			return words;
		}
	}
	if (summary->n_halt_kinds)
		return done_to(summary, kind->what, who);
	printable_add(&words, "stopped");
	return words;
}

static struct printable words_of(const struct summary *summary, uint64_t n, uint64_t ns)
{
	struct printable words = { "" };

	if (!n)
		return words;
	printable_add(&words, "%s ", printable_count(n, "inference").s);
	printable_add(&words, "%s %s in which %s process was %s", n == 1 ? "contains" : "contain",
		      units_duration((double)ns).s, n == 1 ? "its" : "their", all_done_to(summary).s);
	return words;
}

struct printable halt_words(const struct summary *summary)
{
	uint64_t n = 0, ns = 0;

	for (uint32_t i = 0; i < summary->n_models; i++) {
		n += summary->models[i].runs.n_halted;
		ns += summary->models[i].runs.halted_ns;
	}
	return words_of(summary, n, ns);
}

struct printable halt_words_of(const struct summary *summary, const struct summary_model *model)
{
	return words_of(summary, model->runs.n_halted, model->runs.halted_ns);
}

struct printable halt_words_of_process(const struct summary *summary, const struct summary_halt_kind *kind)
{
	uint64_t since_ns = summary->recording.begin_ns;
	struct printable words = { "" };

	if (kind->process < summary->n_processes)
		printable_add(&words, "Process %d was %s", summary->processes[kind->process].pid,
			      done_to(summary, kind->what, kind->who).s);
	else
		printable_add(&words, "A process was %s", done_to(summary, kind->what, kind->who).s);
	if (kind->n > 1)
		printable_add(&words, " %s times", units_count(kind->n).s);
	printable_add(&words, " for %s", units_duration((double)kind->ns).s);
	printable_add(&words, kind->n > 1 ? " in all, the first time at %s." : " at %s.",
		      units_duration(kind->first_ns > since_ns ? (double)(kind->first_ns - since_ns) : 0).s);
	return words;
}

struct printable halt_words_left_out(const struct summary *summary, const struct summary_model *model)
{
	uint64_t n = 0, n_all = 0, ns = 0;
	struct printable words = { "" };

	for (uint32_t i = 0; i < model->types.n; i++) {
		const struct summary_operator *type = &summary->types[model->types.first + i];

		n += type->n_halted;
		n_all += type->n + type->n_halted;
		ns += type->halted_ns;
	}
	if (!n)
		return words;
	printable_add(&words, "%s of ", units_count(n).s);
	printable_add(&words, "%s calls %s left out of the figures of operators (%s): the process was %s meanwhile",
		      units_count(n_all).s, n == 1 ? "is" : "are", units_duration((double)ns).s,
		      all_done_to(summary).s);
	return words;
}
