// SPDX-License-Identifier: Apache-2.0
/* Finds commands by name, and says what is wrong with a command line. Knows no command. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"

const struct cmd *cmd_find(const char *name, struct err *err)
{
	struct near near;

	near_init(&near, name, strlen(name));
	for (const struct cmd *const *cmd = commands; *cmd; cmd++) {
		if (!strcmp((*cmd)->name, name))
			return *cmd;
		near_offer(&near, (*cmd)->name);
	}
	if (near_best(&near))
		opt_misused(err, "unknown command '%s'; did you mean '%s'?", name, near_best(&near));
	else
		opt_misused(err, "unknown command '%s'", name);
	return NULL;
}
