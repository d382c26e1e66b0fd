// SPDX-License-Identifier: Apache-2.0
/*
 * Completion scripts from the tables of the commands: commands, options, the words of a choice, providers, programs
 * that have a runtime loaded (inftrace ps), files by their suffix; behind the first argument of a command that starts
 * a program, the shell's own completion.
 */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "model/run/provider_names.h"

/* Every command takes this one, and no table has a row for it. */
static const struct opt help_row = { 'h', "help", NULL, "print help and exit", OPT_FLAG, 0, NULL };

static const struct opt *next_row(const struct opt *table, const struct opt *row)
{
	if (row == &help_row)
		return NULL;
	for (row = row ? row + 1 : table; row && !opt_is_end(row); row++)
		if (row->name)
			return row;
	return &help_row;
}

static enum cmd_words words_of(const struct cmd *cmd)
{
	return cmd->order == OPT_FIRST ? CMD_PROGRAM : cmd->words;
}

/* Inside single quotes: ' and, for zsh's _arguments, the characters that structure a spec. */
static void put_quoted(FILE *out, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr(escaped, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* "a|b" with another separator. */
static void put_words(FILE *out, const char *words, char separator)
{
	for (; *words; words++)
		fputc(*words == '|' ? separator : *words, out);
}

static void put_command_names(FILE *out)
{
	for (const struct cmd *const *cmd = commands; *cmd; cmd++)
		fprintf(out, "%s%s", cmd == commands ? "" : " ", (*cmd)->name);
}

static void put_providers(FILE *out, char separator)
{
	for (unsigned i = 0; provider_names_short(i); i++) {
		if (i)
			fputc(separator, out);
		fputs(provider_names_short(i), out);
	}
}

/* The suffixes of the files that a command reads; NULL: any. */
static const char *suffixes_of(const struct cmd *cmd)
{
	return words_of(cmd) == CMD_RECORDINGS ? "pftrace json csv" : words_of(cmd) == CMD_MODELS ? "onnx ort" : NULL;
}

static bool is_provider(const struct opt *row)
{
	return !strcmp(row->name, "ep");
}

/* Of a running program: attach has it, and next, which waits for one that is not running. */
static bool is_program(const struct cmd *cmd, const struct opt *row)
{
	return words_of(cmd) == CMD_PIDS && !strcmp(row->name, "name");
}

static void put_bash_option(FILE *out, const struct cmd *cmd, const struct opt *row)
{
	fputs("\t\t", out);
	if (row->letter)
		fprintf(out, "-%c|", row->letter);
	fprintf(out, "--%s) ", row->name);
	if (row->type == OPT_CHOICE) {
		fputs("words=\"", out);
		put_words(out, row->metavar, ' ');
		fputs("\" ;;\n", out);
	} else if (is_provider(row)) {
		fputs("words=\"", out);
		put_providers(out, ' ');
		fputs("\" ;;\n", out);
	} else if (is_program(cmd, row)) {
		fputs("words=$(\"${COMP_WORDS[0]}\" ps --names 2> /dev/null) ;;\n", out);
	} else {
		fputs("files=1 ;;\n", out);
	}
}

static void put_bash_command(FILE *out, const struct cmd *cmd)
{
	fprintf(out, "\t%s)\n\t\tcase $prev in\n", cmd->name);
	for (const struct opt *row = next_row(cmd->opts, NULL); row; row = next_row(cmd->opts, row))
		if (row->type != OPT_FLAG)
			put_bash_option(out, cmd, row);
	fputs("\t\t*) options=\"", out);
	for (const struct opt *row = next_row(cmd->opts, NULL); row; row = next_row(cmd->opts, row))
		fprintf(out, "%s--%s", row == next_row(cmd->opts, NULL) ? "" : " ", row->name);
	fputc('"', out);
	if (cmd->max_args && words_of(cmd) == CMD_COMMANDS) {
		fputs(" words=\"", out);
		put_command_names(out);
		fputc('"', out);
	} else if (cmd->max_args && words_of(cmd) == CMD_PIDS) {
		fputs(" words=pids", out);
	} else if (cmd->max_args) {
		fputs(" files=1", out);
		if (suffixes_of(cmd))
			fprintf(out, " suffixes=\"%s\"", suffixes_of(cmd));
	}
	fputs(" ;;\n\t\tesac ;;\n", out);
}

static void put_bash(FILE *out)
{
	fputs("# bash completion for inftrace\n"
	      "_inftrace()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
	      "\tlocal i words=\"\" options=\"\" files=\"\" suffixes=\"\" before=\"\"\n"
	      "\tCOMPREPLY=()\n"
	      "\t# Behind --: the command line of another program.\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
	      "\t\tif declare -F _command_offset > /dev/null; then\n\t\t\t_command_offset $((i + 1))\n"
	      "\t\telse\n\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\tfi\n"
	      "\t\treturn\n"
	      "\tdone\n"
	      "\t# Where = does not end a word, --level=o is one.\n"
	      "\tcase $cur in\n"
	      "\t--*=*) before=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=} ;;\n"
	      "\tesac\n"
	      "\tif [ \"$cur\" = \"=\" ]; then\n\t\tcur=\"\"\n"
	      "\telif [ \"$prev\" = \"=\" ]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\t[ \"$COMP_CWORD\" -gt 1 ] || command=\"\"\n"
	      "\tcase $command in\n"
	      "\t\"\") options=\"--version --help\" words=\"",
	      out);
	put_command_names(out);
	fputs("\" ;;\n", out);
	for (const struct cmd *const *cmd = commands; *cmd; cmd++)
		put_bash_command(out, *cmd);
	fputs("\tesac\n"
	      "\tcase $cur in\n"
	      "\t-*) words=$options files=\"\" ;;\n"
	      "\tesac\n"
	      "\t[ \"$words\" != pids ] || words=$(\"${COMP_WORDS[0]}\" ps --pids 2> /dev/null)\n"
	      "\tfor i in $suffixes; do\n"
	      "\t\t[ -z \"$files\" ] || COMPREPLY+=($(compgen -f -X \"!*.$i\" -- \"$cur\"))\n"
	      "\tdone\n"
	      "\tif [ \"$files\" ] && [ \"${#COMPREPLY[@]}\" -gt 0 ]; then\n"
	      "\t\tCOMPREPLY+=($(compgen -d -- \"$cur\"))\n"
	      "\telif [ \"$files\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\telse\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\tfi\n"
	      "\tCOMPREPLY=(\"${COMPREPLY[@]/#/$before}\")\n"
	      "}\n"
	      "complete -o filenames -F _inftrace inftrace\n",
	      out);
}

/* '(-o --out)'{-o+,--out=}'[where to]:FILE:_files' */
static void put_zsh_option(FILE *out, const struct cmd *cmd, const struct opt *row)
{
	const char *value = row->type == OPT_FLAG ? "" : "=";

	fputs(" \\\n\t\t\t", out);
	if (row->letter && row->type != OPT_LIST)
		fprintf(out, "'(-%c --%s)'", row->letter, row->name);
	else if (row->type == OPT_LIST)
		fputs("'*'", out);
	if (row->letter)
		fprintf(out, "{-%c%s,--%s%s}'[", row->letter, row->type == OPT_FLAG ? "" : "+", row->name, value);
	else
		fprintf(out, "'--%s%s[", row->name, value);
	put_quoted(out, row->help, "[]:\\");
	fputc(']', out);
	if (row->type == OPT_CHOICE) {
		fprintf(out, ":%s:(", row->name);
		put_words(out, row->metavar, ' ');
		fputc(')', out);
	} else if (is_provider(row)) {
		fputs(":provider:(", out);
		put_providers(out, ' ');
		fputc(')', out);
	} else if (is_program(cmd, row)) {
		fputs(":program:{compadd -- $(inftrace ps --names 2> /dev/null)}", out);
	} else if (row->type != OPT_FLAG) {
		fputc(':', out);
		put_quoted(out, row->metavar, ":\\");
		fputs(":_files", out);
	}
	fputc('\'', out);
}

static void put_zsh_command(FILE *out, const struct cmd *cmd)
{
	static const char *const rest[] = {
		[CMD_FILES] = " \\\n\t\t\t'*:file:_files'",
		[CMD_RECORDINGS] = " \\\n\t\t\t'*:recording:_files -g \"*.(pftrace|json|csv)\"'",
		[CMD_MODELS] = " \\\n\t\t\t'*:model:_files -g \"*.(onnx|ort)\"'",
		[CMD_PIDS] = " \\\n\t\t\t'*:PID:{compadd -- $(inftrace ps --pids 2> /dev/null)}'",
		[CMD_COMMANDS] = " \\\n\t\t\t'*:command:(${commands%%:*})'",
		[CMD_PROGRAM] = " \\\n\t\t\t'(-):command:_command_names -e' \\\n\t\t\t'*::argument:_normal'",
	};

	fprintf(out, "\t%s)\n", cmd->name);
	if (cmd->order == OPT_FIRST)
		fputs(
		    "\t\tlocal end=${words[(i)--]}\n"
		    "\t\tif (( end < CURRENT )); then\n"
		    "\t\t\twords=(\"${(@)words[end+1,-1]}\")\n\t\t\t(( CURRENT -= end ))\n\t\t\t_normal\n\t\t\treturn\n"
		    "\t\tfi\n",
		    out);
	fprintf(out, "\t\t_arguments%s", cmd->order == OPT_FIRST ? " -A '-*'" : "");
	for (const struct opt *row = next_row(cmd->opts, NULL); row; row = next_row(cmd->opts, row))
		put_zsh_option(out, cmd, row);
	fprintf(out, "%s ;;\n", cmd->max_args ? rest[words_of(cmd)] : "");
}

static void put_zsh(FILE *out)
{
	fputs("#compdef inftrace\n"
	      "_inftrace() {\n"
	      "\tlocal -a commands=(\n",
	      out);
	for (const struct cmd *const *cmd = commands; *cmd; cmd++) {
		fprintf(out, "\t\t'%s:", (*cmd)->name);
		put_quoted(out, (*cmd)->summary, ":\\");
		fputs("'\n", out);
	}
	fputs("\t)\n"
	      "\tif (( CURRENT == 2 )); then\n"
	      "\t\t_arguments '--version[print the version and exit]' '--help[print help and exit]' '*: :{_describe "
	      "command commands}'\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tlocal command=$words[2]\n"
	      "\tshift words\n"
	      "\t(( CURRENT-- ))\n"
	      "\tcase $command in\n",
	      out);
	for (const struct cmd *const *cmd = commands; *cmd; cmd++)
		put_zsh_command(out, *cmd);
	fputs(
	    "\tesac\n"
	    "}\n"
	    "# Read by the completion system at the first use, or by a person's own `source`.\n"
	    "if [ \"$funcstack[1]\" = _inftrace ]; then\n\t_inftrace \"$@\"\nelse\n\tcompdef _inftrace inftrace\nfi\n",
	    out);
}

static void put_fish_option(FILE *out, const struct cmd *cmd, const struct opt *row)
{
	fprintf(out, "complete -c inftrace -n '__fish_seen_subcommand_from %s' -l %s", cmd->name, row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->type == OPT_CHOICE) {
		fputs(" -x -a '", out);
		put_words(out, row->metavar, ' ');
		fputc('\'', out);
	} else if (is_provider(row)) {
		fputs(" -x -a '", out);
		put_providers(out, ' ');
		fputc('\'', out);
	} else if (is_program(cmd, row)) {
		fputs(" -x -a '(inftrace ps --names 2> /dev/null)'", out);
	} else if (row->type != OPT_FLAG) {
		fputs(" -r", out);
	}
	fputs(" -d '", out);
	put_quoted(out, row->help, "\\");
	fputs("'\n", out);
}

static void put_fish_command(FILE *out, const struct cmd *cmd)
{
	fprintf(out, "complete -c inftrace -n __fish_use_subcommand -f -a %s -d '", cmd->name);
	put_quoted(out, cmd->summary, "\\");
	fputs("'\n", out);
	for (const struct opt *row = next_row(cmd->opts, NULL); row; row = next_row(cmd->opts, row))
		put_fish_option(out, cmd, row);
	if (cmd->max_args && (words_of(cmd) == CMD_FILES || suffixes_of(cmd)))
		return;
	fprintf(out, "complete -c inftrace -n '__fish_seen_subcommand_from %s' -f", cmd->name);
	if (cmd->max_args && words_of(cmd) == CMD_COMMANDS) {
		fputs(" -a '", out);
		put_command_names(out);
		fputc('\'', out);
	} else if (cmd->max_args && words_of(cmd) == CMD_PIDS) {
		fputs(" -a '(inftrace ps --pids 2> /dev/null)'", out);
	} else if (cmd->max_args) {
		fputs(" -a '(__fish_complete_subcommand --fcs-skip=2)'", out);
	}
	fputc('\n', out);
}

static void put_fish(FILE *out)
{
	fputs("# fish completion for inftrace\n"
	      "complete -c inftrace -n __fish_use_subcommand -f -l version -s V -d 'print the version and exit'\n",
	      out);
	for (const struct cmd *const *cmd = commands; *cmd; cmd++)
		put_fish_command(out, *cmd);
}

int help_completion(FILE *out, const char *shell, struct err *err)
{
	static const struct {
		const char *shell;
		void (*put)(FILE *out);
	} shells[] = { { "bash", put_bash }, { "zsh", put_zsh }, { "fish", put_fish } };

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (!strcmp(shells[i].shell, shell)) {
			shells[i].put(out);
			return 0;
		}
	}
	return err_set(err, EINVAL, "cannot write a completion script for %s: not one of bash, zsh, fish", shell);
}
