// SPDX-License-Identifier: Apache-2.0
/* Allocates and frees a device profile. Reads no file. */
#include "trace/import/device_profile.h"

#include <stdlib.h>
#include <string.h>

static void *add(void **array, size_t *n, size_t *room, size_t size)
{
	if (*n == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *bigger = reallocarray(*array, more, size);

		if (!bigger)
			return NULL;
		*array = bigger;
		*room = more;
	}
	return memset((char *)*array + size * (*n)++, 0, size);
}

struct device_row *device_profile_row(struct device_profile *profile)
{
	return add((void **)&profile->rows, &profile->n_rows, &profile->row_room, sizeof *profile->rows);
}

struct device_execution *device_profile_execution(struct device_profile *profile)
{
	return add((void **)&profile->executions, &profile->n_executions, &profile->execution_room,
		   sizeof *profile->executions);
}

void device_profile_done(struct device_profile *profile)
{
	free(profile->executions);
	free(profile->rows);
	memset(profile, 0, sizeof *profile);
}
