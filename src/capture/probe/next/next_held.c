// SPDX-License-Identifier: Apache-2.0
/*
 * Only one process can trace a thread. Where several inftraces watch one machine each wants every thread that maps a
 * runtime, if only to find out whether its program is wanted. So the first holds it, and the others ask again until it
 * is let go: that takes milliseconds, and the loader is at work on the library for as long afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "capture/probe/next/next.h"
#include "capture/probe/next/next_in.h"

static const uint64_t longest_hold_ns = NEXT_LONGEST_HOLD_S * 1000000000ull;

struct next_held *next_held_find(const struct next_helds *all, pid_t tid)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->held[i]->found.tid == tid)
			return all->held[i];
	return NULL;
}

static void await(struct next_helds *all, struct next_held *held, bool is_awaited)
{
	if (is_awaited != held->is_awaited)
		all->n_awaited += is_awaited ? 1 : (size_t)-1;
	held->is_awaited = is_awaited;
}

void next_held_drop(struct next_helds *all, struct next_held *held)
{
	await(all, held, false);
	for (size_t i = 0; i < all->n; i++)
		if (all->held[i] == held)
			all->held[i--] = all->held[--all->n];
	free(held);
}

/* What came of it is in held->found. */
static void ask(struct next_helds *all, struct next_held *held)
{
	struct err err = { 0 };
	int code = next_hold_begin(held->found.tid, &err);

	held->found.hold = code ? NEXT_NOT : NEXT_LATE;
	await(all, held, code == -EBUSY);
	memset(held->found.why, 0, sizeof held->found.why);
	memcpy(held->found.why, err.msg, sizeof held->found.why - 1);
}

struct next_held *next_held_begin(struct next_helds *all, const struct next_mapping *mapping)
{
	struct next_held *held = next_held_find(all, mapping->tid);

	if (held) {
		held->is_released = false;
		return held;
	}
	if (all->n == NEXT_MAX_HELD || !(held = calloc(1, sizeof *held)))
		return NULL;
	held->mapping = *mapping;
	held->found.pid = mapping->pid;
	held->found.tid = mapping->tid;
	held->found.mapped_ns = mapping->time_ns;
	held->found.held_ns = clock_ns();
	ask(all, held);
	all->held[all->n++] = held;
	return held;
}

/* One that another held for as long as it may is told of as it is: it may be held for ever. */
void next_held_retry(struct next_helds *all)
{
	const uint64_t now_ns = clock_ns();

	for (size_t i = 0; i < all->n && all->n_awaited; i++) {
		struct next_held *held = all->held[i];
		if (!held->is_awaited)
			continue;
		ask(all, held);
		if (held->is_awaited && now_ns > held->found.held_ns + longest_hold_ns)
			await(all, held, false);
		if (!held->is_awaited)
			held->found.held_ns = now_ns;
	}
}

void next_held_release(struct next_helds *all, struct next_held *held)
{
	held->is_released = true;
	if (held->found.hold == NEXT_NOT) {
		next_held_drop(all, held);
	} else if (held->is_stopped) {
		next_hold_end(held->found.tid, held->status);
		next_held_drop(all, held);
	}
}

void next_held_expire(struct next_helds *all)
{
	const uint64_t now_ns = clock_ns();

	for (size_t i = all->n; i-- > 0;)
		if (now_ns > all->held[i]->found.held_ns + longest_hold_ns && !all->held[i]->is_awaited &&
		    !all->held[i]->is_released)
			next_held_release(all, all->held[i]);
}

void next_held_tell(struct next_helds *all, int socket)
{
	for (size_t i = 0; i < all->n; i++) {
		struct next_held *held = all->held[i];
		bool is_known = held->is_stopped || (held->found.hold == NEXT_NOT && !held->is_awaited);

		if (held->is_wanted && !held->is_told && !held->is_released && is_known)
			held->is_told = send(socket, &held->found, sizeof held->found, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
	}
}
