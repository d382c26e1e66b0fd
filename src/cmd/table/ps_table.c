// SPDX-License-Identifier: Apache-2.0
/* Lays the table out. Names of programs and runtimes' versions are made harmless for a terminal here. */
#include "cmd/table/ps_table.h"

#include <pwd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/printable.h"
#include "base/text/table.h"
#include "base/text/units.h"
#include "show/term/term.h"

enum { PLAIN_WIDTH = 1000, LEAST_WIDTH = 80 };

struct ps_age ps_table_age(uint64_t seconds)
{
	struct ps_age age;

	if (seconds < 120)
		snprintf(age.s, sizeof age.s, "%llu s", (unsigned long long)seconds);
	else if (seconds < 7200)
		snprintf(age.s, sizeof age.s, "%llu min", (unsigned long long)seconds / 60);
	else if (seconds < 172800)
		snprintf(age.s, sizeof age.s, "%llu h", (unsigned long long)seconds / 3600);
	else
		snprintf(age.s, sizeof age.s, "%llu days", (unsigned long long)seconds / 86400);
	return age;
}

struct ps_user ps_table_user(unsigned user)
{
	const struct passwd *entry = getpwuid(user);
	struct ps_user text;

	if (entry)
		snprintf(text.s, sizeof text.s, "%.32s", entry->pw_name);
	else
		snprintf(text.s, sizeof text.s, "%u", user);
	return text;
}

/* A file or a pipe gets whole lines: whoever reads it can cut them. */
static int width_of(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		return PLAIN_WIDTH;
	return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

static struct printable harmless(const char *text, bool is_ascii)
{
	return printable_text(text, strlen(text), PLAIN_WIDTH, is_ascii);
}

/* "ONNX Runtime 1.22.1, 1.18.0 (deleted); not recorded: ncnn 1.0" */
static struct printable runtimes_text(const struct attach_row *row, bool is_ascii)
{
	struct printable text = { "" };

	for (size_t i = 0; i < row->n_copies && i < ATTACH_RUNTIMES; i++) {
		const struct attach_copy *copy = &row->copy[i];
		const char *title = copy->runtime ? copy->runtime->title : "unknown";
		bool is_same = i && copy->runtime == copy[-1].runtime;
		printable_add(&text, "%s%s%s%s%s", i ? ", " : "", is_same ? "" : title, is_same ? "" : " ",
			      harmless(*copy->version ? copy->version : "?", is_ascii).s,
			      copy->is_deleted ? " (deleted)" : "");
	}
	if (row->n_copies > ATTACH_RUNTIMES)
		printable_add(&text, " and %zu more", row->n_copies - ATTACH_RUNTIMES);
	if (*row->others)
		printable_add(&text, "; not recorded: %s", harmless(row->others, is_ascii).s);
	return text;
}

static void add_row(struct table *table, const struct attach_row *row)
{
	const struct attach_match *match = &row->match;
	const char *command = *match->command ? match->command : match->name;

	table_cell(table, TABLE_PLAIN, "%d", (int)match->pid);
	table_cell(table, TABLE_PLAIN, "%s", harmless(ps_table_user(row->user).s, table->is_ascii).s);
	table_cell(table, TABLE_PLAIN, "%s", ps_table_age(match->age_s).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(row->n_threads).s);
	table_cell(table, TABLE_PLAIN, "%s", runtimes_text(row, table->is_ascii).s);
	if (row->can_probe)
		table_cell(table, TABLE_GREEN, "yes");
	else if (row->can_inject)
		table_cell(table, TABLE_PLAIN, "--inject");
	else
		table_cell(table, TABLE_RED, "no (%s)", row->obstacle);
	table_cell(table, TABLE_PLAIN, "%s", harmless(command, table->is_ascii).s);
}

static void print_rows(FILE *out, const struct attach_list *list, bool is_all)
{
	struct table table = { .width = width_of(out),
			       .has_color = *term_style(out, TERM_BOLD) != 0,
			       .is_ascii = term_wants_ascii() };

	table_column(&table, "PID", TABLE_RIGHT);
	table_column(&table, "USER", TABLE_LEFT);
	table_column(&table, "AGE", TABLE_RIGHT);
	table_column(&table, "THREADS", TABLE_RIGHT);
	table_column(&table, "RUNTIME", TABLE_LEFT);
	table_column(&table, "ATTACH", TABLE_LEFT);
	table_column(&table, "COMMAND", TABLE_LEFT | TABLE_SHRINKS);
	for (size_t i = 0; i < list->n; i++)
		if (is_all || !list->row[i].leader)
			add_row(&table, &list->row[i]);
	table_print(&table, out);
}

/* The first ones by name. Why is said of a few; of many it is the same. */
static void print_unread(FILE *out, const struct attach_list *list)
{
	const char *reason = geteuid() ? "other users own them, or they have more privileges; sudo shows them"
				       : "the kernel or a security module forbids it";
	bool is_few = list->n_unreadable <= ATTACH_UNREAD, is_ascii = term_wants_ascii();

	fprintf(out, "%s could not be looked into", printable_count(list->n_unreadable, "process").s);
	for (size_t i = 0; i < list->n_unreadable && i < ATTACH_UNREAD; i++) {
		const struct attach_unread *unread = &list->unread[i];
		fprintf(out, "%s%d (%s)", i ? ", " : ": ", (int)unread->pid, harmless(unread->name, is_ascii).s);
	}
	fprintf(out, is_few ? ".\n" : " and others: %s.\n", reason);
	for (size_t i = 0; i < list->n_unreadable && is_few; i++)
		fprintf(out, "  %s\n", harmless(list->unread[i].why.msg, is_ascii).s);
}

static void print_others(FILE *out, const struct attach_list *list)
{
	bool is_ascii = term_wants_ascii();

	for (size_t i = 0; i < list->n_others && i < ATTACH_OTHERS; i++)
		fprintf(out, "%s %d (%s): %s\n", i ? "             " : "Not recorded:", (int)list->other[i].pid,
			harmless(list->other[i].name, is_ascii).s, harmless(list->other[i].runtimes, is_ascii).s);
	if (list->n_others > ATTACH_OTHERS)
		fprintf(out, "              and %s more\n",
			printable_count(list->n_others - ATTACH_OTHERS, "process").s);
}

/* Each of them may use its runtime, or none may. */
static void print_followers(FILE *out, const struct attach_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct attach_row *row = &list->row[i];
		if (row->n_followers)
			fprintf(out, "%d (%s) has the runtime in %s of its program; --all lists them.\n",
				(int)row->match.pid, harmless(row->match.name, term_wants_ascii()).s,
				printable_count(row->n_followers, "other process").s);
	}
}

void ps_table_print(FILE *out, const struct attach_list *list, bool is_all)
{
	if (list->n)
		print_rows(out, list, is_all);
	else
		fprintf(out, "No program with a runtime that inftrace records was found.\n");
	if (!is_all)
		print_followers(out, list);
	print_others(out, list);
	if (list->n && *list->no_probes) {
		struct err why = { 0 };
		snprintf(why.msg, sizeof why.msg, "%s", list->no_probes);
		err_disarm(why.msg);
		fprintf(out, "%s\n", why.msg);
	}
	if (list->n_unreadable)
		print_unread(out, list);
	if (list->hides_others)
		fprintf(out, "/proc hides the processes of other users here (hidepid); sudo shows them.\n");
}
