// SPDX-License-Identifier: Apache-2.0
/* When devices are looked for. Does not know how their libraries work (cupti/, rocm/, pti/). */
#include "capture/agent/device.h"

#include <errno.h>

#include "capture/agent/agent.h"
#include "capture/agent/dict.h"

enum { AGAIN_MS = 100 };

static enum device_wish wanted;
static struct lock looking;
static uint64_t device_due_ns = UINT64_MAX; /* of the next look; UINT64_MAX: none */

extern const struct agent_device agent_cupti, agent_rocm, agent_pti;

const struct agent_device *const agent_devices[] = { &agent_cupti, &agent_rocm, &agent_pti, NULL };

static const struct agent_device *serving;

bool devices_claim(const struct agent_device *device)
{
	const struct agent_device *none = NULL;

	return __atomic_compare_exchange_n(&serving, &none, device, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	       none == device;
}

void devices_give_up(const struct agent_device *device)
{
	__atomic_compare_exchange_n(&serving, &device, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void devices_refuse(const char *why)
{
	if (!__atomic_load_n(&serving, __ATOMIC_ACQUIRE))
		dict_missing("kernels", why);
}

bool devices_are_over(void)
{
	return hot->level == LEVEL_OFF || !agent.segment ||
	       __atomic_load_n(&agent.segment->state, __ATOMIC_RELAXED) == SEGMENT_OFF;
}

void devices_want(enum device_wish wish)
{
	wanted = wish;
	__atomic_store_n(&device_due_ns, wish ? 0 : UINT64_MAX, __ATOMIC_RELAXED);
}

enum device_wish devices_wanted(void)
{
	return wanted;
}

static uint64_t look_at_all(void)
{
	enum device_look look = LOOK_DONE;

	for (const struct agent_device *const *device = agent_devices; *device; device++) {
		const struct agent_device *other = __atomic_load_n(&serving, __ATOMIC_ACQUIRE);
		enum device_look found = other && other != *device ? LOOK_DONE : (*device)->look();

		look = found == LOOK_DONE || look == LOOK_SOON ? look : found;
	}
	if (look == LOOK_DONE)
		return UINT64_MAX;
	return look == LOOK_SOON ? 0 : clock_ns() + AGAIN_MS * 1000000ull;
}

static void look_now(void)
{
	int saved = errno;

	if (!wanted || hot->is_child || !agent_thread() || !lock_try(&looking))
		return;
	__atomic_store_n(&device_due_ns, look_at_all(), __ATOMIC_RELAXED);
	lock_give(&looking);
	errno = saved;
}

void devices_look(void)
{
	uint64_t due_ns = __atomic_load_n(&device_due_ns, __ATOMIC_RELAXED);

	if (__builtin_expect(due_ns != UINT64_MAX, 0) && clock_ns() >= due_ns)
		look_now();
}

void *devices_instead_of(const char *name, void *real)
{
	void *found = NULL;

	for (const struct agent_device *const *device = agent_devices; *device && !found; device++)
		found = (*device)->instead_of(name, real);
	return found;
}

void devices_leave(void)
{
	__atomic_store_n(&device_due_ns, UINT64_MAX, __ATOMIC_RELAXED);
	wanted = DEVICE_NOT_WANTED;
	for (const struct agent_device *const *device = agent_devices; *device; device++)
		(*device)->leave();
	__atomic_store_n(&serving, NULL, __ATOMIC_RELEASE);
}
