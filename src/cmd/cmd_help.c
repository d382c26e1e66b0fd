// SPDX-License-Identifier: Apache-2.0
/* `inftrace help`: shows the tables in the form that was asked for; the build makes its manual pages with it. */
#include "cmd/cmd.h"

struct help_opts {
	bool man;
	const char *completion;
};

static const struct opt help_opt_table[] = {
	{ 0, "man", NULL, "print the manual page (roff)", OPT_FLAG, offsetof(struct help_opts, man) },
	{ 0, "completion", "bash|zsh|fish", "print a completion script for this shell", OPT_CHOICE,
	  offsetof(struct help_opts, completion) },
	{ 0 },
};

static int help_run(const void *opts_, int argc, char **argv, struct err *err)
{
	const struct help_opts *opts = opts_;
	const struct cmd *cmd = argc ? cmd_find(argv[0], err) : NULL;

	if (argc && !cmd)
		return -OPT_MISUSED;
	if (opts->completion)
		return help_completion(stdout, opts->completion, err);
	if (opts->man)
		help_man(stdout, cmd);
	else if (cmd)
		help_command(stdout, cmd);
	else
		help_overview(stdout);
	return CMD_DONE;
}

const struct cmd cmd_help = {
	.name = "help",
	.usage = "[options] [COMMAND]",
	.summary = "show help for a command",
	.help = "Without a command, lists the commands. Manual pages and completion scripts are generated from the "
		"same tables as this help.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace help --completion bash >> ~/.bash_completion",
		  "complete commands and options with the Tab key" },
		{ 0 },
	    },
	.opts = help_opt_table,
	.opts_size = sizeof(struct help_opts),
	.max_args = 1,
	.words = CMD_COMMANDS,
	.run = help_run,
};
