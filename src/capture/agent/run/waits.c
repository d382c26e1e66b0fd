// SPDX-License-Identifier: Apache-2.0
/*
 * Waits of a thread that creates a session. The number of its switches tells whether there is one to read, so that most
 * slices cost a system call of some 300 ns. What is deeper than CREATION_DEPTH counts for the slice around it.
 */
#include "capture/agent/run/waits.h"

static uint64_t *own(struct creation_waits *waits)
{
	return &waits->own_ns[waits->depth < CREATION_DEPTH ? waits->depth : CREATION_DEPTH - 1];
}

static void put(struct thread *thread, uint64_t ns)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return;
	*record = (struct record){ .value = ns, .id = thread->creation.session->number, .type = RECORD_CREATION_WAIT };
	agent_publish(thread);
}

void waits_start(struct thread *thread)
{
	thread->waits.depth = 0;
	thread->waits.own_ns[0] = 0;
	usage_waited(&thread->waits.clock);
}

void waits_open(struct thread *thread)
{
	struct creation_waits *waits = &thread->waits;

	*own(waits) += usage_waited(&waits->clock);
	if (++waits->depth < CREATION_DEPTH)
		waits->own_ns[waits->depth] = 0;
}

void waits_close(struct thread *thread)
{
	struct creation_waits *waits = &thread->waits;
	uint64_t ns = usage_waited(&waits->clock);

	if (!waits->depth)
		return;
	if (waits->depth < CREATION_DEPTH) {
		ns += waits->own_ns[waits->depth];
	} else {
		*own(waits) += ns;
		ns = 0;
	}
	waits->depth--;
	if (ns)
		put(thread, ns);
}

void waits_since(struct thread *thread)
{
	uint64_t ns = usage_waited(&thread->waits.clock);

	if (ns)
		put(thread, ns);
}

void waits_end(struct thread *thread)
{
	struct creation_waits *waits = &thread->waits;
	uint64_t ns = waits->own_ns[0] + usage_waited(&waits->clock);

	if (!waits->clock.is_known)
		return;
	put(thread, ns);
	usage_hand_on(thread, &waits->clock);
}
