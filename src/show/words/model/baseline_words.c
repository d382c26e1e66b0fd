// SPDX-License-Identifier: Apache-2.0
/* What became slower or faster than in an earlier report, by how much, and what else is not as it was. */
#include "show/words/model/baseline_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 40, NAMED = 4, WORDS = 60 };

/* Of the time: 0.12 for a run that takes 1.12 times as long as before. */
static double growth_of(double ratio)
{
	return 1 / ratio - 1;
}

static bool is_sure(const struct stats_ratio *change)
{
	return change->is_known && change->is_different;
}

static int digits_of(const struct stats_ratio *change)
{
	double width = growth_of(change->low) - growth_of(change->high);

	return growth_of(change->value) < 1 && (!isfinite(width) || width < 0.05) ? 1 : 0;
}

/* " (95 % interval 8 to 16 %)": of both signs as they are. */
static void add_interval(struct printable *to, const struct stats_ratio *change)
{
	bool is_slower = change->value < 1;
	double low = growth_of(is_slower ? change->high : change->low) * (is_slower ? 100 : -100),
	       high = growth_of(is_slower ? change->low : change->high) * (is_slower ? 100 : -100);

	if (isfinite(low) && isfinite(high))
		printable_add(to, " (95 %% interval %.*f to %.*f %%)", digits_of(change), low, digits_of(change), high);
}

static struct printable name_of(const struct model_analysis *analysis, uint32_t r, bool is_ascii)
{
	return model_text(analysis->report->results[r].label, LABEL, is_ascii);
}

/* The surely changed run that is the i-th of all; those that became slower first. MODEL_NONE: there are no more. */
static uint32_t changed_run(const struct model_analysis *analysis, uint32_t i)
{
	for (int is_faster = 0; is_faster < 2; is_faster++)
		for (uint32_t r = 0; r < analysis->report->n_results; r++) {
			const struct stats_ratio *change = &analysis->runs[r].change;

			if (is_sure(change) && (change->value > 1) == is_faster && !i--)
				return r;
		}
	return MODEL_NONE;
}

static void add_changed(struct printable *to, const struct model_analysis *analysis, uint32_t r, bool is_ascii)
{
	const struct stats_ratio *change = &analysis->runs[r].change;
	double growth = growth_of(change->value);

	if (growth >= 1) {
		printable_add(to, "%s takes %.*f times as long", name_of(analysis, r, is_ascii).s, growth < 99,
			      1 + growth);
		if (isfinite(change->low) && change->low > 0)
			printable_add(to, " (95 %% interval %.*f to %.*f)", growth < 99, 1 / change->high, growth < 99,
				      1 / change->low);
		return;
	}
	printable_add(to, "%s is %.*f %% %s", name_of(analysis, r, is_ascii).s, digits_of(change), 100 * fabs(growth),
		      growth > 0 ? "slower" : "faster");
	add_interval(to, change);
}

/* Runs that were measured in both, but not surely changed; *last: one of them. */
static uint32_t count_unsure(const struct model_analysis *analysis, uint32_t *last)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < analysis->report->n_results; r++) {
		if (!analysis->runs[r].before || is_sure(&analysis->runs[r].change))
			continue;
		n++;
		*last = r;
	}
	return n;
}

/* is_begin: of a sentence */
static void add_unsure(struct printable *to, const struct model_analysis *analysis, bool is_begin, bool is_ascii)
{
	const char *cannot_tell = is_begin ? "Cannot tell" : "cannot tell";
	uint32_t last = 0, n = count_unsure(analysis, &last);
	const struct stats_ratio *change = &analysis->runs[last].change;

	if (n == 1) {
		printable_add(to, "%s whether %s is slower or faster", cannot_tell,
			      name_of(analysis, last, is_ascii).s);
		if (isfinite(change->low))
			printable_add(to, " (its time changed by %+.*f to %+.*f %%)", digits_of(change),
				      100 * growth_of(change->high), digits_of(change), 100 * growth_of(change->low));
		else
			printable_add(to, ": one of the means is too uncertain");
	} else if (n) {
		printable_add(to, "%s whether %u runs are slower or faster", cannot_tell, n);
	}
}

struct printable baseline_verdict(const struct model_analysis *analysis, bool is_ascii)
{
	const struct model_baseline *baseline = analysis->report->baseline;
	struct printable to = { "" };
	uint32_t n = 0, n_missing = 0, last;

	if (!baseline)
		return to;
	printable_add(&to, "compared with %s: ", model_text(baseline->path, WORDS, is_ascii).s);
	for (uint32_t r; n < NAMED && (r = changed_run(analysis, n)) != MODEL_NONE; n++) {
		printable_add(&to, "%s", n ? ". " : "");
		add_changed(&to, analysis, r, is_ascii);
	}
	if (changed_run(analysis, n) != MODEL_NONE)
		printable_add(&to, ". Others changed, too");
	if (count_unsure(analysis, &last)) {
		printable_add(&to, "%s", n ? ". " : "");
		add_unsure(&to, analysis, n, is_ascii);
	}
	for (uint32_t r = 0; r < analysis->report->n_results; r++)
		n_missing += !analysis->runs[r].before;
	if (n_missing == analysis->report->n_results)
		printable_add(&to, "it has no time of a run of the same name");
	else if (n_missing)
		printable_add(&to, ". %u run%s no time to compare", n_missing, n_missing == 1 ? " has" : "s have");
	if (*baseline_note(analysis, 0, is_ascii).s)
		printable_add(&to, ". The baseline had another machine, runtime, model or settings");
	return to;
}

static const char *setting_of(const struct model_report *report, const char *name)
{
	for (uint32_t i = 0; i < report->n_settings; i++)
		if (!strcmp(report->settings[i].name, name))
			return report->settings[i].value;
	return NULL;
}

static const char *old_setting_of(const struct model_baseline *baseline, const char *name)
{
	for (uint32_t i = 0; i < baseline->n_settings; i++)
		if (baseline->setting[i].name && !strcmp(baseline->setting[i].name, name))
			return baseline->setting[i].value;
	return NULL;
}

static bool is_other(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

static struct printable machine_note(const struct model_analysis *analysis, bool is_ascii)
{
	const struct model_machine *machine = &analysis->report->machine;
	const struct model_baseline *old = analysis->report->baseline;
	struct printable to = { "" };

	if (!old->cpu || !machine->cpu || (!is_other(old->cpu, machine->cpu) && old->n_cpus == machine->n_cpus))
		return to;
	printable_add(&to, "another machine: %s, ", model_text(old->cpu, WORDS, is_ascii).s);
	printable_add(&to, "%s; ", printable_count((uint64_t)(old->n_cpus > 0 ? old->n_cpus : 0), "CPU").s);
	printable_add(&to, "now %s, ", model_text(machine->cpu, WORDS, is_ascii).s);
	printable_add(&to, "%s", printable_count((uint64_t)(machine->n_cpus > 0 ? machine->n_cpus : 0), "CPU").s);
	return to;
}

static void add_pair(struct printable *to, const char *what, const char *old, const char *now, bool is_ascii)
{
	printable_add(to, "another %s: %s", what, model_text(old, WORDS, is_ascii).s);
	printable_add(to, "; now %s", model_text(now, WORDS, is_ascii).s);
}

static struct printable kernel_note(const struct model_analysis *analysis, bool is_ascii)
{
	const char *old = analysis->report->baseline->kernel, *now = analysis->report->machine.kernel;
	struct printable to = { "" };

	if (old && now && is_other(old, now))
		add_pair(&to, "kernel", old, now, is_ascii);
	return to;
}

/* Of the first run whose runtime has another version. */
static struct printable runtime_note(const struct model_analysis *analysis, bool is_ascii)
{
	struct printable to = { "" };

	for (uint32_t r = 0; r < analysis->report->n_results && !*to.s; r++) {
		const struct baseline_run *old = analysis->runs[r].before;
		const char *now = analysis->report->results[r].version;

		if (old && old->version && now && is_other(old->version, now))
			add_pair(&to, "runtime", old->version, now, is_ascii);
	}
	return to;
}

static struct printable model_note(const struct model_analysis *analysis, bool is_ascii)
{
	const struct model_baseline *old = analysis->report->baseline;
	const struct model_facts *now = &analysis->report->model;
	struct printable to = { "" };

	if (old->model_name && now->name && is_other(old->model_name, now->name))
		add_pair(&to, "model", old->model_name, now->name, is_ascii);
	else if (old->model_bytes >= 0 && now->file_bytes >= 0 && old->model_bytes != now->file_bytes)
		printable_add(&to, "another model of the same name: its file had %s bytes; now %s",
			      units_count((uint64_t)old->model_bytes).s, units_count((uint64_t)now->file_bytes).s);
	return to;
}

static void add_setting(struct printable *to, const char *name, const char *old, const char *now, bool is_ascii)
{
	/* a runtime of another version has a remark of its own; the path alone does not matter */
	if (!strcmp(name, "runtime") || !is_other(old, now))
		return;
	printable_add(to, "%s%s ", *to->s ? "; " : "other settings: ", model_text(name, 40, is_ascii).s);
	printable_add(to, "%s, ", old ? model_text(old, 40, is_ascii).s : "default");
	printable_add(to, "now %s", now ? model_text(now, 40, is_ascii).s : "default");
}

static struct printable settings_note(const struct model_analysis *analysis, bool is_ascii)
{
	const struct model_report *report = analysis->report;
	const struct model_baseline *baseline = report->baseline;
	struct printable to = { "" };

	for (uint32_t i = 0; i < report->n_settings; i++)
		add_setting(&to, report->settings[i].name, old_setting_of(baseline, report->settings[i].name),
			    report->settings[i].value, is_ascii);
	for (uint32_t i = 0; i < baseline->n_settings; i++)
		if (baseline->setting[i].name && !setting_of(report, baseline->setting[i].name))
			add_setting(&to, baseline->setting[i].name, baseline->setting[i].value, NULL, is_ascii);
	return to;
}

struct printable baseline_note(const struct model_analysis *analysis, uint32_t i, bool is_ascii)
{
	static struct printable (*const notes[])(const struct model_analysis *, bool) = {
		machine_note, kernel_note, runtime_note, model_note, settings_note,
	};

	for (size_t k = 0; analysis->report->baseline && k < sizeof notes / sizeof *notes; k++) {
		struct printable note = notes[k](analysis, is_ascii);

		if (*note.s && !i--)
			return note;
	}
	return (struct printable){ "" };
}

static void put_change(struct table *table, const struct model_run *run)
{
	const struct stats_ratio *change = &run->change;
	int digits = digits_of(change);
	double low = 100 * growth_of(change->high), high = 100 * growth_of(change->low);

	if (!run->before || !change->is_known)
		table_cell(table, TABLE_DIM, "not known");
	else if (!change->is_different)
		table_cell(table, TABLE_DIM, isfinite(low) ? "cannot tell (%+.*f to %+.*f %%)" : "cannot tell", digits,
			   low, digits, high);
	else
		table_cell(table, change->value > 1 ? TABLE_GREEN : TABLE_RED, "%+.*f %% (%+.*f to %+.*f)", digits,
			   100 * growth_of(change->value), digits, low, digits, high);
}

void model_rows_baseline(struct table *table, const struct model_view *view)
{
	const struct model_analysis *analysis = view->analysis;

	table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(table, view->is_ascii ? "mean before +- 95 %" : "mean before \302\261 95 %", TABLE_RIGHT);
	table_column(table, "now", TABLE_RIGHT);
	table_column(table, "change", TABLE_RIGHT);
	for (uint32_t r = 0; r < analysis->report->n_results; r++) {
		const struct model_run *run = &analysis->runs[r];

		table_cell(table, TABLE_BOLD, "%s", view->label[r].s);
		table_cell(table, TABLE_PLAIN, "%s",
			   run->before
			       ? units_interval(run->before->mean_ns, run->before->interval_ns, view->is_ascii).s
			       : "-");
		table_cell(table, TABLE_PLAIN, "%s",
			   run->latency.n
			       ? units_interval(run->latency.mean_ns, run->latency.interval_ns, view->is_ascii).s
			       : "-");
		put_change(table, run);
	}
}
