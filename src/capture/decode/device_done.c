// SPDX-License-Identifier: Apache-2.0
/* Frees what was kept of a device. */
#include <stdlib.h>

#include "capture/decode/device_in.h"

void device_done(struct device *device)
{
	struct device_thread *thread = device->threads.data;

	for (size_t i = 0; i < device->threads.n; i++)
		array_done(&thread[i].spans, sizeof(struct device_span));
	array_done(&device->threads, sizeof *thread);
	array_done(&device->work, sizeof(struct device_work));
	array_done(&device->calls, sizeof(struct device_call));
	array_done(&device->lines, sizeof(struct device_line));
	array_done(&device->groups, sizeof(struct device_group));
	array_done(&device->unsettled, sizeof(uint64_t));
	slots_done(&device->nodes);
	free(device->names);
}
