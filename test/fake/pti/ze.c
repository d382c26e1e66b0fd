// SPDX-License-Identifier: Apache-2.0
/*
 * A libze_loader.so.1 that pretends a driver of an NPU, and one of a GPU, unless FAKE_ZE=npu. Launches are those of
 * test/fake/cuda.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_INITIALIZED = 0x78000001, OF_DEVICE = 3, KIND_AT = 16, GPU = 1, NPU = 5 };

int zeInit(unsigned flags);
int zeDriverGet(uint32_t *n, void **drivers);
int zeDeviceGet(void *driver, uint32_t *n, void **devices);
int zeDeviceGetProperties(void *device, void *to);

static int is_initialized;
static char drivers_of[2], devices_of[2];

static uint32_t n_drivers(void)
{
	const char *words = getenv("FAKE_ZE");

	return words && !strcmp(words, "npu") ? 1 : 2;
}

int zeInit(unsigned flags)
{
	(void)flags;
	is_initialized = 1;
	return 0;
}

int zeDriverGet(uint32_t *n, void **drivers)
{
	if (!is_initialized)
		return NOT_INITIALIZED;
	*n = drivers && *n < n_drivers() ? *n : n_drivers();
	for (uint32_t i = 0; drivers && i < *n; i++)
		drivers[i] = &drivers_of[i];
	return 0;
}

int zeDeviceGet(void *driver, uint32_t *n, void **devices)
{
	*n = 1;
	if (devices)
		devices[0] = &devices_of[(char *)driver - drivers_of];
	return 0;
}

int zeDeviceGetProperties(void *device, void *to)
{
	uint32_t own, kind = device == &devices_of[1] ? GPU : NPU;

	memcpy(&own, to, sizeof own);
	if (own != OF_DEVICE)
		return 1;
	memcpy((char *)to + KIND_AT, &kind, sizeof kind);
	return 0;
}
