// SPDX-License-Identifier: Apache-2.0
/* Chooses the way to see into programs. What a way does is in attach_probe.c and attach_inject.c. */
#include "base/privilege.h"
#include "capture/proc/namespace.h"
#include "capture/recorder/attach/attach_in.h"

int attach_check(struct err *err)
{
	int code = recorder_allow_descriptors(err);

	return code ? code : namespace_check_proc(err);
}

int recorder_attach(const struct recorder_opts *opts, struct recorder_attach_opts *attach,
		    struct recorder_result *result, struct err *err)
{
	const struct attach_job job = { opts, attach, result };
	bool was_on = privilege_use(true);
	int code = attach->injects ? attach_inject(&job, err) : attach_probe(&job, err);

	privilege_use(was_on);
	return code;
}
