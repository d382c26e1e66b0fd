// SPDX-License-Identifier: Apache-2.0
/* Inferences: how many, how fast, how regular; the slowest ones and why. */
#include <string.h>

#include "analyze/remark/halt_words.h"
#include "show/text/page.h"
#include "show/words/caller_words.h"
#include "show/words/slow_words.h"
#include "show/words/usage_words.h"
#include "show/words/worker_rows.h"

enum { MAX_SESSIONS = 8, MAX_TEXTS = 4 };

static void put_spread(const struct page *page, struct table *table, enum table_style style, const char *name,
		       const struct summary_spread *spread)
{
	const double values[] = { (double)spread->min_ns, (double)spread->p50_ns, (double)spread->p90_ns,
				  (double)spread->p99_ns, (double)spread->max_ns };

	table_cell(table, style, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", units_count(spread->n).s);
	table_cell(table, TABLE_PLAIN, "%s",
		   spread->n ? units_interval(spread->mean_ns, spread->interval_ns, page->opts.is_ascii).s : "-");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		table_cell(table, TABLE_PLAIN, "%s", spread->n > 1 ? units_duration(values[i]).s : "");
}

static void print_latencies(const struct page *page, const struct summary_model *model)
{
	const struct summary_session *session = page->summary->sessions + model->sessions.first;
	struct table table = page_table(page);
	char name[48];

	table_column(&table, "", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "count", TABLE_RIGHT);
	table_column(&table, page->opts.is_ascii ? "mean +- 95 %" : "mean \302\261 95 %", TABLE_RIGHT);
	table_column(&table, "min", TABLE_RIGHT);
	table_column(&table, "p50", TABLE_RIGHT);
	table_column(&table, "p90", TABLE_RIGHT);
	table_column(&table, "p99", TABLE_RIGHT);
	table_column(&table, "max", TABLE_RIGHT);
	put_spread(page, &table, TABLE_PLAIN, "latency", &model->runs.latency);
	for (uint32_t i = 0; model->creation.n > 1 && model->creation.n <= MAX_SESSIONS && i < model->sessions.n; i++) {
		snprintf(name, sizeof name, "  session %lld", (long long)session[i].number);
		if (session[i].latency.n)
			put_spread(page, &table, TABLE_DIM, name, &session[i].latency);
	}
	if (model->runs.first.n)
		put_spread(page, &table, TABLE_PLAIN, "first of a session", &model->runs.first);
	if (model->runs.queue.n)
		put_spread(page, &table, TABLE_PLAIN, "in the pool's queue before", &model->runs.queue);
	table_print(&table, page->out);
}

/* "1.2 ms |  .-=#=-.  . | 9.1 ms", each step as much wider as the value is larger. */
static void print_shape(const struct page *page, const struct summary_runs *runs)
{
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	struct printable text = { "" };
	uint64_t most = 0;

	if (runs->latency.n < 20 || runs->latency.min_ns == runs->latency.max_ns)
		return;
	for (int i = 0; i < SUMMARY_BUCKETS; i++)
		most = runs->bucket[i] > most ? runs->bucket[i] : most;
	for (int i = 0; i < SUMMARY_BUCKETS; i++) {
		int height = runs->bucket[i] ? 1 + (int)((runs->bucket[i] - 1) * 7 / most) : 0;

		if (page->opts.is_ascii || !height)
			printable_add(&text, "%s", ascii[height]);
		else
			printable_add(&text, "\342\226%c", 0x80 + height);
	}
	fprintf(page->out, "  %s [%s] %s\n", units_duration((double)runs->latency.min_ns).s, text.s,
		units_duration((double)runs->latency.max_ns).s);
}

/* "1x3 (500), 2x3 (20) and 7 more" */
static struct printable list_texts(const struct page *page, const struct summary_model *model, enum event_key key,
				   uint32_t *n)
{
	const struct summary_tally *tally = page->summary->tallies + model->tallies.first;
	struct printable list = { "" };
	uint32_t n_most = page->opts.is_all ? 12 : MAX_TEXTS;

	*n = 0;
	for (uint32_t i = 0; i < model->tallies.n; i++) {
		struct printable text;

		if (tally[i].key != key || (*n)++ >= n_most)
			continue;
		text = page_name(page, tally[i].text, 60);
		if (!tally[i].text)
			snprintf(text.s, sizeof text.s, "%lld", (long long)tally[i].number);
		printable_add(&list, "%s%s", *list.s ? ", " : "", text.s);
		if (tally[i].n != model->runs.n)
			printable_add(&list, " (%s)", units_count(tally[i].n).s);
	}
	if (*n > n_most)
		printable_add(&list, " and %s more", units_count(*n - n_most).s);
	return list;
}

static void print_left_out(const struct page *page, const struct summary_runs *runs)
{
	struct printable list = { "" };

	if (runs->first.n)
		printable_add(&list, ", the first inference of each session (%s)", units_count(runs->first.n).s);
	if (runs->n_failed)
		printable_add(&list, ", failed ones (%s)", units_count(runs->n_failed).s);
	if (runs->n_open)
		printable_add(&list, ", those still open when recording stopped (%s)", units_count(runs->n_open).s);
	if (runs->n_partial)
		printable_add(&list, ", those that were seen in part only (%s)", units_count(runs->n_partial).s);
	if (*list.s)
		page_text(page, 2, TABLE_DIM, "Excluded from latency: %s.", list.s + 2);
	if (!runs->latency.is_exact)
		page_text(page, 2, TABLE_DIM, "Percentiles of %s inferences are off by at most 0.4 %% of the value.",
			  units_count(runs->latency.n).s);
}

static void print_usage(const struct page *page, const struct summary_runs *runs)
{
	struct printable share = { "" };

	if (!usage_is_known(runs)) {
		page_text(page, 2, TABLE_DIM, "CPU time, waits, page faults and context switches of inferences: %s",
			  usage_missing(page->summary).s);
		return;
	}
	if (runs->n_waits < runs->n_usage)
		printable_add(&share, " (waits of %s inferences)", units_count(runs->n_waits).s);
	page_text(page, 2, TABLE_PLAIN, "Each inference on average: %s%s", usage_words(runs).s, share.s);
}

static void print_failures(const struct page *page, const struct summary_model *model)
{
	const struct summary_tally *tally = page->summary->tallies + model->tallies.first;
	uint32_t n_shown = 0;

	for (uint32_t i = 0; i < model->tallies.n && n_shown < MAX_TEXTS; i++) {
		if (tally[i].key != KEY_STATUS)
			continue;
		page_text(page, 2, TABLE_RED, "%s failed, first at %s: %s", units_count(tally[i].n).s,
			  page_offset(page, tally[i].first_ns).s, page_name(page, tally[i].text, 240).s);
		n_shown++;
	}
}

static void print_facts(const struct page *page, const struct summary_model *model)
{
	static const struct {
		enum event_key key;
		const char *one, *many;
	} texts[] = {
		{ KEY_SHAPES, "Shapes", "distinct shapes" },
		{ KEY_BATCH, "Batch", "distinct batch sizes" },
		{ KEY_TAG, "Tag", "distinct tags" },
	};
	const struct summary_runs *runs = &model->runs;
	struct printable halted = halt_words_of(page->summary, model);
	struct printable callers =
	    caller_words(page->summary, model, page->opts.is_all ? 12 : MAX_TEXTS, page->opts.is_ascii);

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		uint32_t n;
		struct printable list = list_texts(page, model, texts[i].key, &n);

		if (n == 1)
			page_text(page, 2, TABLE_PLAIN, "%s %s", texts[i].one, list.s);
		else if (n)
			page_text(page, 2, TABLE_PLAIN, "%s %s: %s", units_count(n).s, texts[i].many, list.s);
	}
	if (*callers.s)
		page_text(page, 2, TABLE_PLAIN, "Called from %s", callers.s);
	if (*halted.s)
		page_text(page, 2, TABLE_PLAIN, "%s.", halted.s);
	print_usage(page, runs);
	print_failures(page, model);
	print_left_out(page, runs);
}

/* "38.1 ms, 4.2x the median, at 3.20 s, process 4711, session 2, no. 17", and why below it. */
void text_slowest(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_slow *slow = page->summary->slowest + model->slowest.first;

	if (!slow_are_any(page->summary, model))
		return;
	page_text(page, 0, TABLE_BOLD, "Slowest");
	for (uint32_t i = 0; i < model->slowest.n; i++) {
		double median = (double)(slow[i].usual.n ? slow[i].usual.p50_ns : model->runs.latency.p50_ns);
		struct printable text = { "" };

		if (!slow_is_slow(model, &slow[i]))
			continue;
		printable_add(&text, "%s", units_duration((double)slow[i].duration_ns).s);
		if (median > 0)
			printable_add(&text, ", %sx the median", units_decimal((double)slow[i].duration_ns / median).s);
		printable_add(&text, ", at %s", page_offset(page, slow[i].begin_ns).s);
		if (slow_is_of_several(page->summary, model, &slow[i]))
			printable_add(&text, ", process %d", (int)page->summary->processes[slow[i].process].pid);
		if (model->creation.n > 1 && slow[i].session > 0)
			printable_add(&text, ", session %s", units_count((uint64_t)slow[i].session).s);
		if (slow[i].id > 0)
			printable_add(&text, ", no. %s", units_count((uint64_t)slow[i].id).s);
		page_text(page, 2, TABLE_PLAIN, "%s", text.s);
		page_text(page, 6, TABLE_PLAIN, "%s", slow_words(page->summary, &slow[i], page->opts.is_ascii).s);
	}
}

static void print_heading(const struct page *page, uint32_t index)
{
	const struct summary_runs *runs = &page->summary->models[index].runs;
	struct printable text = { "" };

	printable_add(&text, "%s", printable_count(runs->n_all, "inference").s);
	printable_add(&text, " of %s", page_model(page, index, 40).s);
	if (runs->n_all != runs->n)
		printable_add(&text, ", %s of them recorded", units_count(runs->n).s);
	if (isfinite(runs->rate))
		printable_add(&text, ", %s", units_rate(runs->rate).s);
	if (runs->max_concurrent > 1)
		printable_add(&text, ", up to %s at one time", units_count(runs->max_concurrent).s);
	if (runs->n_threads)
		printable_add(&text, ", on %s", printable_count(runs->n_threads, "thread").s);
	page_heading(page, "%s", text.s);
}

static void print_workers(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	struct table table = page_table(page);

	worker_rows(&table, page->summary, model, UINT32_MAX);
	if (!table.n_columns)
		return;
	page_heading(page, "Processes that run %s", page_model(page, index, 40).s);
	table_print(&table, page->out);
}

void text_inferences(const struct page *page, uint32_t model)
{
	if (!page->summary->models[model].runs.n)
		return;
	print_heading(page, model);
	print_latencies(page, &page->summary->models[model]);
	print_shape(page, &page->summary->models[model].runs);
	print_facts(page, &page->summary->models[model]);
	text_generations(page, model);
	text_sizes(page, model);
	print_workers(page, model);
	text_slowest(page, model);
}
