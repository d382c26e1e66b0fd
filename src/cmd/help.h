/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what the command tables say: as text, as a manual page, as a completion script. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>

#include "cmd/cmd.h"

/* What `inftrace` itself takes, before a command. */
struct help_main_opts {
	bool version;
};
extern const struct opt help_main_opts[];

void help_overview(FILE *out);
void help_command(FILE *out, const struct cmd *cmd);

/* roff; cmd NULL: the page of the program, inftrace(1). */
void help_man(FILE *out, const struct cmd *cmd);

/* shell: bash, zsh or fish; anything else: -EINVAL and err. */
int help_completion(FILE *out, const char *shell, struct err *err);

#endif
