// SPDX-License-Identifier: Apache-2.0
/*
 * A library that has a runtime's names, and that the dynamic loader asks which of its functions to take (IFUNC): it
 * prints "loading", and answers after the seconds of SLOW_LOAD.
 */
#include <stdlib.h>
#include <unistd.h>

/* As many as the file of a runtime has at least, which is not small either. */
#define NAME "N3c1019DefaultCPUAllocatorE"
#define NAMES NAME, NAME, NAME, NAME, NAME, NAME, NAME, NAME
__attribute__((used)) static const char names[][sizeof NAME] = { NAMES, NAMES, NAMES, NAMES };
__attribute__((used)) static const char filling[1 << 19] = { 1 };

static int answer_of(void)
{
	return 42;
}

static int (*choose(void))(void)
{
	const char *seconds = getenv("SLOW_LOAD");

	if (write(1, "loading\n", 8) == 8 && seconds)
		usleep((unsigned)atoi(seconds) * 1000000u);
	return answer_of;
}

__attribute__((ifunc("choose"), visibility("hidden"))) int answer(void);

/* A call, whose address is found after those of the C library's functions. */
int ask(void)
{
	return answer();
}
