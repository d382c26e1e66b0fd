// SPDX-License-Identifier: Apache-2.0
/* A libze_loader.so.1 that pretends a device. Launches are those of test/fake/cuda. */
#include <stdint.h>

enum { NOT_INITIALIZED = 0x78000001 };

int zeInit(unsigned flags);
int zeDriverGet(uint32_t *n, void *drivers);

static int is_initialized;

int zeInit(unsigned flags)
{
	(void)flags;
	is_initialized = 1;
	return 0;
}

int zeDriverGet(uint32_t *n, void *drivers)
{
	(void)drivers;
	*n = 1;
	return is_initialized ? 0 : NOT_INITIALIZED;
}
