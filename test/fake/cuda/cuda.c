// SPDX-License-Identifier: Apache-2.0
/*
 * A libcuda.so.1 that pretends a device. cuInit loads the library that CUDA_INJECTION64_PATH names, as NVIDIA's does.
 *
 * FAKE_CUDA=word,...: version=N, that of CUDA that the driver allows (13010); devices=N (1); inside: it says that it is
 * initialised while it calls the injected library
 */
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CUDA_OK = 0, CUDA_NOT_INITIALIZED = 3 };

int cuInit(unsigned flags);
int cuDeviceGetCount(int *n);
int cuDriverGetVersion(int *version);

static const struct fake_observer *observer;
static int is_initialized;

static long word(const char *name, long otherwise)
{
	const char *words = getenv("FAKE_CUDA"), *at = words ? strstr(words, name) : NULL;

	if (!at)
		return otherwise;
	at += strlen(name);
	return *at == '=' ? strtol(at + 1, NULL, 10) : 1;
}

static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
	int (*begin)(void);

	if (!library)
		return;
	*(void **)&begin = dlsym(library, "InitializeInjection");
	if (begin && begin() != 1)
		fprintf(stderr, "fake driver: the injected library failed\n");
}

int cuInit(unsigned flags)
{
	static int has_begun;

	(void)flags;
	if (has_begun)
		return CUDA_OK;
	has_begun = 1;
	is_initialized = word("inside", 0) != 0;
	inject();
	is_initialized = 1;
	return CUDA_OK;
}

int cuDeviceGetCount(int *n)
{
	*n = (int)word("devices", 1);
	return is_initialized ? CUDA_OK : CUDA_NOT_INITIALIZED;
}

int cuDriverGetVersion(int *version)
{
	*version = (int)word("version", 13010);
	return CUDA_OK;
}

int fake_is_initialized(void)
{
	return is_initialized;
}

void fake_observe(const struct fake_observer *by)
{
	observer = by;
}

static void spend(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000l + now.tv_nsec - from.tv_nsec < ns);
}

void fake_launch(uint32_t stream, uint64_t device_ns, const char *name)
{
	if (observer)
		observer->launch(stream, device_ns, name);
	else
		spend(2000);
}

void fake_copy(uint32_t stream, uint64_t bytes, int direction)
{
	if (observer)
		observer->copy(stream, bytes, direction);
}

void fake_graph(uint32_t stream, unsigned n_nodes, uint64_t each_ns, const char *name)
{
	if (observer)
		observer->graph(stream, n_nodes, each_ns, name);
}

void fake_capture(void)
{
	if (observer && observer->capture)
		observer->capture();
}

void fake_captured(void)
{
	if (observer && observer->captured)
		observer->captured();
}

void fake_replay(uint32_t stream)
{
	if (observer && observer->replay)
		observer->replay(stream);
}

void fake_sync(uint32_t stream)
{
	if (observer)
		observer->sync(stream);
}
