// SPDX-License-Identifier: Apache-2.0
/* Operators by node, by type and by provider, from the groups: larger groups are made of smaller ones. */
#include <errno.h>
#include <stdlib.h>

#include "walk.h"

/* Groups that are made of others. */
struct table {
	struct keys keys;
	struct array groups; /* struct group */
};

static struct summary_model *model_at(const struct build *build, uint32_t index)
{
	return (struct summary_model *)build->models.data + index;
}

static int add_to_table(struct table *table, struct group *from)
{
	const struct summary_operator *facts = &from->facts;
	uint32_t n = table->keys.n;
	bool is_elsewhere = facts->where != WHERE_INFERENCE;
	uint32_t index =
	    keys_number(&table->keys, keys_pair(is_elsewhere ? facts->process : facts->model, facts->where),
			keys_pair(facts->op_type, facts->provider));
	struct group *to;

	if (index == KEYS_NONE || (index == n && !array_add(&table->groups, sizeof *to)))
		return -ENOMEM;
	to = (struct group *)table->groups.data + index;
	if (index == n) {
		to->facts = *facts;
		to->facts.name = 0;
		to->facts.model = is_elsewhere ? SUMMARY_NONE : facts->model;
		to->durations.limit = from->durations.limit;
		return stats_merge(&to->durations, &from->durations);
	}
	to->facts.n_open += facts->n_open;
	to->facts.n_failed += facts->n_failed;
	to->facts.self_ns = stats_sum(to->facts.self_ns, facts->self_ns);
	to->facts.share_ns = stats_sum(to->facts.share_ns, facts->share_ns);
	to->facts.has_children |= facts->has_children;
	to->facts.has_more_shapes |= facts->has_more_shapes || to->facts.shapes != facts->shapes;
	if (facts->bytes >= 0)
		to->facts.bytes = (to->facts.bytes < 0 ? 0 : to->facts.bytes) + facts->bytes;
	if (facts->allocated >= 0)
		to->facts.allocated = (to->facts.allocated < 0 ? 0 : to->facts.allocated) + facts->allocated;
	return stats_merge(&to->durations, &from->durations);
}

static int give_group(struct array *to, struct group *from)
{
	struct summary_operator *facts = array_add(to, sizeof *facts);

	if (!facts)
		return -ENOMEM;
	*facts = from->facts;
	facts->n = from->durations.n;
	facts->duration = build_spread(&from->durations);
	return 0;
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

static void find_typical(struct build *build)
{
	struct summary_operator *node = build->nodes.data, *type = build->types.data;

	for (uint32_t i = 0; i < build->nodes.n; i++) {
		const struct summary_spread *spread = &node[i].duration;
		double usual = (double)spread->p50_ns * (double)spread->n, all = (double)spread->total_ns;

		node[i].typical_ns =
		    usual < all ? (uint64_t)((double)node[i].share_ns * usual / all) : node[i].share_ns;
		for (uint32_t k = 0; k < build->types.n; k++)
			if (type[k].model == node[i].model && type[k].op_type == node[i].op_type &&
			    type[k].provider == node[i].provider)
				type[k].typical_ns += node[i].typical_ns;
	}
}

static void find_ranges(struct build *build)
{
	const struct summary_operator *type = build->types.data, *node = build->nodes.data;
	struct summary_range *range;

	for (uint32_t i = 0; i < build->types.n; i++) {
		range = &model_at(build, type[i].model)->types;
		range->first = range->n++ ? range->first : i;
	}
	for (uint32_t i = 0; i < build->nodes.n; i++) {
		range = &model_at(build, node[i].model)->nodes;
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

static int find_providers(struct build *build)
{
	const struct summary_operator *node = build->nodes.data;
	struct keys keys = { 0 };
	struct summary_provider *to;
	int rc = 0;

	for (size_t i = 0; !rc && i < build->nodes.n; i++) {
		uint32_t n = keys.n, index = keys_number(&keys, node[i].model, node[i].provider);

		if (index == KEYS_NONE || (index == n && !array_add(&build->ran_on, sizeof *to))) {
			rc = -ENOMEM;
			break;
		}
		to = (struct summary_provider *)build->ran_on.data + index;
		to->model = node[i].model;
		to->provider = node[i].provider;
		to->n_nodes++;
		to->n_calls += node[i].n;
		to->share_ns = stats_sum(to->share_ns, node[i].share_ns);
	}
	keys_done(&keys);
	to = build->ran_on.data;
	if (build->ran_on.n)
		qsort(to, build->ran_on.n, sizeof *to, compare_providers);
	for (uint32_t i = 0; i < build->ran_on.n; i++) {
		struct summary_range *range = &model_at(build, to[i].model)->ran_on;

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
}

int build_tables(struct build *build)
{
	struct group *group = build->groups.data;
	struct table types = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < build->groups.n; i++)
		rc = add_to_table(&types, &group[i]);
	for (size_t i = 0; !rc && i < build->groups.n; i++)
		if (group[i].facts.where == WHERE_INFERENCE)
			rc = give_group(&build->nodes, &group[i]);
	for (size_t i = 0; !rc && i < types.groups.n; i++) {
		struct group *type = (struct group *)types.groups.data + i;

		rc = give_group(type->facts.where == WHERE_INFERENCE ? &build->types : &build->elsewhere, type);
	}
	done(&types);
	if (rc)
		return rc;
	find_typical(build);
	sort_operators(&build->types);
	sort_operators(&build->nodes);
	sort_operators(&build->elsewhere);
	find_ranges(build);
	return find_providers(build);
}
