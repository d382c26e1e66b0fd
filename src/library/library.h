/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libinftrace share. The library is a guest in the program: it never prints, exits or changes errno.
 */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#include "event/port.h"
#include "inftrace.h"

extern struct port library_port;

/* The agent's functions; call only when inftrace_on was set once. */
static inline const struct port_calls *library_calls(void)
{
	return __atomic_load_n(&library_port.calls, __ATOMIC_ACQUIRE);
}

/* What struct inftrace_name is inside. */
static inline struct port_name *library_name(const struct inftrace_name *name)
{
	return (struct port_name *)(uintptr_t)name;
}

#endif
