// SPDX-License-Identifier: Apache-2.0
/* Where the time of inferences goes: by type, by node, and what no operator explains. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/remark/halt_words.h"
#include "base/text/provider.h"
#include "show/text/page.h"
#include "show/words/operator_words.h"

enum { MAX_ROWS = 8, MAX_TYPES_ELSEWHERE = 3, BAR = 16 };

/* What the columns of a table are: types and nodes have their own. */
struct layout {
	const char *name;
	bool has_type, has_provider, has_bar, has_calls;
	bool has_mean;			   /* the time of one inference says less than that of one call */
	bool has_median, has_p99, has_max; /* where there are so many calls that they differ */
	bool has_reads;			   /* a rate */
	bool has_allocated;
	bool has_device;
};

/* Which figures of a call are worth a column. */
static void choose_figures(struct layout *layout, const struct summary_operator *op, uint32_t n,
			   const struct summary_coverage *coverage)
{
	for (uint32_t i = 0; i < n; i++) {
		layout->has_calls |= op[i].n != coverage->n;
		layout->has_mean |= op[i].n != coverage->n;
		layout->has_median |= op[i].duration.n > 1;
		layout->has_max |= op[i].duration.n > 1;
		layout->has_p99 |= op[i].duration.n >= 100;
		layout->has_reads |= i < MAX_ROWS && !isnan(op[i].read_rate);
		layout->has_allocated |= i < MAX_ROWS && op[i].allocated > 0;
		layout->has_device |= op[i].n_kernels > 0;
	}
}

static void add_columns(struct table *table, const struct layout *layout)
{
	table_column(table, layout->name, TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	if (layout->has_type)
		table_column(table, "type", TABLE_LEFT | TABLE_SHRINKS);
	if (layout->has_provider)
		table_column(table, "provider", TABLE_LEFT | TABLE_SHRINKS);
	table_column(table, "share", TABLE_RIGHT);
	if (layout->has_bar)
		table_column(table, "", TABLE_LEFT);
	table_column(table, layout->has_device ? "on the host" : "/inference", TABLE_RIGHT);
	if (layout->has_device)
		table_column(table, "on the device", TABLE_RIGHT);
	if (layout->has_calls)
		table_column(table, "calls", TABLE_RIGHT | TABLE_OPTIONAL);
	if (layout->has_median)
		table_column(table, "median", TABLE_RIGHT);
	if (layout->has_mean)
		table_column(table, "mean", TABLE_RIGHT | TABLE_OPTIONAL);
	if (layout->has_p99)
		table_column(table, "p99", TABLE_RIGHT);
	if (layout->has_max)
		table_column(table, "max", TABLE_RIGHT);
	if (layout->has_reads)
		table_column(table, "reads", TABLE_RIGHT);
	if (layout->has_allocated)
		table_column(table, "takes", TABLE_RIGHT | TABLE_OPTIONAL);
}

static void put_share(const struct page *page, struct table *table, enum table_style style, const struct layout *layout,
		      uint64_t share_ns, const struct summary_coverage *coverage)
{
	double share = coverage->wall_ns ? (double)share_ns / (double)coverage->wall_ns : NAN;

	table_cell(table, style, "%s", units_percent(share).s);
	if (layout->has_bar)
		table_cell(table, TABLE_PLAIN, "%s", page_bar(page, share, BAR).s);
	table_cell(table, style, "%s", units_duration((double)share_ns / (double)coverage->n).s);
}

static void put_rest(const struct page *page, struct table *table, const struct layout *layout, const char *name,
		     uint64_t ns, const struct summary_coverage *coverage)
{
	table_cell(table, TABLE_DIM, "%s", name);
	for (int i = 0; i < layout->has_type + layout->has_provider; i++)
		table_cell(table, TABLE_DIM, "%s", "");
	put_share(page, table, TABLE_DIM, layout, ns, coverage);
	for (int i = 0; i < layout->has_device + layout->has_calls + layout->has_median + layout->has_mean +
				layout->has_p99 + layout->has_max + layout->has_reads + layout->has_allocated;
	     i++)
		table_cell(table, TABLE_DIM, "%s", "");
}

static void put_duration(struct table *table, const struct summary_spread *of, uint64_t ns)
{
	table_cell(table, TABLE_PLAIN, "%s", of->n ? units_duration((double)ns).s : "-");
}

static void put_operator(const struct page *page, struct table *table, const struct layout *layout,
			 const struct summary_operator *op, const struct summary_coverage *coverage)
{
	const struct summary_spread *duration = &op->duration;
	enum table_style style = op->n_failed ? TABLE_RED : TABLE_PLAIN;

	if (layout->has_type)
		table_cell(table, style, "%s", page_name(page, op->name, 120).s);
	table_cell(table, style, "%s%s", page_name(page, op->op_type, 60).s, op->has_children ? "*" : "");
	if (layout->has_provider)
		table_cell(table, TABLE_PLAIN, "%s", page_provider(page, op->provider, 30).s);
	put_share(page, table, TABLE_PLAIN, layout, op->share_ns, coverage);
	if (layout->has_device && op->n_kernels)
		table_cell(table, TABLE_PLAIN, "%s", units_duration((double)op->device_ns / (double)coverage->n).s);
	else if (layout->has_device)
		table_cell(table, TABLE_PLAIN, "-");
	if (layout->has_calls)
		table_cell(table, TABLE_PLAIN, "%s", units_decimal((double)op->n / (double)coverage->n).s);
	if (layout->has_median)
		put_duration(table, duration, duration->p50_ns);
	if (layout->has_mean)
		table_cell(table, TABLE_PLAIN, "%s", units_duration(duration->mean_ns).s);
	if (layout->has_p99)
		put_duration(table, duration, duration->p99_ns);
	if (layout->has_max)
		put_duration(table, duration, duration->max_ns);
	if (layout->has_reads)
		table_cell(table, TABLE_PLAIN, "%s", units_metric(op->read_rate, "B/s").s);
	if (layout->has_allocated && op->allocated >= 0)
		table_cell(table, TABLE_PLAIN, "%s", units_bytes((double)op->allocated / (double)coverage->n).s);
	else if (layout->has_allocated)
		table_cell(table, TABLE_PLAIN, "-");
}

/* The largest ones, and all others in one row; one alone is shown itself. */
static void put_some(const struct page *page, struct table *table, const struct layout *layout,
		     const struct summary_operator *op, struct summary_range range,
		     const struct summary_coverage *coverage)
{
	uint32_t n = range.n, n_most = page->opts.n_top ? page->opts.n_top : MAX_ROWS;
	bool is_each = page->opts.n_top ? n <= n_most : page->opts.is_all || n <= n_most + 1;
	uint32_t n_shown = is_each ? n : n_most;
	uint64_t rest_ns = coverage->operators_ns;
	struct printable name;

	for (uint32_t i = 0; i < n_shown; i++) {
		put_operator(page, table, layout, &op[i], coverage);
		rest_ns -= op[i].share_ns;
	}
	name = printable_count(n - n_shown, "other");
	if (n_shown < n)
		put_rest(page, table, layout, name.s, rest_ns, coverage);
}

static void print_types(const struct page *page, const struct summary_model *model)
{
	const struct summary_coverage *coverage = &model->coverage;
	const struct summary_operator *type = page->summary->types + model->types.first;
	struct layout layout = { "type", false, model->ran_on.n > 1, true, true };
	struct operators_rest rest[OPERATORS_REST];
	struct table table = page_table(page);

	choose_figures(&layout, type, model->types.n, coverage);
	add_columns(&table, &layout);
	put_some(page, &table, &layout, type, model->types, coverage);
	for (unsigned i = 0, n = operators_rest(coverage, rest); i < n; i++)
		put_rest(page, &table, &layout, rest[i].what, rest[i].ns, coverage);
	table_print(&table, page->out);
}

static void print_nodes(const struct page *page, const struct summary_model *model)
{
	const struct summary_operator *node = page->summary->nodes + model->nodes.first;
	struct layout layout = { "node", true, model->ran_on.n > 1, false, false };
	struct table table = page_table(page);

	choose_figures(&layout, node, model->nodes.n, &model->coverage);
	fputc('\n', page->out);
	add_columns(&table, &layout);
	put_some(page, &table, &layout, node, model->nodes, &model->coverage);
	table_print(&table, page->out);
}

/* What the times of operators do not contain. */
static void print_deferred(const struct page *page, const struct summary_model *model)
{
	const struct summary_provider *ran_on = page->summary->ran_on + model->ran_on.first;

	for (uint32_t i = 0; i < model->ran_on.n; i++) {
		struct printable words =
		    provider_deferred_words(names_text(page->names, ran_on[i].provider), page->opts.is_ascii);

		if (*words.s)
			page_text(page, 2, TABLE_PLAIN, "%c%s.", toupper((unsigned char)*words.s), words.s + 1);
		else if (!ran_on[i].provider && page->summary->n_kernels) /* PyTorch */
			page_text(page, 2, TABLE_PLAIN,
				  "Operators end when their kernels are queued: --all shows what these take on the "
				  "device.");
	}
}

static void print_remarks(const struct page *page, const struct summary_model *model)
{
	const struct summary_operator *type = page->summary->types + model->types.first;
	const struct summary_operator *node = page->summary->nodes + model->nodes.first;
	struct printable halted = halt_words_left_out(page->summary, model);
	bool has_children = false, is_exact = true, is_by_median = false;

	for (uint32_t i = 0; i < model->types.n; i++) {
		has_children |= type[i].has_children;
		is_exact &= type[i].duration.is_exact;
		is_by_median |= i && type[i].share_ns > type[i - 1].share_ns;
	}
	for (uint32_t i = 1; i < model->nodes.n; i++)
		is_by_median |= node[i].share_ns > node[i - 1].share_ns;
	print_deferred(page, model);
	if (*halted.s)
		page_text(page, 2, TABLE_DIM, "%s.", halted.s);
	if (model->coverage.n_parallel)
		page_text(page, 2, TABLE_DIM,
			  "In %s, operators ran in parallel; time is divided equally among those that ran at the same "
			  "moment.",
			  printable_count(model->coverage.n_parallel, "inference").s);
	if (is_by_median)
		page_text(page, 2, TABLE_DIM,
			  "In the order of what they take as a rule, median times calls: a thread that loses its CPU "
			  "once makes no operator slow.");
	if (has_children)
		page_text(page, 2, TABLE_DIM,
			  "* runs other operators: its share excludes them, its durations include them.");
	if (!is_exact)
		page_text(page, 2, TABLE_DIM, "Percentiles of many calls are off by at most 0.4 %% of the value.");
}

struct place {
	uint32_t process, n_types;
	enum summary_where where;
	uint64_t n, n_open, self_ns;
	struct printable types; /* those with most time */
};

static void put_place(const struct page *page, struct table *table, struct place *place)
{
	static const char *const names[N_WHERE] = {
		[WHERE_INFERENCE] = "",
		[WHERE_APART] = "first or failed inferences",
		[WHERE_UNFINISHED] = "inferences that were cut off",
		[WHERE_UNKNOWN] = "inferences not in the file",
		[WHERE_CREATION] = "creation of a session",
		[WHERE_OUTSIDE] = "outside of inferences",
	};

	if (place->n_types > MAX_TYPES_ELSEWHERE)
		printable_add(&place->types, " and %u more", place->n_types - MAX_TYPES_ELSEWHERE);
	table_cell(table, TABLE_PLAIN, "%s", names[place->where]);
	if (place->process == SUMMARY_NONE)
		table_cell(table, TABLE_PLAIN, "-");
	else
		table_cell(table, TABLE_PLAIN, "%d", page->summary->processes[place->process].pid);
	table_cell(table, TABLE_PLAIN, "%s", units_count(place->n).s);
	table_cell(table, TABLE_PLAIN, "%s", place->n_open ? units_count(place->n_open).s : "");
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)place->self_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", place->types.s);
}

/* They come by process and place; each place is one row. */
void text_elsewhere(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	struct place place = { 0 };

	if (!summary->n_elsewhere)
		return;
	page_heading(page, "Other operators, not in the tables above");
	table_column(&table, "part of", TABLE_LEFT);
	table_column(&table, "process", TABLE_RIGHT);
	table_column(&table, "calls", TABLE_RIGHT);
	table_column(&table, "cut off", TABLE_RIGHT);
	table_column(&table, "time", TABLE_RIGHT);
	table_column(&table, "types", TABLE_LEFT | TABLE_SHRINKS);
	for (uint32_t i = 0; i < summary->n_elsewhere; i++) {
		const struct summary_operator *op = &summary->elsewhere[i];

		if (!i || op->process != place.process || op->where != place.where) {
			if (i)
				put_place(page, &table, &place);
			place = (struct place){ .process = op->process, .where = op->where };
		}
		place.n += op->n;
		place.n_open += op->n_open;
		place.self_ns += op->self_ns;
		if (place.n_types++ < MAX_TYPES_ELSEWHERE)
			printable_add(&place.types, "%s%s", place.n_types > 1 ? ", " : "",
				      page_name(page, op->op_type, 30).s);
	}
	put_place(page, &table, &place);
	table_print(&table, page->out);
}

/* Of a file that has operators and no inferences. */
void text_operators_alone(const struct page *page)
{
	static const char *const columns[] = { "type", "share", "time", "calls", "median", "max" };
	struct operators_alone alone = operators_alone(page->summary);
	struct table table = page_table(page);
	uint32_t n_most = page->opts.n_top ? page->opts.n_top : MAX_ROWS;
	uint32_t n_shown = page->opts.is_all || alone.n_types <= n_most ? alone.n_types : n_most;

	if (!alone.n_types)
		return;
	page_heading(page, "Operators, in no inference");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		table_column(&table, columns[i], i ? TABLE_RIGHT : TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	for (const struct summary_operator *op = alone.type; op < alone.type + n_shown; op++) {
		table_cell(&table, TABLE_PLAIN, "%s", page_name(page, op->op_type, 60).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_percent((double)op->self_ns / (double)alone.ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_duration((double)op->self_ns).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(op->n).s);
		put_duration(&table, &op->duration, op->duration.p50_ns);
		put_duration(&table, &op->duration, op->duration.max_ns);
	}
	table_print(&table, page->out);
	if (n_shown < alone.n_types)
		page_text(page, 2, TABLE_DIM, "%s (--all)", printable_count(alone.n_types - n_shown, "other type").s);
}

/* Why there is no table. */
static const char *why_missing(const struct page *page)
{
	if (!strcmp(names_text(page->names, page->summary->recording.level), "inference"))
		return "not recorded at level inference: --level operator records them";
	if (page->summary->n_cycles)
		return page->opts.is_all ? "no times, but cycles: see below" : "no times, but cycles: see --all";
	return page->summary->n_operators ? "none is part of a finished inference" : "none in this file";
}

void text_operators(const struct page *page, uint32_t index)
{
	const struct summary_model *model = &page->summary->models[index];
	struct printable without = operators_without(page->summary, model);

	if (!model->runs.n)
		return;
	if (!model->coverage.n || !model->types.n) {
		page_heading(page, "Operators of %s: %s", page_model(page, index, 40).s, why_missing(page));
		return;
	}
	page_heading(page, "Operators of %s, in %s", page_model(page, index, 40).s,
		     printable_count(model->coverage.n, "inference").s);
	if (*without.s)
		page_text(page, 2, TABLE_PLAIN, "%s.", without.s);
	print_types(page, model);
	print_nodes(page, model);
	print_remarks(page, model);
}
