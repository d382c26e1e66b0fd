// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions that a child of fork has inherited: it uses one that it has not created, and that has the same number in the
 * process that it was forked from, or in one before that. The pool threads of such a session exist in its creator
 * alone.
 */
#include <errno.h>

#include "analyze/summary/sum_kinds.h"

enum { MAX_FORKS = 64 };

static int number_creations(struct keys *keys, struct array *found, const struct end *end)
{
	const struct summary_session *session = end->sessions.data;

	for (uint32_t i = 0; i < end->sessions.n; i++) {
		uint32_t n = keys->n, number, *at;

		if (!session[i].has_slice || session[i].number <= 0)
			continue;
		number = keys_number(keys, session[i].process, (uint64_t)session[i].number);
		if (number == NONE || (number == n && !(at = array_add(found, sizeof *at))))
			return -ENOMEM;
		if (number == n)
			*at = i;
	}
	return 0;
}

int sum_forked_make(struct summary_maker *maker, struct end *end)
{
	const struct summary *to = maker->to;
	struct summary_session *session = end->sessions.data;
	struct array found = { 0 };
	struct keys keys = { 0 };
	int rc = number_creations(&keys, &found, end);

	for (uint32_t i = 0; !rc && i < end->sessions.n; i++) {
		uint32_t process = session[i].process, at = NONE;

		if (session[i].has_slice || session[i].number <= 0)
			continue;
		for (int n = 0; n < MAX_FORKS && at == NONE && process != SUMMARY_NONE; n++) {
			process = to->processes[process].forked_from;
			if (process != SUMMARY_NONE)
				at = keys_find(&keys, process, (uint64_t)session[i].number);
		}
		if (at == NONE)
			continue;
		at = ((const uint32_t *)found.data)[at];
		session[i].made_in = process;
		session[i].made_ns = session[at].begin_ns;
		session[i].n_pool = session[at].n_pool;
		session[i].caller = session[at].caller;
	}
	keys_done(&keys);
	array_done(&found, sizeof(uint32_t));
	return rc;
}
