// SPDX-License-Identifier: Apache-2.0
/*
 * In which operator each node of a graph was captured. An executable graph is made of copies, and its launch comes
 * later and in no operator that knows of it.
 */
#include <errno.h>

#include "capture/decode/device_in.h"

enum { MAX_NODES = 1 << 18, MAX_COPIES = 8 };

static struct device_node *find(const struct device *device, uint64_t number)
{
	return slots_find(&device->nodes, number, sizeof(struct device_node));
}

/* Of more nodes than that the oldest graphs are gone. */
static struct device_node *add(struct device *device, uint64_t number)
{
	if (device->nodes.n >= MAX_NODES && !find(device, number)) {
		slots_done(&device->nodes);
		device->unsettled.n = 0;
	}
	return slots_get(&device->nodes, number, sizeof(struct device_node));
}

int device_nodes_take(struct device *device, const struct record *record)
{
	struct device_node *node = record->value ? add(device, record->value) : NULL;
	uint64_t *unsettled;

	if (!node)
		return record->value ? -ENOMEM : 0;
	*node = (struct device_node){ .number = record->value };
	if (record->flags != DEVICE_NODE_MADE) {
		node->of = record->time;
		return 0;
	}
	unsettled = array_add_raw(&device->unsettled, sizeof *unsettled);
	if (!unsettled)
		return -ENOMEM;
	node->time_ns = record->time;
	node->tid = (int32_t)record->id;
	*unsettled = record->value;
	return 0;
}

uint64_t device_nodes_settle(struct device *device, bool is_last)
{
	uint64_t *number = device->unsettled.data, oldest_ns = UINT64_MAX;
	size_t n_left = 0;

	for (size_t i = 0; i < device->unsettled.n; i++) {
		struct device_node *node = find(device, number[i]);
		const struct device_span *span;

		if (node && !is_last && !device_is_past(device, node->tid, node->time_ns)) {
			oldest_ns = node->time_ns < oldest_ns ? node->time_ns : oldest_ns;
			number[n_left++] = number[i];
			continue;
		}
		span = node ? device_span_at(device, node->tid, node->time_ns) : NULL;
		if (span)
			node->operator_node = span->node;
	}
	device->unsettled.n = n_left;
	return oldest_ns;
}

uint32_t device_nodes_operator(const struct device *device, uint64_t number)
{
	const struct device_node *node = find(device, number);

	for (unsigned i = 0; i < MAX_COPIES && node && node->of; i++)
		node = find(device, node->of);
	return node ? node->operator_node : 0;
}
