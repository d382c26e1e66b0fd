// SPDX-License-Identifier: Apache-2.0
/* The driver numbers its devices by itself; its topology maps them to nodes of /dev/dri. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source/device/device_source.h"

enum { MOST_NODES = 128 };

/* The number behind "drm_render_minor" in the properties of a node. */
static bool read_minor(const char *sysroot, int node, uint64_t *minor)
{
	static const char key[] = "\ndrm_render_minor ";
	char path[96], text[4096];
	const char *at;

	snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/properties", node);
	if (device_read(sysroot, path, text, sizeof text) <= 0)
		return false;
	at = strstr(text, key);
	if (!at)
		return false;
	*minor = strtoull(at + sizeof key - 1, NULL, 10);
	return true;
}

uint64_t kfd_id(const char *sysroot, const struct device *device)
{
	char path[96], name[32];
	uint64_t minor, id;

	for (int node = 0; node < MOST_NODES; node++) {
		if (!read_minor(sysroot, node, &minor))
			continue;
		snprintf(name, sizeof name, "renderD%" PRIu64, minor);
		snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/gpu_id", node);
		if (!device_of_node(device, 1, name) && !device_read_number(sysroot, path, &id))
			return id;
	}
	return 0;
}

bool kfd_read(const char *sysroot, uint64_t id, pid_t pid, struct kfd_use *use)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/class/kfd/kfd/proc/%d/vram_%" PRIu64, (int)pid, id);
	use->has_memory = !device_read_number(sysroot, path, &use->memory_bytes);
	snprintf(path, sizeof path, "/sys/class/kfd/kfd/proc/%d/stats_%" PRIu64 "/cu_occupancy", (int)pid, id);
	use->has_units = use->has_memory && !device_read_number(sysroot, path, &use->units);
	return use->has_memory;
}
