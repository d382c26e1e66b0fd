/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the library libinftrace and the agent meet inside one process. Either may be there first, or alone; neither is
 * linked with the other.
 *
 *   libinftrace            the agent
 *   struct port  --------> inftrace_agent_join(port)    the library is loaded: it looks for an agent
 *   inftrace_port() <----- the agent is injected: it looks for the library
 *                <-------- port->calls, then *port->on = 1: recording begins
 *                <-------- *port->on = 0: recording has ended; calls stays valid for the life of the process
 *
 * Whichever of the two comes second finds the other by its soname, so a library that was opened with RTLD_LOCAL is
 * found as well. Neither is ever unloaded. Both sides only add members, at the end.
 */
#ifndef EVENT_PORT_H
#define EVENT_PORT_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_MAGIC 0x313054524f505254ull /* "TRPORT01" */
#define PORT_LIBRARY "libinftrace.so.0"
#define PORT_AGENT "libinftrace-agent.so"
#define PORT_JOIN "inftrace_agent_join"
#define PORT_OF_LIBRARY "inftrace_port"

/* A name that a program has interned. Its texts never change and live as long as the process; NULL: none. */
struct port_name {
	const char *name, *model, *provider;
	const char *detail;	/* the category of a slice or instant, the type of an operator, the unit of a counter */
	uint32_t kind;		/* enum event_kind */
	const void *known;	/* the agent's: what it knows the name by in this recording */
	struct port_name *next; /* the library's */
};

/* What the library gets when it shares a recording. */
struct port_share {
	uint64_t segment_layout; /* SEGMENT_LAYOUT, by the library */
	uint32_t level, use_ticks;
	char path[256]; /* of the segment */
};

/* Each may be called on any thread, also in a signal handler, and keeps errno. name: not NULL. */
struct port_calls {
	uint64_t size; /* sizeof(struct port_calls) of the agent */
	void (*begin)(struct port_name *name);
	/* Ends the innermost slice of the thread; nothing if none is open. message: why it failed, NULL: it did not. */
	void (*end)(const char *message);
	void (*instant)(struct port_name *name);
	void (*counter)(struct port_name *name, double value);
	void (*flow)(uint64_t id, bool is_end);
	/*
	 * From now on the process itself may read what a recorder reads, and must: capture/agent/share.h. Not in signal
	 * handlers. 0; -ENOENT: nobody records the process, or its agent is coming or leaving; -EBUSY: it is not to be
	 * shared.
	 */
	int32_t (*share)(struct port_share *share);
	void (*unshare)(void);
	/* What goes into the inference that is open on the thread, or its next one; position < 0: not known. */
	void (*tokens)(uint32_t sequence, int64_t position, uint32_t n_tokens, uint32_t n_results);
};

struct port {
	uint64_t magic;
	uint64_t size;			/* sizeof(struct port) of the library */
	const struct port_calls *calls; /* NULL: no agent has come yet */
	uint32_t *on;			/* the word that the program looks at before each call */
};

#endif
