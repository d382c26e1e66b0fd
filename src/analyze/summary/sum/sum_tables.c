// SPDX-License-Identifier: Apache-2.0
/* Operators by node, by type and by provider, from the groups: larger groups are made of smaller ones. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/summary/sum_in.h"

/* Groups that are made of others. */
struct table {
	struct keys keys;
	struct array groups; /* struct group */
};

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

static int add_to_table(struct table *table, struct group *from, uint32_t name)
{
	const struct summary_operator *facts = &from->facts;
	uint32_t n = table->keys.n;
	bool is_elsewhere = facts->where != WHERE_INFERENCE;
	uint32_t index = keys_number(
	    &table->keys, keys_pair(is_elsewhere ? facts->process : facts->model, (uint32_t)facts->where | name << 3),
	    keys_pair(facts->op_type, facts->provider));
	struct group *to;

	if (index == NONE || (index == n && !array_add(&table->groups, sizeof *to)))
		return -ENOMEM;
	to = (struct group *)table->groups.data + index;
	if (index < n) {
		sum_operators_merge(to, from);
		return stats_merge(&to->durations, &from->durations);
	}
	to->facts = *facts;
	to->facts.name = name;
	to->facts.model = is_elsewhere ? SUMMARY_NONE : facts->model;
	to->durations.limit = from->durations.limit;
	return stats_merge(&to->durations, &from->durations);
}

static double read_rate_of(const struct summary_operator *op)
{
	return op->lacks_matrix || !op->matrix_bytes || !op->self_ns
		   ? NAN
		   : (double)op->matrix_bytes * 1e9 / (double)op->self_ns;
}

static int give_group(struct array *to, struct group *from, uint32_t order, bool with_typical)
{
	struct summary_operator *facts = array_add(to, sizeof *facts);

	if (!facts)
		return -ENOMEM;
	*facts = from->facts;
	facts->order = order;
	facts->read_rate = read_rate_of(facts);
	if (with_typical && stats_typical_of(&facts->typical, &from->durations))
		return -ENOMEM;
	facts->n = from->durations.n;
	facts->duration = sum_spread(&from->durations);
	return 0;
}

/*
 * The share as if each call had taken the median: a thread that lost its CPU makes no operator slow. Names of other
 * programs' traces stand for calls that do unlike work; there it is the share itself.
 */
static uint64_t typical_of(const struct summary_operator *node, bool is_ours)
{
	double usual = (double)node->duration.p50_ns * (double)node->duration.n, all = (double)node->duration.total_ns;

	return is_ours && usual < all ? (uint64_t)((double)node->share_ns * usual / all) : node->share_ns;
}

static int compare_operators(const void *a_, const void *b_)
{
	const struct summary_operator *a = a_, *b = b_;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->where != b->where)
		return a->where < b->where ? -1 : 1;
	if (a->typical_ns != b->typical_ns)
		return a->typical_ns > b->typical_ns ? -1 : 1;
	if (a->share_ns != b->share_ns)
		return a->share_ns > b->share_ns ? -1 : 1;
	if (a->self_ns != b->self_ns)
		return a->self_ns > b->self_ns ? -1 : 1;
	return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
				  : (a->op_type > b->op_type) - (a->op_type < b->op_type);
}

static void sort_operators(struct array *operators)
{
	if (operators->n)
		qsort(operators->data, operators->n, sizeof(struct summary_operator), compare_operators);
}

/* A type takes what its nodes do. */
static int find_typical(struct array *nodes_, struct array *types_, bool is_ours)
{
	struct summary_operator *node = nodes_->data, *type = types_->data;
	struct keys keys = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < types_->n; i++)
		if (keys_number(&keys, type[i].model, keys_pair(type[i].op_type, type[i].provider)) != i)
			rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < nodes_->n; i++) {
		uint32_t of = keys_number(&keys, node[i].model, keys_pair(node[i].op_type, node[i].provider));

		node[i].typical_ns = typical_of(&node[i], is_ours);
		if (of < types_->n)
			type[of].typical_ns = stats_sum(type[of].typical_ns, node[i].typical_ns);
		else
			rc = -ENOMEM;
	}
	keys_done(&keys);
	return rc;
}

static void find_ranges(struct end *end)
{
	const struct summary_operator *type = end->types.data, *node = end->nodes.data;
	struct summary_range *range;

	for (uint32_t i = 0; i < end->types.n; i++) {
		range = &model_at(end, type[i].model)->types;
		range->first = range->n++ ? range->first : i;
	}
	for (uint32_t i = 0; i < end->nodes.n; i++) {
		range = &model_at(end, node[i].model)->nodes;
		range->first = range->n++ ? range->first : i;
	}
}

static int compare_providers(const void *a_, const void *b_)
{
	const struct summary_provider *a = a_, *b = b_;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	return (b->share_ns > a->share_ns) - (b->share_ns < a->share_ns);
}

static int find_providers(struct end *end)
{
	const struct summary_operator *node = end->nodes.data;
	struct keys keys = { 0 };
	struct summary_provider *to;
	int rc = 0;

	for (size_t i = 0; !rc && i < end->nodes.n; i++) {
		uint32_t n = keys.n, index = keys_number(&keys, node[i].model, node[i].provider);

		if (index == NONE || (index == n && !array_add(&end->ran_on, sizeof *to))) {
			rc = -ENOMEM;
			break;
		}
		to = (struct summary_provider *)end->ran_on.data + index;
		to->model = node[i].model;
		to->provider = node[i].provider;
		to->n_nodes++;
		to->n_calls += node[i].n;
		to->share_ns = stats_sum(to->share_ns, node[i].share_ns);
	}
	keys_done(&keys);
	to = end->ran_on.data;
	if (end->ran_on.n)
		qsort(to, end->ran_on.n, sizeof *to, compare_providers);
	for (uint32_t i = 0; i < end->ran_on.n; i++) {
		struct summary_range *range = &model_at(end, to[i].model)->ran_on;

		range->first = range->n++ ? range->first : i;
	}
	return rc;
}

static void done(struct table *table)
{
	for (size_t i = 0; i < table->groups.n; i++)
		stats_done(&((struct group *)table->groups.data)[i].durations);
	array_done(&table->groups, sizeof(struct group));
	keys_done(&table->keys);
	*table = (struct table){ 0 };
}

/* Where its operators are: in a process and a model of the summary. */
static void settle(struct summary_maker *maker, const struct end *end, struct group *group)
{
	struct summary_operator *facts = &group->facts;

	if (facts->model != NONE)
		facts->model = bucket_at(maker, facts->model)->model;
	facts->process = process_at(maker, facts->process)->index;
	if (facts->where == WHERE_APART && ((const bool *)end->is_apart.data)[facts->model])
		facts->where = WHERE_INFERENCE;
	if (facts->where != WHERE_INFERENCE)
		facts->share_ns = 0;
}

static int give_table(struct table *table, struct array *to, struct array *elsewhere, bool with_typical)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < table->groups.n; i++) {
		struct group *group = (struct group *)table->groups.data + i;

		rc = give_group(group->facts.where == WHERE_INFERENCE ? to : elsewhere, group, (uint32_t)i,
				with_typical);
	}
	done(table);
	return rc;
}

/* By the first thread that had such an operator, and when: what is added together keeps to this order. */
static int compare_groups(const void *a_, const void *b_)
{
	const struct group *a = *(const struct group *const *)a_, *b = *(const struct group *const *)b_;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	return a->facts.name != b->facts.name ? (a->facts.name > b->facts.name) - (a->facts.name < b->facts.name)
					      : (a > b) - (a < b);
}

int sum_tables_make(struct summary_maker *maker, struct end *end)
{
	uint32_t n_all = (uint32_t)maker->operators.groups.n, n = 0;
	struct group **order = calloc(n_all + 1, sizeof *order);
	struct table types = { 0 }, nodes = { 0 };
	int rc = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n_all; i++)
		if (group_at(&maker->operators, i)->facts.where != WHERE_PARTS) /* they are in others by now */
			order[n++] = group_at(&maker->operators, i);
	if (!rc)
		qsort(order, n, sizeof *order, compare_groups);
	for (uint32_t i = 0; !rc && i < n; i++) {
		settle(maker, end, order[i]);
		rc = add_to_table(&types, order[i], 0);
		if (!rc && order[i]->facts.where == WHERE_INFERENCE)
			rc = add_to_table(&nodes, order[i], order[i]->facts.name);
		stats_done(&order[i]->durations);
	}
	free(order);
	if (!rc)
		rc = give_table(&types, &end->types, &end->elsewhere, false);
	if (!rc)
		rc = give_table(&nodes, &end->nodes, &end->elsewhere, maker->opts.with_typical);
	done(&types);
	done(&nodes);
	if (!rc)
		rc = find_typical(&end->nodes, &end->types, maker->to->recording.is_ours);
	if (rc)
		return rc;
	sort_operators(&end->types);
	sort_operators(&end->nodes);
	sort_operators(&end->elsewhere);
	find_ranges(end);
	return find_providers(end);
}
