/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls functions of the dynamic linker whose results depend on the caller: the default and the next definition of a
 * name, a missing name and its error text, a name with a version, several threads at once.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *where(void *address)
{
	Dl_info info;

	if (!address)
		return "nowhere";
	if (!dladdr(address, &info))
		return "unknown";
	return strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
}

static void *look_often(void *arg)
{
	void *first = dlsym(RTLD_DEFAULT, "strtol");

	for (int i = 0; i < 100000; i++)
		if (dlsym(RTLD_DEFAULT, "strtol") != first || dlsym(RTLD_DEFAULT, "there_is_no_such_name"))
			return (void *)1;
	return NULL;
}

int own_name(void);
int own_name(void)
{
	return 1;
}

int main(void)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW), *wrong, *self = dlopen(NULL, RTLD_NOW);
	pthread_t thread[4];
	const char *error;

	printf("default puts: %s\n", where(dlsym(RTLD_DEFAULT, "puts")));
	printf("next puts: %s\n", where(dlsym(RTLD_NEXT, "puts")));
	printf("next own_name: %s\n", where(dlsym(RTLD_NEXT, "own_name")));
	printf("own_name in the program: %d\n", dlsym(self, "own_name") == (void *)own_name);
	printf("cos of libm: %s\n", where(dlsym(libm, "cos")));
	printf("cos with a version: %s\n", where(dlvsym(libm, "cos", "GLIBC_2.2.5")));
	printf("dlsym calls itself: %d\n", dlsym(RTLD_DEFAULT, "dlsym") != NULL);
	dlerror();
	wrong = dlsym(libm, "there_is_no_such_name");
	error = dlerror();
	printf("wrong: %d %s\n", wrong != NULL, error ? strstr(error, "undefined symbol") : "no error");
	printf("error again: %d\n", dlerror() != NULL);
	wrong = dlopen("libthere-is-no-such-library.so", RTLD_NOW);
	error = dlerror();
	printf("library: %d %s\n", wrong != NULL, error ? strstr(error, "cannot open") : "no error");
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, look_often, NULL);
	for (int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		printf("thread %d\n", failed != NULL);
	}
	return 0;
}
