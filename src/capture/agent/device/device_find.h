/* SPDX-License-Identifier: Apache-2.0 */
/* A library beside others that the program has loaded. */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_FIND_H
#define CAPTURE_AGENT_DEVICE_DEVICE_FIND_H

/* All lists end with NULL. */
struct device_beside {
	const char *const *near;    /* how the names of those files begin */
	const char *const *folders; /* from theirs: "", "/../lib" */
	const char *const *names;   /* of the library, the best first */
	int mode;		    /* of dlopen */
};

/* NULL: there is none. Not under the loader's lock. */
void *device_open_beside(const struct device_beside *beside);

#endif
