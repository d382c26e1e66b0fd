// SPDX-License-Identifier: Apache-2.0
/* In place of inject_code.c and ferry.S for a processor that they are not written for: there is no code. */
#include "capture/inject/inject_code.h"

size_t inject_code_size(void)
{
	return 0;
}

void inject_code_make(void *to, const struct ferry_head *head)
{
}

uint64_t inject_code_trigger(uint64_t head)
{
	return head;
}
