// SPDX-License-Identifier: Apache-2.0
/* The name is what the processor itself says. */
#include <stdio.h>
#include <string.h>

#include "capture/proc/cpuinfo.h"

void cpuinfo_name(const char *text, char *name, size_t size)
{
	const char *at = strstr(text, "model name");

	at = at ? strchr(at, ':') : NULL;
	at = at ? at + 1 + strspn(at + 1, " ") : "";
	snprintf(name, size, "%.*s", strchr(at, '\n') ? (int)strcspn(at, "\n") : 0, at);
}

/* "long mode" is one of its flags. */
bool cpuinfo_is_ours(const char *text)
{
	const char *flags = strstr(text, "\nflags"), *end = flags ? strchr(flags + 1, '\n') : NULL;
	const char *found = flags ? strstr(flags, " lm ") : NULL;

	return found && (!end || found < end);
}
