// SPDX-License-Identifier: Apache-2.0
/* Lets in a second reader of the segment, at the records that are written from now on. Reads nothing itself. */
#include "capture/agent/share.h"

#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/session.h"

/* An agent that was injected leaves with its recorder. */
static bool may_share(const struct port_share *share)
{
	return share->segment_layout == SEGMENT_LAYOUT && !agent.late_since && !agent.segment->is_shared &&
	       strlen(agent.path) < sizeof share->path &&
	       __atomic_load_n(&agent.segment->state, __ATOMIC_ACQUIRE) != SEGMENT_OFF;
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
	int32_t code = 0;

	if (!agent_enter_process())
		return -ENOENT;
	agent_lock();
	if (!agent.segment || !hot->generation)
		code = -ENOENT;
	else if (!may_share(share))
		code = -EBUSY;
	else
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
