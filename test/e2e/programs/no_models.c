/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_models LIBRARY FILE...: makes a session from the path of each file, and from its bytes. Prints the runtime's
 * messages.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ort.h"

static char bytes[1 << 16];

static void *call(struct ort *ort, void *options, const char *path, size_t size, void **session)
{
	if (path)
		return ((void *(*)(void *, const char *, void *, void **))ort->api[ORT_CREATE_SESSION])(
		    ort->env, path, options, session);
	return ((void *(*)(void *, const void *, size_t, void *, void **))ort->api[ORT_CREATE_SESSION_FROM_ARRAY])(
	    ort->env, bytes, size, options, session);
}

static void attempt(struct ort *ort, const char *path, size_t size)
{
	void *options, *session = NULL, *status = ((void *(*)(void **))ort->api[ORT_CREATE_OPTIONS])(&options);

	if (status)
		exit(1);
	((void *(*)(void *, int))ort->api[ORT_SET_SEVERITY])(options, 4);
	status = call(ort, options, path, size, &session);
	printf("%s: %s\n", status ? "failed" : "worked",
	       status ? ((const char *(*)(void *))ort->api[ORT_ERROR_MESSAGE])(status) : path);
	if (status)
		((void (*)(void *))ort->api[ORT_RELEASE_STATUS])(status);
	else
		((void (*)(void *))ort->api[ORT_RELEASE_SESSION])(session);
	((void (*)(void *))ort->api[ORT_RELEASE_OPTIONS])(options);
}

int main(int argc, char **argv)
{
	struct ort ort;

	ort_open(&ort, runtime_open(argv[1]));
	for (int i = 2; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;

		if (file)
			fclose(file);
		attempt(&ort, argv[i], 0);
		attempt(&ort, NULL, size);
	}
	ort_close(&ort);
	return 0;
}
