// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the agent when the library is loaded, or waits for it: event/port.h. Starts nothing, and needs no agent.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "library/library_in.h"

/*
 * The program may have a copy of its own (a copy relocation), so the library itself refers to it like any module:
 * through its global offset table.
 */
uint32_t inftrace_on;
struct port library_port = { .magic = PORT_MAGIC, .size = sizeof(struct port), .on = &inftrace_on };

INFTRACE_API struct port *inftrace_port(void);

struct port *inftrace_port(void)
{
	return &library_port;
}

const char *inftrace_version(void)
{
	return INFTRACE_VERSION;
}

__attribute__((constructor)) static void join(void)
{
	int saved = errno;
	void *agent = dlopen(PORT_AGENT, RTLD_LAZY | RTLD_NOLOAD), *found = agent ? dlsym(agent, PORT_JOIN) : NULL;
	void (*agent_join)(struct port *);

	if (found) {
		memcpy(&agent_join, &found, sizeof found);
		agent_join(&library_port);
	}
	/* the agent is never unloaded: the count of its users does not matter. A failure must not show in dlerror */
	if (agent)
		dlclose(agent);
	else
		dlerror();
	errno = saved;
}
