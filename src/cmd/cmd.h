/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of the program. One file per command (cmd_<name>.c), one constant of this type per file,
 * listed by name in commands.c. Help, manual pages and completion are made from it.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdio.h>

#include "base/err.h"
#include "base/opt.h"

/* Exit statuses. `record` alone gives its target's own instead. */
enum {
	CMD_DONE = 0,
	CMD_NO = 1, /* the answer is no: a regression, a missing thing */
	CMD_USAGE = 2,
	CMD_FAILED = 3,
};

/* What the words besides the options are, for completion. With OPT_FIRST they are another program's command line. */
enum cmd_words { CMD_FILES, CMD_RECORDINGS, CMD_MODELS, CMD_PIDS, CMD_COMMANDS, CMD_PROGRAM };

struct cmd_example {
	const char *command, *what;
};

struct cmd {
	const char *name;
	const char *usage;   /* what follows the name: "[options] FILE" */
	const char *summary; /* one line, lower case, no full stop */
	const char *help;    /* paragraphs with an empty line between them; wrapped by whoever shows them */
	const struct cmd_example *examples; /* ended by { 0 }; NULL: none */
	const struct opt *opts;
	size_t opts_size; /* of the struct that the rows of opts point into; NULL opts: 0 */
	enum opt_order order;
	int min_args, max_args; /* words besides the options; max -1: any number */
	enum cmd_words words;
	bool is_privileged; /* uses the capabilities that the executable's file may grant */

	/*
	 * opts: filled from the command line. argv[0..argc-1]: the words besides the options; argv[argc] is NULL.
	 * Returns an exit status, or -errno and err: main prints it once and exits with CMD_FAILED,
	 * or with CMD_USAGE when it came from opt_misused (base/opt.h).
	 */
	int (*run)(const void *opts, int argc, char **argv, struct err *err);
};

extern const struct cmd *const commands[]; /* NULL-terminated */

/* The command of that name, or NULL and err with the nearest name that exists. */
const struct cmd *cmd_find(const char *name, struct err *err);

/* Shows what the command tables say: as text, as a manual page, as a completion script. */

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
