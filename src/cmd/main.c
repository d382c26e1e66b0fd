// SPDX-License-Identifier: Apache-2.0
/* Finds the command, parses its options, runs it, and prints its error once. Knows no command by name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/privilege.h"
#include "cmd/cmd.h"
#include "cmd/commit.h"
#include "show/term/term.h"

static int print_error(const struct err *err)
{
	char text[sizeof err->msg];

	memcpy(text, err->msg, sizeof text);
	err_disarm(text);
	fflush(stdout);
	fprintf(stderr, "%sinftrace:%s %s\n", term_style(stderr, TERM_RED), term_style(stderr, TERM_PLAIN), text);
	return CMD_FAILED;
}

static int print_misuse(const struct cmd *cmd, const struct err *err)
{
	print_error(err);
	if (cmd)
		fprintf(stderr, "usage: inftrace %s %s\n", cmd->name, cmd->usage);
	fprintf(stderr, "See 'inftrace help%s%s'.\n", cmd ? " " : "", cmd ? cmd->name : "");
	return CMD_USAGE;
}

/* A report that could not be written is a failure, whatever the command thought. */
static int flush_output(int status)
{
	struct err err;

	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno == EPIPE) /* who reads has seen enough: head */
		return status;
	err_set(&err, errno, "cannot write to standard output: %s", strerror(errno));
	return print_error(&err);
}

/* The nth word of the usage that is not in brackets: what the argument is called. */
static const char *argument_name(const char *usage, int n, int *len)
{
	for (;; usage += *len) {
		usage += strspn(usage, " ");
		*len = (int)(*usage == '[' ? strcspn(usage, "]") + 1 : strcspn(usage, " "));
		if (!*usage || (*usage != '[' && !n--))
			return usage;
	}
}

static int check_args(const struct cmd *cmd, int n, char **argv, struct err *err)
{
	if (n < cmd->min_args) {
		int len;
		const char *name = argument_name(cmd->usage, n, &len);
		return opt_misused(err, "%s needs an argument: %.*s", cmd->name, len, name);
	}
	if (cmd->max_args >= 0 && n > cmd->max_args)
		return opt_misused(err, "%s: unexpected argument '%s'", cmd->name, argv[cmd->max_args]);
	return 0;
}

static int run_command(const struct cmd *cmd, int argc, char **argv)
{
	static const struct opt no_opts[] = { { 0 } };
	struct err err = { 0 };
	void *opts = calloc(1, cmd->opts_size + 1);
	int rc;

	if (!opts) {
		err_set(&err, ENOMEM, "cannot run %s: out of memory", cmd->name);
		return print_error(&err);
	}
	rc = opt_parse(cmd->opts ? cmd->opts : no_opts, opts, argc, argv, cmd->order, &err);
	if (rc == OPT_HELP) {
		help_command(stdout, cmd);
		rc = CMD_DONE;
	} else if (rc < 0) {
		rc = -OPT_MISUSED;
	} else {
		int n = rc;

		argv[n] = NULL;
		rc = check_args(cmd, n, argv, &err);
		if (!rc)
			rc = privilege_begin(cmd->is_privileged, &err);
		if (!rc)
			rc = cmd->run(opts, n, argv, &err);
	}
	free(opts);
	if (rc < 0)
		rc = rc == -OPT_MISUSED ? print_misuse(cmd, &err) : print_error(&err);
	return rc;
}

int main(int argc, char **argv)
{
	struct help_main_opts opts = { 0 };
	const struct cmd *cmd;
	struct err err = { 0 };
	int n = opt_parse(help_main_opts, &opts, argc - 1, argv + 1, OPT_FIRST, &err);

	if (n == OPT_HELP) {
		help_overview(stdout);
		return flush_output(CMD_DONE);
	}
	if (n < 0)
		return print_misuse(NULL, &err);
	if (opts.version) {
		printf("inftrace " INFTRACE_VERSION "%s" INFTRACE_COMMIT "\n", *INFTRACE_COMMIT ? " " : "");
		return flush_output(CMD_DONE);
	}
	if (!n) {
		help_overview(stderr);
		return CMD_USAGE;
	}
	argv[1 + n] = NULL;
	cmd = cmd_find(argv[1], &err);
	if (!cmd)
		return print_misuse(NULL, &err);
	return flush_output(run_command(cmd, n - 1, argv + 2));
}
