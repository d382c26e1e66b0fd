// SPDX-License-Identifier: Apache-2.0
/* The slowest inferences of a model, and what was different about them. */
#include <errno.h>

#include "analyze/summary/sum_in.h"

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

/* The operator without others inside that took most more than its median. */
static void find_node(const struct slow *slow, const struct medians *medians, struct summary_slow *to)
{
	const struct slow_node *nodes = slow->nodes.data;

	for (size_t i = 0; i < slow->nodes.n; i++) {
		uint32_t index = keys_find(&medians->keys, nodes[i].name, 0);
		uint64_t median;

		if (index == NONE)
			continue;
		median = ((const uint64_t *)medians->ns.data)[index];
		if (nodes[i].ns > median && nodes[i].ns - median > to->node_ns - to->node_p50_ns) {
			to->node = nodes[i].name;
			to->node_ns = nodes[i].ns;
			to->node_p50_ns = median;
		}
	}
}

/* The slowest of all buckets of a model, longest first. */
static uint32_t find_longest(const struct summary_maker *maker, uint32_t model, const struct slow *longest[])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < maker->buckets.n; i++) {
		const struct bucket *bucket = bucket_at(maker, i);

		for (uint32_t k = 0; bucket->model == model && k < bucket->n_slowest; k++) {
			const struct slow *slow = &bucket->slowest[k];
			uint32_t at;

			if (n == SUMMARY_SLOWEST && longest[n - 1]->row.duration_ns >= slow->row.duration_ns)
				continue;
			if (n < SUMMARY_SLOWEST)
				n++;
			for (at = n - 1; at && longest[at - 1]->row.duration_ns < slow->row.duration_ns; at--)
				longest[at] = longest[at - 1];
			longest[at] = slow;
		}
	}
	return n;
}

static int take_model(struct summary_maker *maker, struct end *end, uint32_t index, const struct medians *medians)
{
	const struct slow *longest[SUMMARY_SLOWEST];
	struct summary_model *model = model_at(end, index);
	uint32_t n = find_longest(maker, index, longest);

	model->slowest.first = (uint32_t)end->slowest.n;
	for (uint32_t i = 0; i < n; i++) {
		struct summary_slow *slow = array_add(&end->slowest, sizeof *slow);

		if (!slow)
			return -ENOMEM;
		*slow = longest[i]->row;
		slow->process = process_at(maker, longest[i]->process)->index;
		slow->model = index;
		slow->is_in_creation |= times_touch(&process_at(maker, longest[i]->process)->creations.times,
						    slow->begin_ns, slow->begin_ns + slow->duration_ns);
		find_node(longest[i], medians, slow);
		model->slowest.n++;
	}
	return 0;
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
