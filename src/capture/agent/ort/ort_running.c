// SPDX-License-Identifier: Apache-2.0
/*
 * Which session runs on a thread, where its provider does not tell: sessions of builds for training share one. Its own
 * function has called the hook, and has the address of its object in a register or on the stack: the word nearest to
 * the hook is it. Does not search for sessions older than the agent (ort_late.c).
 */
#include "capture/agent/ort/ort_in.h"
#include "runtime/find/peek.h"

enum { STACK = 16 << 10, CHUNK = 512 };

static bool is_session(word object)
{
	word vptr;

	if (!peek_read(object, &vptr, sizeof vptr))
		return false;
	for (uint32_t i = 0; i < n_copies; i++)
		if (ort_copy_has_session(&ort_copies[i], vptr))
			return true;
	return false;
}

struct session *ort_running(uintptr_t saved)
{
	word part[CHUNK / sizeof(word)];
	struct session *session;

	for (word done = 0; done < STACK && peek_read(saved + done, part, sizeof part); done += sizeof part)
		for (size_t i = 0; i < CHUNK / sizeof(word); i++)
			if ((session = session_of_object(part[i])) && is_session(part[i]))
				return session;
	return NULL;
}
