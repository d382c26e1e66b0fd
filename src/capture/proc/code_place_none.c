// SPDX-License-Identifier: Apache-2.0
/* Built without libdw: no place is known. */
#include <errno.h>

#include "capture/proc/code_place.h"

int code_place_find(struct code_place *place, const struct code_asked *asked, struct err *err)
{
	return err_set(err, ENOSYS, "cannot find a line of %s: inftrace was built without libdw", asked->name);
}
