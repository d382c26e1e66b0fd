/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_plugin PLUGIN MODEL SHAPE OUT_LEN N: opens a library that is linked to the runtime. Looks nothing up: the library
 * announces itself from its constructor, as plugins in C++ do.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void announce(void (*run)(const char *, const char *, size_t, long));

static void (*announced)(const char *, const char *, size_t, long);

__attribute__((visibility("default"))) void announce(void (*run)(const char *, const char *, size_t, long))
{
	announced = run;
}

int main(int argc, char **argv)
{
	if (!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) || !announced) {
		puts(dlerror());
		return 1;
	}
	announced(argv[2], argv[3], (size_t)atol(argv[4]), atol(argv[5]));
	return 0;
}
