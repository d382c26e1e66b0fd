// SPDX-License-Identifier: Apache-2.0
/* Turns the words of options into values. Puts no probe anywhere. */
#include "cmd/record/probe_options.h"

#include <stdlib.h>
#include <string.h>

static enum uprobe_link_type link_type(const char *name)
{
	static const struct {
		const char *name;
		enum uprobe_link_type type;
	} types[] = { { "session", UPROBE_LINK_SESSION },
		      { "multi", UPROBE_LINK_MULTI },
		      { "perf", UPROBE_LINK_PERF } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(name, types[i].name))
			return types[i].type;
	return UPROBE_LINK_ANY;
}

struct uprobes_opts probe_options_value(const struct probe_options *options)
{
	return (struct uprobes_opts){
		.link = link_type(options->link),
		.sample = (uint32_t)strtoul(options->sample, NULL, 10),
		.max_per_second = (uint64_t)options->rate,
	};
}
