// SPDX-License-Identifier: Apache-2.0
/* Manual pages (roff, man macros) from the tables of the commands. No date: the same sources give the same bytes. */
#include <ctype.h>
#include <string.h>

#include "cmd/cmd.h"

/* Text as roff shows it literally: hyphens that can be copied, no line taken for a request. */
static void put_text(FILE *out, const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else
			fputc(*text, out);
		at_start = *text == '\n';
	}
}

static void put_upper(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(toupper((unsigned char)*text), out);
}

static void put_line(FILE *out, const char *request, const char *text)
{
	fprintf(out, "%s", request);
	put_text(out, text);
	fputc('\n', out);
}

static void put_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		char part[2048];

		snprintf(part, sizeof part, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
		fputs(".PP\n", out);
		put_line(out, "", part);
		text = end ? end + 2 : text + strlen(text);
	}
}

static void put_option(FILE *out, const struct opt *row)
{
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	put_text(out, row->name);
	fputs("\\fR", out);
	if (row->metavar) {
		fputs(" \\fI", out);
		put_text(out, row->metavar);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	put_text(out, row->help);
	if (row->fallback) {
		fputs(" (default: ", out);
		put_text(out, row->fallback);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void put_options(FILE *out, const struct opt *table)
{
	static const struct opt help_row = { 'h', "help", NULL, "print help and exit", OPT_FLAG, 0, NULL };

	fputs(".SH OPTIONS\n", out);
	for (; table && !opt_is_end(table); table++) {
		if (opt_is_heading(table))
			put_line(out, ".SS ", table->help);
		else
			put_option(out, table);
	}
	put_option(out, &help_row);
}

static void put_examples(FILE *out, const struct cmd_example *example)
{
	if (!example)
		return;
	fputs(".SH EXAMPLES\n", out);
	for (; example->command; example++) {
		fputs(".TP\n.B ", out);
		put_line(out, "", example->command);
		put_line(out, "", example->what);
	}
}

static void put_title(FILE *out, const char *name)
{
	fputs(".TH INFTRACE", out);
	if (name) {
		fputs("\\-", out);
		put_upper(out, name);
	}
	fputs(" 1 \"\" \"inftrace " INFTRACE_VERSION "\" \"inftrace\"\n.SH NAME\ninftrace", out);
	if (name) {
		fputs("\\-", out);
		put_text(out, name);
	}
	fputs(" \\- ", out);
}

static void put_exit_status(FILE *out)
{
	fputs(".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n1\nnegative answer: a regression, nothing found, nothing can be "
	      "recorded\n.TP\n2\nusage error\n.TP\n3\nfailure; an error message says why\n"
	      ".PP\ninftrace record exits with the status of the program that it started.\n",
	      out);
}

static void put_program(FILE *out)
{
	put_title(out, NULL);
	fputs("see what a program that runs AI models does, and what it costs\n"
	      ".SH SYNOPSIS\n.B inftrace\n\\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n.SH COMMANDS\n",
	      out);
	for (const struct cmd *const *cmd = commands; *cmd; cmd++) {
		fprintf(out, ".TP\n\\fBinftrace\\-%s\\fR(1)\n", (*cmd)->name);
		put_line(out, "", (*cmd)->summary);
	}
	put_options(out, help_main_opts);
	put_exit_status(out);
}

void help_man(FILE *out, const struct cmd *cmd)
{
	if (!cmd) {
		put_program(out);
		return;
	}
	put_title(out, cmd->name);
	put_line(out, "", cmd->summary);
	fprintf(out, ".SH SYNOPSIS\n.B inftrace %s\n", cmd->name);
	put_line(out, "", cmd->usage);
	if (cmd->help) {
		fputs(".SH DESCRIPTION\n", out);
		put_paragraphs(out, cmd->help);
	}
	put_options(out, cmd->opts);
	put_examples(out, cmd->examples);
	put_exit_status(out);
	fputs(".SH SEE ALSO\n.BR inftrace (1)\n", out);
}
