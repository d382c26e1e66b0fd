// SPDX-License-Identifier: Apache-2.0
/* fake_run LIBRARY N: a program that opens the made-up runtime and runs a session of it N times. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_runtime.h"

int main(int argc, char **argv)
{
	struct fake_session *(*new_session)(const char *);
	void (*free_session)(struct fake_session *);
	long (*run)(struct fake_session *), sum = 0;
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	struct fake_session *session;

	if (!library)
		return 2;
	new_session = (struct fake_session * (*)(const char *)) dlsym(library, "fake_session_new");
	run = (long (*)(struct fake_session *))dlsym(library, "fake_session_run");
	free_session = (void (*)(struct fake_session *))dlsym(library, "fake_session_free");
	session = new_session("made-up model");
	for (long i = 0; i < atol(argv[2]); i++)
		sum = run(session);
	free_session(session);
	printf("%ld\n", sum);
	return 0;
}
