/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a user preloads into a program: interposes puts and calls the next definition. */
#include <dlfcn.h>
#include <stdio.h>

int puts(const char *text)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");

	next("before");
	return next(text);
}
