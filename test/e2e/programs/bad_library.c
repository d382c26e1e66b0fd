// SPDX-License-Identifier: Apache-2.0
/*
 * A library of custom operators, none in fact, that brings the process down: built with -DAT_LOAD when it is
 * registered, with -DAT_UNLOAD when the session is gone; with -DHANG it does not come back instead. With -DAT_CALL it
 * is a runtime that crashes when it is asked.
 */
#include <stddef.h>
#include <unistd.h>

void *RegisterCustomOps(void *options, const void *api);
const void *OrtGetApiBase(void);

static void harm(void)
{
#ifdef HANG
	for (;;)
		pause();
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
/* so that it is used either way */
__attribute__((used)) static void (*const unused)(void) = harm;
#endif
