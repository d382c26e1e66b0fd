// SPDX-License-Identifier: Apache-2.0
/* Which nodes of several models are the same. Knows no operator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/model/model_compare.h"

/* The name that a node has in all versions of a model: quantizing it adds a suffix. */
static size_t key_of(const struct model_spot *spot, const char **name)
{
	static const char suffix[] = "_quant";
	size_t len;

	*name = spot->model->nodes[spot->node].name;
	len = *name ? strlen(*name) : 0;
	if (len > sizeof suffix - 1 && !strcmp(*name + len - (sizeof suffix - 1), suffix))
		len -= sizeof suffix - 1;
	return len;
}

static int compare_spots(const void *a, const void *b)
{
	const struct model_spot *x = *(struct model_spot *const *)a, *y = *(struct model_spot *const *)b;
	const char *name_x, *name_y;
	size_t len_x = key_of(x, &name_x), len_y = key_of(y, &name_y);
	int order = len_x && len_y ? memcmp(name_x, name_y, len_x < len_y ? len_x : len_y) : 0;

	order = order ? order : (len_x > len_y) - (len_x < len_y);
	return order ? order : (x > y) - (x < y);
}

static bool is_same_file(const struct model_spot *a, const struct model_spot *b)
{
	return a->model->path && b->model->path && !strcmp(a->model->path, b->model->path);
}

static bool has_same_key(const struct model_spot *a, const struct model_spot *b)
{
	const char *name_a, *name_b;
	size_t len = key_of(a, &name_a);

	return len && len == key_of(b, &name_b) && !memcmp(name_a, name_b, len);
}

/* sorted: by name. */
static void find_named(struct model_spot **sorted, uint32_t n)
{
	struct model_spot *leader = NULL, *before = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct model_spot *spot = sorted[i];

		if (leader && has_same_key(leader, spot) && before->model != spot->model)
			spot->leader = leader->leader;
		else
			leader = spot;
		before = spot;
	}
}

/* Of one file that was analysed for several shapes, nodes are the same by their place. */
static void find_placed(struct model_nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->n; i++) {
		struct model_spot *spot = &nodes->spot[i], *first = nodes->spot;

		while (first->model != spot->model && !is_same_file(first, spot))
			first += first->model->n_listed;
		if (first->model != spot->model)
			spot->leader = first[spot->node].leader;
	}
}

static bool has_model(const struct model_nodes *nodes, const struct model_facts *model)
{
	uint32_t i = 0;

	while (i < nodes->n && nodes->spot[i].model != model)
		i += nodes->spot[i].model->n_listed;
	return i < nodes->n;
}

int model_nodes_find(struct model_nodes *nodes, const struct model_report *report, struct arena *arena)
{
	struct model_spot **sorted;
	size_t most = 0;

	*nodes = (struct model_nodes){ .n = 0 };
	for (uint32_t r = 0; r < report->n_results; r++)
		most += model_facts_of(report, r)->n_listed;
	nodes->spot = arena_alloc(arena, (most + 1) * sizeof *nodes->spot);
	sorted = arena_alloc(arena, (most + 1) * sizeof *sorted);
	if (!nodes->spot || !sorted)
		return -ENOMEM;
	for (uint32_t r = 0; r < report->n_results; r++) {
		const struct model_facts *model = model_facts_of(report, r);

		if (has_model(nodes, model))
			continue;
		for (uint32_t i = 0; i < model->n_listed; i++, nodes->n++) {
			nodes->spot[nodes->n] = (struct model_spot){ model, i, nodes->n, MODEL_NONE };
			sorted[nodes->n] = &nodes->spot[nodes->n];
		}
	}
	qsort(sorted, nodes->n, sizeof *sorted, compare_spots);
	find_named(sorted, nodes->n);
	find_placed(nodes);
	return 0;
}
