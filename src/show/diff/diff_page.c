// SPDX-License-Identifier: Apache-2.0
/* The page about a comparison, whatever its format: which is base and which is new, then model by model. */
#include "show/diff/diff_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/result_words.h"
#include "show/words/caller_words.h"
#include "show/words/diff/diff_rows.h"

enum { MAX_ROWS = 8, MAX_SIZES = 256, MAX_ONLY = 8, MAX_RESOURCES = 10, NAME = 80, PATH = 70 };

struct page {
	const struct diff_writer *writer;
	const struct diff *diff;
	const struct report_look *look;
};

static struct printable text_of(const struct page *page, const char *text, int columns)
{
	return model_text(text, columns, page->look->is_ascii);
}

static void say(const struct page *page, const struct printable *text)
{
	page->writer->text(page->writer->to, text->s);
}

static struct table table_of(const struct page *page)
{
	return (struct table){ .indent = 2,
			       .width = page->look->width ? page->look->width : 96,
			       .has_color = page->look->has_color,
			       .is_ascii = page->look->is_ascii };
}

static const char *kind_of(const struct diff_run *run)
{
	return run->source != DIFF_OF_WATCH ? "file" : run->machine ? "machine" : "machine group";
}

/* "old.pftrace", "5 files: a.pftrace ... e.pftrace" */
static struct printable files_of(const struct page *page, const struct diff_side *side)
{
	struct printable text = { "" };

	if (side->n_runs == 1)
		return text_of(page, side->runs->path, PATH);
	printable_add(&text, "%s: %s", printable_count(side->n_runs, kind_of(side->runs)).s,
		      text_of(page, side->runs->path, PATH).s);
	printable_add(&text, side->n_runs > 2 ? " ... %s" : ", %s",
		      text_of(page, side->runs[side->n_runs - 1].path, PATH).s);
	return text;
}

static void put_fact(const struct page *page, struct table *table, int fact)
{
	const char *base = page->diff->base.runs->fact[fact], *fresh = page->diff->fresh.runs->fact[fact];
	bool differs = page->diff->fact_differs[fact] || !base != !fresh;

	if (!base && !fresh)
		return;
	table_cell(table, TABLE_DIM, "%s", diff_facts[fact]);
	table_cell(table, TABLE_PLAIN, "%s", text_of(page, base, NAME).s);
	table_cell(table, differs ? TABLE_BOLD : TABLE_PLAIN, "%s",
		   differs ? text_of(page, fresh, NAME).s : "the same");
}

static void put_sides(const struct page *page)
{
	struct table table = table_of(page);

	table_column(&table, "", TABLE_LEFT);
	table_column(&table, "base", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_column(&table, "new", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME);
	table_cell(&table, TABLE_DIM, "files");
	table_cell(&table, TABLE_PLAIN, "%s", files_of(page, &page->diff->base).s);
	table_cell(&table, TABLE_PLAIN, "%s", files_of(page, &page->diff->fresh).s);
	for (int i = 0; i < N_DIFF_FACTS; i++)
		put_fact(page, &table, i);
	page->writer->table(page->writer->to, "What is compared", &table);
}

static void put_notes_of(const struct page *page, const struct diff_side *side, const char *which)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		for (uint32_t k = 0; k < side->runs[i].n_notes; k++) {
			struct printable text = { "" };

			printable_add(&text, "%s, %s: %s.", which, text_of(page, side->runs[i].path, PATH).s,
				      text_of(page, side->runs[i].notes[k], 400).s);
			say(page, &text);
		}
}

static void add_place(const struct page *page, struct printable *to, const struct diff_model *model)
{
	if (model->provider)
		printable_add(to, " on %s", model_provider(model->provider, 40, page->look->is_ascii).s);
	if (model->runtime)
		printable_add(to, " (%s)", text_of(page, model->runtime, 40).s);
}

/* Whether a pair has a model of that name, on another provider or runtime. */
static bool is_compared_elsewhere(const struct diff *diff, const struct diff_model *model)
{
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		if (!strcmp(diff->pairs[i].base->name, model->name) || !strcmp(diff->pairs[i].fresh->name, model->name))
			return true;
	return false;
}

static void put_unpaired(const struct page *page, const struct diff_model *const *models, uint32_t n, const char *which)
{
	struct printable text = { "" };

	if (!n)
		return;
	printable_add(&text, "Only %s has ", which);
	for (uint32_t i = 0; i < n && i < MAX_ONLY; i++) {
		printable_add(&text, "%s%s", i ? ", " : "", text_of(page, models[i]->name, NAME).s);
		if (is_compared_elsewhere(page->diff, models[i]))
			add_place(page, &text, models[i]);
	}
	if (n > MAX_ONLY)
		printable_add(&text, " and %u more", n - MAX_ONLY);
	printable_add(&text, ": there is nothing to compare %s with.", n == 1 ? "it" : "them");
	say(page, &text);
}

static void put_notes(const struct page *page)
{
	const struct diff *diff = page->diff;

	put_notes_of(page, &diff->base, "base");
	put_notes_of(page, &diff->fresh, "new");
	put_unpaired(page, diff->only_base, diff->n_only_base, "base");
	put_unpaired(page, diff->only_fresh, diff->n_only_fresh, "new");
}

static void put_figures(const struct page *page, const struct diff_pair *pair, int first, int end, const char *caption)
{
	struct table table = table_of(page);

	table_column(&table, "", TABLE_LEFT);
	diff_columns(&table);
	for (int i = first; i < end; i++) {
		const struct diff_value *value = &pair->value[i];

		if (isnan(value->base) && isnan(value->fresh))
			continue;
		table_cell(&table, TABLE_PLAIN, "%s", diff_words_of(pair, i));
		diff_cells(&table, value, diff_figure_name(i).unit, diff_figure_name(i).unit != DIFF_PLAIN);
	}
	page->writer->table(page->writer->to, caption, &table);
}

static bool has_device(const struct diff_pair *pair)
{
	for (uint32_t i = 0; i < pair->n_rows; i++)
		if (!isnan(pair->rows[i].base->device_ns) || !isnan(pair->rows[i].fresh->device_ns))
			return true;
	return false;
}

static void put_row(const struct page *page, struct table *table, const struct diff_row *row, bool with_device)
{
	struct printable name = text_of(page, row->base->node, NAME);

	if (row->join == DIFF_BY_ORDER && row->base->node && row->fresh->node &&
	    strcmp(row->fresh->node, row->base->node) != 0)
		printable_add(&name, " -> %s", text_of(page, row->fresh->node, NAME).s);
	table_cell(table, diff_style(row->value.says), "%s", name.s);
	table_cell(table, TABLE_PLAIN, "%s", text_of(page, row->base->op_type, 30).s);
	table_cell(table, TABLE_PLAIN, "%s", diff_amount(row->value.base, DIFF_NS).s);
	table_cell(table, TABLE_PLAIN, "%s", diff_amount(row->value.fresh, DIFF_NS).s);
	if (with_device)
		table_cell(table, TABLE_PLAIN, "%s -> %s", diff_amount(row->base->device_ns, DIFF_NS).s,
			   diff_amount(row->fresh->device_ns, DIFF_NS).s);
	table_cell(table, TABLE_DIM, "%s", diff_change(row->peers_change).s);
	table_cell(table, diff_style(row->value.says), "%s", diff_change(row->value.change).s);
	table_cell(table, TABLE_PLAIN, "%s", diff_interval(&row->value).s);
	table_cell(table, diff_style(row->value.says), "%s", diff_says_words(row->value.says, true));
}

static void put_only(const struct page *page, const struct diff_operator *const *ops, uint32_t n, const char *which)
{
	uint32_t n_shown = page->look->is_all || n < MAX_ONLY ? n : MAX_ONLY;
	struct printable text = { "" };

	if (!n)
		return;
	printable_add(&text, "Only in %s: ", which);
	for (uint32_t i = 0; i < n_shown; i++)
		printable_add(&text, "%s%s (%s)", i ? ", " : "", diff_name(ops[i], page->look->is_ascii).s,
			      units_duration(ops[i]->typical_ns * ops[i]->calls).s);
	if (n_shown < n)
		printable_add(&text, " and %u more", n - n_shown);
	printable_add(&text, ".");
	say(page, &text);
}

static void put_rows(const struct page *page, const struct diff_pair *pair)
{
	uint32_t n_most = page->look->n_top ? page->look->n_top : page->look->is_all ? pair->n_rows : MAX_ROWS;
	struct table table = table_of(page);
	uint32_t n_shown = 0, n_same = 0, n_judged = 0;
	bool with_device = has_device(pair);
	struct printable text = { "" };

	table_column(&table, "operator", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS | TABLE_NAME);
	table_column(&table, "type", TABLE_LEFT | TABLE_OPTIONAL);
	table_column(&table, "base", TABLE_RIGHT);
	table_column(&table, "new", TABLE_RIGHT);
	if (with_device)
		table_column(&table, "on the device", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "others", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "change", TABLE_RIGHT);
	table_column(&table, "95 % interval", TABLE_RIGHT);
	table_column(&table, "new is", TABLE_LEFT);
	/* those that are named, then those that differ most */
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < pair->n_rows; i++) {
			bool is_named = pair->rows[i].value.says >= DIFF_WORSE;

			n_same += pass && pair->rows[i].value.says == DIFF_SAME;
			n_judged += pass && pair->rows[i].value.says > DIFF_UNTESTED;
			if (is_named != !pass || (pass && n_shown >= n_most))
				continue;
			put_row(page, &table, &pair->rows[i], with_device);
			n_shown++;
		}
	page->writer->table(page->writer->to,
			    diff_counts_tokens(pair)
				? "Operators, time of a step (lower quartile of their calls)"
				: "Operators, time of an inference (lower quartile of their calls)",
			    &table);
	if (n_shown < pair->n_rows) {
		printable_add(&text, "%s not shown (--all shows them); ",
			      printable_count(pair->n_rows - n_shown, "operator").s);
	}
	if (n_judged)
		printable_add(&text, "%u of %s do not differ by %g %% or more.", n_same,
			      printable_count(pair->n_rows, "operator").s,
			      100 * fmax(0.05, page->diff->opts.threshold));
	if (*text.s)
		say(page, &text);
}

static void put_operators(const struct page *page, const struct diff_pair *pair)
{
	struct printable text = { "" };

	if (pair->no_operators) {
		printable_add(&text, "Operators are not compared: %s.", pair->no_operators);
		say(page, &text);
		return;
	}
	if (pair->n_rows)
		put_rows(page, pair);
	else
		page->writer->text(page->writer->to, "No operator is on both sides.");
	put_only(page, pair->only_base, pair->n_only_base, "base");
	put_only(page, pair->only_fresh, pair->n_only_fresh, "new");
}

static void put_share(struct table *table, uint64_t n, uint64_t n_all)
{
	table_cell(table, TABLE_PLAIN, "%s", n_all ? units_percent((double)n / (double)n_all).s : "-");
}

static int by_time(const void *a_, const void *b_)
{
	const struct diff_size_row *const *a = a_, *const *b = b_;

	return ((*a)->wall_ns < (*b)->wall_ns) - ((*a)->wall_ns > (*b)->wall_ns);
}

static int by_place(const void *a_, const void *b_)
{
	const struct diff_size_row *const *a = a_, *const *b = b_;

	return (*a > *b) - (*a < *b);
}

/* Those that take most of the time, the smallest first. */
static void put_sizes(const struct page *page, const struct diff_pair *pair)
{
	const struct diff_size_row *row[MAX_SIZES];
	uint32_t n = pair->n_sizes < MAX_SIZES ? pair->n_sizes : MAX_SIZES,
		 n_shown = n < DIFF_SIZE_ROWS ? n : DIFF_SIZE_ROWS;
	struct table table = table_of(page);
	struct printable text = diff_mix(pair, page->look->is_ascii);

	if (n < 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		row[i] = &pair->sizes[i];
	qsort(row, n, sizeof *row, by_time);
	qsort(row, n_shown, sizeof *row, by_place);
	table_column(&table, "input", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "base share", TABLE_RIGHT);
	table_column(&table, "new share", TABLE_RIGHT);
	table_column(&table, "base p50", TABLE_RIGHT);
	table_column(&table, "new p50", TABLE_RIGHT);
	table_column(&table, "change", TABLE_RIGHT);
	for (uint32_t i = 0; i < n_shown; i++) {
		double change = row[i]->fresh_p50_ns / row[i]->base_p50_ns - 1;

		table_cell(&table, TABLE_PLAIN, "%s", diff_size_cell(pair, row, n_shown, i, page->look->is_ascii).s);
		put_share(&table, row[i]->n_base, pair->n_base);
		put_share(&table, row[i]->n_fresh, pair->n_fresh);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row[i]->base_p50_ns, DIFF_NS).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row[i]->fresh_p50_ns, DIFF_NS).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_change(change).s);
	}
	page->writer->table(page->writer->to, "Latency by size of the inputs", &table);
	if (!*text.s)
		return;
	*text.s = (char)toupper((unsigned char)*text.s);
	printable_add(&text, ". Latencies of all inferences and of operators are not judged; those within sizes are.");
	say(page, &text);
}

/* "threads 4" and "threads 2", as the program asked for them. */
static void put_options(const struct page *page, const struct diff_pair *pair)
{
	const char *base = pair->base->options ? pair->base->options : "";
	const char *fresh = pair->fresh->options ? pair->fresh->options : "";
	struct printable text = { "" };

	if (!strcmp(base, fresh))
		return;
	printable_add(&text, "The options of its sessions differ; base: %s; new: %s.", text_of(page, base, 200).s,
		      text_of(page, fresh, 200).s);
	say(page, &text);
}

/* "40 inferences (1 did not end)" */
static void add_runs(struct printable *to, const struct diff_model *model, uint64_t n, uint64_t n_open)
{
	printable_add(to, "%s", printable_count(n, model->counts_tokens ? "token" : "inference").s);
	if (model->work)
		printable_add(to, " (%s)", model->work);
	if (n_open)
		printable_add(to, " (%s did not end)", units_count(n_open).s);
}

/* " and 2 more" */
static void add_caller(const struct page *page, struct printable *to, const struct diff_model *model)
{
	printable_add(to, "%s", caller_short(model->caller, 60, page->look->is_ascii).s);
	if (model->n_callers > 1)
		printable_add(to, " and %s more", units_count(model->n_callers - 1).s);
}

static void add_callers(const struct page *page, struct printable *to, const struct diff_pair *pair)
{
	const struct diff_model *base = pair->base, *fresh = pair->fresh;

	if (!base->caller && !fresh->caller)
		return;
	printable_add(to, " Called from ");
	add_caller(page, to, base->caller ? base : fresh);
	if (!base->caller || !fresh->caller)
		printable_add(to, " (%s; not known of the other)", base->caller ? "base" : "new");
	if (base->caller && fresh->caller &&
	    (strcmp(base->caller, fresh->caller) || base->n_callers != fresh->n_callers)) {
		printable_add(to, " in base, from ");
		add_caller(page, to, fresh);
		printable_add(to, " in new");
	}
	printable_add(to, ".");
}

static void put_pair(const struct page *page, const struct diff_pair *pair)
{
	struct printable title = text_of(page, pair->base->name, NAME), text = { "" };

	if (pair->is_renamed)
		printable_add(&title, " -> %s", text_of(page, pair->fresh->name, NAME).s);
	page->writer->heading(page->writer->to, title.s);
	printable_add(&text, "base: ");
	add_runs(&text, pair->base, pair->n_base, pair->n_open_base);
	add_place(page, &text, pair->base);
	printable_add(&text, "; new: ");
	add_runs(&text, pair->fresh, pair->n_fresh, pair->n_open_fresh);
	add_place(page, &text, pair->fresh);
	printable_add(&text, ".");
	add_callers(page, &text, pair);
	if (pair->is_renamed)
		printable_add(&text, " The two have different names; %s.",
			      pair->base->label && pair->fresh->label && !strcmp(pair->base->label, pair->fresh->label)
				  ? "they were run in the same way"
				  : "each is the only model of its side");
	if (pair->no_verdict)
		printable_add(&text, " Its latency is not judged: %s.", pair->no_verdict);
	if (isfinite(pair->waits_ns))
		printable_add(&text, " Of the longer mean latency, it waited %s for a CPU.",
			      units_duration(pair->waits_ns).s);
	say(page, &text);
	put_options(page, pair);
	if (page->writer->plot)
		page->writer->plot(page->writer->to, pair);
	put_figures(page, pair, 0, DIFF_CREATION, diff_counts_tokens(pair) ? "Tokens" : "Inferences");
	put_sizes(page, pair);
	put_operators(page, pair);
	put_figures(page, pair, DIFF_CREATION, N_DIFF_FIGURES, "Creation of a session");
}

/* "rss", "rss of 32 processes", "rss of 4, now 32 processes", "cpu, %" */
static struct printable resource_name(const struct page *page, const struct diff_resource_row *row)
{
	struct printable name = text_of(page, row->name, 40);

	if (row->n_base != row->n_fresh)
		printable_add(&name, " of %u, now %s", row->n_base, printable_count(row->n_fresh, "process").s);
	else if (row->n_base > 1)
		printable_add(&name, " of %s", printable_count(row->n_base, "process").s);
	if (diff_unit_of(row->unit) == DIFF_PLAIN && row->unit)
		printable_add(&name, ", %s", text_of(page, row->unit, 20).s);
	return name;
}

static void put_resources(const struct page *page)
{
	const struct diff *diff = page->diff;
	struct table table = table_of(page);
	uint32_t n = page->look->is_all || diff->n_resources < MAX_RESOURCES ? diff->n_resources : MAX_RESOURCES;

	if (!n)
		return;
	page->writer->heading(page->writer->to, "Resources");
	table_column(&table, "of", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "", TABLE_LEFT);
	table_column(&table, "base mean", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "new mean", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "base end", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "new end", TABLE_RIGHT | TABLE_OPTIONAL);
	table_column(&table, "base peak", TABLE_RIGHT);
	table_column(&table, "new peak", TABLE_RIGHT);
	table_column(&table, "change", TABLE_RIGHT);
	table_column(&table, "new is", TABLE_LEFT);
	for (uint32_t i = 0; i < n; i++) {
		const struct diff_resource_row *row = &diff->resources[i];
		enum diff_unit unit = diff_unit_of(row->unit);

		table_cell(&table, TABLE_PLAIN, "%s", text_of(page, row->scope, 30).s);
		table_cell(&table, TABLE_PLAIN, "%s", resource_name(page, row).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->mean.base, unit).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->mean.fresh, unit).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->last.base, unit).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->last.fresh, unit).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->max.base, unit).s);
		table_cell(&table, TABLE_PLAIN, "%s", diff_amount(row->max.fresh, unit).s);
		table_cell(&table, diff_style(row->max.says), "%s", diff_change(row->max.change).s);
		table_cell(&table, diff_style(row->max.says), "%s", diff_says_words(row->max.says, false));
	}
	page->writer->table(page->writer->to, "Change: of the peak", &table);
}

static const char *method_of(const struct diff *diff)
{
	bool is_watch = diff->base.runs->source == DIFF_OF_WATCH;

	if (diff->is_paired)
		return "The same machines on both sides: each is compared with itself, and the intervals come from how "
		       "far their changes differ.";
	if (!diff_is_single(diff))
		return is_watch ? "Several machines or groups of them a side: each counts once, and the intervals come "
				  "from how far they differ."
				: "Several files a side: each run counts once, and the intervals come from how far "
				  "runs differ.";
	return is_watch
		   ? "One machine a side: how far two stretches of time differ is estimated from within each; several "
		     "machines a side measure it."
		   : "One file a side: how far two runs of the program differ is estimated from within each; several "
		     "files a side, recorded in turn, measure it.";
}

static void put_method(const struct page *page)
{
	const struct diff *diff = page->diff;
	struct printable text = { "" };

	page->writer->heading(page->writer->to, "How to read it");
	printable_add(&text, "A change is that of new beside base. ");
	if (diff->n_tested)
		printable_add(
		    &text,
		    "Of %s, what is called slower, faster, worse or better holds with 95 %% confidence for all "
		    "of them together (Holm's correction), and is %s %% or more. ",
		    printable_count(diff->n_tested, "tested figure").s, units_decimal(100 * diff->opts.minimum).s);
	printable_add(&text,
		      "\"Others\": the change of the other operators of the type, which is divided out before an "
		      "operator is judged. ");
	printable_add(&text, "%s", method_of(diff));
	say(page, &text);
}

void diff_page(const struct diff_writer *writer, const struct diff *diff, const struct report_look *look)
{
	struct page page = { writer, diff, look };

	writer->answer(writer->to, diff->no_verdict ? DIFF_UNTESTED : diff->says, diff_verdict(diff, look->is_ascii).s);
	put_sides(&page);
	put_notes(&page);
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		put_pair(&page, &diff->pairs[i]);
	put_resources(&page);
	put_method(&page);
}
