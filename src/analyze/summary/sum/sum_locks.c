// SPDX-License-Identifier: Apache-2.0
/*
 * Lines of the program at which its threads wait for a lock, whether a model runs meanwhile or not: a lock around a
 * session is waited for while it runs.
 */
#include <errno.h>

#include "analyze/outside/outside_place.h"
#include "analyze/summary/sum_kinds.h"

enum { MOST_LOCKS = 4096 };

int sum_locks_sample(struct summary_maker *maker, uint32_t process, const struct event_sample *sample)
{
	const struct frame *frame =
	    sample->state == SAMPLE_LOCK && sample->stack ? outside_lock_frame(maker->names, sample->stack) : NULL;
	struct outside_place place = { frame, NULL };
	struct summary_lock *lock;
	uint32_t name, number;

	if (!frame || maker->lock_keys.n >= MOST_LOCKS)
		return 0;
	name = names_of(maker->names, outside_place_words(maker->names, &place).s);
	number = keys_number(&maker->lock_keys, process, name);
	if (number == maker->locks.n && (lock = array_add(&maker->locks, sizeof *lock)))
		*lock = (struct summary_lock){ .place = name, .tid = sample->tid };
	if (number >= maker->locks.n)
		return -ENOMEM;
	lock = (struct summary_lock *)maker->locks.data + number;
	lock->has_more |= lock->tid != sample->tid;
	lock->ns += sample->weight_ns;
	lock->n++;
	return 0;
}
