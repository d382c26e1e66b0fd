// SPDX-License-Identifier: Apache-2.0
/* Rows of nodes and of types over all results. Which operator is which node: model_join.c. */
#include "analyze/result/model/model_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/model/model_join.h"
#include "base/text/provider.h"

const char *model_asked(const struct model_result *result)
{
	return result->provider ? result->provider : result->asked_provider;
}

/* What is being compared. */
struct comparer {
	const struct model_report *report;
	struct model_comparison *to;
	struct arena *arena;
	struct model_join **join; /* for each result and node of its own model */
	struct model_nodes nodes;
	struct array_of_rows {
		struct model_row *row;
		uint32_t n, room;
	} rows;
};

static double per_inference(const struct model_result *result, double share_ns)
{
	return result->n_operator_runs > 0 ? share_ns / (double)result->n_operator_runs : NAN;
}

double model_typical_ns(const struct model_result *result, const struct model_operator *op)
{
	return per_inference(result, op->p50_ns > 0 ? op->p50_ns * (double)op->n : op->share_ns);
}

static struct model_row *add_row(struct comparer *comparer, const struct model_facts *model, uint32_t node,
				 const char *name, const char *op_type)
{
	uint32_t n = comparer->report->n_results, i = comparer->rows.n;
	struct model_row *row = &comparer->rows.row[i];

	*row = (struct model_row){ .node = node, .model = model, .name = name, .op_type = op_type };
	row->join = arena_alloc(comparer->arena, (n + 1) * sizeof *row->join);
	row->speed = arena_alloc(comparer->arena, (n + 1) * sizeof *row->speed);
	if (!row->join || !row->speed)
		return NULL;
	for (uint32_t r = 0; r < n; r++) {
		row->join[r] = (struct model_join){ MODEL_NOT_RUN, MODEL_NONE };
		row->speed[r] = (struct stats_ratio){ NAN, NAN, NAN, false, false };
	}
	comparer->rows.n++;
	return row;
}

static void weigh(struct comparer *comparer, struct model_row *row, uint32_t r)
{
	const struct model_join *join = &row->join[r];
	const struct model_result *result = &comparer->report->results[r];
	double ns;

	if (join->how != MODEL_SAME && join->how != MODEL_RENAMED)
		return;
	ns = model_typical_ns(result, &result->operators[join->at]);
	row->weight_ns = ns > row->weight_ns ? ns : row->weight_ns;
}

static struct model_row *row_of_spot(struct comparer *comparer, struct model_spot *spot)
{
	struct model_spot *leader = &comparer->nodes.spot[spot->leader];
	const struct model_node *node = &spot->model->nodes[spot->node];

	if (leader->row == MODEL_NONE) {
		leader->row = comparer->rows.n;
		return add_row(comparer, spot->model, spot->node, node->name, node->op_type);
	}
	return &comparer->rows.row[leader->row];
}

static int add_node_rows(struct comparer *comparer)
{
	const struct model_nodes *nodes = &comparer->nodes;

	for (uint32_t i = 0; i < nodes->n; i++) {
		struct model_spot *spot = &nodes->spot[i];

		for (uint32_t r = 0; r < comparer->report->n_results; r++) {
			struct model_row *row;

			if (spot->model != model_facts_of(comparer->report, r) ||
			    comparer->join[r][spot->node].how == MODEL_NOT_RUN)
				continue;
			row = row_of_spot(comparer, spot);
			if (!row)
				return -ENOMEM;
			row->join[r] = comparer->join[r][spot->node];
			weigh(comparer, row, r);
		}
	}
	return 0;
}

struct loose {
	const struct model_operator *op;
	uint32_t result, at;
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_loose(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;
	int order = compare_texts(x->op->name, y->op->name);

	order = order ? order : compare_texts(x->op->op_type, y->op->op_type);
	order = order ? order : (x->result > y->result) - (x->result < y->result);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool has_no_graph(const struct comparer *comparer, uint32_t r)
{
	return model_facts_of(comparer->report, r)->graph_missing != NULL;
}

/* Is an operator of this name and type alone in the row, in another result? */
static bool is_in_row(const struct comparer *comparer, const struct model_row *row, const struct model_operator *op)
{
	for (uint32_t r = 0; r < comparer->report->n_results; r++) {
		const struct model_operator *its;

		if (row->join[r].how != MODEL_SAME)
			continue;
		its = &comparer->report->results[r].operators[row->join[r].at];
		if (!compare_texts(its->name, op->name) && !compare_texts(its->op_type, op->op_type))
			return true;
	}
	return false;
}

/* An operator of a model without its graph has the row of a node of another file that runs as the same. */
static bool add_to_node_row(struct comparer *comparer, const struct loose *loose)
{
	if (!has_no_graph(comparer, loose->result))
		return false;
	for (uint32_t i = 0; i < comparer->rows.n && comparer->rows.row[i].model; i++) {
		struct model_row *row = &comparer->rows.row[i];

		if (row->join[loose->result].how != MODEL_NOT_RUN || !is_in_row(comparer, row, loose->op))
			continue;
		row->join[loose->result] = (struct model_join){ MODEL_SAME, loose->at };
		weigh(comparer, row, loose->result);
		return true;
	}
	return false;
}

/* Those of the same name and type in several results share a row. */
static int add_loose_rows(struct comparer *comparer, struct loose *loose, uint32_t n)
{
	struct model_row *row = NULL;

	qsort(loose, n, sizeof *loose, compare_loose);
	for (uint32_t i = 0; i < n; i++) {
		const struct model_operator *op = loose[i].op;
		bool is_same = row && !compare_texts(row->name, op->name) &&
			       !compare_texts(row->op_type, op->op_type) &&
			       row->join[loose[i].result].how == MODEL_NOT_RUN;

		if (add_to_node_row(comparer, &loose[i]))
			continue;
		if (!is_same && !(row = add_row(comparer, NULL, MODEL_NONE, op->name, op->op_type)))
			return -ENOMEM;
		row->join[loose[i].result] = (struct model_join){ MODEL_SAME, loose[i].at };
		weigh(comparer, row, loose[i].result);
	}
	return 0;
}

static int add_rows(struct comparer *comparer)
{
	const struct model_report *report = comparer->report;
	struct loose *loose;
	uint32_t n = 0;
	size_t most = comparer->nodes.n;

	for (uint32_t r = 0; r < report->n_results; r++)
		most += report->results[r].n_operators;
	comparer->rows.row = arena_alloc(comparer->arena, (most + 1) * sizeof *comparer->rows.row);
	loose = arena_alloc(comparer->arena, (most + 1) * sizeof *loose);
	if (!comparer->rows.row || !loose || add_node_rows(comparer))
		return -ENOMEM;
	for (uint32_t r = 0; r < report->n_results; r++)
		for (uint32_t i = 0; i < report->results[r].n_operators; i++)
			if (comparer->to->node_of[r][i] == MODEL_NONE)
				loose[n++] = (struct loose){ &report->results[r].operators[i], r, i };
	return add_loose_rows(comparer, loose, n);
}

static bool is_alone(const struct model_join *join)
{
	return join->how == MODEL_SAME || join->how == MODEL_RENAMED;
}

static double items_of(const struct model_report *report, uint32_t r)
{
	return report->results[r].n_items > 0 ? (double)report->results[r].n_items : 1;
}

/* Only what stands for as many nodes on both sides can be compared. */
static void find_speeds(struct comparer *comparer, struct model_row *row)
{
	const struct model_report *report = comparer->report;
	const struct model_operator *base;

	if (!report->n_results || !is_alone(&row->join[0]))
		return;
	base = &report->results[0].operators[row->join[0].at];
	for (uint32_t r = 1; r < report->n_results; r++) {
		const struct model_join *join = &row->join[r];
		const struct model_operator *op;
		double items;

		if (!is_alone(join) ||
		    (comparer->to->n_nodes_of[r][join->at] != comparer->to->n_nodes_of[0][row->join[0].at] &&
		     !has_no_graph(comparer, r) && !has_no_graph(comparer, 0)))
			continue;
		op = &report->results[r].operators[join->at];
		if (provider_is_deferred(op->provider) || provider_is_deferred(base->provider))
			continue;
		items = items_of(report, r) / items_of(report, 0);
		row->speed[r] =
		    stats_ratio(base->mean_ns, base->interval_ns, op->mean_ns / items, op->interval_ns / items);
		row->speed[r] = stats_ratio_of_single(row->speed[r], base->p50_ns / (op->p50_ns / items));
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct model_row *x = a, *y = b;
	int order = (x->weight_ns < y->weight_ns) - (x->weight_ns > y->weight_ns);

	order = order ? order : (x->node > y->node) - (x->node < y->node);
	return order ? order : compare_texts(x->name, y->name);
}

static void count_reach(struct comparer *comparer, const struct model_graph *graph, uint32_t r)
{
	const struct model_result *result = &comparer->report->results[r];
	const struct model_comparison *to = comparer->to;
	struct model_reach *reach = &comparer->to->reach[r];

	for (uint32_t i = 0; i < model_facts_of(comparer->report, r)->n_listed; i++) {
		reach->n_joined += comparer->join[r][i].how != MODEL_NOT_RUN;
		reach->n_not_run += comparer->join[r][i].how == MODEL_NOT_RUN;
		reach->n_constant += comparer->join[r][i].how == MODEL_NOT_RUN && graph->is_fixed[i];
	}
	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_operator *op = &result->operators[i];
		bool is_own = provider_is(model_asked(result), op->provider);

		if (is_own)
			reach->own_provider = op->provider;
		*(is_own ? &reach->own_ns : &reach->other_ns) += op->share_ns;
		*(is_own ? &reach->n_own_nodes : &reach->n_other_nodes) += to->n_nodes_of[r][i];
		reach->n_unjoined += !to->n_nodes_of[r][i];
	}
}

/* Results of the same model have the same graph. */
static int find_graph(struct comparer *comparer, struct model_graph *graphs, uint32_t r)
{
	const struct model_report *report = comparer->report;

	for (uint32_t before = 0; before < r; before++) {
		if (model_facts_of(report, before) != model_facts_of(report, r))
			continue;
		graphs[r] = graphs[before];
		return 0;
	}
	return model_graph_of(&graphs[r], model_facts_of(report, r), comparer->arena);
}

static int join_result(struct comparer *comparer, const struct model_graph *graph, uint32_t r)
{
	const struct model_result *result = &comparer->report->results[r];
	struct model_comparison *to = comparer->to;
	size_t n_operators = result->n_operators + 1;

	comparer->join[r] = arena_alloc(comparer->arena, (graph->n_nodes + 1) * sizeof **comparer->join);
	to->node_of[r] = arena_alloc(comparer->arena, n_operators * sizeof **to->node_of);
	to->n_nodes_of[r] = arena_alloc(comparer->arena, n_operators * sizeof **to->n_nodes_of);
	to->kernel_of[r] = arena_alloc(comparer->arena, (result->n_kernels + 1) * sizeof **to->kernel_of);
	if (!comparer->join[r] || !to->node_of[r] || !to->n_nodes_of[r] || !to->kernel_of[r])
		return -ENOMEM;
	for (uint32_t i = 0; i < result->n_kernels; i++)
		to->kernel_of[r][i] = model_join_name(graph, result->kernels[i].name);
	model_join_result(graph, result, comparer->join[r], to->node_of[r], to->n_nodes_of[r]);
	count_reach(comparer, graph, r);
	return 0;
}

static int join_results(struct comparer *comparer)
{
	const struct model_report *report = comparer->report;
	struct model_comparison *to = comparer->to;
	uint32_t n = report->n_results;
	struct model_graph *graphs = arena_alloc(comparer->arena, (n + 1) * sizeof *graphs);
	int code = 0;

	comparer->join = to->join = arena_alloc(comparer->arena, (n + 1) * sizeof *comparer->join);
	to->node_of = arena_alloc(comparer->arena, (n + 1) * sizeof *to->node_of);
	to->n_nodes_of = arena_alloc(comparer->arena, (n + 1) * sizeof *to->n_nodes_of);
	to->kernel_of = arena_alloc(comparer->arena, (n + 1) * sizeof *to->kernel_of);
	to->reach = arena_alloc(comparer->arena, (n + 1) * sizeof *to->reach);
	if (!graphs || !comparer->join || !to->node_of || !to->n_nodes_of || !to->reach || !to->kernel_of)
		return -ENOMEM;
	for (uint32_t r = 0; r < n && !code; r++) {
		code = find_graph(comparer, graphs, r);
		code = code ? code : join_result(comparer, &graphs[r], r);
	}
	return code ? code : model_nodes_find(&comparer->nodes, report, comparer->arena);
}

static int compare_loose_types(const void *a, const void *b)
{
	return compare_texts(((const struct loose *)a)->op->op_type, ((const struct loose *)b)->op->op_type);
}

static int compare_type_rows(const void *a, const void *b)
{
	const struct model_type_row *x = a, *y = b;
	int order = (x->weight_ns < y->weight_ns) - (x->weight_ns > y->weight_ns);

	return order ? order : compare_texts(x->op_type, y->op_type);
}

static struct model_type_row *add_type(struct comparer *comparer, const char *op_type)
{
	uint32_t n = comparer->report->n_results;
	struct model_type_row *row = &comparer->to->types[comparer->to->n_types++];

	row->op_type = op_type;
	row->n_operators = arena_alloc(comparer->arena, (n + 1) * sizeof *row->n_operators);
	row->share_ns = arena_alloc(comparer->arena, (n + 1) * sizeof *row->share_ns);
	for (uint32_t r = 0; row->share_ns && r < n; r++)
		row->share_ns[r] = NAN;
	return row->n_operators && row->share_ns ? row : NULL;
}

static int add_types(struct comparer *comparer)
{
	const struct model_report *report = comparer->report;
	struct model_type_row *row = NULL;
	struct loose *all;
	size_t most = 0;
	uint32_t n = 0;

	for (uint32_t r = 0; r < report->n_results; r++)
		most += report->results[r].n_operators;
	all = arena_alloc(comparer->arena, (most + 1) * sizeof *all);
	comparer->to->types = arena_alloc(comparer->arena, (most + 1) * sizeof *comparer->to->types);
	if (!all || !comparer->to->types)
		return -ENOMEM;
	for (uint32_t r = 0; r < report->n_results; r++)
		for (uint32_t i = 0; i < report->results[r].n_operators; i++)
			all[n++] = (struct loose){ &report->results[r].operators[i], r, i };
	qsort(all, n, sizeof *all, compare_loose_types);
	for (uint32_t i = 0; i < n; i++) {
		double *share_ns;

		if ((!i || compare_loose_types(&all[i - 1], &all[i])) &&
		    !(row = add_type(comparer, all[i].op->op_type)))
			return -ENOMEM;
		share_ns = &row->share_ns[all[i].result];
		*share_ns = (isnan(*share_ns) ? 0 : *share_ns) +
			    per_inference(&report->results[all[i].result], all[i].op->share_ns);
		row->n_operators[all[i].result]++;
		row->weight_ns = *share_ns > row->weight_ns ? *share_ns : row->weight_ns;
	}
	qsort(comparer->to->types, comparer->to->n_types, sizeof *comparer->to->types, compare_type_rows);
	return 0;
}

int model_compare(struct model_comparison *comparison, const struct model_report *report, struct arena *arena)
{
	struct comparer comparer = { .report = report, .to = comparison, .arena = arena };

	*comparison = (struct model_comparison){ 0 };
	if (join_results(&comparer) || add_rows(&comparer) || add_types(&comparer))
		return -ENOMEM;
	for (uint32_t i = 0; i < comparer.rows.n; i++)
		find_speeds(&comparer, &comparer.rows.row[i]);
	qsort(comparer.rows.row, comparer.rows.n, sizeof *comparer.rows.row, compare_rows);
	comparison->rows = comparer.rows.row;
	comparison->n_rows = comparer.rows.n;
	return 0;
}
