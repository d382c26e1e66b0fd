// SPDX-License-Identifier: Apache-2.0
/*
 * A library of custom operators that has none and crashes the process: with -DAT_LOAD when it is registered, with
 * -DAT_UNLOAD after the session is released. With -DHANG it never returns instead of crashing, with -DEXIT it calls
 * exit. With -DAT_CALL it is a runtime that crashes in OrtGetApiBase.
 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *RegisterCustomOps(void *options, const void *api);
const void *OrtGetApiBase(void);

static void harm(void)
{
#ifdef HANG
	for (;;)
		pause();
#elif defined(EXIT)
	exit(7);
#else
	*(volatile int *)8 = 0;
#endif
}

void *RegisterCustomOps(void *options, const void *api)
{
	(void)options;
	(void)api;
#ifdef AT_LOAD
	harm();
#endif
	return NULL;
}

#ifdef AT_CALL
const void *OrtGetApiBase(void)
{
	harm();
	return NULL;
}
#endif

#ifdef AT_UNLOAD
__attribute__((destructor)) static void unloaded(void)
{
	harm();
}
#else
/* for builds that do not use harm */
__attribute__((used)) static void (*const unused)(void) = harm;
#endif
