// SPDX-License-Identifier: Apache-2.0
/* Session creations: how long they took, and for what. */
#include <string.h>

#include "analyze/result/open_words.h"
#include "analyze/result/phase_names.h"
#include "show/text/page.h"

enum { MAX_SESSIONS = 8, MAX_TRANSFORMERS = 5, BAR = 20 };

struct row {
	const char *name;
	uint64_t ns, calls;
	int64_t changed; /* -1: says nothing */
	bool is_inner;
	enum table_style style;
};

/* Of all sessions together; times are shown per session. */
static void put_row(const struct page *page, struct table *table, const struct summary_spread *whole,
		    const struct row *row)
{
	double share = whole->total_ns ? (double)row->ns / (double)whole->total_ns : NAN;

	table_cell(table, row->style, "%s%s", row->is_inner ? "  " : "", row->name);
	table_cell(table, row->style, "%s", units_duration((double)row->ns / (double)whole->n).s);
	table_cell(table, row->style, "%s", units_percent(share).s);
	table_cell(table, TABLE_PLAIN, "%s", row->is_inner ? "" : page_bar(page, share, BAR).s);
	table_cell(table, TABLE_PLAIN, "%s", row->calls ? units_decimal((double)row->calls / (double)whole->n).s : "");
	if (row->changed >= 0)
		table_cell(table, TABLE_PLAIN, "%s", units_decimal((double)row->changed / (double)whole->n).s);
	else
		table_cell(table, TABLE_PLAIN, "%s", "");
}

/* How many of its calls changed the graph; -1: it does not tell, from outside nobody sees that. */
static int64_t changes(const struct summary_transformer *transformer)
{
	return transformer->n_told ? (int64_t)transformer->n_changed : -1;
}

static void add_changes(int64_t *sum, const struct summary_transformer *transformer)
{
	if (transformer->n_told)
		*sum = (*sum < 0 ? 0 : *sum) + (int64_t)transformer->n_changed;
}

static void put_transformers(const struct page *page, struct table *table, const struct summary_model *model)
{
	const struct summary_transformer *transformer = page->summary->transformers + model->transformers.first;
	const struct summary_spread *whole = &model->creation.duration;
	uint32_t n = page->opts.is_all || model->transformers.n <= MAX_TRANSFORMERS + 1 ? model->transformers.n
											: MAX_TRANSFORMERS;
	struct row rest = { .is_inner = true, .changed = -1, .style = TABLE_DIM };
	struct printable name;

	for (uint32_t i = 0; i < model->transformers.n; i++) {
		name = page_name(page, transformer[i].name, 60);
		if (i < n) {
			put_row(page, table, whole,
				&(struct row){ name.s, transformer[i].self_ns, transformer[i].n,
					       changes(&transformer[i]), true, TABLE_PLAIN });
			continue;
		}
		rest.ns += transformer[i].self_ns;
		rest.calls += transformer[i].n;
		add_changes(&rest.changed, &transformer[i]);
	}
	if (n == model->transformers.n)
		return;
	name = printable_count(model->transformers.n - n, "other");
	rest.name = name.s;
	put_row(page, table, whole, &rest);
}

/* It shows as 0.0 %, and a row of its own adds nothing: the load's own time where its parts are known. */
static bool is_hidden(const struct page *page, const struct summary_creation *creation, int phase)
{
	return !page->opts.is_all && creation->phase_ns[phase] < creation->duration.total_ns / 2000;
}

static void print_phases(const struct page *page, const struct summary_model *model)
{
	const struct summary_transformer *transformer = page->summary->transformers + model->transformers.first;
	const struct summary_creation *creation = &model->creation;
	struct table table = page_table(page);

	table_column(&table, creation->duration.n > 1 ? "phase (means of all sessions)" : "phase",
		     TABLE_LEFT | TABLE_SHRINKS);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "share", TABLE_RIGHT);
	table_column(&table, "", TABLE_LEFT);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "changed", TABLE_RIGHT);
	for (int phase = 0; phase < N_PHASES; phase++) {
		struct row row = { phase_names[phase].words,
				   creation->phase_ns[phase],
				   creation->phase_n[phase],
				   -1,
				   false,
				   TABLE_PLAIN };

		if (phase == PHASE_UNATTRIBUTED)
			row.style = TABLE_DIM;
		else if ((!creation->phase_n[phase] && !creation->phase_ns[phase]) || is_hidden(page, creation, phase))
			continue;
		for (uint32_t i = 0; phase == PHASE_TRANSFORM && i < model->transformers.n; i++)
			add_changes(&row.changed, &transformer[i]);
		put_row(page, &table, &creation->duration, &row);
		if (phase == PHASE_TRANSFORM)
			put_transformers(page, &table, model);
	}
	table_print(&table, page->out);
}

static void print_head(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_spread *duration = &model->creation.duration;

	if (duration->n > 1)
		page_heading(page, "Creation of %s of %s: mean %s, p50 %s, p99 %s, max %s",
			     printable_count(duration->n, "session").s, page_model(page, index, 30).s,
			     units_duration(duration->mean_ns).s, units_duration((double)duration->p50_ns).s,
			     units_duration((double)duration->p99_ns).s, units_duration((double)duration->max_ns).s);
	else if (duration->n)
		page_heading(page, "Session of %s, created in %s", page_model(page, index, 40).s,
			     units_duration(duration->mean_ns).s);
	else
		page_heading(page, "Session%s of %s", model->creation.n == 1 ? "" : "s", page_model(page, index, 40).s);
}

static void print_facts(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_provider *ran_on = page->summary->ran_on + model->ran_on.first;
	struct printable list = { "" };

	if (model->path || model->bytes >= 0)
		page_text(page, 2, TABLE_PLAIN, "%s%s%s%s",
			  model->path ? page_name(page, model->path, page->opts.width - 16).s : "from memory",
			  model->bytes >= 0 ? " (" : "", model->bytes >= 0 ? units_bytes((double)model->bytes).s : "",
			  model->bytes >= 0 ? ")" : "");
	if (model->providers)
		page_text(page, 2, TABLE_PLAIN, "asked for: %s", page_name(page, model->providers, 300).s);
	for (uint32_t i = 0; i < model->ran_on.n; i++)
		printable_add(&list, "%s%s (%s)", i ? ", " : "", page_name(page, ran_on[i].provider, 40).s,
			      printable_count(ran_on[i].n_nodes, "node").s);
	if (*list.s)
		page_text(page, 2, TABLE_PLAIN, "ran on:    %s", list.s);
	if (model->idle.n)
		page_text(page, 2, TABLE_RED, "requested, but ran nothing: %s", page_idle(page, index).s);
	if (model->options)
		page_text(page, 2, TABLE_PLAIN, "options: %s", page_name(page, model->options, 300).s);
}

static void put_session(const struct page *page, struct table *table, const struct summary_session *session)
{
	const struct printable creator = open_creator(page->summary, session);
	const char *state = session->is_failed		    ? "failed"
			    : *creator.s		    ? creator.s
			    : !session->has_slice	    ? "its creation was not seen"
			    : session->end_ns == STORE_OPEN ? "still being created"
							    : "";

	if (session->number > 0)
		table_cell(table, TABLE_PLAIN, "%lld", (long long)session->number);
	else
		table_cell(table, TABLE_PLAIN, "-");
	table_cell(table, TABLE_PLAIN, "%s", session->has_slice ? page_offset(page, session->begin_ns).s : "-");
	if (session->has_slice && session->end_ns != STORE_OPEN)
		table_cell(table, TABLE_PLAIN, "%s", units_duration((double)(session->end_ns - session->begin_ns)).s);
	else
		table_cell(table, TABLE_PLAIN, "-");
	table_cell(table, TABLE_PLAIN, "%s", session->released_ns ? page_offset(page, session->released_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", units_count(session->n_runs).s);
	table_cell(table, session->is_failed ? TABLE_RED : TABLE_DIM, "%s", state);
}

/* Why sessions failed: each reason once, as long as they come one after the other. */
static void print_failures(const struct page *page, const struct summary_model *model)
{
	const struct summary_session *session = page->summary->sessions + model->sessions.first;
	uint32_t last = 0, n_shown = 0;

	for (uint32_t i = 0; i < model->sessions.n && n_shown < MAX_SESSIONS; i++) {
		if (!session[i].is_failed || session[i].status == last)
			continue;
		last = session[i].status;
		n_shown++;
		page_text(page, 2, TABLE_RED, "session %lld failed: %s", (long long)session[i].number,
			  page_name(page, last, 300).s);
	}
}

/* Each session, where they are few; else the failed ones. */
static void print_sessions(const struct page *page, const struct summary_model *model)
{
	const struct summary_session *session = page->summary->sessions + model->sessions.first;
	bool is_each = page->opts.is_all || model->creation.n <= MAX_SESSIONS;
	struct table table = page_table(page);
	uint32_t n_shown = 0;

	table_column(&table, "session", TABLE_RIGHT);
	table_column(&table, "created at", TABLE_RIGHT);
	table_column(&table, "took", TABLE_RIGHT);
	table_column(&table, "released at", TABLE_RIGHT);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "", TABLE_LEFT | TABLE_SHRINKS);
	for (uint32_t i = 0; i < model->sessions.n && (is_each || n_shown < MAX_SESSIONS); i++) {
		if (!is_each && !session[i].is_failed)
			continue;
		put_session(page, &table, &session[i]);
		n_shown++;
	}
	table_print(&table, page->out);
	print_failures(page, model);
	if (is_each && model->creation.n > model->sessions.n)
		page_text(page, 2, TABLE_DIM,
			  "%s not listed: these are the first, the last, the slowest and failed ones",
			  printable_count(model->creation.n - model->sessions.n, "session").s);
	if (!is_each || model->creation.n > model->sessions.n)
		page_text(page, 2, TABLE_DIM, "%s in total, %s failed%s%s",
			  printable_count(model->creation.n, "session").s, units_count(model->creation.n_failed).s,
			  model->creation.n_open ? ", still being created: " : "",
			  model->creation.n_open ? units_count(model->creation.n_open).s : "");
}

void text_sessions(const struct page *page, uint32_t model)
{
	print_head(page, model);
	print_facts(page, model);
	print_sessions(page, &page->summary->models[model]);
	if (page->summary->models[model].creation.duration.n)
		print_phases(page, &page->summary->models[model]);
}
