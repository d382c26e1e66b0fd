// SPDX-License-Identifier: Apache-2.0
/*
 * Refers to the oldest version of each function, by which every GNU C library has it, and weakly. The dynamic linker
 * looks for a name and a version in all libraries, wherever this was linked.
 */
#include "capture/agent/glibc.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/processor.h"

/*
 * Linked with a C library that has libdl apart, a name has no version unless its library is needed; the dynamic linker
 * takes the oldest for such a name.
 */
#ifdef LIBDL_APART
#define REFER(name)
#else
#define REFER(name) __asm__(".symver " #name "," #name "@" PROCESSOR_LIBC);
#endif

REFER(dlopen)
REFER(dlclose)
REFER(dlvsym)
REFER(pthread_create)
REFER(pthread_detach)
REFER(pthread_key_create)
REFER(pthread_setspecific)
#pragma weak dlopen
#pragma weak dlclose
#pragma weak dlvsym
#pragma weak pthread_create
#pragma weak pthread_detach
#pragma weak pthread_key_create
#pragma weak pthread_setspecific

/* Up to 2.33, where libdl may be missing: what the C library itself loads and looks up with. */
void *__libc_dlopen_mode(const char *name, int mode) __attribute__((weak));
void *__libc_dlsym(void *handle, const char *name) __attribute__((weak));
#define OPENS_FROM_LIBC 0x80000000u

struct glibc glibc;

/* dlsym is defined by the agent itself (first.c). */
static void find_dlsym(void)
{
	static const char *const versions[] = { "GLIBC_2.34", PROCESSOR_LIBC };
	void *found;

	for (unsigned i = 0; i < 2 && dlvsym && !glibc.dlsym; i++) {
		found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
		memcpy(&glibc.dlsym, &found, sizeof found);
	}
}

void glibc_start(void)
{
#define START(name) \
	if (!glibc.name) \
		glibc.name = name;
	START(dlopen)
	START(dlclose)
	START(pthread_create)
	START(pthread_detach)
	START(pthread_key_create)
	START(pthread_setspecific)
	find_dlsym();
}

void glibc_learn(void *handle)
{
	void *found;

#define LEARN(result, name, params) \
	if (!glibc.name && (found = glibc.dlsym(handle, #name))) \
		memcpy(&glibc.name, &found, sizeof found);
	if (glibc.dlsym) {
		GLIBC_FUNCTIONS(LEARN)
	}
}

void *glibc_next(const char *name)
{
	void *libc;

	if (glibc.dlsym)
		return glibc.dlsym(RTLD_NEXT, name);
	if (!__libc_dlopen_mode || !__libc_dlsym)
		return NULL;
	libc = __libc_dlopen_mode("libc.so.6", (int)(RTLD_NOW | OPENS_FROM_LIBC));
	return libc ? __libc_dlsym(libc, name) : NULL;
}
