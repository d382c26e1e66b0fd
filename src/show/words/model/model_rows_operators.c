// SPDX-License-Identifier: Apache-2.0
/* Rows of operators: where they ran, by type and by node of the model, what bounds them, what ran inside of them. */
#include <math.h>
#include <string.h>

#include "base/text/provider.h"
#include "show/words/model/model_rows.h"

static const struct model_result *result_of(const struct model_view *view, uint32_t r)
{
	return &view->analysis->report->results[r];
}

static struct printable name_of(const struct model_view *view, const char *text)
{
	return model_text(text, view->columns, view->is_ascii);
}

static void run_columns(struct table *table, const struct model_view *view)
{
	for (uint32_t r = view->first; r < view->end; r++)
		table_column(table, view->label[r].s, TABLE_RIGHT | TABLE_SHRINKS);
}

static void put_nothing(struct table *table, int n)
{
	while (n--)
		table_cell(table, TABLE_DIM, "-");
}

static void put_places(struct table *table, const struct model_view *view, uint32_t r)
{
	const struct model_result *result = result_of(view, r);
	const struct model_reach *reach = &view->analysis->comparison.reach[r];
	double total_ns = 0;

	for (uint32_t i = 0; i < result->n_placements; i++)
		total_ns += result->placements[i].share_ns;
	for (uint32_t i = 0; i < result->n_placements; i++) {
		const struct model_placement *place = &result->placements[i];
		bool is_own = provider_is(result->provider, place->provider);
		struct printable ran_on;

		table_cell(table, TABLE_BOLD, "%s", i ? "" : view->label[r].s);
		ran_on = model_provider(place->provider, 30, view->is_ascii);
		if (is_own && result->device && !provider_is("cpu", place->provider))
			printable_add(&ran_on, " (%s)", model_text(result->device, 10, view->is_ascii).s);
		table_cell(table, is_own ? TABLE_BOLD : TABLE_PLAIN, "%s", ran_on.s);
		if (place->n_nodes < 0)
			put_nothing(table, 1);
		else
			table_cell(table, TABLE_PLAIN, "%s", units_count((uint64_t)place->n_nodes).s);
		/* with two providers at most, the nodes of the model that are not one's are the other's */
		if (!model_facts_of(view->analysis->report, r)->n_listed || result->n_placements > 2)
			put_nothing(table, 1);
		else
			table_cell(table, TABLE_PLAIN, "%s",
				   units_count(is_own ? reach->n_own_nodes : reach->n_other_nodes).s);
		table_cell(table, TABLE_PLAIN, "%s", units_percent(total_ns > 0 ? place->share_ns / total_ns : NAN).s);
	}
	if (result->n_placements)
		return;
	table_cell(table, TABLE_BOLD, "%s", view->label[r].s);
	table_cell(table, TABLE_DIM, "not known");
	put_nothing(table, 3);
}

void model_rows_placement(struct table *table, const struct model_view *view)
{
	table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(table, "ran on", TABLE_LEFT);
	table_column(table, "operators", TABLE_RIGHT);
	table_column(table, "the model's nodes", TABLE_RIGHT);
	table_column(table, "share of the time", TABLE_RIGHT | TABLE_SHARE);
	for (uint32_t r = 0; r < view->analysis->report->n_results; r++)
		put_places(table, view, r);
}

/* Of one inference in the pass for the operators. */
static double wall_of(const struct model_result *result)
{
	return result->n_operator_runs > 0 ? result->operators_wall_ns / (double)result->n_operator_runs : NAN;
}

static double outside_of(const struct model_result *result)
{
	return result->n_operator_runs > 0 ? result->unattributed_ns / (double)result->n_operator_runs : NAN;
}

static void put_time(struct table *table, const struct model_view *view, uint32_t r, double ns, uint32_t n)
{
	double wall_ns = wall_of(result_of(view, r));
	struct printable text = { "" };

	if (isnan(ns)) {
		put_nothing(table, 1);
		return;
	}
	printable_add(&text, "%s", units_duration(ns).s);
	if (view->is_roomy && wall_ns > 0)
		printable_add(&text, ", %s", units_percent(ns / wall_ns).s);
	if (n)
		printable_add(&text, " (%s)", units_count(n).s);
	table_cell(table, TABLE_PLAIN, "%s", text.s);
}

/* Rows that are not shown, as one: what is shown adds up. */
static void put_others(struct table *table, const struct model_view *view, uint32_t first)
{
	const struct model_comparison *comparison = &view->analysis->comparison;

	table_cell(table, TABLE_PLAIN, "%u other types", comparison->n_types - first);
	for (uint32_t r = view->first; r < view->end; r++) {
		double ns = NAN;
		uint32_t n = 0;

		for (uint32_t i = first; i < comparison->n_types; i++) {
			double own_ns = comparison->types[i].share_ns[r];

			n += comparison->types[i].n_operators[r];
			if (!isnan(own_ns))
				ns = (isnan(ns) ? 0 : ns) + own_ns;
		}
		put_time(table, view, r, ns, n);
	}
}

void model_rows_types(struct table *table, const struct model_view *view, uint32_t n_most)
{
	const struct model_comparison *comparison = &view->analysis->comparison;
	uint32_t n = comparison->n_types <= n_most + 1 ? comparison->n_types : n_most;

	table_column(table, "type", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	run_columns(table, view);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_type_row *row = &comparison->types[i];

		table_cell(table, TABLE_PLAIN, "%s", name_of(view, row->op_type).s);
		for (uint32_t r = view->first; r < view->end; r++)
			put_time(table, view, r, row->share_ns[r], row->n_operators[r]);
	}
	if (n < comparison->n_types)
		put_others(table, view, n);
	table_cell(table, TABLE_DIM, "unattributed");
	for (uint32_t r = view->first; r < view->end; r++)
		put_time(table, view, r, outside_of(result_of(view, r)), 0);
	table_cell(table, TABLE_BOLD, "in total");
	for (uint32_t r = view->first; r < view->end; r++)
		table_cell(table, TABLE_BOLD, "%s", units_duration(wall_of(result_of(view, r))).s);
}

static bool is_alone(const struct model_join *join)
{
	return join->how == MODEL_SAME || join->how == MODEL_RENAMED;
}

double model_row_ns(const struct model_analysis *analysis, const struct model_row *row, uint32_t run)
{
	const struct model_result *result = &analysis->report->results[run];

	return is_alone(&row->join[run]) ? model_typical_ns(result, &result->operators[row->join[run].at]) : NAN;
}

static struct units_text median_of(const struct model_operator *op)
{
	return op->p50_ns > 0 ? units_duration(op->p50_ns) : (struct units_text){ "-" };
}

/* Two columns a run; a run that is alone needs no name. */
static void median_columns(struct table *table, const struct model_view *view)
{
	bool is_alone = view->analysis->report->n_results == 1;

	for (uint32_t r = view->first; r < view->end; r++) {
		table_column(table, is_alone ? "median" : view->label[r].s, TABLE_RIGHT | TABLE_SHRINKS);
		table_column(table, "mean", TABLE_RIGHT | TABLE_OPTIONAL);
	}
}

static void put_join(struct table *table, const struct model_view *view, const struct model_row *row, uint32_t r)
{
	static const char *const words[] = { "-", "", "", "fused", "subgraph" };
	const struct model_join *join = &row->join[r];
	const struct model_result *result = result_of(view, r);
	const struct model_operator *op;
	struct printable text = { "" };
	uint32_t n;

	if (!is_alone(join)) {
		table_cell(table, TABLE_DIM, "%s", result->n_operators ? words[join->how] : "?");
		table_cell(table, TABLE_DIM, "%s", "");
		return;
	}
	op = &result->operators[join->at];
	n = view->analysis->comparison.n_nodes_of[r][join->at];
	printable_add(&text, "%s", median_of(op).s);
	if (n > 1 && row->node != MODEL_NONE)
		printable_add(&text, " [%u]", n);
	table_cell(table, TABLE_PLAIN, "%s", text.s);
	text = (struct printable){ "" };
	printable_add(&text, "%s", units_duration(op->mean_ns).s);
	if (view->is_roomy && row->speed[r].is_known && row->speed[r].is_different)
		printable_add(&text, ", %.2f x", row->speed[r].value);
	table_cell(table, TABLE_DIM, "%s", text.s);
}

void model_rows_nodes(struct table *table, const struct model_view *view, uint32_t first, uint32_t end)
{
	const struct model_comparison *comparison = &view->analysis->comparison;

	table_column(table, "node", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, "type", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	median_columns(table, view);
	for (uint32_t i = first; i < end; i++) {
		const struct model_row *row = &comparison->rows[i];
		struct printable name = name_of(view, row->name);

		if (row->node == MODEL_NONE && view->analysis->report->model.n_listed)
			printable_add(&name, " *");
		table_cell(table, TABLE_PLAIN, "%s", name.s);
		table_cell(table, TABLE_PLAIN, "%s", name_of(view, row->op_type).s);
		for (uint32_t r = view->first; r < view->end; r++)
			put_join(table, view, row, r);
	}
}

void model_rows_bounds(struct table *table, const struct model_view *view, uint32_t run, uint32_t n)
{
	static const struct {
		const char *header;
		int flags;
	} columns[] = {
		{ "median", 0 }, { "mean", TABLE_OPTIONAL }, { "operations", 0 }, { "bytes", 0 }, { "of possible", 0 }
	};

	table_column(table, "operator", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, "type", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		table_column(table, columns[i].header, TABLE_RIGHT | columns[i].flags);
	table_column(table, "bound by", TABLE_LEFT);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_operator *op = &result_of(view, run)->operators[i];
		const struct model_bound *bound = &view->analysis->runs[run].bounds[i];

		table_cell(table, TABLE_PLAIN, "%s", name_of(view, model_operator_name(view->analysis, run, i)).s);
		table_cell(table, TABLE_PLAIN, "%s", name_of(view, op->op_type).s);
		table_cell(table, TABLE_PLAIN, "%s", median_of(op).s);
		table_cell(table, TABLE_DIM, "%s", units_duration(op->mean_ns).s);
		table_cell(table, TABLE_PLAIN, "%s", units_metric(bound->flops_per_s, "FLOP/s").s);
		table_cell(table, TABLE_PLAIN, "%s", units_metric(bound->bytes_per_s, "B/s").s);
		table_cell(table, TABLE_PLAIN, "%s%s",
			   bound->by == MODEL_BOUND_UNKNOWN && isfinite(bound->share)
			       ? view->is_ascii ? ">= " : "\342\211\245 "
			       : "",
			   units_percent(bound->share).s);
		if (bound->by == MODEL_BOUND_UNKNOWN)
			put_nothing(table, 1);
		else
			table_cell(table, TABLE_PLAIN, "%s", model_bound_words(bound->by));
	}
}

/* Of one call; of cycles there is no time. */
static void put_mean(struct table *table, const struct model_kernel *kernel)
{
	double n = (double)kernel->n;

	if (isnan(kernel->time_ns))
		table_cell(table, TABLE_PLAIN, "%s cycles",
			   units_count((uint64_t)((double)kernel->cycles / n + 0.5)).s);
	else
		table_cell(table, TABLE_PLAIN, "%s", units_duration(kernel->time_ns / n).s);
}

static void put_text(struct table *table, enum table_style style, const struct model_view *view, const char *text)
{
	table_cell(table, style, "%s", text ? name_of(view, text).s : "");
}

/* Where it has another name; NULL: it has not, or is of none. */
static const char *node_of_kernel(const struct model_view *view, uint32_t run, uint32_t i)
{
	uint32_t node = view->analysis->comparison.kernel_of[run][i];
	const char *name = node == MODEL_NONE ? NULL : model_facts_of(view->analysis->report, run)->nodes[node].name;

	return name && strcmp(name, result_of(view, run)->kernels[i].name) != 0 ? name : NULL;
}

void model_rows_kernels(struct table *table, const struct model_view *view, uint32_t run, uint32_t n)
{
	table_column(table, "kernel", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, "type", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	if (view->is_roomy)
		table_column(table, "implementation", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, view->is_roomy ? "made from" : "made from, or how",
		     TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, "calls", TABLE_RIGHT);
	table_column(table, "mean", TABLE_RIGHT);
	table_column(table, "share", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_kernel *kernel = &result_of(view, run)->kernels[i];
		const char *from = kernel->source_ops ? kernel->source_ops : node_of_kernel(view, run, i);
		const char *how = kernel->implementation ? kernel->implementation : kernel->op_type;

		put_text(table, kernel->is_whole ? TABLE_DIM : TABLE_PLAIN, view, kernel->name);
		put_text(table, TABLE_PLAIN, view, kernel->op_type);
		if (view->is_roomy)
			put_text(table, TABLE_PLAIN, view, kernel->implementation);
		put_text(table, TABLE_DIM, view, view->is_roomy || from ? from : how);
		table_cell(table, TABLE_PLAIN, "%s", units_count((uint64_t)kernel->n).s);
		put_mean(table, kernel);
		table_cell(table, TABLE_PLAIN, "%s", kernel->is_whole ? "" : units_percent(kernel->share).s);
	}
}
