// SPDX-License-Identifier: Apache-2.0
/* Lets in a second reader of the segment, at the records that are written from now on. Reads nothing itself. */
#include "capture/agent/share.h"

#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/session.h"

/* In an injected program, of the recording that may be shared: its agent's thread stays as long as it is. */
static uint32_t open_generation;

static bool is_off(void)
{
	return __atomic_load_n(&agent.segment->state, __ATOMIC_ACQUIRE) == SEGMENT_OFF;
}

/* As share_begin. */
static int may_share(const struct port_share *share)
{
	if (!agent.segment || !hot->generation)
		return -ENOENT;
	if (share->segment_layout != SEGMENT_LAYOUT || agent.segment->is_shared ||
	    strlen(agent.path) >= sizeof share->path)
		return -EBUSY;
	if (!agent.late_since)
		return is_off() ? -EBUSY : 0;
	/* a child of fork has no thread of the agent */
	if (!hot->is_injected || hot->is_child)
		return -EBUSY;
	/* the agent is coming, or leaving: soon it has left, or can be shared */
	return open_generation == hot->generation && !is_off() ? 0 : -ENOENT;
}

static void share_locked(void)
{
	struct segment *segment = agent.segment;

	segment->own_dict_read = 0;
	segment->own_facts_read = segment->facts_end;
	__atomic_store_n(&segment->is_shared, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < segment->n_rings; i++) {
		struct ring *ring = agent.ring[i];

		/* at or past the recorder's: the room that the writer has counted on stays */
		ring->own_tail = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
		__atomic_store_n(&ring->is_shared, 1, __ATOMIC_RELEASE);
	}
}

int32_t share_begin(struct port_share *share)
{
	int saved = errno;
	int32_t code;

	if (!agent_enter_process())
		return -ENOENT;
	agent_lock();
	code = may_share(share);
	if (!code)
		share_locked();
	agent_unlock();
	if (!code) {
		share->level = hot->level;
		share->use_ticks = hot->use_ticks;
		strcpy(share->path, agent.path);
		session_tell_again();
	}
	errno = saved;
	return code;
}

void share_end(void)
{
	int saved = errno;

	agent_lock();
	/* a child of fork has a segment of its own, which nobody shares */
	if (agent.segment && agent.segment->is_shared) {
		for (uint32_t i = 0; i < agent.segment->n_rings; i++)
			__atomic_store_n(&agent.ring[i]->is_shared, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&agent.segment->is_shared, 0, __ATOMIC_RELAXED);
	}
	agent_unlock();
	errno = saved;
}

void share_open(void)
{
	agent_lock();
	open_generation = hot->generation;
	agent_unlock();
}

bool share_close(void)
{
	bool is_shared;

	agent_lock();
	is_shared = agent.segment && agent.segment->is_shared;
	if (!is_shared)
		open_generation = 0;
	agent_unlock();
	return !is_shared;
}

void share_take_over(bool is_dead)
{
	agent_lock();
	if (agent.segment->is_shared && (is_dead || is_off())) {
		/* from here on the process writes both tails, when it has read something */
		__atomic_store_n(&agent.segment->state, SEGMENT_OFF, __ATOMIC_RELEASE);
		for (uint32_t i = 0; i < agent.segment->n_rings; i++) {
			struct ring *ring = agent.ring[i];

			__atomic_store_n(&ring->tail, __atomic_load_n(&ring->own_tail, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
		}
	}
	agent_unlock();
}
