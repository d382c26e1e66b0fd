// SPDX-License-Identifier: Apache-2.0
/*
 * Names of kernels, which come when their code is loaded, and of devices, which come at the begin. They are kept in
 * memory of the agent's own: kernels are told of by number, perhaps when their code is gone.
 */
#include <errno.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/rocm/rocm_in.h"

enum { KERNELS = 1 << 16, NAME_BYTES = 16 << 20, NAME_MOST = 4096, DEVICES = 64, IS_GPU = 2, VERSION_0 = 1 };

static struct {
	struct lock lock;
	char *names;
	uint32_t n_bytes;
	struct {
		uint32_t at, registers; /* at: 0: none */
	} *kernel;			/* by number */
} kept;

static struct {
	uint64_t agent[DEVICES];
	uint32_t n;
} devices;

static bool has_room(void)
{
	const size_t bytes = KERNELS * sizeof *kept.kernel + NAME_BYTES;
	char *memory;

	if (kept.names)
		return true;
	memory = call_map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	kept.kernel = (void *)memory;
	kept.n_bytes = 1;
	kept.names = memory + KERNELS * sizeof *kept.kernel;
	return true;
}

/* As ROCm calls a kernel's descriptor. */
static size_t length_of(const char *name)
{
	size_t len = strnlen(name, NAME_MOST - 1);

	return len > 3 && !memcmp(name + len - 3, ".kd", 3) ? len - 3 : len;
}

static void keep(const struct rocm_kernel *kernel)
{
	const char *name = (const char *)(uintptr_t)kernel->name;
	size_t len = length_of(name);

	if (kernel->id >= KERNELS || !has_room() || kept.n_bytes + len + 1 > NAME_BYTES)
		return;
	memcpy(kept.names + kept.n_bytes, name, len);
	kept.names[kept.n_bytes + len] = 0;
	kept.kernel[kernel->id].registers = kernel->registers;
	__atomic_store_n(&kept.kernel[kernel->id].at, kept.n_bytes, __ATOMIC_RELEASE);
	kept.n_bytes += (uint32_t)len + 1;
}

void rocm_kernel_loaded(struct rocm_told told, void *user, void *data)
{
	const uint8_t *symbol = rocm_symbol(&told, rocm.code_objects);
	struct rocm_kernel kernel;
	int saved = errno;

	(void)user;
	(void)data;
	if (!symbol || !rocm_read_kernel(symbol, ROCM_MOST, &kernel) || !kernel.name)
		return;
	lock_take(&kept.lock);
	keep(&kernel);
	lock_give(&kept.lock);
	errno = saved;
}

const char *rocm_kernel_name(uint64_t id, uint32_t *registers)
{
	uint32_t at = id < KERNELS && kept.names ? __atomic_load_n(&kept.kernel[id].at, __ATOMIC_ACQUIRE) : 0;

	if (at && registers)
		*registers = kept.kernel[id].registers;
	return at ? kept.names + at : NULL;
}

/* Each begins with its size, its handle and its type. */
static int each_agent(int version, const void **agents, size_t n, void *data)
{
	(void)version;
	(void)data;
	for (size_t i = 0; i < n && devices.n < DEVICES; i++) {
		uint64_t head[2];
		uint32_t type;

		memcpy(head, agents[i], sizeof head);
		memcpy(&type, (const char *)agents[i] + sizeof head, sizeof type);
		if (head[0] >= sizeof head + sizeof type && type == IS_GPU)
			devices.agent[devices.n++] = head[1];
	}
	return 0;
}

void rocm_device_start(void)
{
	devices.n = 0;
	rocm.query_available_agents(VERSION_0, each_agent, 3 * sizeof(uint64_t), NULL);
}

uint32_t rocm_device_number(uint64_t handle)
{
	for (uint32_t i = 0; i < devices.n; i++)
		if (devices.agent[i] == handle)
			return i;
	return UINT32_MAX;
}
