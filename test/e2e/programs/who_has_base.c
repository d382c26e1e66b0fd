/* SPDX-License-Identifier: Apache-2.0 */
/*
 * who_has_base [LIBRARY ...]: which OrtGetApiBase the program sees by a weak import, by look-ups, and each library by
 * its own import.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern const char *OrtGetApiBase(void) __attribute__((weak));

static void look(const char *what, void *handle)
{
	void *found;

	dlerror();
	found = dlsym(handle, "OrtGetApiBase");
	printf("%s: %d %s\n", what, found != NULL, dlerror());
}

int main(int argc, char **argv)
{
	printf("imported: %d\n", OrtGetApiBase != NULL);
	look("default", RTLD_DEFAULT);
	look("next", RTLD_NEXT);
	look("program", dlopen(NULL, RTLD_NOW));
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		const char *(*which)(void) = library ? (const char *(*)(void))dlsym(library, "which") : NULL;

		printf("%s\n", which ? which() : dlerror());
	}
	return 0;
}
