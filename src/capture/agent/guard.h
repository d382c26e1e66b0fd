/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands before every system call that the agent makes (base/syscalls.h), and refuses those for which a filter of the
 * program would kill it. To the rest of the agent that is a call that failed with EPERM. The whole process counts as
 * one: what a filter forbids to one thread, the agent leaves in all.
 */
#ifndef CAPTURE_AGENT_GUARD_H
#define CAPTURE_AGENT_GUARD_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* A filter of the program, as long as the process lives. */
struct guard_filter {
	struct guard_filter *next;
	bool is_void; /* the kernel has not taken it */
	uint32_t n;
	struct sock_filter program[];
};

/* Call first, before there is another thread. */
void guard_start(void);

/* Whether some calls, or all, are refused from now on. */
extern bool guard_is_on;

/*
 * Whether the recorder says that the program has set a filter that the agent has not seen. All calls are refused from
 * then on.
 */
bool guard_is_told(void);

/* From now on `filter` counts, or all calls are refused until it is lifted again. Changes are made one at a time. */
void guard_add(struct guard_filter *filter);
void guard_close(bool is_closed);

/* Waits until no other thread is in a call that began before the last change; for two seconds at most. */
void guard_wait(void);

/* What would become of this call by the filters and by one that does not count yet (NULL: none). */
bool guard_allows_with(const struct guard_filter *more, long number, const long args[6]);
static inline bool guard_allows(long number)
{
	return !guard_is_on || guard_allows_with(0, number, (const long[6]){ 0 });
}

/*
 * The loader's dlopen, for the agent: NULL where the program forbids what the loader may do to find a file. With
 * RTLD_NOLOAD and the path of a loaded module, or NULL, it does nothing of that.
 */
void *guard_dlopen(const char *path, int flags);

/* A system call without a guard, for what the program itself has called. Returns -errno. */
long guard_call(long number, const long args[6]);
/* The address behind its instruction, as filters see it. */
extern const char guard_called[] __attribute__((visibility("hidden")));

#endif
