// SPDX-License-Identifier: Apache-2.0
/* Help as text for a terminal, from the tables of the commands. */
#include <stddef.h>
#include <string.h>

#include "cmd/cmd.h"
#include "show/term/term.h"

enum { WIDTH = 80, MARGIN = 2, OPTION_COLUMN = 28, COMMAND_COLUMN = 12 };

const struct opt help_main_opts[] = {
	{ 'V', "version", NULL, "print the version and exit", OPT_FLAG, offsetof(struct help_main_opts, version) },
	{ 0 },
};

static void print_row(FILE *out, const char *left, int column, const char *right)
{
	int used = fprintf(out, "%*s%s", MARGIN, "", left);

	if (used > column - 2) {
		fputc('\n', out);
		used = 0;
	}
	used += fprintf(out, "%*s", column - used, "");
	term_wrap(out, right, column, used, WIDTH);
}

static void print_heading(FILE *out, const char *text)
{
	fprintf(out, "\n%s%s%s\n", term_style(out, TERM_BOLD), text, term_style(out, TERM_PLAIN));
}

static void print_option(FILE *out, const struct opt *row)
{
	char left[128], right[512], letter[8] = "    ";

	if (row->letter)
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->metavar ? " " : "",
		 row->metavar ? row->metavar : "");
	snprintf(right, sizeof right, row->fallback ? "%s (default: %s)" : "%s", row->help, row->fallback);
	print_row(out, left, OPTION_COLUMN, right);
}

static void print_options(FILE *out, const struct opt *table)
{
	static const struct opt help_row = { 'h', "help", NULL, "print this and exit", OPT_FLAG, 0, NULL };

	if (!table || !opt_is_heading(table))
		print_heading(out, "Options:");
	for (; table && !opt_is_end(table); table++) {
		if (opt_is_heading(table))
			print_heading(out, table->help);
		else
			print_option(out, table);
	}
	print_option(out, &help_row);
}

static void print_examples(FILE *out, const struct cmd_example *example)
{
	if (!example)
		return;
	print_heading(out, "Examples:");
	for (; example->command; example++) {
		fprintf(out, "%*s%s\n", MARGIN, "", example->command);
		term_wrap(out, example->what, 3 * MARGIN, 0, WIDTH);
	}
}

void help_overview(FILE *out)
{
	fprintf(out, "%sinftrace%s: see what a program that runs AI models does, and what it costs\n",
		term_style(out, TERM_BOLD), term_style(out, TERM_PLAIN));
	print_heading(out, "Usage:");
	fprintf(out, "%*sinftrace COMMAND [options] [arguments]\n", MARGIN, "");
	print_heading(out, "Commands:");
	for (const struct cmd *const *cmd = commands; *cmd; cmd++)
		print_row(out, (*cmd)->name, COMMAND_COLUMN, (*cmd)->summary);
	print_options(out, help_main_opts);
	fprintf(out, "\nSee 'inftrace help COMMAND' for a command's options and examples.\n");
}

void help_command(FILE *out, const struct cmd *cmd)
{
	fprintf(out, "%sinftrace %s%s: %s\n", term_style(out, TERM_BOLD), cmd->name, term_style(out, TERM_PLAIN),
		cmd->summary);
	print_heading(out, "Usage:");
	fprintf(out, "%*sinftrace %s %s\n", MARGIN, "", cmd->name, cmd->usage);
	if (cmd->help) {
		fputc('\n', out);
		term_wrap(out, cmd->help, 0, 0, WIDTH);
	}
	print_options(out, cmd->opts);
	print_examples(out, cmd->examples);
}
