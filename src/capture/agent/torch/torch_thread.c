// SPDX-License-Identifier: Apache-2.0
/* What PyTorch does on each thread. */
#include "capture/agent/torch/torch_in.h"

uint32_t torch_place;

struct torch_thread *torch_thread_new(struct thread *thread)
{
	struct torch_thread *state = agent_keep(thread, &torch_place, sizeof *state);

	if (state)
		*state = (struct torch_thread){ .generation = thread->generation };
	return state;
}
