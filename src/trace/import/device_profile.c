// SPDX-License-Identifier: Apache-2.0
/* Allocates and frees a device profile. Reads no file. */
#include "trace/import/device_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct device_row *device_profile_row(struct device_profile *profile)
{
	return ARRAY_ROOM(profile->rows, profile->row_room, profile->n_rows + 1) ? &profile->rows[profile->n_rows++]
										 : NULL;
}

struct device_execution *device_profile_execution(struct device_profile *profile)
{
	return ARRAY_ROOM(profile->executions, profile->execution_room, profile->n_executions + 1)
		   ? &profile->executions[profile->n_executions++]
		   : NULL;
}

void device_profile_done(struct device_profile *profile)
{
	free(profile->executions);
	free(profile->rows);
	memset(profile, 0, sizeof *profile);
}
