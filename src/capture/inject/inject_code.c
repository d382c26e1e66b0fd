// SPDX-License-Identifier: Apache-2.0
/* Puts head and code together, and holds the assembly files to the layout of the head. */
#include <string.h>

#include "capture/inject/inject_in.h"

_Static_assert(sizeof(struct ferry_head) == 528 && offsetof(struct ferry_head, state) == 8 &&
		   offsetof(struct ferry_head, pthread_create) == 16 && offsetof(struct ferry_head, dlopen) == 24 &&
		   offsetof(struct ferry_head, dlsym) == 32 && offsetof(struct ferry_head, dlerror) == 40 &&
		   offsetof(struct ferry_head, errno_location) == 48 &&
		   offsetof(struct ferry_head, register_atfork) == 56 && offsetof(struct ferry_head, entry) == 120 &&
		   offsetof(struct ferry_head, agent) == 208 && offsetof(struct ferry_head, slot) == 400 &&
		   offsetof(struct ferry_slot, original) == 8 && sizeof(struct ferry_slot) == 16 && FERRY_SLOTS == 8,
	       "ferry_x86.S, ferry_arm64.S");
_Static_assert(offsetof(struct ferry_state, phase) == 0 && offsetof(struct ferry_state, thread) == 4 &&
		   offsetof(struct ferry_state, entry) == 8 && offsetof(struct ferry_state, n_forks) == 16 &&
		   offsetof(struct ferry_state, loading) == 20 && offsetof(struct ferry_state, is_known) == 24 &&
		   offsetof(struct ferry_state, code) == 28 && offsetof(struct ferry_state, error) == 32 &&
		   sizeof(((struct ferry_state *)0)->error) == 120,
	       "ferry_x86.S, ferry_arm64.S");
_Static_assert(FERRY_IDLE == 0 && FERRY_CLAIMED == 1 && FERRY_FAILED == 2 && FERRY_DONE == 3 &&
		   FERRY_NOT_LOADING == 0 && FERRY_LOADING == 1 && FERRY_HALF_LOADED == 2,
	       "ferry_x86.S, ferry_arm64.S");

extern const char ferry_begin[], ferry_trigger[], ferry_claim[], ferry_end[];

static size_t size(void)
{
	return (size_t)(ferry_end - ferry_begin);
}

size_t inject_code_size(void)
{
	return (size() + 63) & ~(size_t)63;
}

void inject_code_make(void *to, const struct ferry_head *head)
{
	memset(to, 0, inject_code_size());
	memcpy(to, ferry_begin, size());
	memcpy(to, head, sizeof *head);
}

uint64_t inject_code_trigger(uint64_t head, uint32_t slot)
{
	return head + (uint64_t)(ferry_trigger - ferry_begin) +
	       slot * ((uint64_t)(ferry_claim - ferry_trigger) / FERRY_SLOTS);
}

bool inject_code_is_trigger(uint64_t head, uint64_t address)
{
	for (uint32_t i = 0; i < FERRY_SLOTS; i++)
		if (address == inject_code_trigger(head, i))
			return true;
	return false;
}
