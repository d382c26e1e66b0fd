// SPDX-License-Identifier: Apache-2.0
/* The slowest inferences of a model, and what was different about them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

/* More models than that are too many to look into. */
enum { MAX_MODELS = 32 };

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

/* The median of each node of a model, by name: of the one that takes most, where several have it. */
struct medians {
	struct keys keys;
	struct array ns; /* uint64_t */
};

static int find_medians(const struct end *end, const struct summary_model *model, struct medians *medians)
{
	const struct summary_operator *nodes = end->nodes.data;

	for (uint32_t i = model->nodes.first; i < model->nodes.first + model->nodes.n; i++) {
		uint32_t n = medians->keys.n, index = keys_number(&medians->keys, nodes[i].name, 0);

		if (index == NONE || (index == n && !array_add(&medians->ns, sizeof(uint64_t))))
			return -ENOMEM;
		if (index == n)
			((uint64_t *)medians->ns.data)[index] = nodes[i].duration.p50_ns;
	}
	return 0;
}

static bool median_of(const struct medians *medians, uint32_t name, uint64_t *ns)
{
	uint32_t index = keys_find(&medians->keys, name, 0);

	if (index != NONE)
		*ns = ((const uint64_t *)medians->ns.data)[index];
	return index != NONE;
}

/* Does another operator that took longer than its median contain this one? */
static bool is_within(const struct slow *slow, const struct slow_node *node, const struct medians *medians)
{
	const struct slow_node *nodes = slow->nodes.data;

	for (size_t i = 0; i < slow->nodes.n; i++) {
		uint64_t median;

		if (!nodes[i].is_leaf && &nodes[i] != node && nodes[i].track == node->track &&
		    nodes[i].begin_ns <= node->begin_ns &&
		    node->begin_ns + node->ns <= nodes[i].begin_ns + nodes[i].ns &&
		    median_of(medians, nodes[i].name, &median) && nodes[i].ns > median)
			return true;
	}
	return false;
}

/* Those that took most more than their median; one inside another that did counts for that one. */
static void find_nodes(const struct slow *slow, const struct medians *medians, struct summary_slow *to)
{
	const struct slow_node *nodes = slow->nodes.data;

	for (size_t i = 0; i < slow->nodes.n; i++) {
		struct summary_slow_node node = { nodes[i].name, nodes[i].ns, 0 };
		uint32_t at = SUMMARY_SLOW_NODES;

		if (!median_of(medians, node.name, &node.p50_ns) || node.ns <= node.p50_ns ||
		    is_within(slow, &nodes[i], medians))
			continue;
		to->nodes_ns = stats_sum(to->nodes_ns, node.ns - node.p50_ns);
		while (at && to->nodes[at - 1].ns - to->nodes[at - 1].p50_ns < node.ns - node.p50_ns)
			at--;
		if (at == SUMMARY_SLOW_NODES)
			continue;
		memmove(&to->nodes[at + 1], &to->nodes[at], (SUMMARY_SLOW_NODES - 1 - at) * sizeof node);
		to->nodes[at] = node;
	}
}

/* The operator without others inside that took most more than its median. */
static void find_node(const struct slow *slow, const struct medians *medians, struct summary_slow *to)
{
	const struct slow_node *nodes = slow->nodes.data;

	for (size_t i = 0; i < slow->nodes.n; i++) {
		uint64_t median;

		if (!nodes[i].is_leaf || !median_of(medians, nodes[i].name, &median))
			continue;
		if (nodes[i].ns > median && nodes[i].ns - median > to->node_ns - to->node_p50_ns) {
			to->node = nodes[i].name;
			to->node_ns = nodes[i].ns;
			to->node_p50_ns = median;
		}
	}
}

/* One of the slowest, and the bucket that it is in. */
struct longest {
	struct slow *slow;
	struct bucket *bucket;
};

/* The slowest of all buckets of a model, longest first; *joined: the bucket that has the stats of all. */
static uint32_t find_longest(const struct summary_maker *maker, uint32_t model, struct longest *longest,
			     struct bucket **joined)
{
	uint32_t n = 0, most = maker->max_slowest;

	*joined = NULL;
	for (uint32_t i = 0; i < maker->buckets.n; i++) {
		struct bucket *bucket = bucket_at(maker, i);

		if (bucket->model == model && !*joined)
			*joined = bucket;
		for (uint32_t k = 0; bucket->model == model && k < bucket->n_slowest; k++) {
			uint64_t ns = bucket->slowest[k].row.duration_ns;
			uint32_t at;

			if (n == most && longest[n - 1].slow->row.duration_ns >= ns)
				continue;
			n += n < most;
			for (at = n - 1; at && longest[at - 1].slow->row.duration_ns < ns; at--)
				longest[at] = longest[at - 1];
			longest[at] = (struct longest){ &bucket->slowest[k], bucket };
		}
	}
	return n;
}

static void fill(struct summary_maker *maker, const struct longest *longest, struct summary_slow *to)
{
	const struct process *process = process_at(maker, longest->slow->process);
	uint64_t end_ns = to->begin_ns + to->duration_ns;

	to->process = process->index;
	to->is_in_creation |= times_touch(&process->creations.times, to->begin_ns, end_ns);
	to->creation_ns = times_within(&process->creations.times, to->begin_ns, end_ns);
	to->other_process = process_at(maker, to->other_process)->index;
	if (longest->slow->tally)
		to->n_of_shape = ((struct summary_tally *)maker->tallies.data)[longest->slow->tally - 1].n;
	sum_halts_put(process, to);
	sum_why_put(maker, longest->slow, to);
}

static int take_model(struct summary_maker *maker, struct end *end, uint32_t index, const struct medians *medians)
{
	struct longest *longest = calloc(maker->max_slowest, sizeof *longest);
	struct summary_model *model = model_at(end, index);
	uint32_t n_listed = maker->opts.slowest ? maker->opts.slowest : SUMMARY_SLOWEST;
	struct bucket *joined;
	uint32_t n = longest ? find_longest(maker, index, longest, &joined) : 0;
	int rc = longest ? 0 : -ENOMEM;

	model->slowest.first = (uint32_t)end->slowest.n;
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct summary_slow *slow = array_add(&end->slowest, sizeof *slow);

		if (!slow) {
			rc = -ENOMEM;
			break;
		}
		*slow = longest[i].slow->row;
		slow->model = index;
		fill(maker, &longest[i], slow);
		sum_usual_put(longest[i].bucket, joined, longest[i].slow, sum_sizes_usual(joined, slow->size),
			      &model->runs.latency, &slow->usual);
		find_node(longest[i].slow, medians, slow);
		find_nodes(longest[i].slow, medians, slow);
		model->slowest.n += i < n_listed;
		model->n_tail++;
	}
	free(longest);
	return rc;
}

int sum_slowest_make(struct summary_maker *maker, struct end *end)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < end->models.n && i < MAX_MODELS; i++) {
		struct medians medians = { 0 };

		rc = find_medians(end, model_at(end, i), &medians);
		if (!rc)
			rc = take_model(maker, end, i, &medians);
		keys_done(&medians.keys);
		array_done(&medians.ns, sizeof(uint64_t));
	}
	return rc;
}
