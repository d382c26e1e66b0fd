// SPDX-License-Identifier: Apache-2.0
/* The address of the result is the first argument, and is returned. */
#include "capture/agent/torch/torch_in.h"

void *torch_start(void **result, const void *function)
{
	*result = NULL;
	torch_started(function);
	return result;
}
