// SPDX-License-Identifier: Apache-2.0
/* What a program calls while it is recorded: hands each call to the agent, which writes the record. */
#include <stddef.h>

#include "library/library_in.h"

void inftrace_begin_on(const struct inftrace_name *name)
{
	const struct port_calls *calls = library_calls();
	/* a slice without a name, so that its end finds a begin */
	static struct port_name nameless = { .name = "(no name)", .kind = INFTRACE_USER };

	if (calls)
		calls->begin(name ? library_name(name) : &nameless);
}

void inftrace_end_on(const char *message)
{
	const struct port_calls *calls = library_calls();

	if (calls)
		calls->end(message);
}

void inftrace_instant_on(const struct inftrace_name *name)
{
	const struct port_calls *calls = library_calls();

	if (calls && name)
		calls->instant(library_name(name));
}

void inftrace_counter_on(const struct inftrace_name *name, double value)
{
	const struct port_calls *calls = library_calls();

	if (calls && name)
		calls->counter(library_name(name), value);
}

void inftrace_flow_on(uint64_t id, int is_end)
{
	const struct port_calls *calls = library_calls();

	if (calls)
		calls->flow(id, is_end != 0);
}

/* An agent of an earlier version has no such call. */
void inftrace_tokens_on(uint32_t sequence, int64_t position, uint32_t n_tokens, uint32_t n_results)
{
	const struct port_calls *calls = library_calls();

	if (calls && calls->size >= offsetof(struct port_calls, tokens) + sizeof calls->tokens)
		calls->tokens(sequence, position, n_tokens, n_results);
}
