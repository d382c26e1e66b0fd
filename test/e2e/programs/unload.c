/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unload N LIBRARY...: a thread opens and closes libraries, N times, while another looks up a name by which a
 * program enters a runtime.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int has_ended;

static void *look_up(void *unused)
{
	long n = 0;

	while (!__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE))
		n += dlsym(RTLD_DEFAULT, "PyInit_there_is_none") != NULL;
	return (void *)n;
}

int main(int argc, char **argv)
{
	long n = atol(argv[1]), opened = 0;
	pthread_t thread;
	void *found;

	pthread_create(&thread, NULL, look_up, NULL);
	for (long i = 0; i < n; i++) {
		void *library[8] = { NULL };

		for (int k = 2; k < argc && k < 10; k++)
			opened += (library[k - 2] = dlopen(argv[k], RTLD_NOW | RTLD_LOCAL)) != NULL;
		for (int k = 0; k < 8; k++)
			if (library[k])
				dlclose(library[k]);
		usleep(300); /* nothing lies in their place for a while */
	}
	__atomic_store_n(&has_ended, 1, __ATOMIC_RELEASE);
	pthread_join(thread, &found);
	printf("%ld %ld\n", opened, (long)found);
	return 0;
}
