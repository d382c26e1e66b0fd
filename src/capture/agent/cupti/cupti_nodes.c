// SPDX-License-Identifier: Apache-2.0
/*
 * Tells when and on which thread a node of a graph is captured: that is in its operator, of which a later launch of the
 * graph knows nothing. An executable graph has copies of the nodes, with numbers of their own. CUPTI calls back on the
 * thread that makes a node or a copy, and never at a launch.
 */
#include <errno.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/device/device_teller.h"

bool cupti_nodes_enable(void *subscriber, bool on)
{
	bool are_told = cupti.EnableCallback && cupti.GetGraphNodeId &&
			!cupti.EnableCallback(on, subscriber, CUPTI_RESOURCE, CUPTI_NODE_CREATED);

	if (!are_told || !cupti.EnableCallback(on, subscriber, CUPTI_RESOURCE, CUPTI_NODE_CLONED))
		return are_told;
	cupti.EnableCallback(false, subscriber, CUPTI_RESOURCE, CUPTI_NODE_CREATED);
	return false;
}

void cupti_nodes_take(uint32_t what, const void *info)
{
	int saved = errno;
	/* a child of fork has CUPTI's callbacks, and no CUPTI */
	struct thread *thread = hot->generation ? agent_thread() : NULL;
	struct record record = { .type = RECORD_DEVICE_NODE };
	struct cupti_resource resource;
	struct cupti_graph_data data;

	errno = saved;
	memcpy(&resource, info, sizeof resource);
	if (!thread || !resource.graph)
		return;
	memcpy(&data, resource.graph, sizeof data);
	if (cupti.GetGraphNodeId(data.node, &record.value))
		record.value = 0;
	if (what == CUPTI_NODE_CREATED) {
		record.flags = DEVICE_NODE_MADE;
		record.time = clock_ns();
		record.id = (uint32_t)call_tid();
	} else if (what == CUPTI_NODE_CLONED && !cupti.GetGraphNodeId(data.original_node, &record.time)) {
		record.flags = DEVICE_NODE_CLONED;
	}
	if (record.value && record.flags)
		device_put(thread, &record);
	errno = saved;
}
