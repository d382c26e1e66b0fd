// SPDX-License-Identifier: Apache-2.0
/* inftrace_profile_list: copies what is known under the lock, and calls the program without it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "library/library_in.h"

/* false: out of memory. */
static bool copy(struct array *copies, const struct gather *gather)
{
	const struct gather_program *programs = gather->programs.data;

	for (size_t i = 0; i < gather->programs.n; i++) {
		struct inftrace_program *to;

		if (programs[i].gone_ns)
			continue;
		to = array_add(copies, sizeof *to);
		if (!to)
			return false;
		*to = (struct inftrace_program){ .size = sizeof *to,
						 .model = strdup(names_text(gather->sink.names, programs[i].model)),
						 .session = (const void *)(uintptr_t)programs[i].object,
						 .number = programs[i].number,
						 .n_inferences = programs[i].n_inferences };
		if (!to->model)
			return false;
	}
	return true;
}

int inftrace_profile_list(inftrace_program_fn *program, void *ctx)
{
	struct array copies = { 0 };
	const struct inftrace_program *found;
	bool is_whole = true;
	int n;

	message_clear();
	if (!program)
		return message_end(-EINVAL);
	pthread_mutex_lock(&handles.mutex);
	collecting_wait();
	if (collecting_is_on())
		is_whole = copy(&copies, &handles.collector.gather);
	pthread_mutex_unlock(&handles.mutex);
	found = copies.data;
	n = (int)copies.n;
	for (int i = 0; i < n; i++) {
		if (is_whole)
			program(ctx, &found[i]);
		free((char *)(uintptr_t)found[i].model);
	}
	array_done(&copies, sizeof *found);
	return is_whole ? n : message_end(-ENOMEM);
}
